//! Middleware and live objects, through the host in memory.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use hermes_plugin_api::{
    extension::gateway::{GatewayPort, NotDone, SendReceipt},
    prelude::*,
    testing::{FaultKind, Host, MemoryGateway, event},
};
use serde_json::{Map, Value, json};

fn host(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> Host {
    Host::new("plugin").register(register).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn requests_are_rewritten_and_traced() {
    let host = host(|ctx| {
        ctx.middleware(ToolRequest, |call| {
            assert_eq!(call.args().to_json(), call.original_args().to_json());
            Rewrite::to(object(json!({"n": call.args().i64("n").map(|n| n + 1)})))
                .source("one")
                .reason("more")
                .name("up")
        });
        ctx.middleware(ToolRequest, |call| match call.args().i64("n") {
            Some(1) => Rewrite::to(object(json!({"n": 10}))),
            _ => Rewrite::KEEP,
        });
        ctx.middleware(ToolRequest, |_| Rewrite::KEEP);
        Ok(())
    });
    let requested = host.tool_request(event::tool("t").arg("n", 1));
    assert_eq!(
        requested.value,
        json!({"n": 10}),
        "the last one that answers"
    );
    let trace = [
        json!({"source": "one", "reason": "more", "name": "up"}),
        json!({}),
    ];
    assert_eq!(requested.trace, trace);
    assert_eq!(requested.faults, []);
    let requested = host.tool_request(event::tool("t").arg("n", 2));
    assert_eq!(requested.value, json!({"n": 3}));
    assert_eq!(
        host.llm_request(json!({"request": {"model": "m"}})).value,
        json!({"model": "m"})
    );
}

#[test]
fn calls_are_wrapped() {
    let host = host(|ctx| {
        ctx.middleware(ToolExecution, |call| call.next(None));
        ctx.middleware(ToolExecution, |call| {
            call.next(Some(&object(json!({"n": 2}))))
        })
        .tools(["t"]);
        ctx.middleware(LlmExecution, |call| -> Result<Executed, LiveError> {
            Ok(Executed::with(json!([call.next(None)?])))
        });
        Ok(())
    });
    let told = |args: &Value| Ok(args.to_string());
    let executed = host.tool_execution(event::tool("t"), told);
    assert_eq!(executed.result, Ok(json!(r#"{"n":2}"#)));
    let executed = host.tool_execution(event::tool("other").arg("n", 1), told);
    assert_eq!(executed.result, Ok(json!(r#"{"n":1}"#)));
    let executed = host.tool_execution(event::tool("t"), |_| Err("no paper".to_owned()));
    assert_eq!(
        (executed.result, executed.faults),
        (Err("no paper".to_owned()), vec![])
    );
    let executed = host.llm_execution(json!({"request": {"model": "m"}}), |request| {
        Ok(request["model"].clone())
    });
    assert_eq!(executed.result, Ok(json!(["m"])));
}

#[test]
fn faults_are_told_and_guards_refuse() {
    let register = |ctx: &mut Context| {
        ctx.middleware(ToolExecution, |call| -> Executed {
            let _ = call.next(None);
            panic!("too late")
        });
        Ok(())
    };
    let host = Host::new("plugin").register(register).unwrap();
    let executed = host.tool_execution(event::tool("t"), |_| Ok("done".to_owned()));
    assert_eq!(executed.result, Ok(json!("done")));
    let [fault] = &executed.faults[..] else {
        panic!("{:?}", executed.faults)
    };
    assert_eq!(
        (fault.kind, &*fault.text, fault.closed),
        (FaultKind::Panic, "too late", false)
    );

    let guard = Host::new("plugin")
        .role("guard")
        .register(register)
        .unwrap();
    let executed = guard.tool_execution(event::tool("t"), |_| Ok("done".to_owned()));
    let refused = executed.result.unwrap_err();
    assert!(
        refused.contains("`plugin` could not check this call"),
        "{refused}"
    );
    assert!(executed.faults[0].closed);
}

#[test]
fn a_panic_of_what_is_wrapped_goes_on() {
    let host = host(|ctx| {
        ctx.middleware(ToolExecution, |call| match call.next(None) {
            Err(_) => Executed::with("rescued"),
            Ok(result) => Executed::with(result),
        });
        Ok(())
    });
    let run = || {
        host.tool_execution(event::tool("t"), |_| {
            std::panic::resume_unwind(Box::new("out of tape"))
        })
    };
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"out of tape"));
    let executed = host.tool_execution(event::tool("t"), |_| Ok("fine".to_owned()));
    assert_eq!(executed.result, Ok(json!("fine")));
}

/// A gateway that has no session store, and panics when it sends.
struct Odd;

impl GatewayPort for Odd {
    fn send(&self, _: &Outgoing) -> Result<SendReceipt, NotDone> {
        panic!("out of paper")
    }
}

#[test]
fn live_objects_work_as_in_an_agent() {
    let host = host(|ctx| {
        ctx.on(PreGatewayDispatch, |call| {
            let sent = call.gateway().send(&Outgoing::new("p", "c", "t"));
            let entry = TranscriptEntry::new("s", "user", "t");
            let appended = call.session_store().append_to_transcript(&entry);
            let late = call.retain().map(|kept| {
                let view = PreGatewayDispatch::view(kept.as_call());
                view.gateway().send(&Outgoing::new("p", "c", "t"))
            });
            Flow::Skip {
                reason: Some(format!("{:?} {appended:?} {late:?}", sent.map(|_| ()))),
            }
        });
        Ok(())
    });
    let gateway = MemoryGateway::new();
    let outcome = host.fire_inbound(event::empty(), &gateway);
    assert_eq!(
        outcome.answers()[0]["reason"],
        "Ok(()) Ok(()) Some(Err(Gone))"
    );
    assert_eq!((gateway.sent().len(), gateway.transcript().len()), (1, 1));

    let outcome = host.fire_inbound(event::empty(), &Odd);
    let panicked = "the host panicked while it did it";
    let told = format!("Err(Failed({panicked:?})) Err(Unsupported) Some(Err(Gone))");
    assert_eq!(outcome.answers()[0]["reason"], *told);

    let outcome = host.fire("pre_gateway_dispatch", event::empty());
    let told = "Err(Unsupported) Err(Unsupported) Some(Err(Unsupported))";
    assert_eq!(outcome.answers()[0]["reason"], told);
}
