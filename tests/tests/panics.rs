//! Every way in which a plugin can panic: the host lives, says where and why, and calls the others.

use hermes_loader::{Fault, FaultKind, Host, ToolError};
use hermes_tests::{
    Fixture, Placed, TestHome, block_on,
    home::{loaded, refusal},
    records::Records,
    until,
};
use serde_json::{Value, json};

/// Where a fixture's source has this.
#[track_caller]
fn place(fixture: &str, code: &str) -> String {
    let file = format!("{fixture}.rs");
    let source = std::fs::read_to_string(hermes_tests::fixture::sources().join(&file))
        .expect("its source is there");
    let line = source
        .lines()
        .position(|line| line.contains(code))
        .expect("its source has it");
    format!("tests/fixtures/{file}:{}", line + 1)
}

/// A faulty plugin beside one without fault, which loads after it and sees every event after it.
fn beside_witness(faulty: impl Into<Placed>) -> (TestHome, Host) {
    let home = TestHome::with([faulty.into(), Placed::new(&Fixture::built("witness"))]);
    let host = home.load();
    loaded(&host, "witness");
    (home, host)
}

fn fire(host: &Host, hook: &str, payload: &Value) -> Value {
    let outcome = host
        .fire_json(hook, payload)
        .expect("the payload is an object");
    serde_json::to_value(outcome).expect("an outcome is JSON")
}

/// Whether the faultless plugin is called: its block comes through.
#[track_caller]
fn check_witness(host: &Host) {
    let outcome = fire(
        host,
        "pre_tool_call",
        &json!({"tool_name": "terminal", "args": {"witness": "seen", "how": "ok"}}),
    );
    assert_eq!(
        (&outcome["decision"], &outcome["by"]),
        (&json!("block"), &json!("witness")),
        "{outcome}"
    );
    assert_eq!(outcome["message"], "seen");
}

#[track_caller]
fn only_fault(host: &Host, plugin: &str, hook: &str) -> Fault {
    let mut faults: Vec<Fault> = host
        .faults()
        .into_iter()
        .filter(|fault| fault.plugin == plugin)
        .collect();
    assert_eq!(faults.len(), 1, "{faults:#?}");
    let fault = faults.remove(0);
    assert_eq!(fault.hook, hook, "{fault:#?}");
    fault
}

#[track_caller]
fn check_fault(host: &Host, plugin: &str, hook: &str, text: &str, file: &str) {
    let fault = only_fault(host, plugin, hook);
    assert_eq!(fault.kind, FaultKind::Panic);
    assert_eq!(fault.text, text);
    let (place, line) = fault.place.rsplit_once(':').unwrap_or_default();
    assert!(
        place.ends_with(file) && line.parse::<u32>().is_ok_and(|line| line > 0),
        "{fault:#?}"
    );
}

#[track_caller]
fn check_refused(fixture: &str, code: &str, text: &str) {
    let (_home, host) = beside_witness(&Fixture::built(fixture));
    let refusal = refusal(&host, fixture);
    assert_eq!(refusal.code(), code);
    let said = refusal.to_string();
    assert!(said.contains(text) && !said.contains('\n'), "{said}");
    assert!(!refusal.cure().is_empty());
    assert_eq!(
        host.count("pre_tool_call"),
        1,
        "nothing of the refused plugin is live"
    );
    check_witness(&host);
    assert!(host.shutdown());
}

#[test]
fn in_create_or_register_it_refuses_the_plugin() {
    let at = place("panic-in-create", "panic!(");
    check_refused(
        "panic-in-create",
        "create",
        &format!("boom in create (at {at})"),
    );
    let at = place("panic-in-register", "hooks[");
    check_refused(
        "panic-in-register",
        "register",
        &format!("index out of bounds: the len is 0 but the index is 17 (at {at})"),
    );
    // The place of the first panic is lost with the second; its text is not.
    check_refused(
        "panic-in-register-and-drop",
        "register",
        "its `register` failed: boom in register",
    );
    check_refused("errs-in-create", "create", "needs a graphics card");
}

