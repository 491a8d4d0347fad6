//! What a command printed, on its way to the model: the numbered cases, through compiled plugins.

use std::sync::Arc;

use hermes_loader::moments::{TerminalOutput, memory::Secrets};
use hermes_tests::Stage;
use serde_json::{Value, json};

fn replaces(tag: &str, answer: &Value) -> Stage {
    Stage::new(
        tag,
        [json!({"transform_terminal_output": [{"return": answer}]})],
    )
}

#[test]
fn case_22_what_a_plugin_made_short_is_not_cut() {
    let long = "x".repeat(60_000);
    let stage = replaces("case22", &json!("short"));
    let output = TerminalOutput::new("make", long.as_str());
    assert_eq!(output.shown(&stage.moments), "short");
    let result: Value = serde_json::from_str(&output.result(&stage.moments)).expect("JSON");
    assert_eq!(
        result,
        json!({"output": "short", "exit_code": 0, "error": null})
    );
    let seen = &stage.seen("transform_terminal_output")[0];
    assert_eq!(
        seen["output"].as_str().map(str::len),
        Some(60_000),
        "plugins see all of it"
    );

    // Without one, the beginning and the end stay, and a notice says what does not.
    let stage = Stage::new("case22b", []);
    let shown = output.shown(&stage.moments);
    let notice = "\n\n... [OUTPUT TRUNCATED - 10000 chars omitted out of 60000 total] ...\n\n";
    let (head, tail) = shown.split_once(notice).expect("the notice is there");
    assert_eq!((head.len(), tail.len()), (20_000, 30_000));
    // An empty text counts.
    let stage = replaces("case22c", &json!(""));
    assert_eq!(output.shown(&stage.moments), "");
}

#[test]
fn case_23_what_a_plugin_gives_is_stripped_and_redacted() {
    let mut stage = replaces(
        "case23",
        &json!("\u{1b}[1mtoken\u{1b}[0m = hunter2 and hunter2-long\n"),
    );
    let secrets = Secrets::of(["hunter2", "hunter2-long"]);
    stage.moments = stage.moments.clone().redact(Arc::new(secrets));
    let output = TerminalOutput::new("cat .env", "the original");
    assert_eq!(
        output.shown(&stage.moments),
        "token = [redacted] and [redacted]\n"
    );
    // Escape sequences inside a secret do not hide it.
    stage = replaces("case23b", &json!("hun\u{1b}[31mter2"));
    stage.moments = stage
        .moments
        .clone()
        .redact(Arc::new(Secrets::of(["hunter2"])));
    assert_eq!(output.shown(&stage.moments), "[redacted]");
}

#[test]
fn case_24_the_exit_code_has_two_names_and_there_is_no_session() {
    let stage = Stage::new("case24", []);
    let output = TerminalOutput::new("false", "")
        .exit_code(3)
        .cwd("/srv")
        .task_id("default")
        .env_type("docker");
    assert_eq!(output.shown(&stage.moments), "");
    let seen = &stage.seen("transform_terminal_output")[0];
    assert_eq!(
        *seen,
        json!({
            "command": "false",
            "output": "",
            "exit_code": 3,
            "returncode": 3,
            "cwd": "/srv",
            "task_id": "default",
            "env_type": "docker",
            "telemetry_schema_version": "hermes.observer.v1",
        })
    );
}
