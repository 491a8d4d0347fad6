//! Middleware around tools and models, sentence by sentence of its rules.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hermes_loader::{
    FaultKind, Host, Liveness,
    catalogue::payload,
    middleware::{ExecutionError, Refused},
};
use hermes_tests::{Fixture, Placed, TestHome, home::report, records::Records};
use serde_json::{Value, json};

fn placed(config: Value) -> Placed {
    Placed::new(&Fixture::built("wraps")).config(config)
}

fn load(plugin: Placed) -> (TestHome, Host) {
    let home = TestHome::with([plugin]);
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    (home, host)
}

fn wraps(config: Value) -> (TestHome, Host) {
    load(placed(config))
}

/// What the handlers saw since this was last asked.
fn seen(host: &Host) -> Vec<Value> {
    let outcome = host.fire_json("wraps.seen", &json!({})).expect("an object");
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    replies[0]["answer"].as_array().cloned().unwrap_or_default()
}

fn terminal<'a>() -> payload::ToolExecution<'a> {
    payload::ToolExecution::new().tool_name("terminal")
}

/// Runs a tool that answers with its arguments, and counts how often it ran.
#[track_caller]
fn run(host: &Host, ran: &Cell<u32>) -> Result<String, ExecutionError<Infallible>> {
    host.tool_execution(&terminal(), &json!({"n": 1}), |args| {
        ran.set(ran.get() + 1);
        Ok(format!("ran {args}"))
    })
}

/// What the ways of one plugin come to around a tool, and how often the tool ran.
#[track_caller]
fn check(ways: &[&str], result: &str, runs: u32) -> (TestHome, Host) {
    let (home, host) = wraps(json!({"tool_execution": ways}));
    let ran = Cell::new(0);
    assert_eq!(run(&host, &ran), Ok(result.to_owned()), "{ways:?}");
    assert_eq!(ran.get(), runs, "{ways:?}");
    (home, host)
}

/// The same, when what is wrapped fails.
#[track_caller]
fn check_failing(ways: &[&str], expected: Result<&str, &str>) -> (TestHome, Host) {
    let (home, host) = wraps(json!({"tool_execution": ways}));
    let result = host.tool_execution(&terminal(), &json!({}), |_| Err("the disk is full"));
    let expected = match expected {
        Ok(text) => Ok(text.to_owned()),
        Err(text) => Err(ExecutionError::Downstream(text)),
    };
    assert_eq!(result, expected, "{ways:?}");
    (home, host)
}

#[track_caller]
fn check_faults(host: &Host, expected: &[(FaultKind, &str)]) {
    let faults = host.faults();
    let found: Vec<_> = faults
        .iter()
        .map(|fault| (fault.kind, &*fault.text))
        .collect();
    assert_eq!(found, expected);
}

const RAN: &str = r#"ran {"n":1}"#;

#[test]
fn without_middleware_the_tool_just_runs() {
    let host = TestHome::new().load();
    let ran = Cell::new(0);
    assert_eq!(run(&host, &ran), Ok(RAN.to_owned()));
    let args = json!({"n": 1});
    let requested = host
        .tool_request(&payload::ToolRequest::new(), &args)
        .expect("no guard");
    assert_eq!(
        (&*requested.value, requested.trace, requested.by),
        (&args, vec![], None)
    );
    let result = host.llm_execution(&payload::LlmExecution::new(), &args, |request| {
        Ok::<_, Infallible>(request.clone())
    });
    assert_eq!(result, Ok(args));
}

#[test]
fn every_request_handler_sees_the_same_original_and_the_last_answer_wins() {
    let (_home, host) = wraps(json!({"tool_request": [
        {"args": {"n": 2}, "source": "one", "reason": "because", "name": "first", "other": "dropped"},
        {"args": {"m": 3}, "source": 7, "reason": null},
    ]}));
    let args = json!({"n": 1});
    let event = payload::ToolRequest::new()
        .tool_name("terminal")
        .session_id("s1");
    let requested = host.tool_request(&event, &args).expect("no guard");
    assert_eq!(*requested.value, json!({"m": 3}), "not merged, not chained");
    let trace = [
        json!({"source": "one", "reason": "because", "name": "first"}),
        json!({}),
    ];
    assert_eq!(requested.trace, trace, "only what is text");
    assert_eq!(requested.by.as_deref(), Some("wraps"));
    let saw = json!({
        "args": {"n": 1}, "original": {"n": 1}, "session": "s1",
        "versions": ["hermes.observer.v1", "hermes.middleware.v1"],
    });
    assert_eq!(seen(&host), [saw.clone(), saw]);
    assert_eq!(args, json!({"n": 1}), "the original stays");
}

