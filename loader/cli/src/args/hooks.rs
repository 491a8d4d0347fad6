//! `hermes hooks …`

use std::path::PathBuf;

use clap::Subcommand;

/// Fire one event, or list the hooks there are.
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:\n  hermes hooks catalogue\n  hermes hooks fire pre_tool_call --payload '{\"args\":{\"command\":\"rm -rf /\"}}'"
)]
pub(crate) struct HooksGroup {
    #[command(subcommand)]
    pub(crate) command: HooksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    Fire(FireArgs),
    Catalogue(CatalogueArgs),
}

/// Fire one event: who says what, and how long it takes.
///
/// The handlers of the loaded plugins really run; no tool and no agent does.
///
/// What is not given is made up: tool `terminal`, command `echo hello`, session `test-session`. The members
/// of a payload replace what was made up, one by one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes hooks fire pre_tool_call --payload '{\"args\":{\"command\":\"rm -rf /\"}}'\n  hermes hooks fire on_session_start --payload-file event.json --json"
)]
pub(crate) struct FireArgs {
    /// The hook.
    pub(crate) event: String,
    /// The payload, a JSON object.
    #[arg(long, value_name = "JSON", conflicts_with = "payload_file")]
    pub(crate) payload: Option<String>,
    /// A file with the payload; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) payload_file: Option<PathBuf>,
    /// Load only this plugin.
    #[arg(long, value_name = "NAME")]
    pub(crate) plugin: Option<String>,
    /// JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// List every hook, and how many handlers it has.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hermes hooks catalogue\n  hermes hooks catalogue --json")]
pub(crate) struct CatalogueArgs {
    /// JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}