#[track_caller]
fn check_handler(fixture: &str, args: Value, text: &str) {
    let (_home, host) = beside_witness(&Fixture::built(fixture));
    let mut args = args;
    args["witness"] = "still here".into();
    for _ in 0..3 {
        let outcome = fire(
            &host,
            "pre_tool_call",
            &json!({"tool_name": "terminal", "args": args}),
        );
        assert_eq!(
            outcome["message"], "still here",
            "a plugin without a role fails open: {outcome}"
        );
        assert_eq!(
            outcome["replies"][0]["fault"],
            json!({"kind": "panic", "closed": false}),
            "{outcome}"
        );
    }
    check_fault(
        &host,
        fixture,
        "pre_tool_call",
        text,
        &format!("tests/fixtures/{fixture}.rs"),
    );
    assert_eq!(only_fault(&host, fixture, "pre_tool_call").count, 3);
    assert!(host.shutdown());
}

#[test]
fn in_a_handler_it_is_a_fault() {
    check_handler(
        "panic-in-handler",
        json!({"how": "formatted"}),
        "boom terminal",
    );
    check_handler("panic-in-handler", json!({"how": "literal"}), "boom");
    check_handler(
        "panic-payload-bomb",
        json!({}),
        "panic with a payload that is not text",
    );
    check_handler(
        "panic-payload-not-text",
        json!({}),
        "panic with a payload that is not text",
    );
    check_handler("panic-in-future-poll", json!({}), "boom in a first poll");
    check_handler(
        "panic-in-future-poll",
        json!({"late": true}),
        "boom in a later poll",
    );
}

#[test]
fn a_fault_is_one_line_without_control_characters() {
    check_handler(
        "panic-in-handler",
        json!({"how": "several lines"}),
        "boom at the [31mfirst [0m line",
    );
}

#[test]
fn a_panic_the_plugin_caught_itself_is_its_own_affair() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-handler"));
    let caught = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"how": "caught only"}}),
    );
    assert_eq!(caught["message"], "caught");
    assert_eq!(host.faults(), []);
    // What the earlier one said is not said of a later one that names no place.
    fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"how": "caught before"}}),
    );
    let fault = only_fault(&host, "panic-in-handler", "pre_tool_call");
    assert_eq!(
        (fault.text.as_str(), fault.place.as_str()),
        ("boom without the hook", "")
    );
}

#[test]
fn observers_and_transforms_fail_open() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-handler"));
    let payload = json!({"tool_name": "t", "args": {}, "result": "kept"});
    assert_eq!(
        fire(&host, "post_tool_call", &payload)["decision"],
        "proceed"
    );
    assert_eq!(
        fire(&host, "transform_tool_result", &payload)["decision"],
        "proceed"
    );
    let hooks: Vec<String> = host.faults().into_iter().map(|fault| fault.hook).collect();
    assert_eq!(hooks, ["post_tool_call", "transform_tool_result"]);
    check_witness(&host);
}

#[test]
fn a_guard_fails_closed_and_the_model_is_told_no_more_than_its_name() {
    let guard = Placed::new(&Fixture::built("panic-in-handler")).guard();
    let (_home, host) = beside_witness(guard);
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "terminal", "args": {"how": "literal"}}),
    );
    assert_eq!(
        (&outcome["decision"], &outcome["by"]),
        (&json!("block"), &json!("panic-in-handler"))
    );
    let told = outcome["message"].as_str().expect("a block says why");
    assert!(
        told.contains("panic-in-handler") && !told.contains("boom"),
        "{told}"
    );
    // A transform that guards withholds what it could not check.
    let payload = json!({"tool_name": "t", "args": {}, "result": "a secret"});
    let text = fire(&host, "transform_tool_result", &payload)["text"].to_string();
    assert!(
        text.contains("withheld") && !text.contains("secret"),
        "{text}"
    );
    // An observer decides nothing, so nothing is refused for it.
    assert_eq!(
        fire(&host, "post_tool_call", &payload)["decision"],
        "proceed"
    );
}

#[test]
fn a_fault_is_logged_once() {
    let records = Records::capture();
    let (_home, host) = beside_witness(&Fixture::built("panic-in-handler"));
    for _ in 0..5 {
        fire(
            &host,
            "pre_tool_call",
            &json!({"tool_name": "logged", "args": {"how": "formatted"}}),
        );
    }
    let said: Vec<_> = records
        .of("panic-in-handler")
        .into_iter()
        .filter(|record| record.message == "plugin fault: boom logged")
        .collect();
    assert_eq!(said.len(), 1, "{said:#?}");
    assert_eq!(said[0].level, tracing::Level::WARN);
    assert_eq!(
        (
            said[0].fields["hook"].as_str(),
            said[0].fields["kind"].as_str()
        ),
        ("pre_tool_call", "panic")
    );
    assert_eq!(
        said[0].fields["place"],
        place("panic-in-handler", "panic!(\"boom {}\"")
    );
}

