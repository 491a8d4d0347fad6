//! What a plugin may keep, and how long it is good for: timers, events it fires, calls, the end.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use hermes_plugin_api::{
    abi::{AnswerCode, RetainedCall, ServiceCode, WriteError},
    prelude::*,
    testing::{FaultKind, Host, event},
};
use serde_json::{Value, json};

type Shared<T> = Arc<Mutex<T>>;

/// Registers, and gives the plugin's way back to its host.
fn host(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> (Host, HostRef) {
    let back = Shared::<Option<HostRef>>::default();
    let keep = Arc::clone(&back);
    let host = Host::new("plugin").register(move |ctx| {
        *keep.lock().unwrap() = ctx.host();
        register(ctx)
    });
    let back = back.lock().unwrap().take();
    (host.unwrap(), back.unwrap())
}

/// Counts its drops, and notes whether the host was still there.
struct Tracked {
    drops: Shared<Vec<(&'static str, bool)>>,
    name: &'static str,
    host: Option<HostRef>,
}

impl Drop for Tracked {
    fn drop(&mut self) {
        let there = self.host.is_some_and(|host| host.config_json().is_some());
        self.drops.lock().unwrap().push((self.name, there));
    }
}

#[test]
fn a_dropped_host_drops_everything_once_and_before_destroy() {
    let drops = Shared::<Vec<_>>::default();
    let keep = Arc::clone(&drops);
    let (host, back) = host(move |ctx| {
        let tracked = |name| Tracked {
            drops: Arc::clone(&keep),
            name,
            host: ctx.host(),
        };
        let (first, second, timer) = (tracked("first"), tracked("second"), tracked("timer"));
        ctx.host()
            .unwrap()
            .every(Duration::from_secs(1), move |_| _ = &timer)
            .unwrap();
        ctx.on(OnSessionStart, move |_| _ = &first);
        ctx.on(OnSessionEnd, move |_| _ = &second);
        Ok(())
    });
    host.fire("on_session_start", event::session("s")).sound();
    assert!(drops.lock().unwrap().is_empty());
    assert_eq!(back.config_json().as_deref(), Some("{}"));
    drop(host);
    // Handlers in reverse order, each while the host still answered: `destroy` came after them.
    assert_eq!(
        *drops.lock().unwrap(),
        [("timer", true), ("second", true), ("first", true)]
    );
    assert_eq!(back.config_json(), None);
    assert_eq!(
        back.fire(None, "on_session_start", &json!({})),
        Err(ServiceCode::GONE)
    );
}

#[test]
fn a_handle_that_is_over_never_leads_to_a_newer_instance() {
    let (host_before, before) = host(|_| Ok(()));
    drop(host_before);
    let (_host_after, after) = host(|_| Ok(()));
    assert_ne!(before.instance(), after.instance());
    assert_eq!(before.config_json(), None);
    assert_eq!(before.after(Duration::ZERO, |_| ()), Err(ServiceCode::GONE));
    assert_eq!(before.cancel_timer(1), Err(ServiceCode::GONE));
    assert_eq!(before.unregister(1), Err(ServiceCode::GONE));
}

#[test]
fn a_call_that_was_kept_can_be_read_but_no_longer_answered() {
    let kept = Shared::<Option<RetainedCall>>::default();
    let keep = Arc::clone(&kept);
    let (host, _) = host(move |ctx| {
        ctx.on(PreToolCall, move |call| {
            *keep.lock().unwrap() = call.retain();
            Verdict::pass()
        });
        Ok(())
    });
    host.fire(
        "pre_tool_call",
        event::tool("terminal").arg("command", "ls"),
    )
    .sound();
    let call = kept.lock().unwrap().take().unwrap();
    let gone = Err(WriteError(AnswerCode::GONE));
    assert_eq!(call.as_call().answer().set_str(0, "block"), gone);
    drop(host);
    assert_eq!(call.as_call().answer().set_str(0, "block"), gone);
    assert_eq!(call.as_call().answer().begin_object(3), gone);
    let args = call.as_call().field(1).as_tree().unwrap();
    assert_eq!(args.str("command"), Some("ls"));
    // From any thread.
    std::thread::scope(|scope| {
        scope
            .spawn(|| assert_eq!(call.as_call().answer().set_str(0, "x"), gone))
            .join()
            .unwrap()
    });
}

#[test]
fn timers_run_when_the_test_says_so() {
    let runs = Shared::<Vec<(&str, i64)>>::default();
    let (once, often, never) = (Arc::clone(&runs), Arc::clone(&runs), Arc::clone(&runs));
    let (host, back) = host(move |ctx| {
        let host = ctx.host().unwrap();
        host.every(Duration::from_secs(60), move |timer| {
            often.lock().unwrap().push(("often", timer.count()))
        })
        .unwrap();
        host.after(Duration::from_secs(5), move |timer| {
            once.lock().unwrap().push(("once", timer.count()))
        })
        .unwrap();
        Ok(())
    });
    let id = back
        .after(Duration::ZERO, move |_| {
            never.lock().unwrap().push(("never", 0))
        })
        .unwrap();
    let delays: Vec<_> = host
        .timers()
        .iter()
        .map(|timer| (timer.delay.as_secs(), timer.period.is_some()))
        .collect();
    assert_eq!(delays, [(0, false), (5, false), (60, true)]);
    assert_eq!(back.cancel_timer(id), Ok(()));
    assert_eq!(back.cancel_timer(id), Err(ServiceCode::INVALID));
    assert_eq!(host.run_timers().sound().called(), 2);
    assert_eq!(host.run_timers().sound().called(), 1);
    assert_eq!(
        *runs.lock().unwrap(),
        [("once", 1), ("often", 1), ("often", 2)]
    );
}

#[test]
fn a_registration_can_be_taken_back() {
    let drops = Shared::<Vec<_>>::default();
    let keep = Arc::clone(&drops);
    let asked = Shared::<Option<RegistrationId>>::default();
    let own = Arc::clone(&asked);
    let (host, back) = host(move |ctx| {
        let tracked = Tracked {
            drops: keep,
            name: "handler",
            host: ctx.host(),
        };
        let id = ctx.on(OnSessionStart, move |_| _ = &tracked).id();
        assert_eq!(id.get(), None);
        *own.lock().unwrap() = Some(id);
        Ok(())
    });
    let id = host.registrations()[0].id;
    let known = asked.lock().unwrap().clone().and_then(|id| id.get());
    assert_eq!(known, Some(id));
    assert_eq!(back.unregister(id), Ok(()));
    assert_eq!(*drops.lock().unwrap(), [("handler", true)]);
    assert_eq!(back.unregister(id), Err(ServiceCode::INVALID));
    assert_eq!(
        host.fire("on_session_start", event::session("s")).called(),
        0
    );
}

/// What an observer gets that fires `hook` from inside its own event.
#[track_caller]
fn check_fired(hook: &'static str, payload: Value, expected: &Value) {
    let got = Shared::<Option<Value>>::default();
    let keep = Arc::clone(&got);
    let (host, back) = host(move |ctx| {
        ctx.on(PreToolCall, |call| match call.tool_name() {
            "bad" => Verdict::block("bad"),
            "odd" => Verdict::approve("odd").rule_key("key"),
            "set" => Verdict::modify(serde_json::Map::from_iter([("a".to_owned(), json!(1))])),
            _ => Verdict::pass(),
        });
        ctx.on(TransformLlmOutput, |_| Replacement::text("masked"));
        ctx.on(PreLlmCall, |event| {
            assert!(event.is_nested());
            ContextPiece::append("piece")
        });
        Ok(())
    });
    let host = host.with("firing").register(move |ctx| {
        ctx.on(OnSessionStart, move |event| {
            *keep.lock().unwrap() = back.fire(Some(&event), hook, &payload).ok();
        });
        Ok(())
    });
    host.unwrap()
        .fire("on_session_start", event::session("s"))
        .sound();
    assert_eq!(got.lock().unwrap().as_ref(), Some(expected));
}

#[test]
fn a_plugin_fires_events_itself() {
    let answer = |answer: Value| json!([{ "plugin": "plugin", "answer": answer }]);
    let block = answer(json!({"action": "block", "message": "bad"}));
    check_fired(
        "pre_tool_call",
        event::tool("bad").into(),
        &json!({"decision": "block", "message": "bad", "by": "plugin", "replies": block}),
    );
    let odd = answer(json!({"action": "approve", "message": "odd", "rule_key": "key"}));
    check_fired(
        "pre_tool_call",
        event::tool("odd").into(),
        &json!({"decision": "approve", "message": "odd", "rule_key": "key", "by": "plugin", "replies": odd}),
    );
    let set = answer(json!({"action": "modify", "args": {"a": 1}}));
    check_fired(
        "pre_tool_call",
        event::tool("set").into(),
        &json!({"decision": "proceed", "args": {"a": 1}, "replies": set}),
    );
    check_fired(
        "pre_tool_call",
        event::tool("ok").into(),
        &json!({"decision": "proceed", "replies": []}),
    );
    check_fired(
        "transform_llm_output",
        event::answer("x").into(),
        &json!({"decision": "replace", "text": "masked", "by": "plugin", "replies": answer(json!("masked"))}),
    );
    check_fired(
        "pre_llm_call",
        json!({}),
        &json!({"decision": "context", "text": "piece", "replies": answer(json!({"context": "piece"}))}),
    );
}

#[test]
fn a_circle_of_events_is_a_fault_unless_it_was_asked_for() {
    let circle = |reentrant: bool| {
        let (host, _) = host(move |ctx| {
            let back = ctx.host().unwrap();
            let registration = ctx.on(OnSessionStart, move |event| {
                let inner = back.fire(Some(&event), "on_session_start", &json!({}));
                inner
                    .map(|_| ())
                    .map_err(|code| Error::new(format!("code {}", code.0)))
            });
            if reentrant {
                registration.reentrant();
            }
            Ok(())
        });
        let outcome = host.fire("on_session_start", event::session("s"));
        outcome.sound();
        // The fault is one of the inner event: nobody but the handler sees it.
        outcome.called()
    };
    assert_eq!((circle(false), circle(true)), (1, 1));
}

#[test]
fn the_handler_that_fires_sees_the_fault_of_the_circle() {
    let got = Shared::<Vec<Value>>::default();
    let keep = Arc::clone(&got);
    let (host, _) = host(move |ctx| {
        let back = ctx.host().unwrap();
        ctx.on(OnSessionStart, move |_| {
            // Without naming the call: the host knows whose handler runs on this thread.
            keep.lock()
                .unwrap()
                .extend(back.fire(None, "on_session_start", &json!({})));
        });
        Ok(())
    });
    host.fire("on_session_start", event::session("s")).sound();
    let fault = json!({"plugin": "plugin", "fault": {"kind": "nested", "closed": false}});
    assert_eq!(
        *got.lock().unwrap(),
        [json!({"decision": "proceed", "replies": [fault]})]
    );
}

#[test]
fn a_serial_handler_is_entered_by_one_thread_at_a_time() {
    let inside = Shared::<(u32, u32)>::default();
    let keep = Arc::clone(&inside);
    let (host, _) = host(move |ctx| {
        ctx.on(PostToolCall, move |_| {
            let now = {
                let mut inside = keep.lock().unwrap();
                inside.0 += 1;
                inside.0
            };
            std::thread::yield_now();
            let mut inside = keep.lock().unwrap();
            inside.0 -= 1;
            inside.1 = inside.1.max(now);
        })
        .serial();
        Ok(())
    });
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..50).for_each(|_| _ = host.fire("post_tool_call", event::tool("t")).sound())
            });
        }
    });
    assert_eq!(*inside.lock().unwrap(), (0, 1));
}

