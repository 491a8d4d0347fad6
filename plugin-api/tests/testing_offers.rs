//! What a plugin can do besides hooks, through the host in memory: commands, skills, the agent around it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_plugin_api::{
    agent::{AgentError, LlmReply, LlmRequest},
    prelude::*,
    testing::{CommandKind, FaultKind, Host, InMemoryAgent, event},
};
use serde_json::json;

fn host(register: impl FnOnce(&mut Context) -> Result<(), Error> + 'static) -> Host {
    Host::new("plugin").register(register).unwrap()
}

fn says(name: &str, text: &'static str) -> impl FnOnce(&mut Context) {
    let command = Command::new(name);
    move |ctx| ctx.command(command, move |_| Ok(Some(text.to_owned())))
}

#[track_caller]
fn check_warning(host: &Host, words: &str) {
    let logs = host.logs();
    let told = logs.iter().any(|log| log.message.contains(words));
    assert!(told, "{words:?} is not in {logs:?}");
}

#[test]
fn names_are_normalised_and_odd_ones_ignored() {
    let host = host(|ctx| {
        says("/My Cmd", "mine")(ctx);
        says("/help", "no")(ctx);
        says(" / ", "no")(ctx);
        says("", "no")(ctx);
        Ok(())
    });
    let names: Vec<_> = host.commands().into_iter().map(|info| info.name).collect();
    assert_eq!(names, ["my-cmd"]);
    assert_eq!(
        host.run_command("/MY_CMD", "").unwrap().as_deref(),
        Some("mine")
    );
    check_warning(&host, "`/help` is the host's own");
    check_warning(&host, "a command without a name");
    assert_eq!(host.end(), []);
}

#[test]
fn of_two_commands_with_one_name_the_later_counts() {
    let host = Host::new("first")
        .register(|ctx| {
            says("x", "first")(ctx);
            Ok(())
        })
        .unwrap();
    let host = host
        .with("second")
        .register(|ctx| {
            says("x", "second")(ctx);
            says("/X", "third")(ctx);
            Ok(())
        })
        .unwrap();
    assert_eq!(host.run_command("x", "").unwrap().as_deref(), Some("third"));
    let infos = host.commands();
    assert_eq!((infos.len(), &*infos[0].plugin), (1, "second"));
}

#[test]
fn a_command_is_told_what_stands_behind_it() {
    let host = host(|ctx| {
        let command = Command::new("say")
            .description("Says it.")
            .args_hint("TEXT");
        ctx.command(command, |args| match args {
            "" => Ok(Some(String::new())),
            "nothing" => Ok(None),
            "panic" => panic!("boom"),
            "fail" => Err(Error::new("no")),
            other => Ok(Some(format!("<{other}>"))),
        });
        Ok(())
    });
    let info = &host.commands()[0];
    assert_eq!(
        (info.kind, &*info.description, &*info.hint),
        (CommandKind::Slash, "Says it.", "TEXT")
    );
    let run = |args: &str| host.run_command("say", args);
    assert_eq!(run("a  b ").unwrap().as_deref(), Some("<a  b >"));
    assert_eq!((run("").unwrap(), run("nothing").unwrap()), (None, None));
    let fault = run("panic").unwrap_err();
    assert_eq!((fault.kind, &*fault.text), (FaultKind::Panic, "boom"));
    let fault = run("fail").unwrap_err();
    assert_eq!(
        (fault.kind, &*fault.text, &*fault.hook),
        (FaultKind::Error, "no", "say")
    );
}

#[test]
fn an_async_command_is_waited_for_but_not_for_ever() {
    let register = |ctx: &mut Context| {
        ctx.command_async(Command::new("later"), |args| async move {
            std::future::poll_fn({
                let mut again = true;
                move |context| {
                    context.waker().wake_by_ref();
                    if std::mem::take(&mut again) {
                        std::task::Poll::Pending
                    } else {
                        std::task::Poll::Ready(())
                    }
                }
            })
            .await;
            Ok(Some(args))
        });
        ctx.command_async(Command::new("never"), |_| std::future::pending());
        Ok(())
    };
    let host = Host::new("plugin")
        .patience(Duration::from_millis(5))
        .register(register)
        .unwrap();
    assert_eq!(
        host.run_command("later", "x").unwrap().as_deref(),
        Some("x")
    );
    assert_eq!(
        host.run_command("never", "").unwrap_err().kind,
        FaultKind::Timeout
    );
}

