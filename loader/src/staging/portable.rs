//! The cache of copies where there are no Unix owners, modes and locks.
//!
//! The cache is as private as the user's profile directory it stands in. An open library cannot be
//! removed or overwritten on Windows, which is the protection that locks give elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{StageError, Staged, StagedKind, unfinished_name};

pub(super) fn stage(cache_dir: &Path, bytes: &[u8], name: &str) -> Result<Staged, StageError> {
    let path = copy(cache_dir, bytes, name)?;
    staged(path)
}

#[cfg(not(unix))]
fn staged(path: PathBuf) -> Result<Staged, StageError> {
    Ok(Staged {
        path,
        kind: StagedKind::File,
    })
}

/// For the tests, which run this half on Unix too.
#[cfg(unix)]
fn staged(path: PathBuf) -> Result<Staged, StageError> {
    let held =
        fs::File::open(&path).map_err(|error| StageError::io(&path, "open the file", error))?;
    Ok(Staged {
        path,
        kind: StagedKind::File,
        held: held.into(),
    })
}

/// Nothing is known of other processes here; a file one of them writes cannot be removed.
#[cfg(not(unix))]
pub(super) fn is_alive(_number: Option<i32>) -> bool {
    false
}

fn copy(cache_dir: &Path, bytes: &[u8], name: &str) -> Result<PathBuf, StageError> {
    static ATTEMPT: AtomicU64 = AtomicU64::new(0);
    fs::create_dir_all(cache_dir)
        .map_err(|error| StageError::io(cache_dir, "make the directory", error))?;
    let path = cache_dir.join(name);
    if holds(&path, bytes) {
        return Ok(path);
    }
    let temporary = cache_dir.join(unfinished_name(ATTEMPT.fetch_add(1, Ordering::Relaxed)));
    let done = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
    if let Err(error) = done {
        let _ = fs::remove_file(&temporary);
        // Another process may have made it, and opened it, in the meantime.
        if !holds(&path, bytes) {
            return Err(StageError::io(&path, "write the file", error));
        }
    }
    if holds(&path, bytes) {
        Ok(path)
    } else {
        Err(StageError::Unstable { path })
    }
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    let size = path
        .symlink_metadata()
        .is_ok_and(|facts| facts.is_file() && facts.len() == bytes.len() as u64);
    size && fs::read(path).is_ok_and(|found| found == bytes)
}

pub(super) fn prune(
    cache_dir: &Path,
    unwanted: impl Fn(&str) -> bool,
) -> Result<Vec<PathBuf>, StageError> {
    let entries = match fs::read_dir(cache_dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StageError::io(cache_dir, "list the directory", error)),
    };
    let mut removed: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(&unwanted))
        .map(|entry| entry.path())
        .filter(|path| fs::remove_file(path).is_ok())
        .collect();
    removed.sort();
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_finds_repairs_and_prunes() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let cache = home.path().join("cache/plugins");
        let first = stage(&cache, b"bytes", "x.dll").expect("staged").path;
        assert_eq!(stage(&cache, b"bytes", "x.dll").expect("found").path, first);
        fs::write(&first, b"other").expect("tampered with");
        assert_eq!(
            stage(&cache, b"bytes", "x.dll").expect("repaired").path,
            first
        );
        assert_eq!(fs::read(&first).expect("readable"), b"bytes");
        assert_eq!(
            prune(&cache, |_| false).expect("pruned"),
            Vec::<PathBuf>::new()
        );
        assert_eq!(prune(&cache, |_| true).expect("pruned"), [first]);
        assert_eq!(
            prune(&home.path().join("none"), |_| true).expect("no cache"),
            Vec::<PathBuf>::new()
        );
    }
}
