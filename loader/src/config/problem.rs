//! One thing that is wrong with a file the operator wrote.

use std::fmt;
use std::path::{Path, PathBuf};

use super::yaml::Position;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; what was meant still happens.
    Warning,
    /// Something the operator asked for does not happen.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Where a problem stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file or directory.
    pub file: PathBuf,
    /// The line and column, where known.
    pub position: Option<Position>,
    /// The path of keys, joined by dots (`plugins.entries.guard.hooks.timeoutMs`), where there is one.
    pub key: Option<String>,
}

impl Place {
    /// A place that is a whole file or directory.
    pub fn file(path: &Path) -> Self {
        Self {
            file: path.to_owned(),
            position: None,
            key: None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(position) = self.position {
            write!(f, ":{}:{}", position.line, position.column)?;
        }
        Ok(())
    }
}

/// Something wrong in a file, which did not stop anything else.
///
/// Its `Display` is the message; place and cure stand on their own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// How much it matters.
    pub severity: Severity,
    /// A stable name for this kind of problem.
    pub code: &'static str,
    /// Where it stands.
    pub place: Place,
    /// What was expected and what was found.
    pub message: String,
    /// What to do about it, where something can be done.
    pub cure: Option<String>,
}

impl Problem {
    pub(crate) fn new(
        severity: Severity,
        code: &'static str,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            place,
            message: message.into(),
            cure: None,
        }
    }

    pub(crate) fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