#[test]
fn a_request_answer_that_is_not_valid_does_not_count() {
    let args = json!({"n": 1});
    for last in [
        json!(null),
        json!({}),
        json!({"args": 5}),
        json!({"args": null}),
        json!([1]),
        json!({"request": {}}),
    ] {
        let (_home, host) = wraps(json!({"tool_request": [{"args": {"n": 2}}, last]}));
        let requested = host
            .tool_request(&payload::ToolRequest::new(), &args)
            .expect("no guard");
        assert_eq!(*requested.value, json!({"n": 2}), "{last}");
        assert_eq!(requested.trace.len(), 1, "{last}");
        assert_eq!(host.faults(), []);
    }
}

#[test]
fn a_request_handler_that_faults_is_passed_over_unless_it_is_a_guard() {
    let ways = json!({"tool_request": [{"args": {"n": 2}}, "no luck", "panic"]});
    let (_home, host) = wraps(ways.clone());
    let args = json!({"n": 1});
    let requested = host
        .tool_request(&payload::ToolRequest::new(), &args)
        .expect("no guard");
    assert_eq!(*requested.value, json!({"n": 2}));
    check_faults(
        &host,
        &[
            (FaultKind::Error, "no luck"),
            (FaultKind::Panic, "as it was told"),
        ],
    );

    let (_home, host) = load(placed(ways).guard());
    let refused = host
        .tool_request(&payload::ToolRequest::new(), &args)
        .expect_err("a guard");
    assert_eq!(&*refused.by, "wraps");
    assert!(
        refused
            .to_string()
            .contains("`wraps` could not check this call"),
        "{refused}"
    );
    assert!(!refused.to_string().contains("no luck"), "{refused}");
}

#[test]
fn the_request_to_a_model_is_rewritten_likewise() {
    let (_home, host) = wraps(json!({"llm_request": [{"request": {"model": "small"}}, null]}));
    let request = json!({"model": "large", "messages": []});
    let requested = host
        .llm_request(&payload::LlmRequest::new(), &request)
        .expect("no guard");
    assert_eq!(*requested.value, json!({"model": "small"}));
    let saw = &seen(&host)[1];
    assert_eq!((&saw["request"], &saw["original"]), (&request, &request));
    assert_eq!(
        saw["versions"],
        json!(["hermes.observer.v1", "hermes.middleware.v1"])
    );
}

#[test]
fn typed_handlers_rewrite_likewise() {
    let (_home, host) = wraps(json!({"typed": true}));
    let args = json!({"command": " ls "});
    let requested = host
        .tool_request(&payload::ToolRequest::new(), &args)
        .expect("no guard");
    assert_eq!(*requested.value, json!({"command": "ls"}));
    let trace = [json!({"source": "wraps", "reason": "blanks", "name": "trim"})];
    assert_eq!(requested.trace, trace);
    for (model, expected) in [("large", "small"), ("medium", "medium")] {
        let request = json!({"model": model});
        let requested = host
            .llm_request(&payload::LlmRequest::new(), &request)
            .expect("no guard");
        assert_eq!(*requested.value, json!({"model": expected}));
    }
}

#[test]
fn the_first_registered_is_the_outermost() {
    let (_home, host) = check(&["brackets", "braces"], &format!("[{{{RAN}}}]"), 1);
    let ways: Vec<Value> = seen(&host).iter().map(|saw| saw["way"].clone()).collect();
    assert_eq!(ways, ["brackets", "braces"]);
}

