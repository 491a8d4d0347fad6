//! The gateway and the session store of a message: good for the handler that is called, and for nobody else.

use std::cell::RefCell;

use hermes_loader::{
    Decision, FlowOutcome, Host,
    catalogue::payload,
    gateway_port::{GatewayPort, MemoryGateway, NotDone, Outgoing, SendReceipt, TranscriptEntry},
};
use hermes_tests::{Fixture, Placed, TestHome, home::loaded};
use serde_json::json;

fn host() -> (TestHome, Host) {
    let home = TestHome::new().plugin(&Fixture::built("live-objects"));
    let host = home.load();
    loaded(&host, "live-objects");
    (home, host)
}

fn reason(decision: Decision) -> String {
    match decision {
        Decision::Skip { reason, .. } => reason.unwrap_or_default(),
        other => panic!("expected a skip, found {other:?}"),
    }
}

/// What the handler says came of it.
#[track_caller]
fn told(host: &Host, text: &str, port: &dyn GatewayPort) -> String {
    let message = json!({"text": text});
    let event = payload::PreGatewayDispatch::new().event(&message);
    match host.fire_inbound(&event, port) {
        FlowOutcome::Skip { reason, .. } => reason.unwrap_or_default(),
        other => panic!("expected a skip, found {other:?}"),
    }
}

const GONE: &str = "Gone; Gone";

