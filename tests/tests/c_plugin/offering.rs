//! What a plugin in C offers besides handlers, and what it asks of its agent.

use std::sync::{Arc, OnceLock};

use hermes_loader::agent::{InMemoryAgent, LlmReply};
use hermes_loader::{CliOutput, CommandError, Host};
use serde_json::{Value, json};

use super::installed::{assert_loaded, compiled};

fn load(agent: Option<Arc<InMemoryAgent>>) -> Host {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    let installed = compiled("offers-c", include_str!("offers.c"), &KEPT);
    let host = installed.load_with(&json!({}), |builder| match agent {
        Some(agent) => builder.agent(agent),
        None => builder,
    });
    assert_loaded(&host);
    host
}

#[track_caller]
fn check_says(host: &Host, line: &str, expected: &str) {
    let said = host.run_command("do-it", line);
    assert_eq!(said.as_ref().map(Option::as_deref), Ok(Some(expected)));
}

#[track_caller]
fn check_fails(host: &Host, line: &str, expected: &str) {
    match host.run_command("do-it", line) {
        Err(CommandError::Failed { text, .. }) => assert_eq!(text, expected),
        other => panic!("expected a failure, found {other:?}"),
    }
}

#[test]
fn commands_skills_and_tools_in_c() {
    let host = load(None);
    check_says(
        &host,
        "offered",
        "00033003 skill `c skill`: expected a name of letters, digits, `_` and `-`",
    );
    assert_eq!(host.run_command("/do_it", "nothing"), Ok(None));
    let ran = host.run_cli_command("count", &["a".to_owned(), "b".to_owned()]);
    assert_eq!(ran, Ok(CliOutput::text("counted").code(2)));
    assert!(!host.tool_infos()[0].is_available(), "its check says no");
    assert_eq!(host.skills()[0].name, "offers-c:c-skill");
    assert_eq!(
        host.run_tool("c_dice", &json!({})),
        Ok(r#"{"rolled":4}"#.to_owned())
    );
    assert!(host.shutdown());
}

#[test]
fn an_agent_is_asked_from_c() {
    let agent = InMemoryAgent::new()
        .tool("terminal", |args| Ok(args["sides"].to_string()))
        .interactive()
        .model(|request| Ok(LlmReply::new(request.messages[0].content.to_uppercase())));
    let agent = Arc::new(agent);
    let host = load(Some(Arc::clone(&agent)));
    check_says(&host, "tool c_dice", r#"{"rolled":4}"#);
    check_says(&host, "tool terminal", "6");
    check_says(&host, "tool none", r#"{"error":"Unknown tool: none"}"#);
    check_fails(&host, "small", "code 5: {\"r");
    check_says(&host, "inject hello", "taken");
    assert_eq!(agent.injected(), ["[c] hello"]);
    check_says(&host, "profile", "default");
    let manifest = host.run_command("do-it", "manifest");
    let manifest = manifest.expect("it answers").expect("with a text");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(
        (&manifest["key"], &manifest["source"]),
        (&json!("offers-c"), &json!("user"))
    );
    let ask = r#"ask {"messages":[{"role":"user","content":"hi"}]}"#;
    check_says(&host, ask, r#"{"text":"HI"}"#);
    check_fails(
        &host,
        "ask {",
        "code 3: the request is not one for a model: EOF while parsing an object at line 1 column 1",
    );
    assert_eq!(host.faults().len(), 1, "{:?}", host.faults());
    assert!(host.shutdown());
}

#[test]
fn without_an_agent_c_is_told_so() {
    let host = load(None);
    check_says(&host, "inject hello", "not taken");
    check_fails(
        &host,
        r#"ask {"messages":[]}"#,
        "code 4: this agent offers no model",
    );
}
