//! Why a library is not staged.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::ContentHash;
use crate::permissions::quoted;

/// Why there is no private copy to open.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StageError {
    /// The bytes are not those that were admitted.
    #[error("contents have hash {found}, expected {expected}")]
    OtherHash {
        /// The hash they were admitted under.
        expected: ContentHash,
        /// The hash they have.
        found: ContentHash,
    },
    /// Something other than a directory stands in the cache's place.
    #[error("{}: not a directory, expected the plugin cache", .path.display())]
    NotDirectory {
        /// Its path.
        path: PathBuf,
    },
    /// The cache belongs to another user.
    #[error("{}: belongs to user {owner}, expected {expected}", .path.display())]
    ForeignOwner {
        /// The cache, or the directory it stands in.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
        /// This user.
        expected: u32,
    },
    /// Others could put files into the cache, or another cache in its place.
    #[error("{}: writable by other users (mode {mode:04o})", .path.display())]
    WritableByOthers {
        /// The cache, or the directory it stands in.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The copy is taken away, or changed, as fast as it is made.
    #[error("{}: does not stay as it was written", .path.display())]
    Unstable {
        /// The copy.
        path: PathBuf,
    },
    /// The system would not do it.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
}

impl StageError {
    pub(super) fn io(path: &Path, action: &'static str, source: impl Into<io::Error>) -> Self {
        Self::Io {
            path: path.to_owned(),
            action,
            source: source.into(),
        }
    }

    /// A short name for the reason that does not change, for machines and documentation.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherHash { .. } => "stage_other_hash",
            Self::NotDirectory { .. } => "cache_not_a_directory",
            Self::ForeignOwner { .. } => "cache_foreign_owner",
            Self::WritableByOthers { .. } => "cache_writable",
            Self::Unstable { .. } => "stage_unstable",
            Self::Io { .. } => "stage_io",
        }
    }

    /// What to do about it, in one line: a command where there is one.
    pub fn cure(&self) -> String {
        match self {
            Self::OtherHash { .. } => "read and check the library again".into(),
            Self::NotDirectory { path } => format!("rm {}", quoted(path)),
            Self::ForeignOwner { path, .. } => {
                format!("move {} away; the host makes its own", quoted(path))
            }
            Self::WritableByOthers { path, .. } => format!("chmod go-w {}", quoted(path)),
            Self::Unstable { .. } => "find what else writes to the cache".into(),
            Self::Io { path, .. } => {
                format!("make {} writable, or free some space there", quoted(path))
            }
        }
    }
}