#[test]
fn a_handler_sends_and_appends() {
    let (_home, host) = host();
    let gateway = MemoryGateway::new();
    assert_eq!(told(&host, "both", &gateway), r#""memory-1"; ()"#);
    let sent = [Outgoing::new("telegram", "c1", "hello")
        .thread_id("7")
        .reply_to("m1")];
    assert_eq!(gateway.sent(), sent);
    let appended = [TranscriptEntry::new("s1", "assistant", "hello")];
    assert_eq!(gateway.transcript(), appended);
    assert_eq!(told(&host, "there", &gateway), "true true");
    assert_eq!(host.faults(), []);
}

#[test]
fn each_event_lends_its_own() {
    let (_home, host) = host();
    let (first, second) = (MemoryGateway::new(), MemoryGateway::new());
    let raw = told(&host, "raw", &first);
    assert!(raw.contains("Handle { kind: 1, number: "), "{raw}");
    assert_ne!(
        raw,
        told(&host, "raw", &first),
        "a number is never used twice"
    );
    told(&host, "both", &second);
    assert_eq!((first.sent().len(), second.sent().len()), (0, 1));
}

#[test]
fn a_call_that_was_kept_has_none() {
    let (_home, host) = host();
    let gateway = MemoryGateway::new();
    assert_eq!(
        told(&host, "retained", &gateway),
        format!("{GONE} | {GONE}")
    );
    assert_eq!(told(&host, "async", &gateway), format!("{GONE} | {GONE}"));
    assert_eq!(gateway.sent(), []);
}

#[test]
fn handles_cannot_be_handed_on() {
    let (_home, host) = host();
    let gateway = MemoryGateway::new();
    // The event further in carries the very handles, and its handler may not use them; the one they were lent
    // to still may.
    let said = told(&host, "forged", &gateway);
    assert_eq!(said, format!(r#"{GONE} | "memory-1"; ()"#));
    assert_eq!(gateway.sent().len(), 1);
}

#[test]
fn a_message_that_was_rewritten_still_lends_them() {
    let rewrite = json!({"action": "rewrite", "text": "both"});
    let first = Placed::new(&Fixture::built("scripted").named("rewrites"))
        .config(json!({"on": {"pre_gateway_dispatch": [{"return": rewrite}]}}));
    let guard = Placed::new(&Fixture::built("live-objects")).guard();
    let host = TestHome::with([first, guard]).load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    // The guard judges the event as it will be, which was made anew.
    let gateway = MemoryGateway::new();
    assert_eq!(told(&host, "anything", &gateway), r#""memory-1"; ()"#);
    assert_eq!(gateway.sent().len(), 1);
}

/// A port that can do nothing.
struct Nothing;

impl GatewayPort for Nothing {}

/// A port that fails, each time in another way.
struct Failing;

impl GatewayPort for Failing {
    fn send(&self, _: &Outgoing) -> Result<SendReceipt, NotDone> {
        Err(NotDone::Failed("the platform is down".to_owned()))
    }

    fn append_to_transcript(&self, entry: &TranscriptEntry) -> Result<(), NotDone> {
        panic!("no room for {}", entry.content)
    }
}

#[test]
fn a_host_without_them_says_so() {
    let (_home, host) = host();
    assert_eq!(told(&host, "both", &Nothing), "Unsupported; Unsupported");
    for payload in [
        json!({"event": {"text": "both"}}),
        json!({"event": {"text": "both"}, "gateway": null, "session_store": {"$opaque": "SessionStore"}}),
        json!({"event": {"text": "both"}, "gateway": {"send": true}, "session_store": "live"}),
    ] {
        let outcome = host
            .fire_json("pre_gateway_dispatch", &payload)
            .expect("an object");
        assert_eq!(
            reason(outcome.decision),
            "Unsupported; Unsupported",
            "{payload}"
        );
    }
    // A number that nobody lent.
    let payload = json!({"event": {"text": "both"}, "gateway": {"$handle": [1, 1]}, "session_store": {"$handle": [2, 9]}});
    let outcome = host
        .fire_json("pre_gateway_dispatch", &payload)
        .expect("an object");
    assert_eq!(reason(outcome.decision), GONE);
    assert_eq!(host.faults(), []);
}

#[test]
fn a_port_that_fails_or_panics_is_told_as_failed() {
    let (_home, host) = host();
    let panicked = "failed: the host panicked while it did it";
    let said = told(&host, "both", &Failing);
    assert_eq!(said, format!("failed: the platform is down; {panicked}"));
    assert_eq!(host.faults(), [], "it is no fault of the plugin");
    assert_eq!(
        told(&host, "there", &Failing),
        "true true",
        "and the host lives on"
    );
}

/// A port that asks the host for more while it sends.
struct Asking<'h> {
    host: &'h Host,
    heard: RefCell<Vec<String>>,
}

impl GatewayPort for Asking<'_> {
    fn send(&self, _: &Outgoing) -> Result<SendReceipt, NotDone> {
        let payload = json!({"event": {"text": "raw"}, "gateway": 5, "session_store": 6});
        let inner = self.host.fire_json("pre_gateway_dispatch", &payload);
        let inner = inner.map_err(|error| NotDone::Failed(error.to_string()))?;
        self.heard.borrow_mut().push(reason(inner.decision));
        // Everything that takes a lock of the host.
        self.host.refresh_log_level();
        self.heard
            .borrow_mut()
            .push(format!("{:?}", self.host.tools()));
        Ok(SendReceipt::new())
    }
}

#[test]
fn a_port_is_called_without_any_lock() {
    let (_home, host) = host();
    let port = Asking {
        host: &host,
        heard: RefCell::default(),
    };
    assert_eq!(told(&host, "both", &port), r#"""; Unsupported"#);
    assert_eq!(*port.heard.borrow(), ["[I64(5), I64(6)]", "[]"]);
}

#[test]
fn nobody_there_costs_nothing_and_says_nothing() {
    let host = TestHome::new().load();
    let message = json!({"text": "both"});
    let event = payload::PreGatewayDispatch::new().event(&message);
    assert_eq!(host.fire_inbound(&event, &Failing), FlowOutcome::Pass);
}

#[test]
fn a_plugin_may_require_the_interface() {
    let fixture = Fixture::built("live-objects");
    let other = fixture.with_metadata(|document| {
        document["requires"] = json!({"abi_minor": 0, "extensions": ["hermes.gateway/9"]});
    });
    let host = TestHome::with([Placed::new(&other)]).load();
    let refusal = hermes_tests::home::refusal(&host, "live-objects");
    assert!(
        refusal.to_string().contains("hermes.gateway/9"),
        "{}",
        *refusal
    );
}