/// A drop belongs to no hook: its fault is recorded under `drop`.
#[track_caller]
fn check_drop(fixture: &str, text: &str, before: impl FnOnce(&Host)) {
    let (_home, host) = beside_witness(&Fixture::built(fixture));
    before(&host);
    check_witness(&host);
    assert!(host.shutdown(), "the plugin ends all the same");
    check_fault(
        &host,
        fixture,
        "drop",
        text,
        &format!("tests/fixtures/{fixture}.rs"),
    );
}

#[test]
fn in_a_drop_it_is_a_fault_too() {
    check_drop(
        "panic-in-handler-drop",
        "boom in the handler's drop",
        |host| {
            let outcome = fire(
                host,
                "pre_tool_call",
                &json!({"tool_name": "t", "args": {}}),
            );
            assert_eq!(outcome["decision"], "approve");
            assert_eq!(host.faults(), []);
        },
    );
    check_drop("panic-in-tool-drop", "boom in the tool's drop", |host| {
        assert_eq!(host.run_tool("fragile", &json!({})), Ok("fine".to_owned()));
    });
    check_drop(
        "panic-in-callback-drop",
        "boom in the callback's drop",
        |host| {
            let outcome = fire(
                host,
                "before_tool_call",
                &json!({"toolName": "t", "params": {}}),
            );
            assert_eq!(outcome["decision"], "approve", "{outcome}");
            assert_eq!(outcome["request"]["title"], "Really?");
        },
    );
}

#[test]
fn in_the_drop_of_a_future_that_is_ready() {
    // The future is dropped within the poll that found it ready, so this is the handler's own panic.
    let (_home, host) = beside_witness(&Fixture::built("panic-in-future-drop"));
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"witness": "after it"}}),
    );
    assert_eq!(outcome["by"], "witness");
    check_fault(
        &host,
        "panic-in-future-drop",
        "pre_tool_call",
        "boom in the future's drop",
        "panic-in-future-drop.rs",
    );
}

#[test]
fn in_the_drop_of_a_future_that_is_cancelled() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-future-drop"));
    let mut future = Box::pin(host.fire_json_async(
        "pre_tool_call",
        json!({"tool_name": "t", "args": {"never": true}}),
    ));
    assert!(hermes_tests::wait::poll_once(&mut future).is_pending());
    drop(future);
    check_fault(
        &host,
        "panic-in-future-drop",
        "drop",
        "boom in the future's drop",
        "panic-in-future-drop.rs",
    );
    check_witness(&host);
}

#[test]
fn in_an_asynchronous_dispatch_it_is_the_same() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-future-poll"));
    let args = json!({"late": true, "witness": "after it"});
    let outcome =
        block_on(host.fire_json_async("pre_tool_call", json!({"tool_name": "t", "args": args})));
    assert_eq!(outcome.expect("an object").decision.by(), Some("witness"));
    check_fault(
        &host,
        "panic-in-future-poll",
        "pre_tool_call",
        "boom in a later poll",
        "panic-in-future-poll.rs",
    );
}

#[test]
fn in_a_timer_it_is_a_fault_and_the_timer_goes_on() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-timer"));
    until("three runs", || {
        fire(&host, "timer.runs", &json!({}))["replies"][0]["answer"]
            .as_u64()
            .filter(|runs| *runs >= 3)
    });
    let fault = until("three faults", || {
        host.faults().into_iter().find(|fault| fault.count >= 3)
    });
    assert_eq!(
        (fault.plugin.as_str(), fault.hook.as_str(), fault.kind),
        ("panic-in-timer", "timer", FaultKind::Panic)
    );
    assert_eq!(fault.text, "boom in a timer, of which there is 1");
    assert!(fault.place.contains("panic-in-timer.rs:"), "{fault:#?}");
    check_witness(&host);
    assert!(host.shutdown());
}

