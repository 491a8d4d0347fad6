//! `hermes plugins …`

use std::path::PathBuf;

use clap::Subcommand;

use super::DoctorArgs;

/// List, check, install and switch plugins.
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
    /// Let a plugin load.
    #[command(after_help = "Example:\n  hermes plugins enable command-guard")]
    Enable(NameArgs),
    /// Keep a plugin from loading.
    #[command(after_help = "Example:\n  hermes plugins disable command-guard")]
    Disable(NameArgs),
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(RemoveArgs),
    /// Update a plugin that was installed from git.
    #[command(
        after_help = "Example:\n  hermes plugins install ./libcommand_guard.so --force   # what to do instead"
    )]
    Update(NameArgs),
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
/// The exit code is 1 if one would be refused.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins check target/release/libmy_plugin.so\n  hermes plugins check command-guard ./my-plugin --json"
)]
pub(crate) struct CheckArgs {
    /// Library files, plugin directories, or names of installed plugins.
    #[arg(required = true, value_name = "PATH|NAME")]
    pub(crate) targets: Vec<String>,
    /// JSON instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check a plugin, and copy it into the home.
///
/// A bare library gets a plugin.yaml made from what it says of itself.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hermes plugins install target/release/libmy_plugin.so --enable\n  hermes plugins install ./my-plugin --force"
)]
pub(crate) struct InstallArgs {
    /// A directory with a plugin.yaml, or a library file.
    pub(crate) path: PathBuf,
    /// Replace the plugin that is installed under this name.
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Enable it, without a question.
    #[arg(long, conflicts_with = "no_enable")]
    pub(crate) enable: bool,
    /// Do not enable it, without a question.
    #[arg(long)]
    pub(crate) no_enable: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NameArgs {
    /// Its key, its name, or the last part of its key.
    pub(crate) name: String,
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
}
