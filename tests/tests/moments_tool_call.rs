//! Tool calls, from what the model asked for to what it is given: the numbered cases, through compiled plugins.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use hermes_loader::moments::{
    Approvals, Choice, Compat, Moments, Scope, Surface, ToolCall, ToolFailure, ToolResult,
    ToolRunner, ToolStatus, Tools,
    memory::{Allowed, ManualClock, Nobody, Person, Toolbox},
};
use hermes_tests::{Fixture, Placed, Stage, TestHome, until};
use serde_json::{Value, json};

fn tools() -> Toolbox {
    Toolbox::new()
        .tool("terminal", |call| {
            Ok(json!({"output": call.text("command"), "exit_code": 0, "error": null}).to_string())
        })
        .tool("show", |call| Ok(call.args.to_string()))
        .tool("fails", |_| Err(ToolFailure::from("no such thing")))
        .tool("panics", |_| panic!("the tool's own panic"))
}

fn run(stage: &Stage, runner: &dyn ToolRunner, call: ToolCall) -> ToolResult {
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    call.run(&Tools {
        approvals: &approvals,
        runner,
    })
}

fn ls() -> ToolCall {
    ToolCall::new("terminal", json!({"command": "ls"}))
        .id("call-1")
        .scope(Scope::session("s1").task("t1"))
}

