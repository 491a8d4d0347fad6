//! Why a library is not read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file cannot be trusted, or read, as a plugin's library.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PermissionError {
    /// The manifest names no file inside the plugin's directory.
    #[error("`{}` is not a path inside the plugin's directory", .path.display())]
    NotRelative {
        /// The path in the manifest.
        path: PathBuf,
    },
    /// There is no such file.
    #[error("{}: there is no such file", .path.display())]
    Missing {
        /// The path that was looked for.
        path: PathBuf,
    },
    /// A symbolic link leads out of the plugin's directory.
    #[error("{}: leads to {}, outside {}", .path.display(), .target.display(), .dir.display())]
    Escapes {
        /// The path in the plugin's directory.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// The directory it must stay in.
        dir: PathBuf,
    },
    /// Something other than a file.
    #[error("{}: {kind}, expected a regular file", .path.display())]
    NotRegular {
        /// Its path.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// It belongs to another user, who could change it.
    #[error("{}: belongs to user {owner}, expected {expected} or root", .path.display())]
    ForeignOwner {
        /// The file or directory.
        path: PathBuf,
        /// The user it belongs to.
        owner: u32,
        /// This user.
        expected: u32,
    },
    /// Any user could change it.
    #[error("{}: writable by every user (mode {mode:04o})", .path.display())]
    WorldWritable {
        /// The file or directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The members of a foreign group could change it.
    #[error("{}: writable by group {group} (mode {mode:04o})", .path.display())]
    GroupWritable {
        /// The file or directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// Its group.
        group: u32,
    },
    /// Larger than any library.
    #[error("{}: {size} bytes, at most {limit} are read", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// Somebody is writing it.
    #[error("{}: changed while it was read", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The system would not let it be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a path can name besides a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A directory.
    Directory,
    /// A named pipe: opening it can wait for ever.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
    /// None of these.
    Other,
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::Fifo => "a named pipe (FIFO)",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Other => "a special file",
        })
    }
}

impl PermissionError {
    /// What the system said about `path`.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing { path },
            _ => Self::Io { path, source },
        }
    }

    /// A short name for the reason that does not change, for machines and documentation.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotRelative { .. } => "library_path",
            Self::Missing { .. } => "library_missing",
            Self::Escapes { .. } => "escapes_directory",
            Self::NotRegular { .. } => "not_a_file",
            Self::ForeignOwner { .. } => "foreign_owner",
            Self::WorldWritable { .. } => "world_writable",
            Self::GroupWritable { .. } => "group_writable",
            Self::TooLarge { .. } => "too_large",
            Self::Changed { .. } => "changed_while_read",
            Self::Io { .. } => "unreadable",
        }
    }

    /// What to do about it, in one line: a command where there is one.
    pub fn cure(&self) -> String {
        match self {
            Self::NotRelative { .. } => {
                "name the library in the manifest by a path below the plugin's directory, \
                 without `..`"
                    .into()
            }
            Self::Missing { .. } => "build the plugin, or correct `library` in its manifest".into(),
            Self::Escapes { target, path, .. } => {
                format!(
                    "cp --remove-destination {} {}",
                    quoted(target),
                    quoted(path)
                )
            }
            Self::NotRegular { .. } => "put the built library in its place".into(),
            Self::ForeignOwner { path, expected, .. } => {
                format!("if you trust it: chown {expected} {}", quoted(path))
            }
            Self::WorldWritable { path, .. } => format!("chmod o-w {}", quoted(path)),
            Self::GroupWritable { path, .. } => format!("chmod g-w {}", quoted(path)),
            Self::TooLarge { .. } => "strip debug information from the library".into(),
            Self::Changed { .. } => "wait until the build or copy has finished".into(),
            Self::Io { path, source } if source.kind() == io::ErrorKind::PermissionDenied => {
                format!("chmod u+rX {}", quoted(path))
            }
            Self::Io { .. } => "see what the system says".into(),
        }
    }
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(quoted(Path::new(path)), expected);
    }

    #[test]
    fn a_cure_can_be_pasted() {
        check(
            "/home/a/.hermes/plugins/x-1/lib.so",
            "/home/a/.hermes/plugins/x-1/lib.so",
        );
        check("/My Plugins/x", "'/My Plugins/x'");
        check("/it's", r"'/it'\''s'");
        check("/$(reboot)", "'/$(reboot)'");
    }
}