#[test]
fn the_payload_may_be_passed_on_or_replaced() {
    let (_home, host) = check(&["pass", r#"{"n":2}"#, "pass"], r#"ran {"n":2}"#, 1);
    let args: Vec<Value> = seen(&host).iter().map(|saw| saw["args"].clone()).collect();
    assert_eq!(args, [json!({"n": 1}), json!({"n": 1}), json!({"n": 2})]);
}

#[test]
fn events_carry_trace_and_versions() {
    let (_home, host) = wraps(json!({"tool_execution": ["pass"]}));
    let trace = json!([{"source": "one"}]);
    let event = terminal().middleware_trace(&trace);
    let result = host.tool_execution(&event, &json!({}), |_| Ok::<_, Infallible>(String::new()));
    assert_eq!(result, Ok(String::new()));
    let saw = &seen(&host)[0];
    assert_eq!((&saw["trace"], &saw["tool"]), (&trace, &json!("terminal")));
    assert_eq!(
        saw["versions"],
        json!(["hermes.observer.v1", "hermes.middleware.v1"])
    );
}

#[test]
fn a_handler_may_answer_in_place_of_the_tool() {
    check(&["brackets", "instead", "pass"], "[instead]", 0);
    check(&["object"], r#"{"not":"text"}"#, 0);
}

#[test]
fn a_handler_with_nothing_to_say_changes_nothing() {
    check(&["quiet"], RAN, 1);
    check(&["call-quietly"], RAN, 1);
    check(
        &["brackets", "quiet", "call-quietly"],
        &format!("[{RAN}]"),
        1,
    );
}

#[test]
fn next_is_good_for_one_use() {
    let (_home, host) = check(&["twice"], RAN, 1);
    let saw = &seen(&host)[1];
    assert_eq!(saw["first"], RAN);
    let second = saw["second"].as_str().unwrap_or_default();
    assert!(second.contains("may call it once"), "{second}");
    // A handler that does not care has raised after a success: the result stands.
    let (_home, host) = check(&["twice-carelessly"], RAN, 1);
    check_faults(
        &host,
        &[(
            FaultKind::Error,
            "`next` was called already; a handler may call it once",
        )],
    );
}

#[test]
fn an_event_that_wraps_nothing_says_so() {
    let (_home, host) = wraps(json!({"tool_execution": ["pass"]}));
    let outcome = host.fire_json("middleware:tool_execution", &json!({"tool_name": "t"}));
    let faults = outcome.map(|_| host.faults()).expect("an object");
    assert_eq!(
        faults[0].text, "this host cannot do that",
        "an event that wraps nothing"
    );
}

#[test]
fn a_fault_before_next_skips_the_handler() {
    let (_home, host) = check(
        &["brackets", "raise-before", "braces"],
        &format!("[{{{RAN}}}]"),
        1,
    );
    check_faults(&host, &[(FaultKind::Error, "raised before")]);
    let (_home, host) = check(&["panic-before"], RAN, 1);
    check_faults(&host, &[(FaultKind::Panic, "panicked before")]);
}

#[test]
fn a_fault_after_next_succeeded_keeps_the_result() {
    let (_home, host) = check(&["raise-after", "brackets"], &format!("[{RAN}]"), 1);
    check_faults(&host, &[(FaultKind::Error, "raised after")]);
    let (_home, host) = check(&["brackets", "panic-after"], &format!("[{RAN}]"), 1);
    check_faults(&host, &[(FaultKind::Panic, "panicked after")]);
}

#[test]
fn downstream_errors_come_back_as_they_are() {
    for ways in [
        &["pass"][..],
        &["pass", "brackets"],
        &["call-quietly"],
        &["quiet", "raise-before"],
    ] {
        let (_home, host) = check_failing(ways, Err("the disk is full"));
        let faults = host.faults();
        let foreign = faults
            .iter()
            .any(|fault| fault.text.contains("the disk is full"));
        assert!(!foreign, "handing an error on is no fault: {faults:?}");
    }
    check_failing(&["rescue", "pass"], Ok("rescued: the disk is full"));
    let (_home, host) = check_failing(&["own-error-after-failure"], Err("the disk is full"));
    check_faults(&host, &[(FaultKind::Error, "something else went wrong")]);
    assert_eq!(
        seen(&host)[1],
        "the disk is full",
        "the handler is told the embedder's words"
    );
}

#[test]
fn a_guard_that_faults_refuses() {
    for (way, runs) in [("raise-before", 0), ("panic-before", 0), ("raise-after", 1)] {
        let (_home, host) = load(placed(json!({"tool_execution": [way]})).guard());
        let ran = Cell::new(0);
        let refused = run(&host, &ran).expect_err("a guard");
        let by_guard =
            matches!(&refused, ExecutionError::Refused(Refused { by, .. }) if &**by == "wraps");
        assert!(by_guard, "{way}: {refused:?}");
        assert_eq!(ran.get(), runs, "{way}");
    }
    let (_home, host) = load(placed(json!({"tool_execution": ["pass"]})).guard());
    let result = host.tool_execution(&terminal(), &json!({}), |_| Err("the disk is full"));
    let expected = Err(ExecutionError::Downstream("the disk is full"));
    assert_eq!(
        result, expected,
        "a tool that fails is no fault of its guard"
    );
}

#[test]
fn a_required_guard_that_is_not_there_refuses() {
    let other = Fixture::built("wraps").with_metadata(|document| {
        document["description"] = json!("");
        document["requires"] = json!({"abi_minor": 0});
        document["hooks"] = json!(["middleware:tool_execution", "middleware:tool_request"]);
    });
    // A configuration that it does not take.
    let missing = Placed::new(&other)
        .config(json!({"serial": "no"}))
        .guard()
        .entry("required", true)
        .entry("tools", json!(["terminal"]));
    let home = TestHome::with([missing]);
    let host = home.load();
    let ran = Cell::new(0);
    let refused = run(&host, &ran).expect_err("nobody guards it");
    assert!(
        refused.to_string().contains("`wraps` could not check"),
        "{refused}"
    );
    assert_eq!(ran.get(), 0);
    let args = json!({});
    let terminal = payload::ToolRequest::new().tool_name("terminal");
    let refused = host
        .tool_request(&terminal, &args)
        .expect_err("nobody guards it");
    assert_eq!(&*refused.by, "wraps");
    // What it does not cover goes on.
    let event = payload::ToolExecution::new().tool_name("other");
    let result = host.tool_execution(&event, &args, |_| Ok::<_, Infallible>("x".to_owned()));
    assert_eq!(result, Ok("x".to_owned()));
}

#[test]
fn a_panic_of_the_tool_passes_by_the_plugins() {
    let (_home, host) = wraps(json!({"tool_execution": ["pass", "rescue"]}));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        host.tool_execution(&terminal(), &json!({}), |_| -> Result<String, Infallible> {
            std::panic::resume_unwind(Box::new("out of tape"))
        })
    }));
    let panic = panicked.expect_err("it goes on");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of tape"));
    assert_eq!(
        run(&host, &Cell::new(0)),
        Ok(RAN.to_owned()),
        "and the host lives on"
    );
}

