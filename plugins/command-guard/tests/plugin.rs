//! The plugin as an agent meets it: loaded by its entry point, asked before tools run.

use std::path::Path;

use command_guard::PLUGIN;
use hermes_plugin_api::prelude::Verdict;
use hermes_plugin_api::testing::{Fault, FaultKind, Host, event};
use serde_json::{Value, json};

/// Every hook event of one recorded session of Hermes Agent 0.19.
const SESSION: &str = "../../examples/hermes-session.jsonl";

fn load(config: Value) -> Result<Host, Fault> {
    Host::new("command-guard").config(config).load(PLUGIN)
}

fn host(config: Value) -> Host {
    load(config).expect("a lawful configuration")
}

/// The rule that refuses the call, if one does.
#[track_caller]
fn rule(host: &Host, call: impl Into<Value>) -> Option<String> {
    match host.fire("pre_tool_call", call).verdict() {
        Verdict::Pass => None,
        Verdict::Block { message } => {
            let rest = message.strip_prefix("refused by command-guard [");
            let (rule, _) = rest
                .and_then(|rest| rest.split_once("]: "))
                .expect("a rule");
            Some(rule.to_owned())
        }
        other => panic!("neither passed nor refused: {other:?}"),
    }
}

#[test]
fn a_recorded_session_goes_through_but_for_two_calls() {
    let host = host(json!({}));
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION);
    let session = std::fs::read_to_string(session).expect("it is part of the repository");
    let mut refused = Vec::new();
    let mut calls = 0;
    for line in session.lines() {
        let event: Value = serde_json::from_str(line).expect("recorded as JSON");
        let hook = event["hook"].as_str().expect("recorded with its hook");
        if hook != "pre_tool_call" {
            let outcome = host.fire(hook, event["kwargs"].clone());
            assert_eq!(outcome.sound().called(), 0, "{hook}");
            continue;
        }
        calls += 1;
        let outcome = host.fire(hook, event["kwargs"].clone());
        if let Verdict::Block { message } = outcome.verdict() {
            refused.push(message);
        }
    }
    assert_eq!(calls, 15);
    assert_eq!(
        refused,
        [
            "refused by command-guard [fs.rm-recursive]: a recursive delete of something that is not a known \
             scratch directory cannot be undone (`rm -rf \"$HOME/demo-scratch\" ./build`)",
            "refused by command-guard [git.push-force]: a forced push can destroy other people's work on the \
             remote (`git push --force origin main`)",
        ]
    );
}

#[test]
fn it_stands_with_the_guards_and_fails_closed() {
    let host = host(json!({}));
    let registered = host.registrations();
    let [one] = registered.as_slice() else {
        panic!("{registered:?}")
    };
    assert_eq!((one.hook.as_str(), one.priority), ("pre_tool_call", 100.0));
    assert_eq!(one.tools, ["terminal"]);
    assert!(one.guard && one.closed);
}

#[test]
fn it_judges_what_other_plugins_made_of_the_arguments() {
    let host = host(json!({})).with("rewriter").register(|ctx| {
        use hermes_plugin_api::prelude::*;
        ctx.on(PreToolCall, |_| {
            Verdict::modify(
                [("command".to_owned(), json!("rm -rf /"))]
                    .into_iter()
                    .collect(),
            )
        });
        Ok(())
    });
    let host = host.expect("it registers");
    let call = event::tool("terminal").arg("command", "ls");
    assert_eq!(rule(&host, call).as_deref(), Some("fs.rm-recursive"));
}

#[test]
fn what_is_no_command_is_let_through() {
    let host = host(json!({}));
    for args in [
        json!({}),
        json!({"command": null}),
        json!({"command": 7}),
        json!({"command": ["rm", "-rf", "/"]}),
        json!({"cmd": "rm -rf /"}),
        json!({"command": ""}),
    ] {
        let call = event::tool("terminal").field("args", args.clone());
        assert_eq!(rule(&host, call), None, "{args}");
    }
    // Not even an object, and no arguments at all.
    let call = event::tool("terminal").field("args", "rm -rf /");
    assert_eq!(rule(&host, call), None);
    assert_eq!(rule(&host, json!({"tool_name": "terminal"})), None);
}

#[test]
fn other_tools_are_judged_by_the_arguments_they_are_configured_with() {
    let host = host(json!({
        "tools": ["terminal", "run_script", "exec"],
        "fields": {"run_script": ["setup", "source"]},
        "priority": -3,
    }));
    assert_eq!(host.registrations()[0].priority, -3.0);
    let push = "git push -f";
    let script = |name: &str| {
        event::tool("run_script")
            .arg("setup", "true")
            .arg(name, push)
    };
    assert_eq!(
        rule(&host, script("source")).as_deref(),
        Some("git.push-force")
    );
    assert_eq!(rule(&host, script("command")), None);
    let exec = event::tool("exec").arg("command", push);
    assert_eq!(rule(&host, exec).as_deref(), Some("git.push-force"));
    let other = event::tool("other").arg("command", push);
    assert_eq!(rule(&host, other), None);
}

#[test]
fn the_policy_is_configured() {
    let host = host(json!({
        "disable": ["git.push-force"],
        "allow_delete": ["scratch"],
        "extra_rules": [{"id": "npm.publish", "words": ["npm", "publish"], "reason": "by CI only"}],
    }));
    let call = |command: &str| event::tool("terminal").arg("command", command);
    assert_eq!(rule(&host, call("git push -f")), None);
    assert_eq!(rule(&host, call("rm -rf scratch")), None);
    assert_eq!(
        rule(&host, call("rm -rf build")).as_deref(),
        Some("fs.rm-recursive")
    );
    assert_eq!(
        rule(&host, call("npm publish")).as_deref(),
        Some("npm.publish")
    );
}

#[track_caller]
fn check_refused(config: Value, parts: &[&str]) {
    let fault = load(config).expect_err("a configuration that cannot be used");
    assert_eq!(
        (fault.hook.as_str(), fault.kind),
        ("register", FaultKind::Error)
    );
    assert!(
        fault
            .text
            .contains("`plugins.entries.command-guard.config`"),
        "{fault}"
    );
    for part in parts {
        assert!(fault.text.contains(part), "`{part}` is not in: {fault}");
    }
}

#[test]
fn a_configuration_that_cannot_be_used_refuses_the_plugin() {
    check_refused(
        json!({"disabled": []}),
        &["unknown field `disabled`", "`tools`", "`disable`"],
    );
    check_refused(
        json!({"disable": ["git.push"]}),
        &["disable: there is no rule `git.push`"],
    );
    check_refused(json!({"allow_delete": ["/"]}), &["allow_delete: found `/`"]);
    check_refused(
        json!({"extra_rules": [{"id": "x"}]}),
        &["missing field `words`"],
    );
    check_refused(json!({"tools": []}), &["tools: found no tool"]);
    check_refused(
        json!({"tools": "terminal"}),
        &["invalid type: string \"terminal\""],
    );
    check_refused(
        json!({"fields": {"exec": ["x"]}}),
        &["fields: found `exec`"],
    );
    check_refused(
        json!({"fields": {"terminal": []}}),
        &["fields.terminal: found no argument"],
    );
    check_refused(
        json!({"priority": "high"}),
        &["invalid type: string \"high\""],
    );
    check_refused(json!(["git.clean"]), &["found a list"]);
}