#[test]
fn in_a_tool_it_is_the_tool_s_error() {
    let (_home, host) = beside_witness(&Fixture::built("panic-in-tool"));
    let names: Vec<_> = host
        .tools()
        .into_iter()
        .map(|(plugin, tool)| (plugin.to_string(), tool["name"].clone()))
        .collect();
    let of = |name: &str| ("panic-in-tool".to_owned(), json!(name));
    assert_eq!(names, [of("panics"), of("fails"), of("echo")]);

    assert_eq!(
        host.run_tool("echo", &json!({"text": "hi"})),
        Ok(r#"{"text":"hi"}"#.to_owned())
    );
    let failed = |tool: &str, text: &str| {
        Err(ToolError::Failed {
            tool: tool.to_owned(),
            plugin: "panic-in-tool".to_owned(),
            text: text.to_owned(),
        })
    };
    assert_eq!(
        host.run_tool("fails", &json!({})),
        failed("fails", "no such city")
    );
    let panicked = host
        .run_tool("panics", &json!({"a": 1}))
        .expect_err("it panics")
        .to_string();
    let at = place("panic-in-tool", "panic!(");
    assert!(
        panicked.contains(&format!(r#"boom in a tool called with {{"a":1}} at {at}"#)),
        "{panicked}"
    );
    assert_eq!(
        host.run_tool("none", &json!({})),
        Err(ToolError::Unknown {
            tool: "none".to_owned()
        })
    );

    let kinds: Vec<_> = host
        .faults()
        .into_iter()
        .map(|fault| (fault.hook, fault.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("fails".to_owned(), FaultKind::Error),
            ("panics".to_owned(), FaultKind::Panic)
        ]
    );
    check_witness(&host);
    assert!(host.shutdown());
}

#[test]
fn a_status_without_what_must_come_with_it_is_unreadable() {
    let (_home, host) = beside_witness(&Fixture::built("status-without-companion"));
    for (word, text) in [
        ("answered", "says it answered, but left no whole answer"),
        ("left open", "says it answered, but left no whole answer"),
        ("not utf-8", "says it answered, but left no whole answer"),
        ("error", "says it failed, but not why"),
        ("panicked", "says it failed, but not why"),
        (
            "pending",
            "says its answer comes later, but handed no future over",
        ),
        ("999", "ended with the unknown status 999"),
    ] {
        let (_home, host) = beside_witness(&Fixture::built("status-without-companion"));
        let outcome = fire(
            &host,
            "pre_tool_call",
            &json!({"tool_name": word, "args": {"witness": "on"}}),
        );
        assert_eq!(outcome["message"], "on", "{word}: {outcome}");
        let fault = only_fault(&host, "status-without-companion", "pre_tool_call");
        assert_eq!(
            (fault.kind, fault.text.as_str()),
            (FaultKind::Unreadable, text),
            "{word}"
        );
    }
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "set, then none", "args": {}}),
    );
    assert_eq!(
        (&outcome["decision"], &outcome["replies"]),
        (&json!("proceed"), &json!([])),
        "what was set is discarded"
    );
    assert_eq!(host.faults(), []);
}

#[test]
fn an_answer_the_host_must_understand_and_does_not_is_a_fault() {
    let fixture = Fixture::built("must-understand");
    for how in ["by number", "by name"] {
        let payload = json!({"tool_name": "t", "args": {"how": how}});
        let (_home, open) = beside_witness(&fixture);
        let outcome = fire(&open, "pre_tool_call", &payload);
        assert_eq!(
            outcome["decision"], "proceed",
            "{how}: its approve does not count either: {outcome}"
        );
        let fault = only_fault(&open, "must-understand", "pre_tool_call");
        assert_eq!(fault.kind, FaultKind::Unreadable);
        assert!(
            fault
                .text
                .contains("this host must understand and does not know"),
            "{fault:#?}"
        );

        let (_home, guarded) = beside_witness(Placed::new(&fixture).guard());
        let outcome = fire(&guarded, "pre_tool_call", &payload);
        assert_eq!(
            (&outcome["decision"], &outcome["by"]),
            (&json!("block"), &json!("must-understand")),
            "{how}"
        );
    }
    let (_home, host) = beside_witness(&fixture);
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"how": "may be ignored"}}),
    );
    assert_eq!(
        outcome["message"], "refused: true",
        "the plugin learns that the field is not known: {outcome}"
    );
    assert_eq!(host.faults(), []);
}

#[test]
fn a_plugin_that_cannot_end_says_why() {
    let (_home, host) = beside_witness(&Fixture::built("ends-badly"));
    check_witness(&host);
    assert!(host.shutdown(), "that it fails in `destroy` keeps nobody");
    let fault = only_fault(&host, "ends-badly", "destroy");
    assert_eq!(
        (fault.kind, fault.text.as_str()),
        (FaultKind::Error, "the disk is full; 0 violations")
    );
    assert_eq!(fault.place, "ends_badly.c:12");
}
