//! Why config.yaml was not changed.

use std::io;
use std::path::PathBuf;

/// Why config.yaml was not changed. The file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The file is not YAML, so no place in it can be found.
    #[error("config.yaml:{line}:{column}: not valid YAML: {detail}")]
    Syntax {
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What the parser said.
        detail: String,
    },
    /// A key holds something that the change cannot go into.
    #[error("config.yaml: `{key}`: expected {expected}, found {found}")]
    Shape {
        /// The key, by its path.
        key: String,
        /// What it would have to hold.
        expected: &'static str,
        /// What it holds.
        found: String,
        /// What to write instead.
        by_hand: String,
    },
    /// The value can be changed, but not in the form in which it is written.
    #[error("config.yaml: `{key}` is written in a form that cannot be edited safely")]
    Layout {
        /// The key, by its path.
        key: String,
        /// What to write instead.
        by_hand: String,
    },
    /// The file is there, but cannot be read as text.
    #[error("{}: cannot be read: {detail}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What stood in the way.
        detail: String,
    },
    /// The file kept changing while it was being edited.
    #[error("{}: changed by another program while it was being edited", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The new text could not be put in place.
    #[error("{}: cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl EditError {
    /// A stable name for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "edit_syntax",
            Self::Shape { .. } => "edit_shape",
            Self::Layout { .. } => "edit_layout",
            Self::Unreadable { .. } => "edit_unreadable",
            Self::Busy { .. } => "edit_busy",
            Self::Write { .. } => "edit_write",
        }
    }

    /// What to do about it; for a change that was given up, the lines to write.
    pub fn cure(&self) -> String {
        match self {
            Self::Syntax { line, .. } => format!("correct line {line}, or the lines above it"),
            Self::Shape { by_hand, .. } | Self::Layout { by_hand, .. } => by_hand.clone(),
            Self::Unreadable { path, .. } => {
                format!("make {} a readable text file", path.display())
            }
            Self::Busy { .. } => "close the other program and try again".to_owned(),
            Self::Write { path, .. } => {
                let directory = path.parent().unwrap_or(path);
                format!("make {} writable", directory.display())
            }
        }
    }
}
