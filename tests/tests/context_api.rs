//! What a plugin can do besides hooks, over really compiled libraries: commands, skills, tools, the agent.

use std::sync::Arc;
use std::time::Duration;

use hermes_loader::agent::{AgentError, InMemoryAgent, LlmReply};
use hermes_loader::discover::Surroundings;
use hermes_loader::{
    Builder, CliOutput, CommandError, CommandKind, FaultKind, Home, Host, ToolError,
};
use hermes_tests::{
    Fixture, Placed, TestHome, block_on,
    home::{loaded, refusal},
    records::Records,
    until,
    wait::until_written,
};
use serde_json::{Value, json};
use tracing::Level;

/// The fixture under another name, with this configuration.
fn offers(name: &str, config: Value) -> Placed {
    Placed::new(&Fixture::built("offers").named(name)).config(config)
}

fn builder(home: &TestHome) -> Builder {
    Host::builder(home.home())
        .surroundings(Surroundings::default())
        .safe_mode(false)
}

/// An agent with a user, a model, and two tools.
fn agent() -> Arc<InMemoryAgent> {
    let agent = InMemoryAgent::new()
        .tool("terminal", |args| {
            let command = args.get("command").and_then(Value::as_str);
            Ok(format!("ran {}", command.unwrap_or_default()))
        })
        .tool("broken", |_| Err(AgentError::failed("out of order")))
        .interactive()
        .model(|request| {
            if request.schema.is_some() {
                return Ok(LlmReply::new(r#"{"n":7}"#));
            }
            let model = request.model.as_deref().unwrap_or("own");
            let last = request.messages.last();
            match last.map(|message| message.content.as_str()) {
                Some("fail") => Err(AgentError::failed("over quota")),
                text => Ok(LlmReply::new(format!(
                    "{model}: {}",
                    text.unwrap_or_default()
                ))),
            }
        });
    Arc::new(agent)
}

fn with_agent(home: &TestHome, agent: &Arc<InMemoryAgent>) -> Host {
    builder(home)
        .agent(Arc::<InMemoryAgent>::clone(agent))
        .load()
}

/// A home with one plugin that has the command `/do`, and a host with an agent.
fn doing(name: &str) -> (TestHome, Arc<InMemoryAgent>, Host) {
    let home = TestHome::new().plugin(offers(name, json!({"commands": ["do"]})));
    let agent = agent();
    let host = with_agent(&home, &agent);
    loaded(&host, name);
    (home, agent, host)
}

#[track_caller]
fn check_says(host: &Host, line: &str, expected: &str) {
    let said = host.run_command("do", line);
    assert_eq!(said.as_ref().map(Option::as_deref), Ok(Some(expected)));
}

#[track_caller]
fn check_fails(host: &Host, line: &str, kind: FaultKind, expected: &str) {
    match host.run_command("do", line) {
        Err(CommandError::Failed {
            kind: found, text, ..
        }) => {
            assert_eq!((found, text.as_str()), (kind, expected));
        }
        other => panic!("expected a failure, found {other:?}"),
    }
}

#[track_caller]
fn check_logged(records: &Records, plugin: &str, level: Level, words: &str) {
    let said = records.of(plugin);
    let told = said
        .iter()
        .any(|record| record.level == level && record.message.contains(words));
    assert!(told, "nobody said {words:?}: {said:#?}");
}

/// Names and plugins of the slash commands but those the fixture always has.
fn slash(host: &Host) -> Vec<(String, String)> {
    let infos = host.commands().into_iter();
    infos
        .filter(|info| info.kind == CommandKind::Slash)
        .filter(|info| !["never", "soon"].contains(&info.name.as_str()))
        .map(|info| (info.name, info.plugin))
        .collect()
}

#[test]
fn case_57_command_names_are_normalised_and_clashes_ignored() {
    let records = Records::capture();
    let names = json!({"commands": ["/My Cmd", "/help", "", " / ", "under_score"]});
    let home = TestHome::new().plugin(offers("case-57", names));
    let host = home.load();
    loaded(&host, "case-57");
    let own = |name: &str| (name.to_owned(), "case-57".to_owned());
    assert_eq!(slash(&host), [own("my-cmd"), own("under_score")]);
    let shown = host.report().session_text();
    assert!(
        shown.contains("4 commands)"),
        "with the two that it always has: {shown}"
    );
    check_logged(
        &records,
        "case-57",
        Level::WARN,
        "`/help` is the agent's own",
    );
    check_logged(&records, "case-57", Level::WARN, "a command without a name");
    for typed in ["my-cmd", "/my-cmd", "/MY-CMD", "my_cmd", "/My Cmd"] {
        let said = host.run_command(typed, "x");
        assert_eq!(said, Ok(Some("case-57: x".to_owned())), "{typed}");
    }
    let said = host.run_command("under_score", "x");
    assert_eq!(said, Ok(Some("case-57: x".to_owned())));
    assert!(matches!(
        host.run_command("/help", ""),
        Err(CommandError::Unknown { .. })
    ));
    assert!(host.shutdown());
}

#[test]
fn the_agent_says_which_commands_are_its_own() {
    let home = TestHome::new().plugin(offers("theirs", json!({"commands": ["help", "launch"]})));
    let host = builder(&home).builtin_commands(["/Launch"]).load();
    assert_eq!(slash(&host), [("help".to_owned(), "theirs".to_owned())]);
}

#[test]
fn of_two_commands_with_one_name_the_later_counts() {
    let home = TestHome::with([
        offers("a-first", json!({"commands": ["same", "only"]})),
        offers("b-second", json!({"commands": ["same", "/SAME"]})),
    ]);
    let host = home.load();
    let expected = [("only", "a-first"), ("same", "b-second")];
    let expected = expected.map(|(name, plugin)| (name.to_owned(), plugin.to_owned()));
    assert_eq!(slash(&host), expected);
    let said = host.run_command("same", "x");
    assert_eq!(said, Ok(Some("b-second: x".to_owned())));
}

#[test]
fn a_command_says_something_nothing_or_why_not() {
    let (_home, _, host) = doing("doing");
    check_says(&host, "hello  there ", "doing: hello  there ");
    assert_eq!(host.run_command("do", "nothing"), Ok(None));
    check_fails(&host, "fail not today", FaultKind::Error, "not today");
    check_fails(&host, "panic boom", FaultKind::Panic, "boom");
    let faults = host.faults();
    let told: Vec<_> = faults
        .iter()
        .map(|fault| (&*fault.hook, &*fault.text))
        .collect();
    assert_eq!(told, [("/do", "not today"), ("/do", "boom")]);
    assert!(host.shutdown());
    assert!(matches!(
        host.run_command("do", ""),
        Err(CommandError::Unknown { .. })
    ));
}

#[test]
fn a_command_that_never_answers_is_left_in_time() {
    let home = TestHome::new().plugin(offers("slow", json!({})));
    let host = builder(&home)
        .command_timeout(Duration::from_millis(1))
        .load();
    match host.run_command("never", "") {
        Err(CommandError::Failed { kind, .. }) => assert_eq!(kind, FaultKind::Timeout),
        other => panic!("expected a timeout, found {other:?}"),
    }
    let said = block_on(host.run_command_async("soon", "x"));
    assert_eq!(said, Ok(Some("x".to_owned())));
    assert!(matches!(
        block_on(host.run_command_async("none", "")),
        Err(CommandError::Unknown { .. })
    ));
    assert!(host.shutdown());
}

#[test]
fn sub_commands_print_and_end_with_a_code() {
    let home = TestHome::new().plugin(offers("words", json!({"cli": ["/Count", "-x"]})));
    let host = home.load();
    let info = host
        .commands()
        .into_iter()
        .find(|info| info.kind == CommandKind::Cli);
    let info = info.expect("it offers one");
    assert_eq!(
        (&*info.name, &*info.description),
        ("count", "Counts words.")
    );
    let run = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        host.run_cli_command("count", &words)
    };
    assert_eq!(run(&["a", "b c"]), Ok(CliOutput::text("a+b c").code(2)));
    assert_eq!(run(&[]), Ok(CliOutput::text("")));
    for (word, kind, why) in [
        ("panic", FaultKind::Panic, "boom"),
        ("fail", FaultKind::Error, "no such word"),
    ] {
        match run(&[word]) {
            Err(CommandError::Failed {
                kind: found, text, ..
            }) => assert_eq!((found, &*text), (kind, why)),
            other => panic!("expected a failure, found {other:?}"),
        }
    }
    assert!(matches!(
        host.run_command("count", ""),
        Err(CommandError::Unknown { .. })
    ));
}

#[test]
fn skills_are_listed_under_the_plugins_name() {
    let home = TestHome::new().plugin(offers(
        "skilled",
        json!({"skills": [["how_to-1", "plugin.yaml"]]}),
    ));
    let host = home.load();
    let skills = host.skills();
    assert_eq!(skills.len(), 1, "{skills:?}");
    assert_eq!(skills[0].name, "skilled:how_to-1");
    assert_eq!(skills[0].path, home.plugins().join("skilled/plugin.yaml"));
}

#[track_caller]
fn check_refused_skill(name: &str, path: &str, why: &str) {
    let home = TestHome::new().plugin(offers(
        "unskilled",
        json!({"skills": [[name, path]], "commands": ["x"]}),
    ));
    let host = home.load();
    let text = refusal(&host, "unskilled").to_string();
    assert!(text.contains(why), "{text}");
    assert_eq!((host.skills(), host.commands()), (Vec::new(), Vec::new()));
}

#[test]
fn a_skill_that_is_none_refuses_its_plugin() {
    check_refused_skill(
        "how to",
        "plugin.yaml",
        "skill `how to`: expected a name of letters",
    );
    check_refused_skill("", "plugin.yaml", "expected a name of letters");
    check_refused_skill("x", "none.md", "there is nothing at");
    check_refused_skill("x", "", "expected a path, found none");
}

#[test]
fn case_58_a_message_without_a_front_end_is_not_injected() {
    let records = Records::capture();
    let home = TestHome::new().plugin(offers(
        "case-58",
        json!({"commands": ["do"], "inject": "too early"}),
    ));
    let host = home.load();
    check_logged(
        &records,
        "case-58",
        Level::WARN,
        "has nobody to talk to yet",
    );
    let early = records
        .of("case-58")
        .into_iter()
        .find(|record| record.message == "injected early");
    assert!(early.is_some_and(|record| record.fields["fields"].contains("false")));
    check_says(&host, "inject hello", "false");
    check_logged(&records, "case-58", Level::WARN, "no interactive front end");
    drop(host);

    let agent = agent();
    let host = with_agent(&home, &agent);
    assert_eq!(
        agent.injected(),
        [""; 0],
        "nothing is injected during `register`"
    );
    check_says(&host, "inject hello", "true");
    check_says(&host, "inject-as system wake up", "true");
    assert_eq!(agent.injected(), ["hello", "[system] wake up"]);
}

#[test]
fn case_59_a_dispatched_tool_fires_no_hooks() {
    let (_home, _, host) = doing("case-59");
    assert_eq!(
        (host.count("pre_tool_call"), host.count("post_tool_call")),
        (1, 1)
    );
    check_says(&host, r#"tool terminal {"command": "ls"}"#, "ran ls");
    check_says(&host, "from-a-thread pwd", "ran pwd");
    check_says(&host, "tool broken", r#"{"error":"out of order"}"#);
    check_says(&host, "tool none", r#"{"error":"Unknown tool: none"}"#);
    check_says(&host, "fired", "0");
    let _ = host
        .fire_json("pre_tool_call", &json!({"tool_name": "terminal"}))
        .expect("an object");
    check_says(&host, "fired", "1");
    check_fails(
        &host,
        "tool terminal []",
        FaultKind::Error,
        "the host did not dispatch a tool (code 3)",
    );
}

#[test]
fn plugins_tools_are_dispatched_before_the_agents() {
    let home = TestHome::with([
        offers("a-caller", json!({"commands": ["do"]})),
        offers("b-owner", json!({"tools": [{"name": "dice"}]})),
    ]);
    let host = with_agent(&home, &agent());
    check_says(&host, "tool dice", r#"{"by":"b-owner"}"#);
    check_says(
        &host,
        r#"tool dice {"do": "fail"}"#,
        r#"{"error":"no such city: Zürich"}"#,
    );
    check_says(
        &host,
        r#"tool dice {"do": "panic"}"#,
        r#"{"error":"the tool `dice` of plugin `b-owner` broke; it may work with other arguments"}"#,
    );
    let again = host.run_command("do", r#"tool dice {"do": "again"}"#);
    let again = again.expect("it answers").expect("with a text");
    assert!(again.contains("8 deep"), "{again}");
    assert_eq!(
        host.call_tool("none", &json!({})),
        r#"{"error":"Unknown tool: none"}"#
    );
    match host.run_tool("dice", &json!({"do": "panic"})) {
        Err(ToolError::Failed { text, .. }) => assert!(text.starts_with("secret"), "{text}"),
        other => panic!("expected a failure, found {other:?}"),
    }
}

#[test]
fn the_model_is_asked_within_the_operators_rights() {
    let (home, _, host) = doing("asker");
    check_says(&host, "ask hi", "own: hi");
    check_says(&host, "ask-json a number", r#"{"n":7}"#);
    check_fails(&host, "ask fail", FaultKind::Error, "over quota");
    check_fails(
        &host,
        "ask-model other hi",
        FaultKind::Error,
        "the model `other` is not the agent's own; `plugins.entries.asker.llm.allow_model_override: true` in \
         config.yaml would allow it",
    );
    drop(host);
    let host = home.load();
    check_fails(
        &host,
        "ask hi",
        FaultKind::Error,
        "this agent offers no model",
    );

    let allowed = json!({"allow_model_override": true, "allowed_models": ["other"]});
    let plugin = offers("asker", json!({"commands": ["do"]})).entry("llm", allowed);
    let home = TestHome::new().plugin(plugin);
    let host = with_agent(&home, &agent());
    assert!(host.report().problems.is_empty(), "{:?}", host.report());
    check_says(&host, "ask-model other hi", "other: hi");
    check_fails(
        &host,
        "ask-model third hi",
        FaultKind::Error,
        "the model `third` is not in `plugins.entries.asker.llm.allowed_models` of config.yaml",
    );
}

#[test]
fn a_plugin_knows_itself_and_its_profile() {
    let (_home, _, host) = doing("selfish");
    check_says(&host, "profile", "default");
    check_says(&host, "manifest", "selfish user true");

    let root = tempfile::tempdir().expect("the system has a temporary directory");
    let home = Home::at(root.path().join("profiles/work"));
    assert_eq!(home.profile(), "work");
    assert_eq!(Home::at(root.path()).profile(), "default");
}

/// What tools there are, and whose.
fn tools(host: &Host) -> Vec<(String, String)> {
    let infos = host.tool_infos().into_iter();
    infos.map(|info| (info.name, info.plugin)).collect()
}

#[test]
fn a_tools_name_is_taken_by_another_toolset() {
    let records = Records::capture();
    let home = TestHome::with([
        offers(
            "a-tools",
            json!({"tools": [{"name": "dice", "toolset": "games"}]}),
        ),
        offers(
            "b-tools",
            json!({"tools": [
                {"name": "dice", "toolset": "other"},
                {"name": "terminal", "toolset": "terminal"},
                {"name": "coin"},
            ]}),
        ),
    ]);
    let host = builder(&home)
        .builtin_tools([("terminal", "terminal")])
        .load();
    loaded(&host, "b-tools");
    let expected = [("dice", "a-tools"), ("coin", "b-tools")];
    assert_eq!(
        tools(&host),
        expected.map(|(name, plugin)| (name.into(), plugin.into()))
    );
    check_logged(
        &records,
        "b-tools",
        Level::ERROR,
        "tool `dice` of toolset `other` left out: there is one already: plugin `a-tools`'s, of toolset `games`",
    );
    check_logged(
        &records,
        "b-tools",
        Level::ERROR,
        "tool `terminal` of toolset `terminal` left out",
    );
    assert_eq!(host.call_tool("dice", &json!({})), r#"{"by":"a-tools"}"#);
}

#[test]
fn in_one_toolset_the_later_tool_counts() {
    let dice = json!({"tools": [{"name": "dice", "toolset": "games"}]});
    let home = TestHome::with([offers("a-dice", dice.clone()), offers("b-dice", dice)]);
    let host = home.load();
    assert_eq!(tools(&host), [("dice".to_owned(), "b-dice".to_owned())]);
    assert_eq!(host.tools().len(), 1);
    assert_eq!(host.call_tool("dice", &json!({})), r#"{"by":"b-dice"}"#);
}

#[test]
fn a_builtin_tool_is_replaced_only_with_leave() {
    let config = json!({"tools": [{"name": "terminal", "replaces": true}], "commands": ["x"]});
    let builtin = [("terminal", "terminal")];
    let home = TestHome::new().plugin(offers("pushy", config.clone()));
    let host = builder(&home).builtin_tools(builtin).load();
    let refused = refusal(&host, "pushy");
    assert_eq!(refused.code(), "tool_override");
    assert_eq!(
        refused.to_string(),
        "its tool `terminal` replaces one that is the agent's own, and it is not allowed to"
    );
    assert!(
        refused
            .cure()
            .contains("plugins.entries.pushy.allow_tool_override: true"),
        "{}",
        refused.cure()
    );
    assert_eq!((tools(&host), host.commands().len()), (Vec::new(), 0));

    let plugin = offers("pushy", config.clone()).entry("allow_tool_override", true);
    let home = TestHome::new().plugin(plugin);
    let host = builder(&home).builtin_tools(builtin).load();
    assert_eq!(host.call_tool("terminal", &json!({})), r#"{"by":"pushy"}"#);

    // What nobody has needs no leave.
    let home = TestHome::new().plugin(offers("pushy", config.clone()));
    let host = home.load();
    assert_eq!(tools(&host).len(), 1);

    // A plugin that is shipped with the agent has it.
    let bundled = tempfile::tempdir().expect("the system has a temporary directory");
    let home = TestHome::new();
    home.place(bundled.path(), &offers("pushy", json!({})));
    let enabled =
        json!({"plugins": {"enabled": ["pushy"], "entries": {"pushy": {"config": config}}}});
    std::fs::write(home.path().join("config.yaml"), enabled.to_string())
        .expect("the configuration is written");
    let env = |name: &str| {
        let place = bundled.path().to_str().map(str::to_owned);
        place.filter(|_| name == "HERMES_BUNDLED_PLUGINS")
    };
    let host = Host::builder(home.home())
        .surroundings(Surroundings::read(&env, None))
        .safe_mode(false)
        .builtin_tools(builtin)
        .load();
    loaded(&host, "pushy");
    assert_eq!(tools(&host).len(), 1);
}

#[test]
fn a_tool_that_lacks_something_is_unavailable() {
    let needs = json!({"tools": [
        {"name": "needs", "requires_env": ["PATH", "HERMES_TESTS_NO_SUCH_VARIABLE"]},
        {"name": "has", "requires_env": ["PATH"]},
        {"name": "ready", "check": "yes"},
        {"name": "unready", "check": "no"},
        {"name": "broken", "check": "panic"},
    ]});
    let home = TestHome::new().plugin(offers("needy", needs));
    let host = home.load();
    let infos = host.tool_infos();
    let told: Vec<_> = infos
        .iter()
        .map(|info| (&*info.name, info.is_available(), info.missing_env.len()))
        .collect();
    let expected = [
        ("needs", false, 1),
        ("has", true, 0),
        ("ready", true, 0),
        ("unready", false, 0),
        ("broken", false, 0),
    ];
    assert_eq!(told, expected);
    let faults = host.faults();
    assert_eq!(
        (faults.len(), &*faults[0].text),
        (1, "no idea"),
        "{faults:?}"
    );
    assert_eq!(infos[0].emoji.as_deref(), Some("*"));
}

#[test]
fn a_panic_of_the_agent_stays_in_the_agent() {
    let home = TestHome::new().plugin(offers("careful", json!({"commands": ["do"]})));
    let agent = InMemoryAgent::new()
        .tool("terminal", |_| panic!("the agent is at fault"))
        .model(|_| panic!("and its model, too"));
    let host = builder(&home).agent(Arc::new(agent)).load();
    let failed = "the host did not dispatch a tool (code 5)";
    check_fails(&host, "tool terminal", FaultKind::Error, failed);
    let failed = "the host did not ask the model (code 5)";
    check_fails(&host, "ask hi", FaultKind::Error, failed);
    // What was going on is over: the depth of dispatched tools is what it was.
    for _ in 0..10 {
        check_says(&host, "tool none", r#"{"error":"Unknown tool: none"}"#);
    }
    assert!(host.shutdown());
}

#[test]
fn a_command_that_is_waited_for_ends_with_its_host() {
    let (_home, _, host) = doing("waits");
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| host.run_command("never", ""));
        until("the command to be typed", || {
            let typed = host.run_command("do", "waiting");
            (typed == Ok(Some("1".to_owned()))).then_some(())
        });
        assert!(host.shutdown());
        match waiting.join().expect("the thread lives") {
            Err(CommandError::Failed { kind, .. }) => assert_eq!(kind, FaultKind::Cancelled),
            other => panic!("expected a cancelled command, found {other:?}"),
        }
    });
}

#[test]
fn a_thread_that_outlives_its_instance_is_told_so() {
    let (home, _, host) = doing("lingers");
    let told = home.path().join("told");
    check_says(&host, &format!("linger {}", told.display()), "lingers");
    assert!(host.shutdown());
    let gone = "the instance of this plugin is over";
    let expected = format!("{gone} [Some({gone}), Some({gone}), Some({gone})] false");
    assert_eq!(until_written(&told), expected);
}

/// A plugin that is linked into this program.
mod linked {
    use hermes_plugin_api::{extension::tools::Tool, prelude::*};

    fn register(ctx: &mut Context) -> Result<(), Error> {
        let manifest = ctx.manifest()?;
        assert_eq!((&*manifest.key, manifest.path), ("linked-in", None));
        let refused = ctx.skill("x", "x.md", "").err();
        let refused = refused.map(|error| error.to_string()).unwrap_or_default();
        ctx.command(Command::new("why"), move |_| Ok(Some(refused.clone())));
        ctx.tool(Tool::new("terminal", "Mine.").replaces(), |_| {
            Ok("mine".to_owned())
        });
        Ok(())
    }
    hermes_plugin!(register, name = "linked-in");
}

#[test]
fn a_plugin_that_is_linked_in_has_no_directory_and_may_replace() {
    let home = TestHome::new();
    let host = builder(&home)
        .link(linked::PLUGIN)
        .builtin_tools([("terminal", "terminal")])
        .load();
    loaded(&host, "linked-in");
    assert_eq!(host.call_tool("terminal", &json!({})), "mine");
    let why = host.run_command("why", "").ok().flatten();
    assert!(
        why.as_ref()
            .is_some_and(|why| why.contains("begins in no directory")),
        "{why:?}"
    );
}

#[test]
fn nothing_of_a_plugin_that_ends_is_left() {
    let (_home, _, host) = doing("ends");
    check_says(&host, "soon", "ends: soon");
    assert!(host.shutdown());
    assert_eq!(
        (host.commands(), host.skills(), tools(&host)),
        (Vec::new(), Vec::new(), Vec::new())
    );
}
