//! What can be checked of a file where owners and modes are not those of Unix.

use std::fs::File;
use std::path::Path;

use super::{FileKind, Found, PermissionError, read_all, resolve};
use crate::inspect::Check;

pub(super) fn read(dir: &Path, rel: &Path, limit: u64) -> Result<Found, PermissionError> {
    let (_, path) = resolve(dir, rel)?;
    let bytes = read_file(&path, limit)?;
    let why = "this system has no Unix permissions";
    let checks = vec![
        Check::passed("inside the plugin's directory"),
        Check::passed("regular file"),
        Check::not_checked_here("owner", why),
        Check::not_checked_here("writable by others", why),
        Check::not_checked_here("access control lists", "they are not read"),
    ];
    Ok(Found {
        bytes,
        path,
        checks,
    })
}

/// Reads a regular file, wherever it lies.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, PermissionError> {
    let io = |error| PermissionError::io(path, error);
    let facts = path.metadata().map_err(io)?;
    if !facts.is_file() {
        let kind = if facts.is_dir() {
            FileKind::Directory
        } else {
            FileKind::Other
        };
        let path = path.to_owned();
        return Err(PermissionError::NotRegular { path, kind });
    }
    let file = File::open(path).map_err(io)?;
    read_all(file, path, facts.len(), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::Outcome;

    #[test]
    fn what_is_not_checked_does_not_pass() {
        let home = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(home.path().join("x.dll"), b"bytes").expect("a file in it");
        let found = read(home.path(), Path::new("x.dll"), 100).expect("the file is read");
        assert_eq!(found.bytes, b"bytes");
        let open: Vec<_> = found
            .checks
            .iter()
            .filter(|c| c.outcome != Outcome::Passed)
            .map(|c| c.name)
            .collect();
        assert_eq!(
            open,
            ["owner", "writable by others", "access control lists"]
        );
    }

    #[test]
    fn too_large_and_escaping_are_refused_everywhere() {
        let home = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(home.path().join("p")).expect("a plugin directory");
        std::fs::write(home.path().join("p/x.dll"), b"bytes").expect("a file in it");
        let dir = home.path().join("p");
        let large = read(&dir, Path::new("x.dll"), 4)
            .err()
            .map(|error| error.code());
        assert_eq!(large, Some("too_large"));
        let out = read(&dir, Path::new("."), 4)
            .err()
            .map(|error| error.code());
        assert_eq!(out, Some("escapes_directory"));
    }
}
