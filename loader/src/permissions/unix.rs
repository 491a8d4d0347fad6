//! Opens a library step by step on Unix, judging what was opened.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use super::{FileKind, Found, PermissionError, read_all, resolve};
use crate::inspect::Check;

/// For one step of the way: a symbolic link that appears there after all is an error, not a way.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// For the file: a FIFO does not wait for its other end, a terminal does not become ours.
const LIBRARY: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(super) fn read(dir: &Path, rel: &Path, limit: u64) -> Result<Found, PermissionError> {
    let (home, path) = resolve(dir, rel)?;
    let who = Who {
        user: geteuid().as_raw(),
        group: getegid().as_raw(),
    };
    for root in roots(dir, &home)? {
        who.judge(&root, &stat(&open_directory(&root)?, &root)?)?;
    }

    let mut at = open_directory(&home)?;
    let mut here = home.clone();
    who.judge(&here, &stat(&at, &here)?)?;
    let inner = path.strip_prefix(&home).unwrap_or(&path);
    for step in inner.parent().into_iter().flatten() {
        here.push(step);
        let next = openat(&at, step, DIRECTORY, Mode::empty());
        at = next.map_err(|error| refused(&here, error))?;
        who.judge(&here, &stat(&at, &here)?)?;
    }

    let name = path.file_name().unwrap_or_default();
    let (file, facts) = regular(&at, name, &path)?;
    who.judge(&path, &facts)?;
    let bytes = read_opened(file, &facts, &path, limit)?;
    Ok(Found {
        bytes,
        path,
        checks: checks(),
    })
}

/// Reads a regular file, wherever it lies. `path` has no symbolic link in it.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, PermissionError> {
    let (parent, name) = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => (open_directory(parent)?, name),
        // The root of the file system: whatever it is, it is no library.
        _ => {
            return Err(PermissionError::NotRegular {
                path: path.to_owned(),
                kind: FileKind::Directory,
            });
        }
    };
    let (file, facts) = regular(&parent, name, path)?;
    read_opened(file, &facts, path, limit)
}

/// Opens the file `name` of a directory, if it is a regular one.
fn regular(at: &OwnedFd, name: &OsStr, path: &Path) -> Result<(OwnedFd, Stat), PermissionError> {
    let file = openat(at, name, LIBRARY, Mode::empty());
    let file = file.map_err(|error| match error {
        // A socket cannot be opened; only its name can be asked what it is.
        Errno::NXIO | Errno::OPNOTSUPP => match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(facts) => PermissionError::NotRegular {
                path: path.to_owned(),
                kind: kind(&facts),
            },
            Err(error) => refused(path, error),
        },
        error => refused(path, error),
    })?;
    let facts = stat(&file, path)?;
    if FileType::from_raw_mode(facts.st_mode) != FileType::RegularFile {
        return Err(PermissionError::NotRegular {
            path: path.to_owned(),
            kind: kind(&facts),
        });
    }
    Ok((file, facts))
}

fn read_opened(
    file: OwnedFd,
    facts: &Stat,
    path: &Path,
    limit: u64,
) -> Result<Vec<u8>, PermissionError> {
    let size = u64::try_from(facts.st_size).unwrap_or(u64::MAX);
    read_all(File::from(file), path, size, limit)
}

fn checks() -> Vec<Check> {
    vec![
        Check::passed("inside the plugin's directory"),
        Check::passed("regular file"),
        Check::passed("owner"),
        Check::passed("writable by others"),
        Check::not_checked_here("access control lists", "they are not read"),
    ]
}

/// The directories that decide what the plugin's directory is: the one its name stands in, and the
/// one it stands in itself where its name is a link.
fn roots(dir: &Path, home: &Path) -> Result<Vec<PathBuf>, PermissionError> {
    let mut roots: Vec<PathBuf> = home.parent().map(Path::to_owned).into_iter().collect();
    // A path that ends in a name has that name in its parent; one that ends in `..` has none.
    if dir.file_name().is_some() {
        let parent = match dir.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let parent = parent
            .canonicalize()
            .map_err(|error| PermissionError::io(parent, error))?;
        if !roots.contains(&parent) {
            roots.push(parent);
        }
    }
    Ok(roots)
}

fn open_directory(path: &Path) -> Result<OwnedFd, PermissionError> {
    open(path, DIRECTORY, Mode::empty()).map_err(|error| refused(path, error))
}

fn stat(fd: &OwnedFd, path: &Path) -> Result<Stat, PermissionError> {
    fstat(fd).map_err(|error| refused(path, error))
}

fn refused(path: &Path, error: Errno) -> PermissionError {
    // The path had no link in it a moment ago.
    if error == Errno::LOOP {
        return PermissionError::Changed {
            path: path.to_owned(),
        };
    }
    PermissionError::io(path, error.into())
}

fn kind(facts: &Stat) -> FileKind {
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::Directory => FileKind::Directory,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        _ => FileKind::Other,
    }
}

/// The user this process acts as.
#[derive(Clone, Copy)]
struct Who {
    user: u32,
    group: u32,
}

impl Who {
    fn judge(self, path: &Path, facts: &Stat) -> Result<(), PermissionError> {
        let path = || path.to_owned();
        let (owner, group) = (facts.st_uid, facts.st_gid);
        let mode = permission_bits(facts);
        if owner != self.user && owner != 0 {
            return Err(PermissionError::ForeignOwner {
                path: path(),
                owner,
                expected: self.user,
            });
        }
        if mode & 0o002 != 0 {
            return Err(PermissionError::WorldWritable { path: path(), mode });
        }
        if mode & 0o020 != 0 && group != self.group && group != 0 {
            return Err(PermissionError::GroupWritable {
                path: path(),
                mode,
                group,
            });
        }
        Ok(())
    }
}

fn permission_bits(facts: &Stat) -> u32 {
    // A mode has 16 bits on macOS and 32 on Linux.
    fn widen(mode: impl Into<u32>) -> u32 {
        mode.into()
    }
    widen(facts.st_mode) & 0o7777
}
