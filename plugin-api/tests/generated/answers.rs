//! What answers mean: each merge rule in words, and each answer in Rust and in JSON.

use hermes_plugin_api::answers::{
    Approval, ContextPiece, Continue, Flow, Replacement, Reply, SendDecision, ToolDecision, Verdict,
};
use hermes_plugin_api::catalogue::Merge;
use hermes_plugin_api::extension::commands::CliOutput;
use hermes_plugin_api::extension::middleware::{Executed, Rewrite};
use serde_json::{Map, Value, json};

/// One merge rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// How the answers of all handlers become one outcome.
    pub(crate) words: &'static str,
    /// The type a Rust handler returns.
    pub(crate) rust_type: &'static str,
    pub(crate) choices: Vec<Choice>,
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) rust: &'static str,
    /// `None` for "nothing said".
    pub(crate) json: Option<Value>,
    pub(crate) effect: &'static str,
}

/// An answer whose Rust form the compiler has seen.
macro_rules! choice {
    ($rust:expr, nothing, $effect:literal) => {{
        let _ = $rust;
        Choice {
            rust: stringify!($rust),
            json: None,
            effect: $effect,
        }
    }};
    ($rust:expr, $json:tt, $effect:literal) => {{
        let _ = $rust;
        Choice {
            rust: stringify!($rust),
            json: Some(json!($json)),
            effect: $effect,
        }
    }};
}

/// The rule behind the table's word.
pub(crate) fn rule(merge: Merge) -> Rule {
    match merge {
        Merge::Ignore => Rule {
            words: "Answers are ignored: handlers only watch.",
            rust_type: "()",
            choices: Vec::new(),
        },
        Merge::Directive => directive(),
        Merge::Context => context(),
        Merge::ReplaceAny => replacement(
            "The first text in the order of the chain replaces the original, even an empty one; later handlers still see the original. A handler that chains (`.chain()`, or role `transform`) sees the text so far, its own text always counts, and the handlers after it see what it made of the text.",
            "An empty text counts: the original is removed.",
        ),
        Merge::ReplaceNonEmpty => replacement(
            "The first text in the order of the chain that is not empty replaces the original; later handlers still see the original. A handler that chains (`.chain()`, or role `transform`) sees the text so far, its own text always counts, and the handlers after it see what it made of the text.",
            "An empty text is passed over.",
        ),
        Merge::Flow => flow(),
        Merge::Continue => go_on(),
        Merge::ToolDecision => tool_decision(),
        Merge::Outbound => outbound(),
        Merge::Reply => Rule {
            words: "The handler's own text is the result.",
            rust_type: "Reply",
            choices: vec![choice!(
                Reply::text("{\"ok\":true}"),
                "{\"ok\":true}",
                "The result, normally JSON."
            )],
        },
        Merge::LastWins => rewrite(),
        Merge::Wrap => wrap(),
        Merge::Truth => Rule {
            words: "The handler's own yes or no is the result; one that faults says no.",
            rust_type: "bool",
            choices: vec![choice!(true, true, "Yes."), choice!(false, false, "No.")],
        },
        Merge::Output => Rule {
            words: "The handler's own text is printed, and its code ends the program. A bare text means code 0.",
            rust_type: "CliOutput",
            choices: vec![
                choice!(CliOutput::text("done"), { "text": "done", "code": 0 }, "Printed; all is well."),
                choice!(CliOutput::text("usage: …").code(2), { "text": "usage: …", "code": 2 }, "Printed; the program ends with 2."),
            ],
        },
        other => panic!("say in tests/generated/answers.rs what {other:?} means"),
    }
}

fn directive() -> Rule {
    let args = Map::new;
    Rule {
        words: "`block` beats `approve`, whatever the order of the handlers. A block without a usable message \
                still blocks, and the first usable message of a block is the one that is told. Arguments set by \
                `modify` are merged key by key, later handlers over earlier ones.",
        rust_type: "Verdict",
        choices: vec![
            choice!(Verdict::pass(), nothing, "No objection."),
            choice!(Verdict::block("why"), { "action": "block", "message": "why" }, "The tool does not run; the model is told why."),
            choice!(Verdict::approve("really?"), { "action": "approve", "message": "really?" }, "A person is asked."),
            choice!(
                Verdict::approve("really?").rule_key("deploys"),
                { "action": "approve", "message": "really?", "rule_key": "deploys" },
                "A person is asked; the agreement is remembered under the key."
            ),
            choice!(Verdict::modify(args()), { "action": "modify", "args": { "dry_run": true } }, "The tool runs with these arguments over its own."),
        ],
    }
}

fn context() -> Rule {
    Rule {
        words: "Every usable piece counts: they are joined by a blank line, in the order of the chain. A blank bare \
                text and an empty context are passed over.",
        rust_type: "ContextPiece",
        choices: vec![
            choice!(ContextPiece::NONE, nothing, "Nothing to add."),
            choice!(ContextPiece::append("text"), { "context": "text" }, "Appended to this turn's user message. A bare text does the same."),
        ],
    }
}

