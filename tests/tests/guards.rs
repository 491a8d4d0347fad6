//! What a guard promises: it judges last, it fails closed, and its absence is noticed.

use hermes_loader::catalogue::payload;
use hermes_loader::{FlowOutcome, Host, Outcome, State, TextOutcome, ToolOutcome};
use hermes_tests::home::{loaded, refusal, report};
use hermes_tests::records::Records;
use hermes_tests::{Fixture, Placed, TestHome};
use serde_json::{Value, json};

fn scripted(name: &str, on: &Value) -> Placed {
    Placed::new(&Fixture::built("scripted").named(name)).config(json!({ "on": on }))
}

fn returns(hook: &str, answer: &Value) -> Value {
    json!({ hook: [{"record": hook, "return": answer}] })
}

fn call(host: &Host, tool: &str) -> Outcome {
    host.fire_json("pre_tool_call", &json!({"tool_name": tool, "args": {}}))
        .expect("an object")
}

fn message(host: &Host, text: &str) -> FlowOutcome {
    host.fire(
        &payload::PreGatewayDispatch::new().event(&json!({"text": text, "message_type": "text"})),
    )
}

/// What a plugin saw of a message.
fn seen(host: &Host, plugin: &str) -> Vec<String> {
    let asked = json!({"label": "pre_gateway_dispatch"});
    let outcome = host
        .fire_json("scripted.recorded", &asked)
        .expect("an object");
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    let own = replies
        .as_array()
        .into_iter()
        .flatten()
        .filter(|reply| reply["plugin"] == plugin);
    own.flat_map(|reply| reply["answer"].as_array().cloned().unwrap_or_default())
        .map(|payload| {
            payload["event"]["text"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_guard_skips_what_others_let_pass() {
    let hook = "pre_gateway_dispatch";
    let rewrite = scripted(
        "a-rewriter",
        &returns(hook, &json!({"action": "rewrite", "text": "new"})),
    );
    let allow = scripted("b-allower", &returns(hook, &json!({"action": "allow"})));
    let skips = returns(hook, &json!({"action": "skip", "reason": "no"}));
    let guard = scripted("guard", &skips).guard();
    let home = TestHome::with([guard, rewrite, allow]);
    let host = home.load();
    loaded(&host, "guard");
    assert_eq!(
        message(&host, "old"),
        FlowOutcome::Skip {
            reason: Some("no".into()),
            by: "guard".into()
        }
    );
    assert_eq!(
        seen(&host, "guard"),
        ["new"],
        "a guard judges what will go on"
    );
    assert_eq!(
        seen(&host, "b-allower"),
        ["old"],
        "the others see the original"
    );

    // Without roles the first action counts, whatever comes after it (cases 38 and 40).
    let rewrite = scripted(
        "a-rewriter",
        &returns(hook, &json!({"action": "rewrite", "text": "new"})),
    );
    let home = TestHome::with([rewrite, scripted("z-skipper", &skips)]);
    assert_eq!(
        message(&home.load(), "old"),
        FlowOutcome::Rewrite {
            text: "new".into(),
            by: "a-rewriter".into()
        }
    );
}

#[test]
fn a_guard_does_not_rewrite_a_message() {
    let rewrites = returns(
        "pre_gateway_dispatch",
        &json!({"action": "rewrite", "text": "new"}),
    );
    let home = TestHome::with([scripted("guard", &rewrites).guard()]);
    let host = home.load();
    loaded(&host, "guard");
    let records = Records::capture();
    assert_eq!(message(&host, "old"), FlowOutcome::Pass);
    let said = records.of("guard");
    assert!(
        said.iter()
            .any(|record| record.message.contains("may not rewrite")),
        "{said:#?}"
    );
}

#[test]
fn a_guard_that_cannot_judge_a_message_skips_it() {
    let allow = scripted(
        "a-allower",
        &returns("pre_gateway_dispatch", &json!({"action": "allow"})),
    );
    let breaks = json!({"pre_gateway_dispatch": [{"panic": "out of patterns"}]});
    let home = TestHome::with([allow, scripted("guard", &breaks).guard()]);
    let FlowOutcome::Skip { reason, by } = message(&home.load(), "old") else {
        panic!("it must be skipped");
    };
    let reason = reason.expect("a reason");
    assert_eq!(&*by, "guard");
    assert!(
        reason.contains("guard") && !reason.contains("patterns"),
        "{reason}"
    );
}

#[test]
fn a_guard_that_guards_nothing_is_refused() {
    let blocks = json!([{"return": {"action": "block", "message": "no"}}]);
    let typo = json!({"pre_tool_cal": blocks});
    let one = json!({"pre_tool_cal": blocks, "pre_tool_call": blocks});
    let home = TestHome::with([
        scripted("typo", &typo).guard(),
        scripted("one-typo", &one).guard(),
        scripted("no-guard", &typo),
    ]);
    let host = home.load();
    loaded(&host, "one-typo");
    loaded(&host, "no-guard");
    let refused = refusal(&host, "typo");
    assert_eq!(refused.code(), "guards_nothing");
    assert!(
        refused.to_string().contains("did you mean `pre_tool_call`"),
        "{}",
        *refused
    );
    assert!(
        refused.cure().contains("register for `pre_tool_call`"),
        "{}",
        refused.cure()
    );
    assert_eq!(call(&host, "terminal").decision.by(), Some("one-typo"));
}

#[track_caller]
fn blocked_for_absence(outcome: &Outcome, plugin: &str) {
    let decision = serde_json::to_value(&outcome.decision).expect("JSON");
    assert_eq!(
        (&decision["decision"], &decision["by"]),
        (&json!("block"), &json!(plugin))
    );
    let message = decision["message"].as_str().expect("a message");
    assert!(
        message.contains("guard not active") && message.contains(plugin),
        "{message}"
    );
}

#[test]
fn what_a_required_guard_covers_is_refused_while_it_is_absent() {
    let records = Records::capture();
    let watcher = scripted("watcher", &json!({"pre_tool_call": [{"record": "call"}]}));
    let home = TestHome::with([watcher]).requires(["not-here"]);
    let host = home.load();
    blocked_for_absence(&call(&host, "terminal"), "not-here");
    blocked_for_absence(&call(&host, "read_file"), "not-here");
    assert_eq!(host.fire(&payload::PreLlmCall::new()).added_bytes(), 0);
    let asked = json!({"label": "call"});
    let recorded = host
        .fire_json("scripted.recorded", &asked)
        .expect("an object");
    let recorded = serde_json::to_value(recorded.replies).expect("JSON");
    assert_eq!(
        recorded[0]["answer"].as_array().map(Vec::len),
        Some(2),
        "others are called"
    );

    let report = host.report();
    assert!(!report.is_healthy());
    let said = report.to_string();
    assert!(
        said.contains("`not-here` is not active (it is not installed)"),
        "{said}"
    );
    assert!(said.contains("plugins.required"), "{said}");
    let logged = records.of("not-here");
    assert!(
        logged
            .iter()
            .any(|record| record.level == tracing::Level::ERROR),
        "{logged:#?}"
    );
}

#[test]
fn a_required_guard_covers_the_tools_it_is_configured_for() {
    let broken = Placed::bytes("broken", b"no library".as_slice())
        .guard()
        .entry("required", true)
        .entry("tools", json!(["terminal"]));
    let host = TestHome::with([broken]).load();
    assert!(matches!(report(&host, "broken").state, State::Refused(_)));
    blocked_for_absence(&call(&host, "terminal"), "broken");
    assert_eq!(call(&host, "read_file").decision.word(), "proceed");
    let outcome = host.fire(&payload::PreToolCall::new().tool_name("terminal"));
    assert!(matches!(outcome, ToolOutcome::Block { .. }), "{outcome:?}");
}

#[test]
fn a_required_guard_covers_the_hooks_it_declares() {
    let declares = Fixture::built("scripted")
        .named("redactor")
        .with_metadata(|metadata| {
            metadata["hooks"] = json!(["transform_tool_result", "post_tool_call"]);
        });
    // It declares what it does not register, so it is refused.
    let redactor = Placed::new(&declares)
        .config(json!({"on": {}}))
        .entry("required", true);
    let host = TestHome::with([redactor]).load();
    assert_eq!(refusal(&host, "redactor").code(), "not_registered");
    assert_eq!(
        call(&host, "terminal").decision.word(),
        "proceed",
        "it judges no calls"
    );
    let result = payload::TransformToolResult::new()
        .tool_name("t")
        .result("secret");
    let TextOutcome::Replace { text, by } = host.fire(&result) else {
        panic!("it must be withheld");
    };
    assert_eq!(&*by, "redactor");
    assert!(
        text.contains("guard not active") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn a_required_guard_that_is_there_refuses_nothing() {
    let guard = scripted("guard", &json!({"pre_tool_call": [{"record": "x"}]})).guard();
    let home = TestHome::with([guard]).requires(["guard"]);
    let host = home.load();
    assert_eq!(call(&host, "terminal").decision.word(), "proceed");
    assert!(host.report().missing.is_empty());
}

#[test]
fn safe_mode_does_not_take_a_required_guard_away() {
    let guard = scripted("guard", &json!({"pre_tool_call": [{"record": "x"}]})).guard();
    let home = TestHome::with([guard]).requires(["guard"]);
    let host = Host::builder(home.home()).safe_mode(true).load();
    blocked_for_absence(&call(&host, "terminal"), "guard");
    let said = host.report().to_string();
    assert!(said.contains("safe mode loads no plugin"), "{said}");
}
