//! Why an archive is not unpacked.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Limits;
use crate::excerpt::safe;
use crate::problem::Problem;

/// Why an archive is not unpacked. Names are the archive's own.
#[derive(Debug)]
pub(crate) enum ArchiveError {
    /// Not an archive of its kind, or damaged.
    Unreadable { detail: String },
    /// A name that is none for a file in a directory of its own.
    Name { name: String, why: &'static str },
    /// A link out of the archive, to a directory, or to nothing.
    Link { name: String, target: String },
    /// No file, no directory and no link.
    Special { name: String, what: &'static str },
    /// Two entries of one name.
    Twice { name: String },
    /// More comes out than may.
    TooMuch { limit: u64 },
    /// More files than may be.
    TooMany { limit: usize },
    /// The system refused while it was unpacked.
    System { detail: String },
    /// The system refused a path.
    Io { path: PathBuf, source: io::Error },
}

impl ArchiveError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// An error of the stream the archive is read from.
    pub(super) fn reading(error: &io::Error, limits: Limits) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            return Self::TooMuch {
                limit: limits.bytes,
            };
        }
        let detail = error.to_string();
        // The system has numbers for what it refuses; a damaged archive has none.
        match error.raw_os_error() {
            Some(_) => Self::System { detail },
            None => Self::Unreadable { detail },
        }
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { detail } => {
                write!(f, "cannot be read as an archive of its kind: {detail}")
            }
            Self::Name { name, why } => write!(
                f,
                "an entry is called `{}`, which could lead out of the plugin's directory: {why}",
                safe(name)
            ),
            Self::Link { name, target } => write!(
                f,
                "`{}` is a link to `{}`, which is no file in the archive",
                safe(name),
                safe(target)
            ),
            Self::Special { name, what } => write!(f, "`{}` is {what}", safe(name)),
            Self::Twice { name } => write!(f, "`{}` is in it twice", safe(name)),
            Self::TooMuch { limit } => write!(
                f,
                "unpacked it has more than {limit} bytes, which no plugin has"
            ),
            Self::TooMany { limit } => {
                write!(f, "it has more than {limit} files, which no plugin has")
            }
            Self::System { detail } => write!(f, "cannot be unpacked: {detail}"),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl ArchiveError {
    /// The error as it is told, for the archive at `path`.
    pub(in crate::plugins::install) fn of(self, path: &Path) -> Problem {
        let cure = match &self {
            Self::Unreadable { .. } => {
                "download it again; .tar, .tar.gz, .tgz and .zip can be installed"
            }
            Self::System { .. } | Self::Io { .. } => "see what the system says, and install again",
            _ => {
                "do not trust it: ask its author, or unpack it by hand, look, and install the directory"
            }
        };
        Problem::new(format!("{}: {self}; nothing is installed", path.display())).cure(cure)
    }
}
