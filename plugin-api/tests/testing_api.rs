//! What an author can write, through the host in memory: ways to register, answers, order, async.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::sync::{Arc, Mutex};

use hermes_plugin_api::{
    prelude::*,
    testing::{FaultKind, Host, Outcome, event},
};
use serde_json::{Map, json};

/// A plugin of the real form, with a declared handler beside the registered ones.
mod whole {
    use super::*;

    fn judge(call: PreToolCallView<'_>) -> Verdict {
        match call.tool_name() {
            "forbidden" => Verdict::block("declared"),
            _ => Verdict::pass(),
        }
    }
    hook!(PreToolCall, judge, tools = ["forbidden"], priority = 5.0);

    fn register(ctx: &mut Context) -> Result<(), Error> {
        ctx.on(PreToolCall, |_| {
            Verdict::approve("registered").rule_key("k")
        });
        Ok(())
    }
    hermes_plugin!(
        register,
        name = "whole",
        role = "guard",
        hooks = ["pre_tool_call"]
    );
}

fn tool(name: &str) -> event::Payload {
    event::tool(name)
}

fn host(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> Host {
    Host::new("plugin").register(register).unwrap()
}

/// Fires a terminal call with this command.
fn command(host: &Host, command: &str) -> Outcome {
    host.fire("pre_tool_call", tool("terminal").arg("command", command))
}

type Seen = Arc<Mutex<Vec<String>>>;

fn note(seen: &Seen, what: impl Into<String>) {
    seen.lock().unwrap().push(what.into());
}

fn noted(seen: &Seen) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap())
}

#[test]
fn a_closure_judges_the_tools_it_asked_for() {
    let host = host(|ctx| {
        ctx.on(PreToolCall, |call| match call.args().str("command") {
            Some(command) if command.contains("rm") => Verdict::block("no"),
            _ => Verdict::pass(),
        })
        .tools(["terminal", "shell"]);
        Ok(())
    });
    assert_eq!(command(&host, "rm x").verdict(), Verdict::block("no"));
    assert_eq!(
        command(&host, "rm x").answers(),
        [json!({"action": "block", "message": "no"})]
    );
    let quiet = command(&host, "ls");
    assert_eq!(
        (quiet.verdict(), quiet.called(), quiet.answers().len()),
        (Verdict::Pass, 1, 0)
    );
    let other = host.fire("pre_tool_call", tool("read_file").arg("command", "rm"));
    assert_eq!((other.verdict(), other.called()), (Verdict::Pass, 0));
}

#[test]
fn a_type_of_its_own_handles_events() {
    struct Limit(usize);
    impl Handle<PreToolCall> for Limit {
        fn handle(&self, event: PreToolCallView<'_>) -> Verdict {
            match event.args().len() > self.0 {
                true => Verdict::approve("many arguments"),
                false => Verdict::pass(),
            }
        }
    }
    let host = host(|ctx| {
        ctx.on_handler(PreToolCall, Limit(1));
        Ok(())
    });
    assert_eq!(command(&host, "ls").verdict(), Verdict::Pass);
    let two = host.fire("pre_tool_call", tool("terminal").arg("a", 1).arg("b", 2));
    assert_eq!(two.verdict(), Verdict::approve("many arguments"));
}

#[test]
fn a_whole_plugin_is_loaded_by_its_entry_point() {
    let host = Host::new("whole").load(whole::PLUGIN).unwrap();
    let registered = host.registrations();
    let shown: Vec<_> = registered
        .iter()
        .map(|r| (r.hook.as_str(), r.priority, r.guard, r.closed))
        .collect();
    assert_eq!(
        shown,
        [
            ("pre_tool_call", 5.0, true, true),
            ("pre_tool_call", 0.0, true, true)
        ]
    );
    assert_eq!(registered[0].tools, ["forbidden"]);
    // Block beats approve.
    assert_eq!(
        host.fire("pre_tool_call", tool("forbidden")).verdict(),
        Verdict::block("declared")
    );
    assert_eq!(
        host.fire("pre_tool_call", tool("other")).verdict(),
        Verdict::approve("registered").rule_key("k")
    );
}

#[test]
fn declared_handlers_come_with_their_package_only() {
    let own = Host::new(env!("CARGO_PKG_NAME"))
        .register(|_| Ok(()))
        .unwrap();
    assert_eq!(
        own.fire("pre_tool_call", tool("forbidden")).verdict(),
        Verdict::block("declared")
    );
    let other = Host::new("other").register(|_| Ok(())).unwrap();
    assert_eq!(other.fire("pre_tool_call", tool("forbidden")).called(), 0);
}

