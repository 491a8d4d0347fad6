//! What can be typed, and the help for it.

mod hooks;
mod plugin_command;
mod plugins;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use self::hooks::{CatalogueArgs, FireArgs, HooksCommand, HooksGroup};
pub(crate) use self::plugin_command::{PluginCommand, is_own, parse};
pub(crate) use self::plugins::{
    CheckArgs, DisableArgs, EnableArgs, InspectArgs, InstallArgs, ListArgs, PluginsCommand,
    PluginsGroup, RemoveArgs, UpdateArgs,
};

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let host = hermes_loader::host_facts();
    format!(
        "{} (plugin ABI {}, catalogue revision {})",
        env!("CARGO_PKG_VERSION"),
        host.abi,
        host.catalogue
    )
});

/// Looks after native plugins: what is loaded, whether a guard blocks, what a call costs.
#[derive(Debug, Parser)]
#[command(
    name = "hermes",
    version = VERSION.as_str(),
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  hermes plugins install ./libcommand_guard.so --enable\n  hermes doctor\n\
                  Exit codes: 0 fine, 1 problem found, 2 usage."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What reads the arguments of this process, without colours where it is told so.
fn parser() -> clap::Command {
    let command = Args::command();
    if std::env::args_os().any(|arg| arg == "--no-color") {
        return command.color(clap::ColorChoice::Never);
    }
    command
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The home to work on, instead of $HERMES_HOME or ~/.hermes.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Only results and errors: no hints, no progress, no questions.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Show the log on standard error; twice for all of it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Load no plugin at all (as HERMES_SAFE_MODE=1 does).
    #[arg(long, global = true)]
    pub(crate) safe_mode: bool,
    /// No colours (as NO_COLOR=1 does).
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Plugins(PluginsGroup),
    Hooks(HooksGroup),
    Replay(ReplayArgs),
    Demo(DemoArgs),
    Doctor(DoctorArgs),
    Logs(LogsArgs),
    Commands(CommandsArgs),
    /// A sub-command that a plugin adds.
    #[command(skip)]
    OfPlugin(PluginCommand),
}

/// Play recorded events through the loaded plugins.
///
/// Shows who blocked, who changed what, and what it cost.
///
/// Each line of the file is `{"t_ms": 12, "hook": "pre_tool_call", "kwargs": {…}}`. Recorded results of a
/// call that a plugin now blocks are not fired, and marked `would not have run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes replay session.jsonl\n  hermes replay session.jsonl --plugin command-guard --json"
)]
pub(crate) struct ReplayArgs {
    /// The recording; `-` for standard input.
    pub(crate) events: PathBuf,
    /// Load only this plugin.
    #[arg(long, value_name = "NAME")]
    pub(crate) plugin: Option<String>,
    /// Show every event, not only those where something was decided, changed or went wrong.
    #[arg(long)]
    pub(crate) all: bool,
    /// How fast: 1 as recorded, 10 ten times as fast, 0 without waiting.
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub(crate) speed: f64,
    /// JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Build the shipped plugins, and play a recorded session through them.
///
/// Run it inside the checkout. It installs them into a temporary home, and touches nothing outside it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo demo\n  hermes demo --keep")]
pub(crate) struct DemoArgs {
    /// Leave the temporary home in place, to look around in it.
    #[arg(long)]
    pub(crate) keep: bool,
}

/// Say what is wrong, and what to do about it.
///
/// Loads everything that is enabled. The exit code is 1 if there is an error or a warning.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hermes doctor\n  hermes doctor --json")]
pub(crate) struct DoctorArgs {
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the commands, tools and skills that plugins offer.
///
/// Loads everything that is enabled. A sub-command of a plugin is run as `hermes NAME WORDS...`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hermes commands\n  hermes commands --json")]
pub(crate) struct CommandsArgs {
    /// JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the log.
///
/// That is the end of `logs/agent.log`, and of the older files it was rotated into.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes logs -n 20 --level warning\n  hermes logs --follow --plugin command-guard"
)]
pub(crate) struct LogsArgs {
    /// Go on showing what is added, until interrupted.
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// The least level: debug, info, warning, error, critical.
    #[arg(long, value_name = "LEVEL", value_parser = crate::logs::parse_level)]
    pub(crate) level: Option<crate::logs::Level>,
    /// Only what this plugin logged, or what names it.
    #[arg(long, value_name = "NAME")]
    pub(crate) plugin: Option<String>,
    /// JSON instead of text, one record a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many records.
    #[arg(short = 'n', long = "lines", value_name = "N", default_value_t = 50)]
    pub(crate) lines: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_help_has_an_example_and_fits_a_screen() {
        visit(&Args::command());
    }

    fn visit(command: &clap::Command) {
        let mut shown = command.clone();
        let help = shown.render_long_help().to_string();
        assert!(help.contains("Example"), "{}: {help}", command.get_name());
        assert!(help.lines().count() <= 40, "{}: {help}", command.get_name());
        command.get_subcommands().for_each(visit);
    }
}
