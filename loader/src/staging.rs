//! Keeps the private copy that a library is opened from.
//!
//! A library is never opened where its author put it: overwriting a mapped file is a SIGBUS, and
//! the dynamic linker takes a file it has seen under a name, or an inode, for the old one. So the
//! bytes that were checked are written to a file of the host's own, named by their hash, and that
//! is opened. New contents are a new name; the same contents are found again.
//!
//! Where files in the cache may not be executed, or none can be written, Linux has a second way: a
//! sealed file in memory.

mod error;

mod hash;

#[cfg(unix)]
mod unix;

#[cfg(target_os = "linux")]
mod memory;

#[cfg(any(not(unix), test))]
mod portable;

use std::env::consts::DLL_SUFFIX;
use std::path::{Path, PathBuf};

pub use error::StageError;
pub use hash::ContentHash;

#[cfg(not(unix))]
use portable as platform;
#[cfg(unix)]
use unix as platform;

/// What the name of a copy begins with that is still being written.
const UNFINISHED: &str = ".unfinished-";

/// The longest part of a plugin's name that goes into a file name.
const STEM_LIMIT: usize = 64;

/// A copy that a library can be opened from.
///
/// Keep it as long as the library is open, and so, since a library is never closed, as long as the
/// process lives. It holds an open file. For a copy in the cache that keeps [`prune`] away from
/// it, in every process; for a copy in memory it *is* the copy, and its number is part of the
/// path: once it is closed, the number names another file, and the dynamic linker still takes that
/// path for the library it has seen there.
#[derive(Debug)]
pub struct Staged {
    /// What to open.
    pub path: PathBuf,
    /// Where the copy is.
    pub kind: StagedKind,
    /// Kept open, and locked where it is a file in the cache.
    #[cfg(unix)]
    held: std::os::fd::OwnedFd,
}

/// The open copy, for instance to learn its device and inode.
#[cfg(unix)]
impl std::os::fd::AsFd for Staged {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.held.as_fd()
    }
}

/// Where a staged copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StagedKind {
    /// In the cache directory, under its hash.
    File,
    /// In memory, sealed. Debuggers and profilers find no file for it, and `$ORIGIN` means nothing.
    Memory,
}

/// Makes sure there is a private copy of `bytes` and gives its path.
///
/// `sha256` is the hash the bytes were admitted under; they are hashed again, so that a copy is
/// never filed under a wrong name. `stem` is for the reader's eye only. The cache directory is
/// made if need be, for this user alone. A copy that is already there is compared with `bytes`
/// byte by byte before it is used, and replaced if it differs. Any number of threads and processes
/// may stage at once.
///
/// # Errors
///
/// If the bytes have another hash, the cache could be written by others, or the system refuses.
pub fn stage(
    cache_dir: &Path,
    bytes: &[u8],
    sha256: ContentHash,
    stem: &str,
) -> Result<Staged, StageError> {
    let found = ContentHash::of(bytes);
    if found != sha256 {
        return Err(StageError::OtherHash {
            expected: sha256,
            found,
        });
    }
    platform::stage(cache_dir, bytes, &file_name(sha256, stem))
}

/// Removes the copies in the cache that are neither in `keep` nor open in any process, and what
/// interrupted processes left there. Gives the files that were removed.
///
/// Files that are not staged copies are left alone, and so is a cache that others could write to.
///
/// # Errors
///
/// If the cache is not the host's own, or cannot be read. A file that cannot be removed stays.
pub fn prune(cache_dir: &Path, keep: &[ContentHash]) -> Result<Vec<PathBuf>, StageError> {
    platform::prune(cache_dir, |name| match parse_name(name) {
        Some(Entry::Copy(hash)) => !keep.contains(&hash),
        Some(Entry::Unfinished(maker)) => !platform::is_alive(maker),
        None => false,
    })
}

/// What a file in the cache is, by its name.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Copy(ContentHash),
    /// Made by the process with this number.
    Unfinished(Option<i32>),
}

/// `<hash>-<stem>.so`, with only those characters of the stem that are safe everywhere.
fn file_name(hash: ContentHash, stem: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().take(STEM_LIMIT).map(safe).collect();
    format!("{hash}-{stem}{DLL_SUFFIX}")
}

/// The name of a copy that is still being written: no other attempt of any process has it.
fn unfinished_name(attempt: u64) -> String {
    format!("{UNFINISHED}{}-{attempt}", std::process::id())
}

fn parse_name(name: &str) -> Option<Entry> {
    if let Some(rest) = name.strip_prefix(UNFINISHED) {
        let maker = rest
            .split('-')
            .next()
            .and_then(|number| number.parse().ok());
        return Some(Entry::Unfinished(maker));
    }
    let (hash, rest) = name.split_at_checked(64)?;
    let ours = rest.starts_with('-') && rest.ends_with(DLL_SUFFIX);
    ours.then(|| ContentHash::parse(hash))
        .flatten()
        .map(Entry::Copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stem: &str, expected: &str) {
        let hash = ContentHash::of(b"");
        let name = file_name(hash, stem);
        assert_eq!(name, format!("{hash}-{expected}{DLL_SUFFIX}"));
        assert_eq!(parse_name(&name), Some(Entry::Copy(hash)));
    }

    #[test]
    fn a_stem_cannot_leave_the_directory() {
        check("tool-guard", "tool-guard");
        check("../../etc/passwd", ".._.._etc_passwd");
        check("a\0b\nc", "a_b_c");
        check("grüße", "gr__e");
        check("", "");
        check(&"x".repeat(300), &"x".repeat(64));
    }

    #[test]
    fn other_files_are_nobody_s_copy() {
        for name in [
            "",
            "README",
            "libx.so",
            &"0".repeat(64),
            &format!("{}-x.so", "g".repeat(64)),
            &"é".repeat(40),
        ] {
            assert_eq!(parse_name(name), None, "{name}");
        }
        let own = i32::try_from(std::process::id()).ok();
        assert_eq!(
            parse_name(&unfinished_name(3)),
            Some(Entry::Unfinished(own))
        );
        assert_eq!(parse_name(".unfinished-x"), Some(Entry::Unfinished(None)));
    }
}
