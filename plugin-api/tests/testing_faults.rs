//! Everything that can go wrong inside a plugin is a fault with text and place, wherever it happens.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};

use hermes_plugin_api::{
    prelude::*,
    testing::{Fault, FaultKind, Host, event},
};
use serde_json::json;

/// A hard-hearted plugin's handler, and what becomes of it.
#[track_caller]
fn check(
    judge: impl Fn(PreToolCallView<'_>) -> Result<Verdict, Error> + Send + Sync + 'static,
    kind: FaultKind,
    text: &str,
) {
    let host = Host::new("careless").register(move |ctx| {
        ctx.on(PreToolCall, judge);
        ctx.on(PreToolCall, |_| Verdict::block("the next one still counts"));
        Ok(())
    });
    let host = host.unwrap();
    let outcome = host.fire("pre_tool_call", event::tool("terminal"));
    let [fault] = outcome.faults() else {
        panic!("{outcome:?}")
    };
    assert_eq!(
        (fault.plugin.as_str(), fault.hook.as_str()),
        ("careless", "pre_tool_call")
    );
    assert_eq!(
        (fault.kind, fault.text.as_str(), fault.closed),
        (kind, text, false)
    );
    // The place is known, unless nothing went through the panic hook.
    let placed = kind == FaultKind::Panic && text != "unwound";
    assert_eq!(
        (fault.file == file!(), fault.line > 0),
        (placed, placed),
        "{fault}"
    );
    assert_eq!(
        outcome.answers(),
        [json!({"action": "block", "message": "the next one still counts"})]
    );
    // A typed look at an outcome with a fault in it is a failed test.
    assert!(catch_unwind(AssertUnwindSafe(|| outcome.verdict())).is_err());
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped")
    }
}

#[test]
fn an_error_keeps_its_text_and_its_causes() {
    check(|_| Err(Error::new("no luck")), FaultKind::Error, "no luck");
    let cause = |_: PreToolCallView<'_>| {
        let _number: u8 = "x".parse()?;
        Ok(Verdict::pass())
    };
    check(cause, FaultKind::Error, "invalid digit found in string");
}

#[test]
fn a_panic_keeps_its_text_and_place() {
    check(|_| panic!("oh no"), FaultKind::Panic, "oh no");
    check(
        |call| panic!("oh {}", call.tool_name()),
        FaultKind::Panic,
        "oh terminal",
    );
    check(
        |_| panic_any(7_u8),
        FaultKind::Panic,
        "panic with a payload that is not text",
    );
    check(
        |_| panic_any(Bomb),
        FaultKind::Panic,
        "panic with a payload that is not text",
    );
    check(
        |_| resume_unwind(Box::new("unwound")),
        FaultKind::Panic,
        "unwound",
    );
}

#[test]
fn what_the_host_does_not_take_is_an_error() {
    let host = Host::new("odd").register(|ctx| {
        ctx.register_hook("pre_tool_call", |call| {
            call.answer()
                .set(0, hermes_plugin_api::abi::Value::u64(1))?;
            Ok(RawAnswer::NONE)
        });
        Ok(())
    });
    let host = host.unwrap();
    let outcome = host.fire("pre_tool_call", event::tool("terminal"));
    assert_eq!(
        outcome.faults()[0].text,
        "the hook's answer field is of another type"
    );
}

