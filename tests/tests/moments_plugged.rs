//! Moments with more of a plugin in them than hooks: middleware around tools and models, live objects of the
//! gateway.

use std::sync::Arc;

use hermes_loader::gateway_port::{GatewayPort, MemoryGateway, Outgoing};
use hermes_loader::moments::memory::{Conversations, Nobody, Script, Toolbox};
use hermes_loader::moments::{
    Door, Inbound, Received, Reply, Session, Sessions, Source, Surface, ToolCall, ToolResult,
    ToolStatus, Tools, Turn, TurnSetup,
};
use hermes_tests::{Fixture, Placed, Stage, TestHome};
use serde_json::{Value, json};

fn wrapped(tag: &str, placed: Placed) -> Stage {
    Stage::beside(TestHome::new().plugin(placed), Surface::Cli, tag, [])
}

fn wraps(config: Value) -> Placed {
    Placed::new(&Fixture::built("wraps")).config(config)
}

/// Runs a tool that answers with its arguments.
fn run(stage: &Stage, args: Value) -> ToolResult {
    let runner = Toolbox::new().tool("echo", |call| Ok(call.args.to_string()));
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    let tools = Tools {
        approvals: &approvals,
        runner: &runner,
    };
    ToolCall::new("echo", args).id("call-1").run(&tools)
}

#[test]
fn a_tool_runs_inside_its_middleware() {
    let answer = json!({"args": {"text": "rewritten"}, "source": "s", "reason": "r"});
    let config = json!({"tool_request": [answer], "tool_execution": ["brackets"]});
    let stage = wrapped("mw-tool", wraps(config));
    let result = run(&stage, json!({"text": "asked"}));
    assert_eq!(
        (result.text.as_str(), result.status),
        (r#"[{"text":"rewritten"}]"#, ToolStatus::Ok)
    );
    let judged = &stage.seen("pre_tool_call")[0];
    assert_eq!(
        judged["args"],
        json!({"text": "rewritten"}),
        "it is asked before the hooks"
    );
    let trace = json!([{"source": "s", "reason": "r"}]);
    assert_eq!(judged["middleware_trace"], trace);
    let after = &stage.seen("post_tool_call")[0];
    assert_eq!(after["result"], result.text.as_str());
    assert_eq!(after["middleware_trace"], trace);
}

#[test]
fn middleware_may_answer_in_a_tool_s_place() {
    let stage = wrapped("mw-instead", wraps(json!({"tool_execution": ["instead"]})));
    let result = run(&stage, json!({}));
    assert_eq!(
        (result.text.as_str(), result.status),
        ("instead", ToolStatus::Ok)
    );
    assert_eq!(
        stage.seen("post_tool_call")[0]["duration_ms"],
        0,
        "the tool did not run"
    );
}

#[test]
fn a_call_that_a_guard_s_middleware_cannot_judge_is_blocked() {
    for (tag, kind, way) in [
        ("mw-guard-request", "tool_request", "no memory"),
        ("mw-guard-execution", "tool_execution", "raise-before"),
    ] {
        let stage = wrapped(tag, wraps(json!({ kind: [way] })).guard());
        let result = run(&stage, json!({"text": "asked"}));
        assert_eq!(
            (result.status, result.blocked_by.as_deref()),
            (ToolStatus::Blocked, Some("wraps"))
        );
        let after = &stage.seen("post_tool_call")[0];
        assert_eq!(
            (&after["status"], &after["error_type"], &after["args"]),
            (
                &json!("blocked"),
                &json!("plugin_block"),
                &json!({"text": "asked"})
            )
        );
        assert_eq!(stage.seen("transform_tool_result").len(), 0);
    }
}

#[test]
fn a_model_is_asked_inside_its_middleware() {
    let request = json!({"request": {"model": "other", "messages": [{"role": "user", "content": "rewritten"}]}});
    let config = json!({"llm_request": [request], "llm_execution": ["pass"]});
    let stage = wrapped("mw-llm", wraps(config));
    let sessions = Sessions::new(&stage.moments);
    sessions.open(Session::new("s1"));
    let (model, history) = (Script::of([Reply::text("fine")]), Conversations::new());
    let mut turn = Turn::begin(&sessions, "s1", TurnSetup::new(&model, &history), "asked")
        .expect("the session is open");
    let reply = turn.ask().expect("the model answers");
    assert_eq!(reply.content(), Some("fine"));
    assert_eq!(reply.finish_reason.as_deref(), Some("stop"));
    assert_eq!(turn.finish().text.as_deref(), Some("fine"));
    assert_eq!(
        model.requests(),
        [json!({"model": "other", "messages": [{"role": "user", "content": "rewritten"}]})]
    );
    let shown = &stage.seen("pre_api_request")[0];
    assert_eq!(
        shown["request"]["body"]["model"], "other",
        "observers see what is sent"
    );
    assert_eq!(stage.seen("post_api_request").len(), 1);
}

#[test]
fn a_model_that_a_guard_s_middleware_cannot_judge_is_not_asked() {
    let stage = wrapped(
        "mw-llm-guard",
        wraps(json!({"llm_execution": ["raise-before"]})).guard(),
    );
    let sessions = Sessions::new(&stage.moments);
    sessions.open(Session::new("s1"));
    let (model, history) = (Script::of([Reply::text("fine")]), Conversations::new());
    let mut turn = Turn::begin(&sessions, "s1", TurnSetup::new(&model, &history), "asked")
        .expect("the session is open");
    let failed = turn.ask().expect_err("the guard refuses").to_string();
    assert!(failed.contains("`wraps` could not check"), "{failed}");
    assert_eq!(model.requests(), Vec::<Value>::new());
}

/// A door that lets plugins send.
struct OpenDoor(MemoryGateway);

impl Door for OpenDoor {
    fn is_authorised(&self, _: &Source) -> bool {
        true
    }

    fn send(&self, _: &Source, _: &str) -> Result<(), String> {
        Err("nobody is answered here".to_owned())
    }

    fn gateway(&self) -> &dyn GatewayPort {
        &self.0
    }
}

/// A door that offers plugins nothing.
struct PlainDoor;

impl Door for PlainDoor {
    fn is_authorised(&self, _: &Source) -> bool {
        true
    }

    fn send(&self, _: &Source, _: &str) -> Result<(), String> {
        Err("nobody is answered here".to_owned())
    }
}

fn said(stage: &Stage, door: &dyn Door) -> String {
    match Inbound::new(Source::default(), "both").receive(&stage.moments, door) {
        Received::Skipped { reason, .. } => reason.unwrap_or_default(),
        other => panic!("expected a skip, found {other:?}"),
    }
}

#[test]
fn a_message_s_handlers_send_through_the_door() {
    let plugin = Placed::new(&Fixture::built("live-objects"));
    let home = TestHome::new().plugin(plugin);
    let stage = Stage::beside(home, Surface::Gateway, "live-door", []);
    let door = OpenDoor(MemoryGateway::new());
    assert_eq!(said(&stage, &door), r#""memory-1"; ()"#);
    let sent = door.0.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(
        sent[0],
        Outgoing::new("telegram", "c1", "hello")
            .thread_id("7")
            .reply_to("m1")
    );
    assert_eq!(door.0.transcript().len(), 1);
    assert_eq!(said(&stage, &PlainDoor), "Unsupported; Unsupported");
}
