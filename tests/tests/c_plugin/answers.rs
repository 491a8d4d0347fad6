//! What a handler in C may answer and return, well and badly.

use std::sync::OnceLock;

use hermes_loader::{Decision, FaultKind, Host};
use serde_json::json;

use super::installed::{assert_loaded, blocked, compiled, decision};

fn ways() -> Host {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    let host = compiled("ways", include_str!("ways.c"), &KEPT).load(&json!({}));
    assert_loaded(&host);
    host
}

#[track_caller]
fn check_told(way: &str, message: &str) {
    let host = ways();
    assert_eq!(blocked(&host, way, ""), message, "{way}");
    assert_eq!(host.faults(), [], "{way}");
}

#[track_caller]
fn check_fault(way: &str, kind: FaultKind, text: &str) {
    let host = ways();
    assert_eq!(decision(&host, way, ""), Decision::Proceed, "{way}");
    let faults = host.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(
        (&*faults[0].plugin, &*faults[0].hook, faults[0].kind),
        ("ways", "pre_tool_call", kind),
        "{way}"
    );
    assert!(faults[0].text.contains(text), "{way}: {}", faults[0].text);
    assert_eq!(
        blocked(&host, "block", ""),
        "code 0",
        "the host lives on, and the plugin with it"
    );
}

#[test]
fn an_answer_in_c_is_taken() {
    check_told("block", "code 0");
    check_told("pending", "code 300");
    check_told("retained", "code 303");
}

#[test]
fn nothing_said_in_c_is_nothing_said() {
    let host = ways();
    assert_eq!(decision(&host, "something-else", ""), Decision::Proceed);
    assert_eq!(
        decision(&host, "set-but-nothing-said", ""),
        Decision::Proceed
    );
    assert_eq!(host.faults(), []);
}

#[test]
fn an_answer_that_cannot_be_taken_gets_its_code() {
    check_told("wrong-type", "code 2");
    check_told("unknown-tag", "code 2");
    check_told("null-value", "code 2");
    check_told("null-handler", "code 2");
    check_told("null-future", "code 2");
    check_told("null-failure", "code 2");
    check_told("future-without-poll", "code 2");
    check_told("json-of-wrong-type", "code 2");
    check_told("key-outside", "code 2");
    check_told("not-utf8", "code 3");
    check_told("name-not-utf8", "code 3");
    check_told("bad-json", "code 3");
    check_told("json-not-utf8", "code 3");
    check_told("too-big", "code 4");
    check_told("closed-too-often", "code 5");
    check_told("too-deep", "too deep");
    check_told("unknown-field", "code 6");
}

#[test]
fn a_function_that_an_older_host_lacks_is_unsupported() {
    check_told("short-table", "code 7");
}

#[test]
fn a_status_that_means_nothing_is_a_fault() {
    check_fault(
        "unknown-status",
        FaultKind::Unreadable,
        "unknown status 999",
    );
    check_fault(
        "largest-status",
        FaultKind::Unreadable,
        "unknown status 4294967295",
    );
    check_fault(
        "answered-without-answer",
        FaultKind::Unreadable,
        "left no whole answer",
    );
    check_fault(
        "pending-without-future",
        FaultKind::Unreadable,
        "handed no future over",
    );
    check_fault("error-without-words", FaultKind::Unreadable, "but not why");
    check_fault(
        "panicked-with-an-error",
        FaultKind::Unreadable,
        "but not why",
    );
    check_fault("left-open", FaultKind::Unreadable, "left no whole answer");
    check_fault("must-understand", FaultKind::Unreadable, "field 31");
}

#[test]
fn a_failure_in_c_keeps_its_words() {
    check_fault("error", FaultKind::Error, "said so");
    check_fault("error-not-utf8", FaultKind::Error, "said \u{fffd} so");
    check_fault(
        "answer-not-taken",
        FaultKind::Error,
        "the host did not take the answer",
    );
}

#[test]
fn everything_of_an_event_can_be_read_in_c() {
    let host = ways();
    let args = json!({
        "text": "abc", "whole": -5, "round": 2.0, "huge": u64::MAX, "flag": true, "list": [1, null],
        "empty": {},
    });
    let payload = json!({"tool_name": "reads", "args": args, "task_id": "", "more": "than the catalogue knows"});
    match host
        .fire_json("pre_tool_call", &payload)
        .expect("the payload is an object")
        .decision
    {
        Decision::Block { message, .. } => assert_eq!(message, "code 0"),
        other => panic!("expected a block, found {other:?}"),
    }
}

#[test]
fn marked_values_can_be_told_apart_in_c() {
    let host = ways();
    let text = r#"{"tool_name":"marks","args":{"f":-Infinity,"n":NaN,"i":123456789012345678901234567890,
        "b":{"$bytes_hex":"00ff"},"s":"half \ud83d","p":{"$path":"/x"},"o":{"$opaque":"Chat"},"t":"plain"}}"#;
    let payload = hermes_loader::payload::parse(text).expect("it is JSON");
    let outcome = host
        .fire_json("pre_tool_call", &payload.into())
        .expect("the payload is an object");
    match outcome.decision {
        Decision::Block { message, .. } => assert_eq!(message, "code 0"),
        other => panic!("expected a block, found {other:?}"),
    }
}