#[track_caller]
fn refused(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> Fault {
    Host::new("refused").register(register).unwrap_err()
}

#[test]
fn a_plugin_that_cannot_register_is_not_loaded() {
    let fault = refused(|_| Err(Error::new("no licence")));
    assert_eq!(
        (fault.hook.as_str(), fault.kind),
        ("register", FaultKind::Error)
    );
    assert_eq!(
        fault.to_string(),
        "plugin `refused`: error in register: no licence"
    );

    let fault = refused(|_| panic!("no luck"));
    assert_eq!(
        (fault.kind, fault.text.as_str(), fault.file.as_str()),
        (FaultKind::Panic, "no luck", file!())
    );

    // What it had staged is dropped on the way out, and may panic as well.
    let fault = refused(|ctx| {
        let bomb = Bomb;
        ctx.on(OnSessionStart, move |_| _ = &bomb);
        panic!("after staging")
    });
    assert_eq!(
        (fault.kind, fault.text.as_str()),
        (FaultKind::Panic, "after staging")
    );

    let fault = refused(|ctx| {
        ctx.on(OnSessionStart, |_| ()).priority(f64::NAN);
        Ok(())
    });
    assert!(
        fault
            .text
            .starts_with("the host did not take the registration for `on_session_start`"),
        "{fault}"
    );

    let fault = refused(|ctx| {
        ctx.on(OnSessionStart, |_| ()).tools(["terminal"]);
        Ok(())
    });
    assert!(
        fault
            .text
            .starts_with("the host did not take the registration for `on_session_start`"),
        "{fault}"
    );
}

mod born_dead {
    use super::*;

    fn create() -> Result<(), Error> {
        Err(Error::new("wrong machine"))
    }

    fn register(_: &mut Context) -> Result<(), Error> {
        unreachable!("`create` failed")
    }

    hermes_plugin!(register, name = "born-dead", create = create);
}

#[test]
fn a_plugin_that_cannot_be_created_is_not_loaded() {
    let fault = Host::new("born-dead").load(born_dead::PLUGIN).unwrap_err();
    assert_eq!(
        (fault.hook.as_str(), fault.text.as_str()),
        ("create", "wrong machine")
    );
    let fault = Host::new("born-alive").load(born_dead::PLUGIN).unwrap_err();
    assert_eq!(
        (fault.hook.as_str(), fault.text.as_str()),
        ("create", "the entry point is that of `born-dead`")
    );
}

fn with_a_bomb() -> Host {
    let loaded = Host::new("bomb").register(|ctx| {
        let bomb = Bomb;
        ctx.on(OnSessionStart, move |_| _ = &bomb);
        Ok(())
    });
    loaded.unwrap()
}

#[test]
fn a_handler_that_panics_when_it_is_dropped_is_reported_at_the_end() {
    let faults = with_a_bomb().end();
    let [fault] = faults.as_slice() else {
        panic!("{faults:?}")
    };
    assert_eq!(
        (fault.hook.as_str(), fault.kind, fault.text.as_str()),
        ("drop", FaultKind::Panic, "dropped")
    );
    let panic = catch_unwind(|| drop(with_a_bomb())).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(
        text.starts_with("as its host was dropped: plugin `bomb`: panic in drop: dropped"),
        "{text}"
    );
}

#[test]
fn a_timer_that_panics_is_a_fault_and_goes_on() {
    let host = Host::new("timed").register(|ctx| {
        let host = ctx.host().unwrap();
        host.every(std::time::Duration::from_secs(1), |timer| {
            assert!(timer.count() > 1, "too early")
        })
        .unwrap();
        Ok(())
    });
    let host = host.unwrap();
    let first = host.run_timers();
    assert_eq!(
        (
            first.faults()[0].hook.as_str(),
            first.faults()[0].text.as_str()
        ),
        ("timer", "too early")
    );
    host.run_timers().sound();
}

#[test]
fn an_async_handler_that_panics_is_a_fault_with_a_place() {
    let host = Host::new("async").register(|ctx| {
        ctx.on_async(PreToolCall, |event| async move {
            let mut looked = false;
            std::future::poll_fn(move |context| {
                context.waker().wake_by_ref();
                if std::mem::replace(&mut looked, true) {
                    std::task::Poll::Ready(())
                } else {
                    std::task::Poll::Pending
                }
            })
            .await;
            assert_eq!(event.view().tool_name(), "other");
            Verdict::pass()
        });
        Ok(())
    });
    let host = host.unwrap();
    let outcome = host.fire("pre_tool_call", event::tool("terminal"));
    let fault = &outcome.faults()[0];
    assert_eq!(
        (fault.kind, fault.file.as_str()),
        (FaultKind::Panic, file!())
    );
    assert!(
        fault.text.contains("assertion `left == right` failed"),
        "{fault}"
    );
}

#[test]
fn a_guard_that_faults_refuses_the_event() {
    let host = Host::new("guard").role("guard").register(|ctx| {
        ctx.on(PreToolCall, |_| -> Verdict { panic!("cannot judge") });
        ctx.on(PreToolCall, |_| -> Verdict { panic!("does not matter") })
            .fail_open();
        ctx.on(OnSessionEnd, |_| -> () { panic!("decides nothing") });
        Ok(())
    });
    let host = host.unwrap();
    let outcome = host.fire("pre_tool_call", event::tool("terminal"));
    let closed: Vec<_> = outcome.faults().iter().map(|fault| fault.closed).collect();
    assert_eq!(closed, [true, false]);
    assert_eq!(outcome.to_json()["decision"], "block");
    assert!(!host.fire("on_session_end", event::session("s")).faults()[0].closed);
}
