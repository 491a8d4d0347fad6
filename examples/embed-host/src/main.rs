//! An agent's loop around the loader: a scripted model asks for tools, the plugins have their say.
//!
//! The tools only pretend: nothing is ever run.

#![expect(clippy::print_stdout, reason = "this is the agent's conversation")]

use std::process::ExitCode;

use hermes_loader::catalogue::payload;
use hermes_loader::log_files::LogFiles;
use hermes_loader::{Home, Host, ToolOutcome};
use serde_json::{Value, json};
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

    let start = payload::OnSessionStart::new().session_id(SESSION);
    host.fire(&start.model("scripted").platform("cli"));
    for command in [
        "echo hello",
        "cat .env",
        "rm -rf \"$HOME\"/",
        "git push --force origin main",
    ] {
        println!("\n> {command}");
        println!("{}", run_tool(&host, command));
    }
    let end = payload::OnSessionEnd::new().session_id(SESSION);
    let end = end.model("scripted").platform("cli");
    host.fire(&end.completed(true).interrupted(false));
    ExitCode::SUCCESS
}

const SESSION: &str = "demo";

/// One tool call: ask the guards, run it, tell the observers, and give the model what the transforms leave.
fn run_tool(host: &Host, command: &str) -> String {
    let args = json!({ "command": command });
    let call = payload::PreToolCall::new().tool_name("terminal");
    let rewrite = match host.fire(&call.args(&args).session_id(SESSION)) {
        ToolOutcome::Proceed { rewrite } => rewrite,
        ToolOutcome::Block { message, .. } => {
            let error = json!({ "error": message }).to_string();
            after(host, &args, &error, "blocked");
            return format!("blocked: {message}");
        }
        ToolOutcome::Approve { ask, .. } => {
            let question = ask.message.unwrap_or_default();
            return format!("a person would be asked: {question}");
        }
    };
    let args = args.as_object().map(|args| rewrite.over(args).into_owned());
    let args = Value::Object(args.unwrap_or_default());
    let text = pretend(args["command"].as_str().unwrap_or_default());
    after(host, &args, &text, "ok");
    let result = payload::TransformToolResult::new().tool_name("terminal");
    let result = result.args(&args).result(&text).session_id(SESSION);
    host.fire(&result).shown(&text).to_owned()
}

/// Tells the observers what came of a call.
fn after(host: &Host, args: &Value, result: &str, status: &str) {
    let event = payload::PostToolCall::new()
        .tool_name("terminal")
        .args(args);
    let event = event.result(result).duration_ms(0).status(status);
    host.fire(&event.session_id(SESSION));
}

/// The terminal tool of this example runs nothing, whatever the guards say: it knows what to answer.
fn pretend(command: &str) -> String {
    match command {
        "echo hello" => "hello".to_owned(),
        "cat .env" => "API_KEY=sk-demo-0123456789abcdefghijklmnop\nPORT=8080".to_owned(),
        other => format!("(a real agent would have run `{other}` now: no guard objected)"),
    }
}
