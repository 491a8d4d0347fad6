//! The recorded session: the secrets of its `.env` are masked, and nothing else changes.
//!
//! `data/session-texts.jsonl` holds the tool results, terminal outputs and answers of one recorded
//! session of Hermes Agent 0.19. All its secrets are invented.

use redact_secrets::{Config, Redactor};
use serde_json::Value;

const SESSION: &str = include_str!("data/session-texts.jsonl");

const TERMINAL: &str = "DATABASE_URL=postgres://svc:s3cr3t-pa55@db.internal/app
API_KEY=sk-demo0000000000000000000000000000abcd
PORT=8080
";

/// Every text that is masked, with its replacement. The host has masked the tool result before, but left
/// both ends of the key; that is no reason to show them.
const HOST_MASKED: &str = r#"{"output": "DATABASE_URL=postgres://svc:***@db.internal/app\nAPI_KEY=sk-dem...abcd\nPORT=8080", "exit_code": 0, "error": null}"#;

#[track_caller]
fn check(env: &[(String, String)], terminal: &str, result: &str) {
    let redactor = Redactor::new(&Config::default(), env).expect("defaults are valid");
    let mut changed = 0;
    for line in SESSION.lines() {
        let event: Value = serde_json::from_str(line).expect("recorded as JSON");
        for field in ["result", "output", "response_text"] {
            let Some(text) = event["kwargs"][field].as_str() else {
                continue;
            };
            let Some(masked) = redactor.redact(text) else {
                continue;
            };
            changed += 1;
            match text {
                TERMINAL => assert_eq!(masked, terminal),
                HOST_MASKED => assert_eq!(masked, result),
                other => panic!("changed for no reason:\n{other}\n{masked}"),
            }
        }
    }
    // The terminal output once, the tool result in the post event and in the transform event.
    assert_eq!(changed, 3);
}

#[test]
fn with_the_env_file() {
    check(
        &[(".env".to_owned(), TERMINAL.to_owned())],
        "DATABASE_URL=[redacted:DATABASE_URL]\nAPI_KEY=[redacted:API_KEY]\nPORT=8080\n",
        r#"{"output": "DATABASE_URL=postgres://svc:***@db.internal/app\nAPI_KEY=[redacted:assigned-secret]\nPORT=8080", "exit_code": 0, "error": null}"#,
    );
}

#[test]
fn by_form_alone() {
    check(
        &[],
        "DATABASE_URL=postgres://svc:[redacted:url-password]@db.internal/app\nAPI_KEY=[redacted:openai-key]\nPORT=8080\n",
        r#"{"output": "DATABASE_URL=postgres://svc:***@db.internal/app\nAPI_KEY=[redacted:assigned-secret]\nPORT=8080", "exit_code": 0, "error": null}"#,
    );
}
