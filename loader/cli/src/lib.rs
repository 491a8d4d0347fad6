//! The hermes command: its arguments in, its exit code out.

mod args;
mod commands;
mod demo;
mod doctor;
mod dotenv;
mod excerpt;
mod hooks;
mod inventory;
mod invocation;
mod log;
mod logs;
mod plugins;
mod problem;
mod replay;
mod screen;
mod table;

use std::process::ExitCode;

use self::args::{Args, Command};
use self::invocation::Invocation;
use self::problem::{Exit, Problem};
use self::screen::Screen;

/// Runs the program with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    let args = match args::parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are errors to clap, too. If nobody can read them, nobody needs to be told.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage.into()
            } else {
                Exit::Fine.into()
            };
        }
    };
    let mut screen = Screen::new(args.global.quiet, args.global.no_color);
    let ended = start(args, &mut screen).and_then(|exit| {
        screen.flush()?;
        Ok(exit)
    });
    match ended {
        Ok(exit) => exit.into(),
        // The reader has seen enough.
        Err(error) if is_closed_pipe(&error) => Exit::Fine.into(),
        Err(error) if error.is::<clap::Error>() => {
            let said = error.downcast_ref::<clap::Error>().map(clap::Error::print);
            // If nobody can read it, nobody needs to be told.
            drop(said);
            Exit::Usage.into()
        }
        Err(error) => {
            screen.error(&error);
            error
                .downcast_ref::<Problem>()
                .map_or(Exit::Problem, Problem::exit)
                .into()
        }
    }
}

fn start(args: Args, screen: &mut Screen) -> anyhow::Result<Exit> {
    let mut invocation = Invocation::new(&args.global, screen)?;
    let to = &mut invocation;
    if !matches!(args.command, Command::Demo(_)) {
        // The demo has a home of its own, which is not there yet.
        to.start_log();
    }
    match args.command {
        Command::Plugins(group) => plugins::run(to, group.command),
        Command::Hooks(group) => hooks::run(to, group.command),
        Command::Replay(args) => replay::run(to, &args),
        Command::Demo(args) => demo::run(to, &args),
        Command::Doctor(args) => doctor::run(to, &args),
        Command::Logs(args) => logs::run(to, &args),
        Command::Commands(args) => commands::list(to, &args),
        Command::OfPlugin(command) => commands::run(to, command),
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    io.into_iter()
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
