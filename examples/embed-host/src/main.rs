//! An agent's loop around the loader: a scripted model asks for tools, the plugins have their say.
//!
//! The tools only pretend: nothing is ever run.

#![expect(clippy::print_stdout, reason = "this is the agent's conversation")]

use std::process::ExitCode;

use hermes_loader::catalogue::{
    OnSessionEnd, OnSessionStart, PostToolCall, PreToolCall, TransformToolResult,
};
use hermes_loader::log_files::LogFiles;
use hermes_loader::{Decision, Home, Host};
use serde_json::{Map, Value, json};
use tracing_subscriber::layer::SubscriberExt;

fn main() -> ExitCode {
    let home = match Home::from_env() {
        Ok(home) => home,
        Err(error) => {
            println!("{error}\nhint: {}", error.cure());
            return ExitCode::from(2);
        }
    };
    // What the loader and the plugins have to say goes to `<home>/logs/agent.log` and `errors.log`.
    let subscriber = tracing_subscriber::registry().with(LogFiles::new(&home.logs_dir()));
    let subscriber = subscriber.with(tracing::level_filters::LevelFilter::INFO);
    // It fails only where something else has set one.
    let _ = tracing::subscriber::set_global_default(subscriber);
    let host = Host::builder(home).load();
    println!("{}", host.report());

    let _ = host.fire(
        OnSessionStart,
        &object(json!({ "session_id": "demo", "model": "scripted", "platform": "cli" })),
    );
    for command in [
        "echo hello",
        "cat .env",
        "rm -rf \"$HOME\"/",
        "git push --force origin main",
    ] {
        println!("\n> {command}");
        println!("{}", run_tool(&host, command));
    }
    let end = json!({ "session_id": "demo", "model": "scripted", "platform": "cli", "completed": true, "interrupted": false });
    let _ = host.fire(OnSessionEnd, &object(end));
    ExitCode::SUCCESS
}

/// One tool call: ask the guards, run it, tell the observers, and give the model what the transforms leave.
fn run_tool(host: &Host, command: &str) -> String {
    let call =
        json!({ "tool_name": "terminal", "args": { "command": command }, "session_id": "demo" });
    let asked = host.fire(PreToolCall, &object(call.clone()));
    match asked.decision {
        Decision::Block { message, .. } => {
            told(
                host,
                &call,
                &json!({ "error": message }).to_string(),
                "blocked",
            );
            return format!("blocked: {message}");
        }
        Decision::Approve { message, .. } => {
            return format!("a person would be asked: {}", message.unwrap_or_default());
        }
        _ => {}
    }
    let command = asked
        .args
        .as_ref()
        .and_then(|args| args.get("command")?.as_str())
        .unwrap_or(command);
    let text = pretend(command);
    told(host, &call, &text, "ok")
}

/// The terminal tool of this example runs nothing, whatever the guards say: it knows what to answer.
fn pretend(command: &str) -> String {
    match command {
        "echo hello" => "hello".to_owned(),
        "cat .env" => "API_KEY=sk-demo-0123456789abcdefghijklmnop\nPORT=8080".to_owned(),
        other => format!("(a real agent would have run `{other}` now: no guard objected)"),
    }
}

/// Fires what comes after a call, and gives the text that the model sees.
fn told(host: &Host, call: &Value, result: &str, status: &str) -> String {
    let mut after = object(call.clone());
    after.insert("result".to_owned(), result.into());
    after.insert("duration_ms".to_owned(), 0.into());
    after.insert("status".to_owned(), status.into());
    let _ = host.fire(PostToolCall, &after);
    if status == "blocked" {
        return result.to_owned();
    }
    match host.fire(TransformToolResult, &after).decision {
        Decision::Replace { text, .. } => text,
        _ => result.to_owned(),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