#[test]
fn an_answer_that_does_not_come_is_given_up() {
    let drops = Shared::<Vec<_>>::default();
    let keep = Arc::clone(&drops);
    let waiting = move |ctx: &mut Context| {
        let host = ctx.host();
        ctx.on_async(PreToolCall, move |event| {
            let tracked = Tracked {
                drops: Arc::clone(&keep),
                name: "future",
                host,
            };
            async move {
                std::future::pending::<()>().await;
                let _kept = (&tracked, &event);
                Verdict::pass()
            }
        });
        Ok(())
    };
    let host = Host::new("slow")
        .role("guard")
        .patience(Duration::from_millis(1))
        .register(waiting)
        .unwrap();
    let outcome = host.fire("pre_tool_call", event::tool("terminal"));
    let fault = &outcome.faults()[0];
    assert_eq!((fault.kind, fault.closed), (FaultKind::Timeout, true));
    drop(outcome);
    drop(host);
    #[cfg(not(feature = "tokio"))]
    assert_eq!(*drops.lock().unwrap(), [("future", true)]);
    // A task is dropped by the plugin's own runtime, whenever that comes to it.
    #[cfg(feature = "tokio")]
    while drops.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
}

/// Keeps what `args.keep` says with each call, and takes it after the call where `args.take` is said.
fn keeping(names: Shared<Vec<String>>, drops: Shared<Vec<(&'static str, bool)>>) -> Host {
    Host::new("keeper")
        .register(move |ctx| {
            let host = ctx.host();
            let drops = Arc::clone(&drops);
            ctx.on(PreToolCall, move |call| {
                let name = match call.args().str("keep") {
                    Some("one") => "one",
                    Some("two") => "two",
                    _ => return Verdict::pass(),
                };
                let drops = Arc::clone(&drops);
                let kept = call.attach(Tracked { drops, name, host });
                assert_eq!(kept.is_ok(), call.tool_call_id().is_some());
                Verdict::pass()
            });
            ctx.on(PostToolCall, move |call| {
                assert!(call.take_attached::<u64>().is_none(), "of another type");
                if let Some(kept) = call.take_attached::<Tracked>() {
                    names.lock().unwrap().push(kept.name.to_owned());
                }
            })
            .tools(["take"]);
            Ok(())
        })
        .unwrap()
}

#[test]
fn what_is_kept_with_a_call_is_dropped_once() {
    let (names, drops) = (Shared::<Vec<_>>::default(), Shared::<Vec<_>>::default());
    let host = keeping(Arc::clone(&names), Arc::clone(&drops));
    let call = |id: &str, keep: &str| {
        let payload = event::tool("take")
            .session("s")
            .call_id(id)
            .arg("keep", keep);
        host.fire("pre_tool_call", payload).sound();
    };
    let dropped = || std::mem::take(&mut *drops.lock().unwrap());

    call("1", "one");
    assert_eq!(dropped(), []);
    for _ in 0..2 {
        let payload = event::tool("take").session("s").call_id("1");
        host.fire("post_tool_call", payload).sound();
    }
    assert_eq!(*names.lock().unwrap(), ["one"], "it came back once");
    assert_eq!(dropped(), [("one", true)]);

    call("2", "one");
    call("2", "two");
    assert_eq!(dropped(), [("one", true)], "it was replaced");
    call("", "one");
    assert_eq!(
        dropped(),
        [("one", true)],
        "a call without an id keeps nothing"
    );
    host.fire("on_session_end", event::session("other")).sound();
    assert_eq!(dropped(), []);
    host.fire("on_session_end", event::session("s")).sound();
    assert_eq!(dropped(), [("two", true)], "its turn ended");

    call("old", "one");
    for number in 1..4096 {
        call(&format!("newer {number}"), "");
    }
    assert_eq!(dropped(), []);
    call("newer 4096", "");
    assert_eq!(dropped(), [("one", true)], "4,096 newer calls came");

    call("last", "two");
    assert_eq!(host.end(), []);
    assert_eq!(dropped(), [("two", true)], "the plugin ended");
}
