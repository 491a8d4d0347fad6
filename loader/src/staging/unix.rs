//! The cache of copies on Unix: a directory of this user's own, entered once and then held.

mod copies;

use std::fs::DirBuilder;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, fchmod, fstat, open};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process};

use super::{StageError, Staged};

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

pub(super) fn stage(cache_dir: &Path, bytes: &[u8], name: &str) -> Result<Staged, StageError> {
    match Cache::make(cache_dir) {
        #[cfg(target_os = "linux")]
        Ok(cache) if cache.is_noexec() => super::memory::stage(bytes, name),
        Ok(cache) => match cache.stage(bytes, name) {
            #[cfg(target_os = "linux")]
            Err(error) if is_read_only(&error) => super::memory::stage(bytes, name),
            staged => staged,
        },
        #[cfg(target_os = "linux")]
        Err(error) if is_read_only(&error) => super::memory::stage(bytes, name),
        Err(error) => Err(error),
    }
}

pub(super) fn prune(
    cache_dir: &Path,
    unwanted: impl Fn(&str) -> bool,
) -> Result<Vec<PathBuf>, StageError> {
    match Cache::open(cache_dir)? {
        Some(cache) => cache.prune(unwanted),
        None => Ok(Vec::new()),
    }
}

/// Whether this user may simply not write there, which is no sign of foul play.
#[cfg(target_os = "linux")]
fn is_read_only(error: &StageError) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let StageError::Io { source, .. } = error else {
        return false;
    };
    matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Whether a process with this number lives, as far as can be seen from here. Where it lives out of
/// sight, in another container, its lock still protects what it writes.
pub(super) fn is_alive(number: Option<i32>) -> bool {
    let process = number.filter(|number| *number > 0).and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(Errno::SRCH))
}

/// The cache directory, opened and found to be ours alone.
struct Cache {
    path: PathBuf,
    fd: OwnedFd,
}

impl Cache {
    fn make(path: &Path) -> Result<Self, StageError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        if let Err(error) = made {
            if path.symlink_metadata().is_ok_and(|facts| !facts.is_dir()) {
                return Err(StageError::NotDirectory {
                    path: path.to_owned(),
                });
            }
            return Err(StageError::io(path, "make the directory", error));
        }
        Self::open(path)?.ok_or_else(|| StageError::Unstable {
            path: path.to_owned(),
        })
    }

    /// `None` where there is no cache.
    fn open(path: &Path) -> Result<Option<Self>, StageError> {
        let fd = match open(path, DIRECTORY.union(OFlags::NOFOLLOW), Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(StageError::NotDirectory {
                    path: path.to_owned(),
                });
            }
            Err(error) => return Err(StageError::io(path, "open the directory", error)),
        };
        let real = path
            .canonicalize()
            .map_err(|error| StageError::io(path, "find the directory", error))?;
        if let Some(parent) = real.parent() {
            // Who can rename entries there can put another directory in this one's place. A sticky
            // directory (`/tmp`) lets only owners do that.
            let facts = open(parent, DIRECTORY, Mode::empty()).and_then(|fd| fstat(&fd));
            let facts =
                facts.map_err(|error| StageError::io(parent, "open the directory", error))?;
            judge(parent, &facts, &[geteuid().as_raw(), 0], 0o1000)?;
        }
        let facts =
            fstat(&fd).map_err(|error| StageError::io(path, "open the directory", error))?;
        judge(&real, &facts, &[geteuid().as_raw()], 0)?;
        if mode(&facts) & 0o077 != 0 {
            fchmod(&fd, Mode::RWXU)
                .map_err(|error| StageError::io(path, "close the directory to others", error))?;
        }
        Ok(Some(Self { path: real, fd }))
    }

    #[cfg(target_os = "linux")]
    fn is_noexec(&self) -> bool {
        use rustix::fs::{StatVfsMountFlags, fstatvfs};
        fstatvfs(&self.fd).is_ok_and(|facts| facts.f_flag.contains(StatVfsMountFlags::NOEXEC))
    }
}

/// Whether only one of `owners`, or root through it, can change the entries of a directory.
fn judge(path: &Path, facts: &Stat, owners: &[u32], excuse: u32) -> Result<(), StageError> {
    let (owner, mode, path) = (facts.st_uid, mode(facts), || path.to_owned());
    if !owners.contains(&owner) {
        return Err(StageError::ForeignOwner {
            path: path(),
            owner,
            expected: geteuid().as_raw(),
        });
    }
    if mode & 0o022 != 0 && mode & excuse == 0 {
        return Err(StageError::WritableByOthers { path: path(), mode });
    }
    Ok(())
}

fn mode(facts: &Stat) -> u32 {
    // A mode has 16 bits on macOS and 32 on Linux.
    fn widen(mode: impl Into<u32>) -> u32 {
        mode.into()
    }
    widen(facts.st_mode) & 0o7777
}