fn replacement(words: &'static str, empty: &'static str) -> Rule {
    Rule {
        words,
        rust_type: "Replacement",
        choices: vec![
            choice!(Replacement::KEEP, nothing, "The original stays."),
            choice!(
                Replacement::text("text"),
                "text",
                "This text instead of the original."
            ),
            Choice {
                rust: "Replacement::text(\"\")",
                json: Some(json!("")),
                effect: empty,
            },
        ],
    }
}

fn flow() -> Rule {
    Rule {
        words: "The first recognised action in the order of the chain wins: `skip`, `rewrite` or `allow`. A rewrite \
                without a text ends the walk and changes nothing. The `skip` of a guard, or its fault, wins over all \
                of it.",
        rust_type: "Flow",
        choices: vec![
            choice!(Flow::Pass, nothing, "No opinion."),
            choice!(Flow::Skip { reason: Some("spam".into()) }, { "action": "skip", "reason": "spam" }, "The message is dropped without a reply."),
            choice!(Flow::Rewrite { text: "text".into() }, { "action": "rewrite", "text": "text" }, "The message goes on with another text."),
            choice!(Flow::Allow, { "action": "allow" }, "The message goes on; lower handlers no longer count."),
        ],
    }
}

fn go_on() -> Rule {
    Rule {
        words: "The first request to go on that has a message wins.",
        rust_type: "Continue",
        choices: vec![
            choice!(Continue::FINISH, nothing, "The agent may finish."),
            choice!(Continue::with("run the tests"), { "action": "continue", "message": "run the tests" }, "The agent goes on, and is told this."),
            Choice {
                rust: "",
                json: Some(json!({ "decision": "block", "reason": "run the tests" })),
                effect: "The same in the neighbour's shape.",
            },
        ],
    }
}

fn tool_decision() -> Rule {
    let params = Map::new;
    Rule {
        words: "`block: true` is final, and the last reason that any handler gave is told. Otherwise the first \
                request for approval counts, and parameters no longer change once it was made; without one the \
                last parameters are merged over the call's own.",
        rust_type: "ToolDecision",
        choices: vec![
            choice!(ToolDecision::none(), nothing, "No decision."),
            choice!(ToolDecision::block("why"), { "block": true, "blockReason": "why" }, "The tool does not run."),
            choice!(ToolDecision::none().params(params()), { "params": { "dryRun": true } }, "The tool runs with these parameters over its own."),
            choice!(
                ToolDecision::none().require_approval(Approval::new("Deploy", "to production")),
                { "requireApproval": { "title": "Deploy", "description": "to production" } },
                "A person is asked; `on_resolution` is called with the decision."
            ),
        ],
    }
}

fn outbound() -> Rule {
    Rule {
        words: "`cancel: true` is final. Otherwise the last content counts, and each handler sees what the one \
                before it left.",
        rust_type: "SendDecision",
        choices: vec![
            choice!(SendDecision::none(), nothing, "No decision."),
            choice!(SendDecision::content("text"), { "content": "text" }, "This content is sent instead."),
            choice!(SendDecision::cancel("why"), { "cancel": true, "cancelReason": "why" }, "Nothing is sent."),
        ],
    }
}

fn rewrite() -> Rule {
    let value = Map::new;
    Rule {
        words: "Every handler sees the same original. The last valid answer in the order of the chain replaces it \
                as a whole; each valid one leaves an entry in the trace.",
        rust_type: "Rewrite",
        choices: vec![
            choice!(Rewrite::KEEP, nothing, "The original stays."),
            choice!(
                Rewrite::to(value()).source("me").reason("why"),
                { "source": "me", "reason": "why" },
                "This instead, in `args` of a tool and `request` of a model; the texts go into the trace."
            ),
        ],
    }
}

fn wrap() -> Rule {
    Rule {
        words: "Each handler wraps those after it, the first one is the outermost, and at the end the host runs \
                the tool or calls the model. A handler calls what it wraps with `next`, once. One that faults \
                before that is skipped; one that faults afterwards does not change the result, unless it is a \
                guard, which refuses it. An error of what it wraps is handed on, unless a handler answers.",
        rust_type: "Executed",
        choices: vec![
            choice!(
                Executed::PASS,
                nothing,
                "The result of what it wraps stands; the host calls that, if the handler did not."
            ),
            choice!(Executed::with("result"), "result", "This is the result."),
        ],
    }
}

/// Whether JSON is what the table calls by this name.
fn admits(ty: &str, json: &Value) -> bool {
    let wanted = match json {
        Value::Null => return ty.ends_with("|null") || ty == "any",
        Value::Bool(_) => "bool",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "arr",
        Value::Object(_) => "obj",
    };
    ty == "any" || ty.split('|').next() == Some(wanted)
}

#[test]
fn every_example_is_an_answer_of_its_hooks() {
    for hook in hermes_plugin_api::catalogue::all() {
        for choice in rule(hook.merge).choices {
            let Some(Value::Object(members)) = choice.json else {
                continue;
            };
            for (key, value) in members {
                let field = hook.answer(&key);
                let fits = field.is_some_and(|field| admits(field.ty.name(), &value));
                assert!(fits, "{}: `{key}: {value}` is no answer", hook.name);
            }
        }
    }
}
