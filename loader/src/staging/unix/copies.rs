//! The copies in the cache: how they are found, written and removed while others do the same.
//!
//! Who holds a copy has a shared lock on it; who removes one has an exclusive lock on it first. A
//! lock belongs to a file and not to its name, so after locking, the name is looked at again.

use std::ffi::OsStr;
use std::fs::{File, read_dir};
use std::io::{BufReader, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{
    AtFlags, FileType, FlockOperation, Mode, OFlags, Stat, fchmod, flock, fstat, openat, renameat,
    statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::super::{StageError, Staged, StagedKind, unfinished_name};
use super::{Cache, mode};

/// How often a copy is made anew when it is gone, or other than written, at the next look. One
/// pruning process at the wrong moment explains one time.
const ATTEMPTS: usize = 8;
/// How often a lock is tried for; the second half of the tries is a millisecond apart.
const PATIENCE: usize = 200;
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

impl Cache {
    pub(super) fn stage(&self, bytes: &[u8], name: &str) -> Result<Staged, StageError> {
        let path = self.path.join(name);
        for _ in 0..ATTEMPTS {
            let wrong = match self.find(bytes, name) {
                Found::Right(held) => {
                    return Ok(Staged {
                        path,
                        kind: StagedKind::File,
                        held,
                    });
                }
                Found::Wrong(file) => Some(file),
                Found::Nothing => None,
                // To replace it now would be to lose the new one to whoever removes the old.
                Found::Busy => continue,
            };
            // Both locks last until the new copy is found and locked: no other process removes
            // the name in between, whichever file it belongs to.
            let _written = self.write(bytes, name)?;
            if let Found::Right(held) = self.find(bytes, name) {
                return Ok(Staged {
                    path,
                    kind: StagedKind::File,
                    held,
                });
            }
            drop(wrong);
        }
        Err(StageError::Unstable { path })
    }

    /// Looks at what has the name of the copy, and locks it against
    /// [`remove`](Self::remove).
    fn find(&self, bytes: &[u8], name: &str) -> Found {
        let Ok(file) = openat(&self.fd, name, FILE, Mode::empty()) else {
            return Found::Nothing;
        };
        if !lock(&file) {
            return Found::Busy;
        }
        let Ok(facts) = fstat(&file) else {
            return Found::Nothing;
        };
        let regular = FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile;
        let private = facts.st_uid == geteuid().as_raw() && mode(&facts) & 0o022 == 0;
        let size = u64::try_from(facts.st_size).ok() == Some(bytes.len() as u64);
        let file = File::from(file);
        // Between opening and locking it may have been pruned.
        let good = regular && private && size && self.names(name, &facts) && same(&file, bytes);
        if good {
            Found::Right(file.into())
        } else {
            Found::Wrong(file.into())
        }
    }

    /// Whether the name still belongs to this file.
    fn names(&self, name: impl rustix::path::Arg, facts: &Stat) -> bool {
        let now = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        now.is_ok_and(|now| (now.st_dev, now.st_ino) == (facts.st_dev, facts.st_ino))
    }

    /// Writes the copy under another name and then gives it its own, in one step. What it gives
    /// holds the lock; `None` if another attempt is needed.
    fn write(&self, bytes: &[u8], name: &str) -> Result<Option<File>, StageError> {
        static ATTEMPT: AtomicU64 = AtomicU64::new(0);
        let temporary = unfinished_name(ATTEMPT.fetch_add(1, Ordering::Relaxed));
        let path = self.path.join(&temporary);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&self.fd, &temporary, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => file,
            // Left by a dead process that had our number. The next attempt has another name.
            Err(Errno::EXIST) => return Ok(None),
            Err(error) => return Err(StageError::io(&path, "make the file", error)),
        };
        lock(&file);
        match self.fill(file, bytes, &temporary, name) {
            Ok(file) => Ok(Some(file)),
            // Pruned before it was locked: the next attempt may be luckier.
            Err((_, error)) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err((action, error)) => {
                let _ = unlinkat(&self.fd, &temporary, AtFlags::empty());
                Err(StageError::io(&path, action, error))
            }
        }
    }

    fn fill(
        &self,
        file: OwnedFd,
        bytes: &[u8],
        temporary: &str,
        name: &str,
    ) -> Result<File, (&'static str, std::io::Error)> {
        let mut file = File::from(file);
        file.write_all(bytes)
            .map_err(|error| ("write the file", error))?;
        fchmod(&file, Mode::RUSR | Mode::XUSR)
            .map_err(|error| ("protect the file", error.into()))?;
        let named = renameat(&self.fd, temporary, &self.fd, name);
        named.map_err(|error| ("name the file", error.into()))?;
        Ok(file)
    }

    pub(super) fn prune(
        &self,
        unwanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<PathBuf>, StageError> {
        let entries = read_dir(&self.path)
            .map_err(|error| StageError::io(&self.path, "list the directory", error))?;
        let mut removed = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            if name.to_str().is_some_and(&unwanted) && self.remove(&name) {
                removed.push(self.path.join(&name));
            }
        }
        removed.sort();
        Ok(removed)
    }

    /// Removes a file that no process holds.
    fn remove(&self, name: &OsStr) -> bool {
        let Ok(file) = openat(&self.fd, name, FILE, Mode::empty()) else {
            return false;
        };
        let held = flock(&file, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK);
        // Between opening and locking the name may have gone to another file.
        let same = fstat(&file).is_ok_and(|facts| self.names(name, &facts));
        !held && same && unlinkat(&self.fd, name, AtFlags::empty()).is_ok()
    }
}

/// What has the name of a copy.
enum Found {
    /// The copy, locked.
    Right(OwnedFd),
    /// Something else, locked where it can be.
    Wrong(OwnedFd),
    /// Nothing that can be opened.
    Nothing,
    /// Something that is just being removed.
    Busy,
}

/// Locks a file against [`Cache::remove`]; `false` if it is still being removed after a while.
///
/// Removing takes microseconds, unless the process that does it is stopped: then nobody should wait
/// for it for ever. Where a file system has no locks, a copy may be removed while it is used; the
/// next start makes another.
fn lock(file: impl AsFd) -> bool {
    for round in 0..PATIENCE {
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) if round < PATIENCE / 2 => std::thread::yield_now(),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(1)),
            _ => return true,
        }
    }
    false
}

/// Whether the file holds `bytes` and nothing more. Compares without a second copy in memory.
fn same(file: &File, bytes: &[u8]) -> bool {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut rest = bytes;
    let mut chunk = [0; 1 << 12];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return rest.is_empty(),
            Ok(read) => match chunk.get(..read).and_then(|chunk| rest.strip_prefix(chunk)) {
                Some(after) => rest = after,
                None => return false,
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}