#[test]
fn case_8_a_batch_asks_everybody_before_anything_runs() {
    let second = json!({"pre_tool_call": [
        {"when": {"args.n": 2}, "return": {"action": "block", "message": "not that one"}}
    ]});
    let stage = Arc::new(Stage::new("case8", [second]));
    let asked_when_run = Arc::new(Mutex::new(Vec::new()));
    let (seen, own) = (Arc::clone(&asked_when_run), Arc::clone(&stage));
    let runner = Toolbox::new().tool("count", move |call| {
        let asked = own.seen("pre_tool_call").len();
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push((call.args["n"].clone(), asked));
        Ok(call.args["n"].to_string())
    });
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    let calls = (1..=3).map(|n| ToolCall::new("count", json!({ "n": n })).id(format!("c{n}")));
    let results = ToolCall::batch(
        calls,
        &Tools {
            approvals: &approvals,
            runner: &runner,
        },
    );

    let came: Vec<(&str, &str, ToolStatus)> = results
        .iter()
        .map(|result| {
            let id = result.tool_call_id.as_deref().expect("it has an id");
            (id, result.text.as_str(), result.status)
        })
        .collect();
    assert_eq!(
        came,
        [
            ("c1", "1", ToolStatus::Ok),
            ("c2", r#"{"error":"not that one"}"#, ToolStatus::Blocked),
            ("c3", "3", ToolStatus::Ok),
        ]
    );
    let asked: Vec<Value> = stage
        .seen("pre_tool_call")
        .iter()
        .map(|event| event["args"]["n"].clone())
        .collect();
    assert_eq!(
        asked,
        [1, 2, 3],
        "one after the other, in the order of the calls"
    );
    let mut ran = asked_when_run
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    ran.sort_by_key(|(n, _)| n.as_u64());
    assert_eq!(
        ran,
        [(json!(1), 3), (json!(3), 3)],
        "all were asked before the first ran, and the blocked one never ran"
    );
    // Thirty calls on eight threads: each result stands at its own place.
    let calls = (1..=30).map(|n| ToolCall::new("count", json!({ "n": n + 100 })));
    let tools = Tools {
        approvals: &approvals,
        runner: &runner,
    };
    let results = ToolCall::batch(calls, &tools);
    let texts: Vec<String> = results.into_iter().map(|result| result.text).collect();
    let expected: Vec<String> = (101..=130).map(|n| n.to_string()).collect();
    assert_eq!(texts, expected);
}

#[test]
fn a_batch_runs_at_the_same_time_on_at_most_eight_threads() {
    let stage = Stage::new("parallel", []);
    let (running, most, arrived) =
        <(Arc<AtomicUsize>, Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
    let (now, peak, all) = (
        Arc::clone(&running),
        Arc::clone(&most),
        Arc::clone(&arrived),
    );
    let runner = Toolbox::new().tool("meets", move |_| {
        let together = now.fetch_add(1, Ordering::SeqCst) + 1;
        peak.fetch_max(together, Ordering::SeqCst);
        // Nobody gets past it before eight are here.
        all.fetch_add(1, Ordering::SeqCst);
        until("eight at once", || {
            (all.load(Ordering::SeqCst) >= 8).then_some(())
        });
        now.fetch_sub(1, Ordering::SeqCst);
        Ok("met".to_owned())
    });
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    let calls = (0..16).map(|_| ToolCall::new("meets", json!({})));
    let results = ToolCall::batch(
        calls,
        &Tools {
            approvals: &approvals,
            runner: &runner,
        },
    );
    assert!(
        results.iter().all(|result| result.text == "met"),
        "{results:?}"
    );
    assert_eq!(results.len(), 16);
    assert_eq!(most.load(Ordering::SeqCst), 8, "and never nine");
}

#[test]
fn case_9_a_tool_that_throws_is_an_error_the_observers_see() {
    let stage = Stage::new("case9", []);
    for (tool, text) in [
        ("fails", "no such thing"),
        ("panics", "the tool's own panic"),
        ("unknown", "there is no tool named `unknown`"),
    ] {
        let result = run(&stage, &tools(), ToolCall::new(tool, json!({})));
        assert_eq!(result.status, ToolStatus::Error, "{tool}");
        let told: Value = serde_json::from_str(&result.text).expect("the model is told in JSON");
        assert_eq!(told["error"], format!("Error executing {tool}: {text}"));
        let after = stage.seen("post_tool_call").pop().expect("it was observed");
        assert_eq!(after["result"], result.text, "{tool}");
        assert_eq!(after["status"], "error", "{tool}");
        assert_eq!(after["error_type"], "tool_error", "{tool}");
        assert_eq!(after["error_message"], told["error"], "{tool}");
    }
    // A tool that says so itself.
    let runner = Toolbox::new().tool("says", |_| Ok(r#"{"error": "not found"}"#.to_owned()));
    let result = run(&stage, &runner, ToolCall::new("says", json!({})));
    assert_eq!(result.status, ToolStatus::Error);
    let after = stage.seen("post_tool_call").pop().expect("it was observed");
    assert_eq!(
        (&after["status"], &after["error_message"]),
        (&json!("error"), &json!("not found"))
    );
    // Interrupted, and too slow.
    let runner = Toolbox::new()
        .tool("stopped", |_| {
            Err(ToolFailure::Cancelled("stopped".to_owned()))
        })
        .tool("slow", |_| {
            Err(ToolFailure::TimedOut("too slow".to_owned()))
        });
    for (tool, status, error_type) in [
        ("stopped", "cancelled", "keyboard_interrupt"),
        ("slow", "timeout", "tool_timeout"),
    ] {
        let result = run(&stage, &runner, ToolCall::new(tool, json!({})));
        assert_eq!(result.status.as_str(), status);
        let after = stage.seen("post_tool_call").pop().expect("it was observed");
        assert_eq!(
            (&after["status"], &after["error_type"]),
            (&json!(status), &json!(error_type))
        );
    }
}

/// Moves the clock on whenever something is logged: a handler that faults logs while it is called.
struct Ticks(Arc<ManualClock>);

impl tracing::Subscriber for Ticks {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {
        self.0.advance(Duration::from_secs(3600));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn case_11_the_duration_is_the_tools_alone() {
    let errs = json!([{"error": "takes an hour"}]);
    let slow =
        json!({"pre_tool_call": errs, "post_tool_call": errs, "transform_tool_result": errs});
    let stage = Stage::new("case11", [slow]);
    let clock = Arc::clone(&stage.clock);
    let runner = Toolbox::new().tool("work", move |_| {
        clock.advance(Duration::from_micros(7_999));
        Ok("done".to_owned())
    });
    let ticks = Ticks(Arc::clone(&stage.clock));
    let result = tracing::subscriber::with_default(ticks, || {
        run(&stage, &runner, ToolCall::new("work", json!({})))
    });
    assert_eq!(result.took, Duration::from_micros(7_999));
    let now = hermes_loader::moments::Clock::now(&*stage.clock);
    assert!(
        now >= Duration::from_secs(3 * 3600),
        "three handlers took an hour each: {now:?}"
    );
    let after = stage.seen("post_tool_call").pop().expect("it was observed");
    assert_eq!(after["duration_ms"], 7, "whole milliseconds, cut off");
    assert_eq!(stage.seen("transform_tool_result")[0]["duration_ms"], 7);
}

#[test]
fn case_12_arguments_that_are_no_object_are_none() {
    let stage = Stage::new("case12", []);
    for args in [json!("text"), json!([1]), json!(null), json!(7)] {
        let result = run(&stage, &tools(), ToolCall::new("show", args));
        assert_eq!(result.text, "{}");
    }
    let seen = stage.seen("pre_tool_call");
    assert_eq!(seen.len(), 4);
    assert!(
        seen.iter().all(|event| event["args"] == json!({})),
        "{seen:?}"
    );
    // Arguments that are no JSON: nobody is asked, and the model is told.
    let call = json!({"id": "c", "function": {"name": "show", "arguments": "{\"cut of"}});
    let result = run(&stage, &tools(), ToolCall::from_message(&call));
    assert_eq!(result.status, ToolStatus::Error);
    assert!(result.text.contains("are no JSON"), "{}", result.text);
    assert_eq!(stage.seen("pre_tool_call").len(), 4);
    let call = json!({"id": "c", "function": {"name": "show", "arguments": "{\"a\":1}"}});
    let result = run(&stage, &tools(), ToolCall::from_message(&call));
    assert_eq!(result.text, r#"{"a":1}"#);
}

#[test]
fn case_13_only_a_declared_rewrite_changes_the_arguments() {
    let says = |answer: Value| json!({"pre_tool_call": [{"return": answer}]});
    // An answer that merely looks like changed arguments changes nothing.
    let stage = Stage::new("case13", [says(json!({"args": {"command": "mutated"}}))]);
    let call = ToolCall::new("show", json!({"command": "ls", "cwd": "/"}));
    assert_eq!(
        run(&stage, &tools(), call.clone()).text,
        r#"{"command":"ls","cwd":"/"}"#
    );
    // `modify` merges over the keys it names.
    let stage = Stage::new(
        "case13b",
        [says(
            json!({"action": "modify", "args": {"command": "ls -l", "new": 1}}),
        )],
    );
    assert_eq!(
        run(&stage, &tools(), call).text,
        r#"{"command":"ls -l","cwd":"/","new":1}"#
    );
    let after = stage.seen("post_tool_call").pop().expect("it was observed");
    assert_eq!(after["args"]["command"], "ls -l", "observers see what ran");
}

#[test]
fn case_16_a_blocked_call_is_observed_unless_the_profile_is_0_13() {
    let blocks =
        || json!({"pre_tool_call": [{"return": {"action": "block", "message": "nein, größer"}}]});
    let mut stage = Stage::new("case16", [blocks()]);
    let result = run(&stage, &tools(), ls());
    assert_eq!(result.text, r#"{"error":"nein, größer"}"#);
    assert_eq!(result.blocked_by.as_deref(), Some("p1-case16"));
    let fired = stage.fired();
    assert_eq!(fired, ["pre_tool_call", "post_tool_call"], "no transform");
    let after = &stage.seen("post_tool_call")[0];
    for (field, value) in [
        ("status", json!("blocked")),
        ("error_type", json!("plugin_block")),
        ("error_message", json!("nein, größer")),
        ("result", json!(r#"{"error":"nein, größer"}"#)),
        ("duration_ms", json!(0)),
        ("tool_call_id", json!("call-1")),
        ("session_id", json!("s1")),
        ("task_id", json!("t1")),
    ] {
        assert_eq!(after[field], value, "{field}");
    }

    stage = Stage::new("case16b", [blocks()]);
    stage.moments = stage.moments.clone().compat(Compat::V13);
    let result = run(&stage, &tools(), ls());
    assert_eq!(result.status, ToolStatus::Blocked);
    assert_eq!(stage.fired(), ["pre_tool_call"]);

    // The profile is the operator's: `compat` in `config.yaml`.
    let blocks = Placed::new(&Fixture::built("scripted").named("p1-case16c"))
        .config(json!({ "on": blocks() }));
    let journal = Fixture::built("journal").named("witness-case16c");
    let home = TestHome::with([blocks, Placed::new(&journal)]);
    let file = home.path().join("config.yaml");
    let text = std::fs::read_to_string(&file).expect("it was written");
    let mut config: Value = serde_json::from_str(&text).expect("JSON is YAML");
    config["compat"] = json!("0.13");
    std::fs::write(&file, config.to_string()).expect("it is written");
    let moments = Moments::new(home.load(), Surface::Cli);
    let approvals = Approvals::new(&moments, Arc::new(Nobody), Arc::new(Allowed::new()));
    let result = ls().run(&Tools {
        approvals: &approvals,
        runner: &tools(),
    });
    assert_eq!(result.status, ToolStatus::Blocked);
    let journal = moments.host().fire_json("journal.read", &json!({}));
    let replies = serde_json::to_value(journal.expect("an object").replies).expect("JSON");
    let events = replies[0]["answer"].as_array().expect("the journal");
    let fired: Vec<&Value> = events.iter().map(|event| &event["hook"]).collect();
    assert_eq!(fired, ["pre_tool_call"]);
}

#[test]
fn cases_17_to_21_what_the_model_sees_of_a_result() {
    let returns = |answer: Value| json!({"transform_tool_result": [{"return": answer}]});
    let original = r#"{"output":"ls","exit_code":0,"error":null}"#;
    #[track_caller]
    fn check(stage: &Stage, original: &str, expected: &str) {
        let result = run(stage, &tools(), ls());
        assert_eq!(result.text, expected);
        let after = &stage.seen("post_tool_call")[0];
        assert_eq!(after["result"], original, "20: observers see the original");
        let event = &stage.seen("transform_tool_result")[0];
        assert_eq!(
            event["result"], original,
            "17: later handlers see the original"
        );
        assert_eq!(event["args"], json!({"command": "ls"}), "21");
        assert_eq!(event["args"], event["arguments"], "21: under both names");
        assert_eq!(
            stage.fired(),
            ["pre_tool_call", "post_tool_call", "transform_tool_result"]
        );
    }
    let stage = Stage::new(
        "case17",
        [
            returns(json!(null)),
            returns(json!("X")),
            returns(json!("Y")),
        ],
    );
    check(&stage, original, "X");
    let stage = Stage::new("case18", [returns(json!("")), returns(json!("Y"))]);
    check(&stage, original, "");
    let stage = Stage::new(
        "case19",
        [
            returns(json!({"text": "X"})),
            returns(json!(5)),
            returns(json!(["X"])),
        ],
    );
    check(&stage, original, original);
    // Case 10 on the way: what an observer answers is nothing to anybody.
    let stage = Stage::new(
        "case20",
        [json!({"post_tool_call": [{"return": {"action": "block", "message": "no"}}]})],
    );
    check(&stage, original, original);
}

#[test]
fn the_tools_of_the_loop_are_tools_like_any_other() {
    let stage = Stage::new("loop-tools", []);
    let runner = Toolbox::new().tool("todo", |_| Ok("[]".to_owned()));
    let result = run(&stage, &runner, ToolCall::new("todo", json!({})));
    assert_eq!(result.text, "[]");
    assert_eq!(
        stage.fired(),
        ["pre_tool_call", "post_tool_call", "transform_tool_result"]
    );
    let event = &stage.seen("pre_tool_call")[0];
    assert_eq!(event["middleware_trace"], json!([]));
    assert_eq!(event["telemetry_schema_version"], "hermes.observer.v1");
    for id in ["tool_call_id", "session_id", "task_id"] {
        assert_eq!(
            event.get(id),
            None,
            "an id that is not there is absent: {id}"
        );
    }
}

#[test]
fn the_tools_of_plugins_are_tools_like_any_other() {
    let home = TestHome::new().plugin(&Fixture::built("panic-in-tool"));
    let stage = Stage::beside(home, Surface::Cli, "plugin-tools", []);
    let runner = tools().and_plugins(&stage.moments);
    let call = |tool| ToolCall::new(tool, json!({"text": "hello"}));
    let echoed = run(&stage, &runner, call("echo"));
    assert_eq!(
        (echoed.text.as_str(), echoed.status),
        (r#"{"text":"hello"}"#, ToolStatus::Ok)
    );
    assert_eq!(
        stage.fired(),
        ["pre_tool_call", "post_tool_call", "transform_tool_result"]
    );
    let failed = run(&stage, &runner, call("no-such-tool"));
    assert_eq!(failed.status, ToolStatus::Error);
    assert!(failed.text.contains("no-such-tool"), "{}", failed.text);
    // The tool of the agent goes before one of a plugin.
    let panicked = run(&stage, &runner, call("panics"));
    assert!(
        panicked.text.contains("the tool's own panic"),
        "{}",
        panicked.text
    );
    let of_plugin = Toolbox::new().and_plugins(&stage.moments);
    let panicked = run(&stage, &of_plugin, call("panics"));
    assert!(
        panicked.text.contains("panic-in-tool") && !panicked.text.contains("boom"),
        "{}",
        panicked.text
    );
    assert_eq!(panicked.status, ToolStatus::Error);
}

/// Refuses every tool but one without asking anybody.
struct OnlyReads(Toolbox);

impl ToolRunner for OnlyReads {
    fn run(&self, call: &hermes_loader::moments::ToolRun<'_>) -> Result<String, ToolFailure> {
        self.0.run(call)
    }
    fn in_scope(&self, tool_name: &str) -> bool {
        tool_name == "show"
    }
}

#[test]
fn a_tool_out_of_scope_is_refused_without_asking() {
    let stage = Stage::new("scope", []);
    let runner = OnlyReads(tools());
    let result = run(&stage, &runner, ls());
    assert!(
        result.text.contains("not available here"),
        "{}",
        result.text
    );
    assert_eq!(stage.fired(), [""; 0]);
    assert_eq!(
        run(&stage, &runner, ToolCall::new("show", json!({}))).text,
        "{}"
    );
}

#[test]
fn a_plugin_may_want_a_person() {
    let ask = json!({"action": "approve", "message": "really?", "rule_key": " force "});
    let stage = Stage::new("approve", [json!({"pre_tool_call": [{"return": ask}]})]);
    let runner = tools();
    let person = Arc::new(Person::answering([
        Choice::Once,
        Choice::Deny,
        Choice::Timeout,
        Choice::Session,
    ]));
    let (approvals, allowed) = stage.approvals(Arc::clone(&person) as _);
    let tools = Tools {
        approvals: &approvals,
        runner: &runner,
    };
    let call = || ls().scope(Scope::session("s1").key("chat:7"));
    assert_eq!(call().run(&tools).status, ToolStatus::Ok);
    let denied = call().run(&tools);
    assert_eq!(denied.status, ToolStatus::Blocked);
    assert!(
        denied.text.contains("the user said no") && denied.text.contains("really?"),
        "{}",
        denied.text
    );
    let late = call().run(&tools);
    assert!(
        late.text.contains("did not answer in time"),
        "{}",
        late.text
    );
    assert_eq!(call().run(&tools).status, ToolStatus::Ok);
    // Remembered for the session: nobody is asked again.
    assert_eq!(call().run(&tools).status, ToolStatus::Ok);
    assert_eq!(person.asked().len(), 4);
    // Another session asks, and there nobody answers.
    let other = ls().scope(Scope::session("s2"));
    assert_eq!(other.run(&tools).status, ToolStatus::Blocked);
    assert_eq!(allowed.keys(), [""; 0]);

    let prompt = &person.asked()[0];
    assert_eq!(
        prompt.args,
        Some(json!({"command": "ls"})),
        "a person sees what would run"
    );
    let asked = &stage.seen("pre_approval_request")[0];
    for (field, value) in [
        ("command", json!("terminal (plugin approval rule)")),
        ("description", json!("really?")),
        ("pattern_key", json!("plugin_rule:force")),
        ("pattern_keys", json!(["plugin_rule:force"])),
        ("session_key", json!("chat:7")),
        ("surface", json!("cli")),
        ("tool_call_id", json!("call-1")),
    ] {
        assert_eq!(asked[field], value, "{field}");
    }
    let blocked = stage.seen("post_tool_call");
    assert_eq!(blocked[1]["status"], "blocked");
    assert_eq!(blocked[1]["error_type"], "plugin_block");

    // No person at all: refused, and no prompt is announced.
    let before = stage.seen("pre_approval_request").len();
    let refused = run(&stage, &self::tools(), ls());
    assert!(
        refused.text.contains("nobody can be asked here"),
        "{}",
        refused.text
    );
    assert_eq!(stage.seen("pre_approval_request").len(), before);
}
