//! An agent's loop around the loader: a scripted model asks for tools, the plugins have their say.
//!
//! The tools only pretend: nothing is ever run.

#![expect(clippy::print_stdout, reason = "this is the agent's conversation")]

use std::process::ExitCode;
use std::sync::Arc;

use hermes_loader::log_files::LogFiles;
use hermes_loader::moments::memory::{Allowed, Conversations, Script, Toolbox};
use hermes_loader::moments::{
    Approvals, Approver, Choice, Exit, Moments, Prompt, Reply, Session, Sessions, Surface,
    TerminalOutput, Tools, Turn, TurnError, TurnSetup,
};
use hermes_loader::{Home, Host};
use serde_json::json;
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

    let moments = Moments::new(Host::builder(home).load(), Surface::Cli);
    println!("{}", moments.host().report());
    let sessions = Sessions::new(&moments);
    sessions.open(Session::new("demo").on("cli"));
    let outcome = turn(&moments, &sessions, "tidy up my project");
    sessions.shutdown(Exit::shutdown());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// One turn: ask the model, run what it asks for, until it asks for nothing more.
fn turn(moments: &Moments, sessions: &Sessions, message: &str) -> Result<(), TurnError> {
    let approvals = Approvals::new(moments, Arc::new(Keyboard), Arc::new(Allowed::new()));
    let runner = tools(moments.clone());
    let tools = Tools {
        approvals: &approvals,
        runner: &runner,
    };
    let (model, history) = (model(), Conversations::new());
    println!("\nyou: {message}");
    // However this function is left, the turn ends, and plugins hear of it.
    let mut turn = Turn::begin(sessions, "demo", TurnSetup::new(&model, &history), message)?;
    loop {
        let calls = turn.ask()?.tool_calls();
        if calls.is_empty() {
            break;
        }
        for result in turn.run_tools(&tools, calls)? {
            let command = result.args["command"].as_str().unwrap_or_default();
            println!(
                "\n> {command}\n[{}] {}",
                result.status.as_str(),
                result.text
            );
        }
    }
    println!("\nagent: {}", turn.finish().text.unwrap_or_default());
    Ok(())
}

/// A model that knows beforehand what it will ask for.
fn model() -> Script {
    let commands = [
        "echo hello",
        "cat .env",
        "rm -rf \"$HOME\"/",
        "git push --force origin main",
    ];
    let calls = commands
        .map(|command| Reply::calls([(command, "terminal", json!({ "command": command }))]));
    Script::of(
        calls
            .into_iter()
            .chain([Reply::text("That is all I was allowed to do.")]),
    )
}

/// The terminal tool of this example runs nothing, whatever the guards say: it knows what to answer.
fn tools(moments: Moments) -> Toolbox {
    Toolbox::new().tool("terminal", move |call| {
        let command = call.text("command").unwrap_or_default();
        let printed = match command {
            "echo hello" => "hello".to_owned(),
            "cat .env" => "API_KEY=sk-demo-0123456789abcdefghijklmnop\nPORT=8080".to_owned(),
            other => format!("(a real agent would have run `{other}` now: no guard objected)"),
        };
        Ok(TerminalOutput::new(command, printed).result(&moments))
    })
}

/// Whoever sits at the keyboard.
struct Keyboard;

impl Approver for Keyboard {
    fn answer(&self, prompt: &Prompt) -> Choice {
        println!(
            "\n{}: {}\nonce, session, always or deny?",
            prompt.command, prompt.description
        );
        let mut line = String::new();
        // A keyboard that is not there says no.
        let _ = std::io::stdin().read_line(&mut line);
        Choice::from_word(line.trim()).unwrap_or(Choice::Deny)
    }
}
