//! Which rule of a hook is Hermes' and which is ours, in sentences for `docs/hooks.md`.

use hermes_plugin_api::catalogue::{self, Dialect, Hook, Merge};

/// Who made a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Hermes Agent: its published page, or its code where the page is silent.
    Hermes,
    /// This host: it goes further, or decides where Hermes' page and code differ.
    Ours,
}

impl Whose {
    /// The word at the head of a rule.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Hermes => "Hermes",
            Self::Ours => "Ours",
        }
    }
}

/// One rule.
pub(crate) type Rule = (Whose, &'static str);

use Whose::{Hermes, Ours};

/// What holds for every hook.
pub(crate) const EVERYWHERE: &[Rule] = &[
    (
        Hermes,
        "Every handler is called, in the order of the chain, also after one has blocked. What a later one says is kept in the outcome's replies, whether it counts or not.",
    ),
    (
        Hermes,
        "A handler that says nothing (`null`) takes no part. One that faults is logged with its plugin and hook, and the others are called all the same.",
    ),
    (
        Hermes,
        "Fields may be added with any version, and a handler must not mind those it does not know. A name that no host fires may be registered; it is kept, and listed with the name that was probably meant.",
    ),
    (
        Ours,
        "The order is: handlers without the role `guard`, then guards; within that the higher priority first, then the order of loading. Hermes knows the order of loading only.",
    ),
    (
        Ours,
        "An event is read-only. In Hermes the arguments of a call are the very dictionary that the tool gets, and changing them in place is a back door; here a rewrite is an answer.",
    ),
    (
        Ours,
        "A guard fails closed: when it faults, was refused, or is named in `plugins.required` and not loaded, what it covers is refused. The model is told which guard it was, and nothing of what went wrong in it. A guard none of whose hooks can ever fire is refused, since it would guard nothing.",
    ),
    (
        Ours,
        "What is reported twice for the same call id is delivered once. Calls without an id are never taken for the same.",
    ),
    (
        Ours,
        "An id that is `\"\"` is absent: `None` in Rust, `HERMES_TAG_ABSENT` in C.",
    ),
    (
        Ours,
        "A plugin whose `register` fails keeps nothing of what it registered. In Hermes it does.",
    ),
];

/// What hooks of the same merge rule have in common.
const fn by_merge(merge: Merge) -> &'static [Rule] {
    match merge {
        Merge::Directive => &[
            (
                Hermes,
                "A block needs an `action` that is exactly `block`, and a `message` that is a text and not empty. The first such message in the order of the chain is the one the model is told, as `{\"error\": message}`. Other actions, other spellings, bare texts and numbers are ignored.",
            ),
            (
                Hermes,
                "`approve` asks a person under `rule_key`, or the tool's name where that is blank. Denied, timed out, or nobody there to ask: blocked.",
            ),
            (
                Ours,
                "A block beats an approve, whatever the order of the two. In Hermes the first of either wins.",
            ),
            (
                Ours,
                "A block whose message is empty or no text still blocks, with a message that names the plugin, unless another handler gave a usable one. In Hermes it does not count.",
            ),
            (
                Ours,
                "`modify` changes the arguments it names and leaves the others: a shallow merge, later handlers over earlier ones, each seeing them as they are by then. The outcome says whose value each is.",
            ),
            (
                Ours,
                "Guards are asked last, about the call as it will run. A guard's own `modify` is ignored and reported: nobody would have judged it.",
            ),
        ],
        Merge::Ignore => &[(
            Hermes,
            "Answers are ignored: a handler can neither change nor prevent anything.",
        )],
        Merge::Context => &[
            (
                Hermes,
                "A bare text counts when it is not blank; an object counts when its `context` is truthy, and what is no text is written as one. All that count are joined by a blank line, in the order of the chain.",
            ),
            (
                Hermes,
                "The text goes to the end of this turn's user message, never into the system prompt, and is the same in every request of the turn. A message that is not plain text gets nothing.",
            ),
            (
                Hermes,
                "It is not stored (the published page; 0.19 keeps it beside the message).",
            ),
        ],
        Merge::ReplaceAny => &[
            (
                Hermes,
                "The first answer that is a text replaces the original, **also an empty one**. Anything else is ignored. Every handler sees the original.",
            ),
            CHAINS,
            WITHHOLDS,
        ],
        Merge::ReplaceNonEmpty => &[
            (
                Hermes,
                "The first answer that is a text **and not empty** replaces the original; an empty one is passed over, unlike in the other transforms. Every handler sees the original.",
            ),
            CHAINS,
            WITHHOLDS,
        ],
        Merge::Flow => &[
            (
                Hermes,
                "The first recognised action in the order of the chain decides: `skip` drops the message without a reply and logs the reason, `rewrite` changes its text (`\"\"` is a text; a rewrite without a text decides too, and changes nothing), `allow` lets it pass. Other answers are passed over.",
            ),
            (
                Ours,
                "The `skip` of a guard wins over every `allow` and `rewrite` of handlers that are none, and guards see the text as it was rewritten. A guard's own `rewrite` is ignored and reported. A guard that faults skips the message.",
            ),
        ],
        Merge::Continue => &[
            (
                Hermes,
                "The first valid request to go on wins: `action` or `decision` is `continue` or `block` once trimmed and in lower case, and `message`, else `reason`, is a text that is not blank.",
            ),
            (
                Hermes,
                "What it says is added as a message of the user, at most `agent.max_verify_nudges` times a turn (3 unless set).",
            ),
        ],
        _ => &[],
    }
}

