//! What an operator may set, checked before it is used.

use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

/// The least `max_bytes`: a few records must fit into a file.
const LEAST_BYTES: u64 = 4096;

/// The plugin's configuration, from `plugins.entries.audit-log.config`.
///
/// # Examples
///
/// ```
/// let config: audit_log::Config = serde_json::from_str(r#"{"record_args": "none"}"#)?;
/// assert_eq!(config.max_bytes, 16 * 1024 * 1024);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the log is written, instead of the plugin's data directory.
    pub dir: Option<PathBuf>,
    /// What is kept of a call's arguments.
    pub record_args: RecordArgs,
    /// How many characters of the arguments are shown beside their digest; 0 shows none.
    pub preview_chars: usize,
    /// The size at which a file is put aside and a new one begun (at least 4096).
    pub max_bytes: u64,
    /// How many calls may wait for their result before the oldest is given up (at least 1).
    pub max_open_calls: usize,
    /// When written records are forced to the disk.
    pub fsync: Fsync,
    /// How long to wait for another process that is writing, in milliseconds.
    pub lock_timeout_ms: u64,
}

/// What is kept of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RecordArgs {
    /// The arguments themselves, and their digest.
    Full,
    /// Their digest, and a preview of `preview_chars`.
    Digest,
    /// Nothing.
    None,
}

/// When written records are forced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Fsync {
    /// By the operating system: survives a crash of the process, not always one of the machine.
    Never,
    /// After every append, which costs a disk write each.
    Every,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            dir: None,
            record_args: RecordArgs::Digest,
            preview_chars: 200,
            max_bytes: 16 * 1024 * 1024,
            max_open_calls: 10_000,
            fsync: Fsync::Never,
            lock_timeout_ms: 2_000,
        }
    }
}

impl Config {
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let least = |key, found, least| match found < least {
            true => Err(ConfigError::TooSmall { key, found, least }),
            false => Ok(()),
        };
        least("max_bytes", self.max_bytes, LEAST_BYTES)?;
        least("max_open_calls", self.max_open_calls as u64, 1)
    }
}

/// Why a configuration was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number is below the least that works.
    TooSmall {
        /// The configuration key.
        key: &'static str,
        /// What was configured.
        found: u64,
        /// The least accepted.
        least: u64,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall { key, found, least } => write!(
                f,
                "`{key}`: {found} is below the least accepted, {least}\n\
                 hint: set it to {least} or more, or leave it out"
            ),
        }
    }
}

impl std::error::Error for ConfigError {}
