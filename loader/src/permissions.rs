//! Reads a plugin's library once, and only if nobody else could have put it there.
//!
//! Whoever can write the library, or a directory on the way to it, can run code as this user. So
//! the file, the plugin's directory, every directory between them and the directory the plugin
//! stands in must belong to this user or to root, and be writable by nobody else. What is judged
//! is the opened file, and what was judged is what is read: there is no window between the two.
//!
//! Group-writable is refused too, unless the group is this user's own primary group (common where
//! each user has one of his own, with a umask of 002) or root's. The sticky bit excuses nothing.

mod error;

#[cfg(any(not(unix), test))]
mod portable;

#[cfg(unix)]
mod unix;

use std::path::{Component, Path, PathBuf};

pub(crate) use error::quoted;
pub use error::{FileKind, PermissionError};

#[cfg(not(unix))]
use portable as platform;
#[cfg(unix)]
use unix as platform;

use crate::inspect::Check;
use crate::staging::ContentHash;

/// The largest library that is read.
pub const SIZE_LIMIT: u64 = 512 * 1024 * 1024;

/// A library, read into memory.
#[derive(Debug, Clone)]
pub struct LibraryBytes {
    /// Its contents.
    pub bytes: Vec<u8>,
    /// The hash of the contents.
    pub sha256: ContentHash,
    /// Where it was read from: no symbolic link is left in it.
    pub path: PathBuf,
    /// What was checked.
    pub checks: Vec<Check>,
}

/// Reads the library at `rel` in the plugin directory `dir`.
///
/// `dir` itself may be a symbolic link (a plugin under development); from there on a link may lead
/// anywhere inside, but not out. A FIFO, socket or device is opened without waiting and refused.
///
/// # Errors
///
/// The first rule that is broken, or that the file cannot be read.
pub fn read_library(dir: &Path, rel: &Path) -> Result<LibraryBytes, PermissionError> {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let named = rel
        .components()
        .any(|part| matches!(part, Component::Normal(_)));
    if !named || !rel.components().all(plain) {
        return Err(PermissionError::NotRelative {
            path: rel.to_owned(),
        });
    }
    let found = platform::read(dir, rel, SIZE_LIMIT)?;
    let sha256 = ContentHash::of(&found.bytes);
    Ok(LibraryBytes {
        bytes: found.bytes,
        sha256,
        path: found.path,
        checks: found.checks,
    })
}

/// Reads a library that lies outside the plugin directories, such as one that was just built.
///
/// Where it lies, and who could change it there, is not judged, since nothing is loaded from there. A FIFO,
/// socket or device is refused all the same.
///
/// # Errors
///
/// If it is no regular file, too large, or cannot be read.
pub fn read_file(path: &Path) -> Result<LibraryBytes, PermissionError> {
    let real = path
        .canonicalize()
        .map_err(|error| PermissionError::io(path, error))?;
    let bytes = platform::read_file(&real, SIZE_LIMIT)?;
    let elsewhere = "it is not in a plugin directory";
    Ok(LibraryBytes {
        sha256: ContentHash::of(&bytes),
        bytes,
        path: real,
        checks: vec![
            Check::passed("regular file"),
            Check::not_checked_here("owner", elsewhere),
            Check::not_checked_here("writable by others", elsewhere),
        ],
    })
}

/// What a platform's half of [`read_library`] gives.
struct Found {
    bytes: Vec<u8>,
    path: PathBuf,
    checks: Vec<Check>,
}

/// The real paths of the directory and of the file, if the file is inside.
fn resolve(dir: &Path, rel: &Path) -> Result<(PathBuf, PathBuf), PermissionError> {
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| PermissionError::io(path, error))
    };
    let home = real(dir)?;
    let path = dir.join(rel);
    let target = real(&path)?;
    if target.starts_with(&home) && target != home {
        Ok((home, target))
    } else {
        Err(PermissionError::Escapes {
            path,
            target,
            dir: home,
        })
    }
}

/// Reads to the end, but no more than `limit`.
fn read_all(
    file: impl std::io::Read,
    path: &Path,
    size: u64,
    limit: u64,
) -> Result<Vec<u8>, PermissionError> {
    let too_large = |size| PermissionError::TooLarge {
        path: path.to_owned(),
        size,
        limit,
    };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(|_| too_large(size))?);
    let read = std::io::Read::read_to_end(&mut file.take(limit + 1), &mut bytes);
    read.map_err(|error| PermissionError::io(path, error))?;
    if bytes.len() as u64 != size {
        return Err(PermissionError::Changed {
            path: path.to_owned(),
        });
    }
    Ok(bytes)
}