const CHAINS: Rule = (
    Ours,
    "A handler that chains (`.chain()`, or the role `transform`) works on the text so far, its own text always counts, and the handlers after it see what it made of it. So two redactors both apply.",
);
const WITHHOLDS: Rule = (
    Ours,
    "When a handler that fails closed faults, the text is withheld and a notice stands in its place.",
);

const APPROVALS: &[Rule] = &[
    (
        Hermes,
        "Comes around a prompt that a person really gets: not where approvals are off, were given before, or are never asked for. Where the person could not be told, `post_approval_response` does not follow.",
    ),
    (
        Hermes,
        "0.19 shows the decisions of an auxiliary model too, with `surface` `smart`.",
    ),
];
const API: &[Rule] = &[(
    Hermes,
    "Once per HTTP attempt, retries included, not once per turn. Requests and responses in it are bounded, and stripped of keys and cookies.",
)];
const KANBAN: &[Rule] = &[(
    Hermes,
    "Comes in the process that made the change, after it was committed.",
)];

/// What only this hook has.
const BY_HOOK: &[(&str, &[Rule])] = &[
    (
        "pre_tool_call",
        &[
            (
                Hermes,
                "Comes once per call; for calls of one batch for all of them, one after the other, before any of them runs. Arguments that are no object are `{}`.",
            ),
            (
                Ours,
                "`session_id` and `tool_call_id` are filled in, as the published page shows it (0.13 leaves them empty), and a nested call gets the session that its task belongs to.",
            ),
        ],
    ),
    (
        "post_tool_call",
        &[
            (
                Hermes,
                "Comes for every tool, also for calls that were blocked (`status` `blocked`, `error_type` `plugin_block`), cancelled or timed out (the published page and 0.19). An error of the tool is a text in `result`.",
            ),
            (
                Hermes,
                "Sees the result before `transform_tool_result` does. `duration_ms` is the tool's alone, without hooks. Calls of one batch may end at the same time on several threads.",
            ),
            (
                Ours,
                "`compat: \"0.13\"` in `config.yaml` brings back that version's rule: nothing after a blocked call.",
            ),
        ],
    ),
    (
        "transform_tool_result",
        &[
            (
                Hermes,
                "Comes for every tool that returned a result (the published page; the code leaves out the agent's own tools), never for a blocked call.",
            ),
            (
                Ours,
                "Both spellings of the arguments are there, with equal content: `arguments` of the published page and `args` of the code.",
            ),
        ],
    ),
    (
        "transform_terminal_output",
        &[
            (
                Hermes,
                "Comes for foreground commands only, before the output is cut to its limit, stripped of ANSI codes and redacted; all three are then done to the replacement too.",
            ),
            (
                Ours,
                "Both spellings are there with equal content, `exit_code` of the published page and `returncode` of the code, and so are `cwd` and `env_type`.",
            ),
        ],
    ),
    (
        "pre_llm_call",
        &[(
            Hermes,
            "Comes once per turn of the user, not once per request to the model.",
        )],
    ),
    (
        "post_llm_call",
        &[(
            Hermes,
            "Comes once per turn, only where there is an answer and nobody interrupted. `assistant_response` is what is delivered, after `transform_llm_output`; the history has the original.",
        )],
    ),
    (
        "transform_llm_output",
        &[(
            Hermes,
            "Comes once per turn, only where there is an answer and nobody interrupted. The conversation keeps the original.",
        )],
    ),
    ("pre_api_request", API),
    ("post_api_request", API),
    ("api_request_error", API),
    (
        "on_session_start",
        &[(
            Hermes,
            "Comes with the first turn of a session that has no messages yet, not with one that is continued or resumed. Child agents have sessions of their own.",
        )],
    ),
    (
        "on_session_end",
        &[(
            Hermes,
            "Comes exactly once per *turn*, whatever its outcome (the published page; the code leaves it out after some errors). A process that ends in mid-turn says `completed: false, interrupted: true`.",
        )],
    ),
    (
        "on_session_finalize",
        &[
            (
                Hermes,
                "`session_id` is null where there was no agent. Comes before the new session's `on_session_reset`.",
            ),
            (
                Hermes,
                "On the gateway it always has its `on_session_reset`, also when a session expires; only a shutdown has none (the published page; the code pairs the two for `/new` and `/reset` only).",
            ),
        ],
    ),
    (
        "on_session_reset",
        &[(
            Hermes,
            "Comes right after the new id exists; `on_session_start` follows with its first message. Also when an idle session is rotated (the published page; the code leaves that out).",
        )],
    ),
    (
        "subagent_stop",
        &[(
            Hermes,
            "Comes once per child, after all children of the call are done or given up, in the order of the tasks, one at a time on the parent's thread.",
        )],
    ),
    (
        "subagent_start",
        &[(Hermes, "Comes once the child is built, before it runs.")],
    ),
    ("pre_approval_request", APPROVALS),
    ("post_approval_response", APPROVALS),
    (
        "post_approval_response",
        &[(
            Hermes,
            "A prompt that nobody answered is `timeout` on every surface (the published page; the code calls it `deny` in the terminal).",
        )],
    ),
    (
        "pre_gateway_dispatch",
        &[
            (
                Hermes,
                "Comes before authorisation, pairing and commands, and not for messages that the gateway made itself. It runs on the thread that serves all platforms, so a slow handler holds all of them up.",
            ),
            (
                Ours,
                "The live objects are services that work until the handler returns, and answer GONE afterwards; a host without them answers that it has none.",
            ),
        ],
    ),
    ("kanban_task_claimed", KANBAN),
    ("kanban_task_completed", KANBAN),
    ("kanban_task_blocked", KANBAN),
];