#[test]
fn calls_may_be_nested_as_deep_as_they_like() {
    // An agent inside a tool runs tools of its own, through the same middleware.
    let (_home, host) = wraps(json!({"tool_execution": vec!["brackets"; 3]}));
    fn inside(host: &Host, depth: u32) -> String {
        let result = host.tool_execution(&terminal(), &json!({}), |_| {
            Ok::<_, Infallible>(if depth == 0 {
                "x".to_owned()
            } else {
                inside(host, depth - 1)
            })
        });
        result.unwrap_or_default()
    }
    let brackets = 3 * 6;
    assert_eq!(
        inside(&host, 5),
        format!("{}x{}", "[".repeat(brackets), "]".repeat(brackets))
    );
    assert_eq!(host.faults(), []);
    // More layers than events may be nested in each other.
    let (_home, host) = wraps(json!({"tool_execution": vec!["brackets"; 20]}));
    let wrapped = format!("{}{RAN}{}", "[".repeat(20), "]".repeat(20));
    assert_eq!(run(&host, &Cell::new(0)), Ok(wrapped));
}

#[test]
fn a_serial_handler_does_not_wait_for_itself() {
    let (_home, host) = wraps(json!({"tool_execution": ["brackets"], "serial": true}));
    let inner = RefCell::new(None);
    let outer = host.tool_execution(&terminal(), &json!({}), |_| {
        *inner.borrow_mut() = Some(run(&host, &Cell::new(0)));
        Ok::<_, Infallible>("x".to_owned())
    });
    assert_eq!(outer, Ok("[x]".to_owned()));
    assert_eq!(
        inner.into_inner(),
        Some(Ok(RAN.to_owned())),
        "passed over, and that is said"
    );
    let text = "is called one at a time, and is around this very call already";
    check_faults(&host, &[(FaultKind::Nested, text)]);
}

