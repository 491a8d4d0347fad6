//! The commands and skills that plugins offer, as an agent sees them.

pub use hermes_plugin_api::abi::host::{CommandInfo, CommandKind, SkillInfo};
pub use hermes_plugin_api::extension::commands::CliOutput;

use crate::fault::FaultKind;

/// Why a command of a plugin gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// Nobody offers it.
    #[error("no plugin offers a command named `{command}`")]
    #[non_exhaustive]
    Unknown {
        /// The name that was asked for.
        command: String,
    },
    /// It failed, or did not answer in time.
    #[error("command `{command}` of plugin `{plugin}` failed: {text}")]
    #[non_exhaustive]
    Failed {
        /// The command.
        command: String,
        /// Whose it is.
        plugin: String,
        /// What sort of fault it was.
        kind: FaultKind,
        /// What happened, in the plugin's words, on one line.
        text: String,
    },
}