#[test]
fn dynamic_handlers_take_known_and_unknown_hooks() {
    let host = host(|ctx| {
        ctx.register_hook("pre_tool_call", |call| {
            let tool = call.field(0).as_str().unwrap_or_default();
            Ok(RawAnswer::json(
                json!({"action": "block", "message": format!("no {tool}")}),
            ))
        });
        ctx.register_hook("moon_rises", |call| {
            Ok(RawAnswer::json(
                json!({"phase": call.extra().i64("phase"), "seen": call.extra().len()}),
            ))
        });
        Ok(())
    });
    assert_eq!(
        host.fire("pre_tool_call", tool("t")).verdict(),
        Verdict::block("no t")
    );
    let moon = host.fire("moon_rises", json!({"phase": 3, "more": []}));
    assert_eq!(moon.answers(), [json!({"phase": 3, "seen": 2})]);
}

#[test]
fn every_kind_of_answer_can_be_read() {
    let host = host(|ctx| {
        ctx.on(PreToolCall, |_| {
            Verdict::modify(Map::from_iter([("timeout".to_owned(), json!(5))]))
        });
        ctx.on(PreLlmCall, |_| ContextPiece::append("first"));
        ctx.on(PreLlmCall, |_| {
            Ok::<_, Error>(ContextPiece::append("second"))
        });
        ctx.on(TransformLlmOutput, |event| {
            Replacement::from(event.response_text().strip_prefix("um ").map(str::to_owned))
        });
        ctx.on(PreVerify, |_| Continue::with("run the tests"));
        ctx.on(OnSessionEnd, |_| ());
        Ok(())
    });
    assert_eq!(
        command(&host, "x").verdict(),
        Verdict::modify(Map::from_iter([("timeout".to_owned(), json!(5))]))
    );
    assert_eq!(
        host.fire("pre_llm_call", event::empty())
            .context()
            .as_deref(),
        Some("first\n\nsecond")
    );
    assert_eq!(
        host.fire("transform_llm_output", event::answer("um yes"))
            .text(),
        Some("yes")
    );
    assert_eq!(
        host.fire("transform_llm_output", event::answer("yes"))
            .text(),
        None
    );
    let verify = host.fire("pre_verify", event::empty());
    assert_eq!(
        verify.answers(),
        [json!({"action": "continue", "message": "run the tests"})]
    );
    assert_eq!(
        host.fire("on_session_end", event::session("s"))
            .sound()
            .called(),
        1
    );
}

/// A handler that notes its name, and changes an argument if it is no guard.
fn noting(
    seen: &Seen,
    name: &'static str,
    priority: f64,
) -> impl FnOnce(&mut Context) -> Result<(), Error> + use<> {
    let seen = Arc::clone(seen);
    move |ctx| {
        ctx.on(PreToolCall, move |call| {
            note(
                &seen,
                format!("{name}:{}", call.args().str("by").unwrap_or("-")),
            );
            Verdict::modify(Map::from_iter([("by".to_owned(), json!(name))]))
        })
        .priority(priority);
        Ok(())
    }
}

#[test]
fn handlers_are_called_in_order_and_see_what_was_changed_before() {
    let seen = Seen::default();
    let host = Host::new("guard")
        .role("guard")
        .register(noting(&seen, "guard", 90.0))
        .unwrap();
    let host = host
        .with("low")
        .register(noting(&seen, "low", -1.0))
        .unwrap();
    let host = host
        .with("first")
        .register(noting(&seen, "first", 7.0))
        .unwrap();
    let host = host
        .with("second")
        .register(noting(&seen, "second", 7.0))
        .unwrap();
    let outcome = command(&host, "ls");
    assert_eq!(
        noted(&seen),
        ["first:-", "second:first", "low:second", "guard:low"]
    );
    // A guard may not rewrite what it judges.
    assert_eq!(
        outcome.verdict(),
        Verdict::modify(Map::from_iter([("by".to_owned(), json!("low"))]))
    );
}

#[track_caller]
fn check_transforms(chain: bool, expected: &str) {
    let host = host(move |ctx| {
        ctx.on(TransformToolResult, |event| {
            Replacement::text(event.result().replace('a', "A"))
        })
        .priority(2.0);
        let second = ctx.on(TransformToolResult, |event| {
            Replacement::text(event.result().replace('b', "B"))
        });
        if chain {
            second.chain();
        }
        Ok(())
    });
    assert_eq!(
        host.fire("transform_tool_result", tool("t").result("ab"))
            .text(),
        Some(expected)
    );
}