#[test]
fn next_is_good_until_the_handler_returns_on_its_thread() {
    let (_home, host) = wraps(json!({"tool_execution": []}));
    let event = payload::ToolExecution::new().tool_name("kept");
    let result = host.tool_execution(&event, &json!({}), |_| Ok::<_, Infallible>("x".to_owned()));
    assert_eq!(result, Ok("Err(Gone) Err(Gone)".to_owned()));
    let late = host.fire_json("wraps.late", &json!({})).expect("an object");
    assert_eq!(
        serde_json::to_value(late.replies).expect("JSON")[0]["answer"],
        "Err(Gone)"
    );
}

#[test]
fn next_cannot_be_forged() {
    let (_home, host) = wraps(json!({"tool_execution": ["pass"]}));
    let told = RefCell::new(Value::Null);
    let result = host.tool_execution(&terminal(), &json!({}), |_| {
        // The very handle of the handler around this, in an event that is fired at the same depth.
        let handle = seen(&host)[0]["handle"].clone();
        assert_eq!(handle["$handle"][0], 3, "{handle}");
        let outcome = host.fire_json(
            "pre_tool_call",
            &json!({"tool_name": "forged", "task_id": handle}),
        );
        *told.borrow_mut() = serde_json::to_value(outcome.expect("an object")).expect("JSON");
        Ok::<_, Infallible>("x".to_owned())
    });
    assert_eq!(result, Ok("x".to_owned()));
    assert_eq!(told.borrow()["message"], "Err(Gone)");
}

#[test]
fn the_tools_of_a_registration_are_minded() {
    let (_home, host) = wraps(json!({"tool_execution": ["brackets"], "tool": "other"}));
    assert_eq!(run(&host, &Cell::new(0)), Ok(RAN.to_owned()));
    let event = payload::ToolExecution::new().tool_name("other");
    let result = host.tool_execution(&event, &json!({}), |_| Ok::<_, Infallible>("x".to_owned()));
    assert_eq!(result, Ok("[x]".to_owned()));
}

#[test]
fn a_call_of_a_model_is_wrapped_likewise() {
    let (_home, host) = wraps(json!({"llm_execution": ["braces", r#"{"model":"small"}"#]}));
    let request = json!({"model": "large"});
    let result = host.llm_execution(&payload::LlmExecution::new(), &request, |request| {
        Ok::<_, Infallible>(json!({"by": request["model"]}))
    });
    assert_eq!(result, Ok(json!({"wrapped": {"by": "small"}})));
    assert_eq!(
        seen(&host)[0],
        json!({"way": "braces", "request": {"model": "large"}})
    );
}

#[test]
fn an_unknown_kind_is_kept_and_warned_about() {
    let records = Records::capture();
    let (_home, host) = wraps(json!({"unknown": true}));
    let warned = records.of("wraps");
    let warning = "registers for `middleware:tool_reqest`, which this host never fires: did you mean `middleware:tool_request`?";
    assert!(
        warned
            .iter()
            .any(|record| record.message.starts_with(warning)),
        "{warned:#?}"
    );
    assert_eq!(host.count("middleware:tool_reqest"), 1);
    let outcome = host
        .fire_json("middleware:tool_reqest", &json!({}))
        .expect("an object");
    assert_eq!(
        serde_json::to_value(outcome.replies).expect("JSON")[0]["answer"],
        "reached"
    );
}

#[test]
fn the_kinds_are_live_in_the_report() {
    let (_home, host) = wraps(json!({"tool_request": [null]}));
    let hooks = &report(&host, "wraps").hooks;
    let hook = hooks
        .iter()
        .find(|hook| hook.name == "middleware:tool_request");
    assert_eq!(hook.map(|hook| hook.liveness), Some(Liveness::Live));
}