#[test]
fn a_sub_command_has_words_and_a_code() {
    let host = host(|ctx| {
        let command = CliCommand::new("Fence").help("hermes fence WORD");
        ctx.cli_command(command, |argv| {
            let code = i32::try_from(argv.len())?;
            Ok(CliOutput::text(argv.join("|")).code(code))
        });
        ctx.cli_command(CliCommand::new("--fence"), |_| Ok(CliOutput::text("")));
        Ok(())
    });
    let infos = host.commands();
    assert_eq!(infos.len(), 1, "{infos:?}");
    assert_eq!(
        (infos[0].kind, &*infos[0].hint),
        (CommandKind::Cli, "hermes fence WORD")
    );
    let ran = host.run_cli_command("fence", &["a", "b c"]).unwrap();
    assert_eq!(ran, CliOutput::text("a|b c").code(2));
    check_warning(&host, "could not be told from an option");
}

#[test]
fn a_skill_needs_a_name_and_a_place() {
    let dir = env!("CARGO_MANIFEST_DIR");
    let host = Host::new("plugin")
        .plugin_dir(dir)
        .register(|ctx| {
            ctx.skill("read-me", "README.md", "How plugins are written.")?;
            assert_eq!(ctx.manifest()?.path.as_deref(), Some(dir.as_ref()));
            Ok(())
        })
        .unwrap();
    let skill = &host.skills()[0];
    assert_eq!(skill.name, "plugin:read-me");
    assert!(skill.path.is_file());
    for (name, path, why) in [
        ("read me", "README.md", "expected a name of letters"),
        ("x", "none.md", "there is nothing at"),
    ] {
        let refused = Host::new("plugin")
            .plugin_dir(dir)
            .register(move |ctx| ctx.skill(name, path, ""));
        let text = refused.unwrap_err().text;
        assert!(text.contains(why), "{text}");
    }
}

/// A host whose only handler does this with its host, and notes what came of it.
fn asking(
    setup: hermes_plugin_api::testing::Setup,
    ask: fn(HostRef) -> String,
) -> (Host, Arc<Mutex<Vec<String>>>) {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&noted);
    let host = setup
        .register(move |ctx| {
            let host = ctx.host().unwrap();
            ctx.on(OnSessionStart, move |_| {
                notes.lock().unwrap().push(ask(host));
            });
            Ok(())
        })
        .unwrap();
    host.fire("on_session_start", json!({})).sound();
    (host, noted)
}

#[track_caller]
fn check_asked(setup: hermes_plugin_api::testing::Setup, ask: fn(HostRef) -> String, said: &str) {
    let (_host, noted) = asking(setup, ask);
    assert_eq!(*noted.lock().unwrap(), [said]);
}

fn text<T: ToString, E: ToString>(result: Result<T, E>) -> String {
    result.map_or_else(|error| error.to_string(), |value| value.to_string())
}

