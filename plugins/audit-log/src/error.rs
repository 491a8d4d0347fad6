//! Why a record could not be written, or a log not be read.

use std::path::PathBuf;
use std::{fmt, io};

use crate::config::ConfigError;

/// Why a record could not be written, or a log not be read.
///
/// After a failed write the next one is tried as if nothing had happened, and says how many
/// records are missing before it.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// The configuration cannot be honoured.
    Config(ConfigError),
    /// Another process holds the lock, for longer than `lock_timeout_ms`.
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// A file could not be opened, read, written or renamed.
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A record could not be put into JSON.
    Encode(serde_json::Error),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Busy { path, waited_ms } => write!(
                f,
                "lock `{}`: still held by another process after {waited_ms} ms\n\
                 hint: look for a stopped process that writes the same log",
                path.display()
            ),
            Self::Io {
                action,
                path,
                source,
            } => {
                write!(f, "cannot {action} `{}`: {source}", path.display())
            }
            Self::Encode(error) => write!(f, "cannot encode a record: {error}"),
        }
    }
}

impl std::error::Error for AuditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::Io { source, .. } => Some(source),
            Self::Encode(error) => Some(error),
            Self::Busy { .. } => None,
        }
    }
}

impl From<ConfigError> for AuditError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}