#[test]
fn transforms_replace_or_chain() {
    check_transforms(false, "Ab");
    check_transforms(true, "AB");
}

#[test]
fn a_blocked_message_is_terminal_in_the_other_dialect() {
    let seen = Seen::default();
    let (first, second) = (Arc::clone(&seen), Arc::clone(&seen));
    let host = host(move |ctx| {
        ctx.on(MessageSending, |_| SendDecision::cancel("quiet hours"))
            .priority(1.0);
        ctx.on(MessageSending, move |_| {
            note(&first, "not called");
            SendDecision::none()
        });
        ctx.on(MessageSending, move |event| {
            note(
                &second,
                format!("after terminal: {}", event.is_after_terminal()),
            );
            SendDecision::content("ignored")
        })
        .observe_after_terminal();
        Ok(())
    });
    let outcome = host.fire("message_sending", json!({"to": "x", "content": "y"}));
    assert_eq!(noted(&seen), ["after terminal: true"]);
    assert_eq!(
        outcome.answers(),
        [json!({"cancel": true, "cancelReason": "quiet hours"})]
    );
}

#[test]
fn an_approval_is_resolved_by_hand() {
    let seen = Seen::default();
    let told = Arc::clone(&seen);
    let host = host(move |ctx| {
        ctx.on(BeforeToolCall, move |_| {
            let told = Arc::clone(&told);
            let resolved = Callback::of(ApprovalResolution, move |event| {
                note(&told, event.decision())
            });
            ToolDecision::none()
                .require_approval(Approval::new("Sure?", "really").on_resolution(resolved))
        });
        Ok(())
    });
    let outcome = host.fire(
        "before_tool_call",
        json!({"toolName": "exec", "params": {}}),
    );
    assert_eq!(
        outcome.answers(),
        [json!({"requireApproval": {"title": "Sure?", "description": "really"}})]
    );
    assert_eq!(host.resolve_approvals("deny").sound().called(), 1);
    assert_eq!(host.resolve_approvals("deny").sound().called(), 0);
    assert_eq!(noted(&seen), ["deny"]);
}

/// Ready at the second look; wakes from another thread.
async fn later<T>(value: T) -> T {
    let mut looked = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut looked, true) {
            return std::task::Poll::Ready(());
        }
        let waker = context.waker().clone();
        let _detached = std::thread::spawn(move || waker.wake());
        std::task::Poll::Pending
    })
    .await;
    value
}

#[test]
fn an_async_handler_owns_its_event() {
    let host = host(|ctx| {
        ctx.on_async(PreToolCall, |event| async move {
            let message = later("thought about it: ").await;
            let view = event.view();
            tracing::info!(tool = view.tool_name(), "decided");
            Verdict::block(format!(
                "{message}{}",
                view.args().str("command").unwrap_or_default()
            ))
        });
        ctx.on_async(PreLlmCall, |_| async { ContextPiece::append("at once") });
        ctx.on_async(OnSessionEnd, |_| async {
            later(Err::<(), _>(Error::new("too late"))).await
        });
        Ok(())
    });
    assert_eq!(
        command(&host, "ls").verdict(),
        Verdict::block("thought about it: ls")
    );
    assert_eq!(host.logs()[0].fields["tool"], "terminal");
    assert_eq!(
        host.fire("pre_llm_call", event::empty())
            .context()
            .as_deref(),
        Some("at once")
    );
    let failed = host.fire("on_session_end", event::session("s"));
    assert_eq!(
        (failed.faults()[0].kind, failed.faults()[0].text.as_str()),
        (FaultKind::Error, "too late")
    );
}

#[cfg(feature = "tokio")]
#[test]
fn an_async_handler_runs_on_the_plugins_tokio() {
    use std::time::Duration;

    let host = host(|ctx| {
        ctx.on_async(PreToolCall, |_| async {
            let (give, take) = tokio::sync::oneshot::channel();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                give.send("from a task")
            });
            take.await.map(Verdict::block)
        });
        ctx.on_async(PostToolCall, |event| async move {
            tokio::task::yield_now().await;
            assert_eq!(event.view().tool_name(), "other", "on the runtime");
        });
        Ok(())
    });
    assert_eq!(
        command(&host, "ls").verdict(),
        Verdict::block("from a task")
    );
    let outcome = host.fire("post_tool_call", tool("terminal"));
    let fault = &outcome.faults()[0];
    assert_eq!(fault.kind, FaultKind::Panic);
    assert!(fault.text.contains("on the runtime"), "{}", fault.text);
    assert_eq!(fault.file, file!());
}