/// All rules of a hook, Hermes' first.
pub(crate) fn rules(hook: &Hook) -> Vec<Rule> {
    if hook.dialect != Dialect::Hermes {
        return Vec::new();
    }
    let own = BY_HOOK
        .iter()
        .filter(|(name, _)| *name == hook.name)
        .flat_map(|(_, rules)| *rules);
    let mut rules: Vec<Rule> = own.chain(by_merge(hook.merge)).copied().collect();
    rules.sort_by_key(|(whose, _)| *whose == Ours);
    rules
}

#[test]
fn every_hook_of_hermes_has_rules_and_every_rule_a_hook() {
    for hook in catalogue::all().filter(|hook| hook.dialect == Dialect::Hermes) {
        let rules = rules(hook);
        let own = BY_HOOK.iter().any(|(name, _)| *name == hook.name);
        assert!(own || rules.len() > 1, "{}: {rules:?}", hook.name);
        assert!(
            rules.iter().any(|(whose, _)| *whose == Hermes),
            "{}: nothing of it is Hermes'",
            hook.name
        );
        if hook.decides() {
            assert!(
                !by_merge(hook.merge).is_empty(),
                "{}: say in tests/generated/rules.rs how {:?} decides",
                hook.name,
                hook.merge
            );
        }
    }
    for (name, rules) in BY_HOOK {
        let hook = catalogue::by_name(name).unwrap_or_else(|| panic!("`{name}` is no hook"));
        assert_eq!(hook.dialect, Dialect::Hermes, "{name}");
        assert!(!rules.is_empty(), "{name}");
    }
}

#[test]
fn a_rule_that_names_two_spellings_is_true() {
    for (hook, one, other) in [
        ("transform_tool_result", "args", "arguments"),
        ("transform_terminal_output", "exit_code", "returncode"),
    ] {
        let entry = catalogue::by_name(hook).expect("the table has it");
        let alias = entry.field(one).and_then(|field| field.alias);
        assert_eq!(alias, Some(other), "{hook}");
    }
}
