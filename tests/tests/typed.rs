//! Typed events: each kind of hook answers with its own enum, on this thread and as a future.

use std::fmt::Debug;

use hermes_loader::catalogue::{HookPoint, Payload, payload};
use hermes_loader::{
    FlowOutcome, Folded, Host, OutcomeOf, SendOutcome, TextOutcome, ToolOutcome, VerifyOutcome,
};
use hermes_tests::{Fixture, Placed, TestHome, block_on};
use serde_json::{Value, json};

/// A host with one plugin, whose answers are these.
fn host(on: &Value) -> (TestHome, Host) {
    let plugin = Placed::new(&Fixture::built("scripted").named("p")).config(json!({ "on": on }));
    let home = TestHome::with([plugin]);
    let host = home.load();
    (home, host)
}

/// Fires both ways, which must come to the same.
#[track_caller]
fn fire<E>(host: &Host, event: &E) -> OutcomeOf<E>
where
    E: Payload,
    <E::Point as HookPoint>::Answer: Folded,
    OutcomeOf<E>: PartialEq + Debug,
{
    let outcome = host.fire(event);
    assert_eq!(
        outcome,
        block_on(host.fire_async(event)),
        "both ways of firing"
    );
    outcome
}

fn answering(tool: &str, answer: &Value) -> Value {
    json!({"when": {"tool_name": tool}, "return": answer})
}

#[test]
fn a_tool_call() {
    let (_home, host) = host(&json!({"pre_tool_call": [
        answering("blocked", &json!({"action": "block", "message": "no"})),
        answering("asked", &json!({"action": "approve", "message": "sure?", "rule_key": "k"})),
        answering("changed", &json!({"action": "modify", "args": {"b": 3}})),
    ]}));
    let args = json!({"a": 1, "b": 2});
    let call = |tool| payload::PreToolCall::new().tool_name(tool).args(&args);
    let ToolOutcome::Proceed { rewrite } = fire(&host, &call("other")) else {
        panic!("nobody minds");
    };
    assert!(rewrite.is_empty());
    assert_eq!(
        json!(rewrite.over(args.as_object().expect("an object"))),
        args
    );
    assert_eq!(
        fire(&host, &call("blocked")),
        ToolOutcome::Block {
            message: "no".into(),
            by: "p".into()
        }
    );
    let ToolOutcome::Approve { ask, rewrite } = fire(&host, &call("asked")) else {
        panic!("somebody is to be asked");
    };
    assert_eq!(
        (ask.message.as_deref(), ask.rule_key.as_deref(), &*ask.by),
        (Some("sure?"), Some("k"), "p")
    );
    assert!(rewrite.is_empty());
    let ToolOutcome::Proceed { rewrite } = fire(&host, &call("changed")) else {
        panic!("it runs, changed");
    };
    assert_eq!(rewrite.changes().collect::<Vec<_>>(), [("b", "p")]);
    let changed = rewrite
        .over(args.as_object().expect("an object"))
        .into_owned();
    assert_eq!(
        Value::Object(changed),
        json!({"a": 1, "b": 3}),
        "named keys only"
    );
    assert_eq!(
        args,
        json!({"a": 1, "b": 2}),
        "the call's own stay as they are"
    );
}

#[test]
fn a_user_message() {
    let (_home, host) = host(&json!({"pre_llm_call": [
        {"when": {"model": "quiet"}, "return": null},
        {"return": {"context": "one\n\ntwo"}},
    ]}));
    let quiet = fire(
        &host,
        &payload::PreLlmCall::new().user_message("hi").model("quiet"),
    );
    assert!(quiet.is_empty() && quiet.added_bytes() == 0);
    assert_eq!(quiet.appended_to("hi"), "hi");
    let context = fire(
        &host,
        &payload::PreLlmCall::new().user_message("hi").model("m"),
    );
    assert_eq!(context.appended_to("hi"), "hi\n\none\n\ntwo");
    assert_eq!(context.added_bytes(), "\n\none\n\ntwo".len());
}

#[test]
fn texts() {
    let (_home, host) = host(&json!({
        "transform_tool_result": [{"when": {"tool_name": "t"}, "return": ""}],
        "transform_terminal_output": [{"return": "short"}],
        "transform_llm_output": [{"return": ""}],
    }));
    let result = |tool| {
        payload::TransformToolResult::new()
            .tool_name(tool)
            .result("long")
    };
    let emptied = fire(&host, &result("t"));
    assert_eq!(
        emptied,
        TextOutcome::Replace {
            text: String::new(),
            by: "p".into()
        }
    );
    assert_eq!(
        (
            emptied.shown("long"),
            fire(&host, &result("u")).shown("long")
        ),
        ("", "long")
    );
    let output = payload::TransformTerminalOutput::new()
        .command("ls")
        .output("long");
    assert_eq!(fire(&host, &output).shown("long"), "short");
    let answer = payload::TransformLlmOutput::new().response_text("long");
    assert_eq!(
        fire(&host, &answer),
        TextOutcome::Keep,
        "an empty answer is none"
    );
}

#[test]
fn messages() {
    let (_home, host) = host(&json!({
        "pre_gateway_dispatch": [
            {"when": {"event.text": "spam"}, "return": {"action": "skip", "reason": "r"}},
            {"when": {"event.text": "typo"}, "return": {"action": "rewrite", "text": ""}},
            {"when": {"event.text": "fine"}, "return": {"action": "allow"}},
        ],
        "message_sending": [
            {"when": {"content": "secret"}, "return": {"cancel": true, "cancelReason": "r"}},
            {"when": {"content": "draft"}, "return": {"content": "final"}},
        ],
    }));
    let inbound = |text: &str| {
        let event = json!({"text": text});
        fire(&host, &payload::PreGatewayDispatch::new().event(&event))
    };
    let by = || "p".into();
    assert_eq!(inbound("hello"), FlowOutcome::Pass);
    assert_eq!(inbound("fine"), FlowOutcome::Allow { by: by() });
    assert_eq!(
        inbound("spam"),
        FlowOutcome::Skip {
            reason: Some("r".into()),
            by: by()
        }
    );
    assert_eq!(
        inbound("typo"),
        FlowOutcome::Rewrite {
            text: String::new(),
            by: by()
        }
    );
    let outbound = |content| {
        fire(
            &host,
            &payload::MessageSending::new().to("x").content(content),
        )
    };
    assert_eq!(outbound("hello"), SendOutcome::Send);
    assert_eq!(
        outbound("draft"),
        SendOutcome::Rewrite {
            content: "final".into(),
            by: by()
        }
    );
    let cancelled = SendOutcome::Cancel {
        reason: Some("r".into()),
        metadata: None,
        by: by(),
    };
    assert_eq!(outbound("secret"), cancelled);
}

#[test]
fn a_finished_agent_and_observers() {
    let (_home, host) = host(&json!({
        "pre_verify": [{"when": {"attempt": 0}, "return": {"action": "continue", "message": "test it"}}],
        "on_session_start": [{"return": {"action": "block", "message": "ignored"}}],
    }));
    let verify = |attempt| fire(&host, &payload::PreVerify::new().attempt(attempt));
    let goes_on = VerifyOutcome::Continue {
        message: "test it".into(),
        by: "p".into(),
    };
    assert_eq!((verify(0), verify(1)), (goes_on, VerifyOutcome::Finish));
    let () = fire(&host, &payload::OnSessionStart::new().session_id("s"));
    let () = fire(&host, &payload::OnSessionReset::new());
}
