//! Live objects in C: what the typed layer makes impossible is tried here, and answered GONE.

use std::convert::Infallible;
use std::sync::OnceLock;

use hermes_loader::gateway_port::{GatewayPort, MemoryGateway, Outgoing};
use hermes_loader::middleware::ExecutionError;
use hermes_loader::{FlowOutcome, Host, catalogue::payload};
use serde_json::{Value, json};

use super::installed::{assert_loaded, compiled};

fn live() -> Host {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    let host = compiled("live", include_str!("live.c"), &KEPT).load(&json!({}));
    assert_loaded(&host);
    host
}

#[track_caller]
fn told(host: &Host, way: &str, port: &dyn GatewayPort) -> String {
    let message = json!({"text": way});
    let event = payload::PreGatewayDispatch::new().event(&message);
    match host.fire_inbound(&event, port) {
        FlowOutcome::Skip { reason, .. } => reason.unwrap_or_default(),
        other => panic!(
            "{way}: expected a skip, found {other:?}, {:?}",
            host.faults()
        ),
    }
}

#[track_caller]
fn check(way: &str, expected: &str, sent: usize) {
    let (host, gateway) = (live(), MemoryGateway::new());
    assert_eq!(told(&host, way, &gateway), expected, "{way}");
    assert_eq!(gateway.sent().len(), sent, "{way}");
    assert_eq!(host.faults(), [], "{way}");
}

#[test]
fn a_handler_in_c_sends_and_appends() {
    let (host, gateway) = (live(), MemoryGateway::new());
    assert_eq!(
        told(&host, "send", &gateway),
        r#"code 0 {"message_id":"memory-1"}"#
    );
    assert_eq!(gateway.sent(), [Outgoing::new("telegram", "c1", "hello")]);
    assert_eq!(told(&host, "append", &gateway), "code 0 ");
    assert_eq!(gateway.transcript().len(), 1);
}

#[test]
fn what_is_asked_for_wrongly_is_invalid() {
    check(
        "no-message",
        "code 3 this is not a message: missing field `chat_id` at line 1 column 23",
        0,
    );
    check("not-utf8", "code 3 ", 0);
    check("other-kind", "code 3 ", 0);
    // It was sent, and only the receipt is lost.
    check("small-buffer", r#"code 5 {"m"#, 1);
    check("no-sink", "code 3 ", 1);
}

#[test]
fn what_was_not_lent_to_this_handler_is_gone() {
    for way in [
        "other-number",
        "other-instance",
        "no-call",
        "retained",
        "thread",
    ] {
        check(way, "code 1 ", 0);
    }
}

#[test]
fn what_was_lent_before_is_gone() {
    let (host, gateway) = (live(), MemoryGateway::new());
    assert_eq!(told(&host, "keep", &gateway), "code 0 ");
    assert_eq!(told(&host, "late-number", &gateway), "code 1 ");
    let later = host
        .fire_json("live.after", &json!({"gateway": {"$handle": [1, 1]}}))
        .expect("an object");
    let codes = serde_json::to_value(later.replies).expect("JSON")[0]["answer"].clone();
    assert_eq!(
        codes,
        json!([1, 1, 1]),
        "the number with its own call, the old call, and nothing to wrap"
    );
    assert_eq!(gateway.sent(), []);
}

#[test]
fn a_host_without_live_objects_says_so_in_c() {
    let host = live();
    let outcome = host.fire_json(
        "pre_gateway_dispatch",
        &json!({"event": {"text": "send"}, "gateway": null}),
    );
    let json = serde_json::to_value(outcome.expect("an object")).expect("JSON");
    assert_eq!(json["reason"], "code 4 ");
}

#[test]
fn middleware_in_c_wraps_a_tool() {
    let host = live();
    let run = |tool: &str| {
        let event = payload::ToolExecution::new().tool_name(tool);
        host.tool_execution(&event, &json!({"n": 1}), |args: &Value| {
            Ok::<_, Infallible>(args.to_string())
        })
    };
    assert_eq!(run("pass"), Ok(r#"{"n":1}"#.to_owned()));
    assert_eq!(run("replace"), Ok(r#"{"n":2}"#.to_owned()));
    assert_eq!(
        run("no-object"),
        Ok(r#"{"n":1}"#.to_owned()),
        "a wrong call does not use it up"
    );
    let event = payload::ToolExecution::new().tool_name("pass");
    let failed = host.tool_execution(&event, &json!({}), |_| Err("out of paper"));
    assert_eq!(failed, Err(ExecutionError::Downstream("out of paper")));
    assert_eq!(host.faults(), []);
}
