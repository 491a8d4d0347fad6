//! What a check of a log reports.

use std::fmt;
use std::path::PathBuf;

use crate::head::Head;

/// What a check of a log found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Whole records, up to the first bad place.
    pub records: u64,
    /// Files that were read.
    pub files: usize,
    /// The first place that was tampered with, or lost.
    pub first_bad: Option<Bad>,
    /// Calls of which neither a result nor the end of the turn was recorded.
    pub open_calls: Vec<OpenCall>,
    /// Bytes that a crash left behind and a later start noted.
    pub recovered: Vec<Recovery>,
    /// Records that their writers could not write, and said so.
    pub missed: u64,
    /// Bytes of an unfinished record at the very end, which the next start will note.
    pub torn_tail: Option<u64>,
    /// The last record. Kept elsewhere, it proves later that nothing was cut off the end.
    pub head: Option<Head>,
}

/// A place in a log, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong with a place in a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The record's hash is not that of its bytes.
    Edited,
    /// The record does not continue the one before it: records were removed, added or moved.
    Unlinked {
        /// The number that should come.
        expected: u64,
        /// The number that came.
        found: u64,
    },
    /// The line is no record, and no later record accounts for it.
    NoRecord,
    /// The record accounts for bytes of a crash which are not there as noted.
    Recovery,
    /// The log ends before the known head, or has another record in its place.
    HeadMissing {
        /// The head that was to be found.
        expected: Head,
    },
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The number of its record.
    pub seq: u64,
    /// The model's id for it; may be empty.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
}

/// Bytes of a record that was being written during a crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The number of the record that notes them.
    pub seq: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.why)
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edited => write!(
                f,
                "the record was edited: its hash is not that of its bytes"
            ),
            Self::Unlinked { expected, found } => write!(
                f,
                "record {found} does not continue the chain, expected record {expected}: \
                 records were removed, added or moved"
            ),
            Self::NoRecord => write!(
                f,
                "the line is no record, and no later record accounts for it"
            ),
            Self::Recovery => write!(f, "the bytes this record accounts for are not before it"),
            Self::HeadMissing { expected } => write!(
                f,
                "the log ends without the known record {expected}: records were cut off, or all was rewritten"
            ),
        }
    }
}