#[test]
fn tools_are_dispatched_without_hooks() {
    let agent = InMemoryAgent::new()
        .tool("terminal", |args| Ok(args["command"].to_string()))
        .tool("broken", |_| Err(AgentError::failed("out of order")));
    let agent = Arc::new(agent);
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let host = Host::new("plugin")
        .agent(agent)
        .register(move |ctx| {
            ctx.on(PreToolCall, move |_| {
                *count.lock().unwrap() += 1;
                Verdict::pass()
            });
            let host = ctx.host().unwrap();
            ctx.command(Command::new("run"), move |name| {
                Ok(Some(host.dispatch_tool(name, &json!({"command": "ls"}))?))
            });
            Ok(())
        })
        .unwrap();
    let run = |name: &str| host.run_command("run", name).unwrap().unwrap();
    assert_eq!(run("terminal"), "\"ls\"");
    assert_eq!(run("broken"), r#"{"error":"out of order"}"#);
    assert_eq!(run("none"), r#"{"error":"Unknown tool: none"}"#);
    assert_eq!(*seen.lock().unwrap(), 0);
    host.fire("pre_tool_call", event::tool("terminal")).sound();
    assert_eq!(*seen.lock().unwrap(), 1);
}

#[cfg(feature = "extensions")]
#[test]
fn a_tool_that_dispatches_itself_is_stopped() {
    use hermes_plugin_api::extension::tools::Tool;
    let host = host(|ctx| {
        let host = ctx.host().unwrap();
        ctx.tool(Tool::new("again", "Calls itself."), move |args| {
            host.dispatch_tool("again", args)
        });
        ctx.command(Command::new("again"), move |_| {
            Ok(Some(host.dispatch_tool("again", &json!({}))?))
        });
        Ok(())
    });
    let said = host.run_command("again", "").unwrap().unwrap();
    assert!(said.contains("8 deep"), "{said}");
}

#[cfg(feature = "extensions")]
#[test]
fn a_tool_says_whether_it_can_be_used() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use hermes_plugin_api::extension::tools::Tool;
    static READY: AtomicBool = AtomicBool::new(false);
    let host = host(|ctx| {
        let tool = |name: &str| Tool::new(name, "A tool.");
        let ready = tool("ready").available_when(|| READY.load(Ordering::Relaxed));
        ctx.tool(ready, |_| Ok(String::new()));
        ctx.tool(tool("always"), |_| Ok(String::new()));
        ctx.tool(tool("broken").available_when(|| panic!("boom")), |_| {
            Ok(String::new())
        });
        Ok(())
    });
    assert_eq!(host.tool_is_available("ready"), Ok(false));
    READY.store(true, Ordering::Relaxed);
    assert_eq!(host.tool_is_available("ready"), Ok(true));
    assert_eq!(host.tool_is_available("always"), Ok(true));
    assert_eq!(host.tool_is_available("broken").unwrap_err().text, "boom");
    assert_eq!(host.end(), []);
}

#[test]
fn a_message_is_taken_only_where_somebody_types() {
    let agent = Arc::new(InMemoryAgent::new().interactive());
    let during: Arc<Mutex<Option<bool>>> = Arc::default();
    let noted = Arc::clone(&during);
    let host = Host::new("plugin")
        .agent(Arc::<InMemoryAgent>::clone(&agent))
        .register(move |ctx| {
            let host = ctx.host().unwrap();
            *noted.lock().unwrap() = Some(host.inject_message("too early", "user"));
            ctx.command(Command::new("type"), move |args| {
                Ok(Some(host.inject_message(args, "user").to_string()))
            });
            Ok(())
        })
        .unwrap();
    assert_eq!(*during.lock().unwrap(), Some(false));
    check_warning(&host, "message not injected");
    assert_eq!(
        host.run_command("type", "hi").unwrap().as_deref(),
        Some("true")
    );
    assert_eq!(agent.injected(), ["hi"]);
    check_asked(
        Host::new("plugin"),
        |host| host.inject_message("x", "user").to_string(),
        "false",
    );
}

#[test]
fn the_model_is_asked_within_what_is_allowed() {
    let agent = || {
        Arc::new(InMemoryAgent::new().model(|request| {
            let model = request.model.clone().unwrap_or_else(|| "own".to_owned());
            if request.schema.is_some() {
                return Ok(LlmReply::new(r#"{"number":7}"#));
            }
            match &*request.messages[0].content {
                "fail" => Err(AgentError::failed("over quota")),
                text => Ok(LlmReply::new(format!("{model}: {text}"))),
            }
        }))
    };
    let plain = || Host::new("plugin").agent(agent());
    check_asked(
        plain(),
        |host| {
            text(
                host.llm()
                    .complete(&LlmRequest::new("hi"))
                    .map(|reply| reply.text),
            )
        },
        "own: hi",
    );
    check_asked(
        plain(),
        |host| {
            text(
                host.llm()
                    .complete(&LlmRequest::new("fail"))
                    .map(|reply| reply.text),
            )
        },
        "over quota",
    );
    let other = |host: HostRef| {
        let request = LlmRequest::new("hi").model("other");
        text(host.llm().complete(&request).map(|reply| reply.text))
    };
    check_asked(
        plain(),
        other,
        "the model `other` is not the agent's own; `plugins.entries.plugin.llm.allow_model_override: true` \
         in config.yaml would allow it",
    );
    check_asked(plain().allow_llm_overrides(), other, "other: hi");
    check_asked(
        plain(),
        |host| {
            let asked = host
                .llm()
                .complete_structured::<serde_json::Value>(&LlmRequest::new("a number"), json!({}));
            text(asked.map(|value| value["number"].clone()))
        },
        "7",
    );
    check_asked(
        Host::new("plugin"),
        |host| {
            text(
                host.llm()
                    .complete(&LlmRequest::new("hi"))
                    .map(|reply| reply.text),
            )
        },
        "this agent offers no model",
    );
}

#[test]
fn after_the_end_everything_is_gone() {
    static KEPT: Mutex<Option<HostRef>> = Mutex::new(None);
    let agent = Arc::new(InMemoryAgent::new().interactive());
    let host = Host::new("plugin")
        .profile("work")
        .agent(agent)
        .register(|ctx| {
            assert_eq!(ctx.profile_name()?, "work");
            *KEPT.lock().unwrap() = ctx.host();
            Ok(())
        })
        .unwrap();
    let kept = KEPT.lock().unwrap().unwrap();
    assert!(kept.inject_message("x", "user"));
    assert_eq!(host.end(), []);
    let gone = "the instance of this plugin is over";
    assert_eq!(text(kept.profile_name()), gone);
    assert_eq!(text(kept.dispatch_tool("x", &json!({}))), gone);
    assert_eq!(
        text(
            kept.llm()
                .complete(&LlmRequest::new("x"))
                .map(|reply| reply.text)
        ),
        gone
    );
    assert_eq!(text(kept.manifest().map(|manifest| manifest.key)), gone);
    assert!(!kept.inject_message("x", "user"));
}
