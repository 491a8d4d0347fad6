//! `hermes plugins …`

use clap::Subcommand;

use super::DoctorArgs;

/// List, check, install and switch plugins.
///
/// Without a command it lets one switch them by number, at a terminal.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  hermes plugins list\n  hermes plugins install ./libcommand_guard.so --enable"
)]
pub(crate) struct PluginsGroup {
    #[command(subcommand)]
    pub(crate) command: Option<PluginsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginsCommand {
    #[command(visible_alias = "ls")]
    List(ListArgs),
    Inspect(InspectArgs),
    Check(CheckArgs),
    Install(InstallArgs),
    Enable(EnableArgs),
    Disable(DisableArgs),
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    Update(UpdateArgs),
    Doctor(DoctorArgs),
}

/// Show what is installed, and what is switched on.
///
/// The status is what config.yaml says; no plugin is loaded for it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hermes plugins list\n  hermes plugins list --enabled --json")]
pub(crate) struct ListArgs {
    /// Only plugins that are enabled.
    #[arg(long)]
    pub(crate) enabled: bool,
    /// Only plugins of the user: no bundled ones, none of the project.
    #[arg(long)]
    pub(crate) user: bool,
    /// No plugins that are shipped with the program.
    #[arg(long)]
    pub(crate) no_bundled: bool,
    /// One plain line a plugin: status, source, version, name.
    #[arg(long, conflicts_with = "json")]
    pub(crate) plain: bool,
    /// JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what one plugin is, and what it registers.
///
/// One that is enabled is loaded for it, alone; of another, only the file is read.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins inspect command-guard\n  hermes plugins inspect command-guard --json"
)]
pub(crate) struct InspectArgs {
    /// Its key or name.
    pub(crate) name: String,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say whether plugins would load here, without running them.
///
/// The exit code is 1 if one would be refused. Without arguments all installed plugins are checked, and
/// config.yaml.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins check target/release/libmy_plugin.so\n  hermes plugins check command-guard ./my-plugin --json"
)]
pub(crate) struct CheckArgs {
    /// Library files, plugin directories, or names of installed plugins.
    #[arg(value_name = "PATH|NAME")]
    pub(crate) targets: Vec<String>,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check a plugin, and put it into the home.
///
/// From a directory, a library, an archive (.tar.gz, .tgz, .tar, .zip) or a git repository: a URL, or
/// owner/repo for GitHub; owner/repo/directory, URL.git/directory and URL#directory name one in it.
/// Everything is checked before an old one is replaced.
///
/// A bare library gets a plugin.yaml made from what it says of itself.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins install target/release/libmy_plugin.so --enable\n  hermes plugins install ./my-plugin.tar.gz --force\n  hermes plugins install https://example.org/my-plugin.git"
)]
pub(crate) struct InstallArgs {
    /// A directory, library or archive, or a git repository.
    #[arg(value_name = "IDENTIFIER")]
    pub(crate) identifier: String,
    /// Replace the plugin that is installed under this name.
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Enable it, without a question.
    #[arg(long, conflicts_with = "no_enable")]
    pub(crate) enable: bool,
    /// Do not enable it, without a question.
    #[arg(long)]
    pub(crate) no_enable: bool,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let a plugin load.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins enable command-guard\n  hermes plugins enable my-tools --allow-tool-override"
)]
pub(crate) struct EnableArgs {
    /// Its key, its name, or the last part of its key.
    pub(crate) name: String,
    /// Let it replace tools that the agent has built in.
    #[arg(long, conflicts_with = "no_allow_tool_override")]
    pub(crate) allow_tool_override: bool,
    /// Do not let it replace built-in tools.
    #[arg(long)]
    pub(crate) no_allow_tool_override: bool,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Keep a plugin from loading.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hermes plugins disable command-guard")]
pub(crate) struct DisableArgs {
    /// Its key, its name, or the last part of its key.
    pub(crate) name: String,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Update a plugin that was installed from git.
///
/// The newest commit is fetched and checked beside the old one, which stays if the new one would not load.
/// Files that git does not know, and those made from an example, are kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hermes plugins update my-plugin")]
pub(crate) struct UpdateArgs {
    /// Its key, its name, or the last part of its key.
    pub(crate) name: String,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Delete a plugin; its data and settings stay.
///
/// Its name is taken out of `plugins.enabled` and `plugins.disabled`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins remove command-guard\n  hermes plugins remove audit-log --purge"
)]
pub(crate) struct RemoveArgs {
    /// Its key, its name, or the last part of its key.
    pub(crate) name: String,
    /// Delete its data and its settings, too.
    #[arg(long)]
    pub(crate) purge: bool,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}
