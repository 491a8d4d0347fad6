//! Copies of directories that hold what should not be copied.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};

/// Copies a directory after `make` made it, and gives what came of it.
#[track_caller]
fn check(make: impl FnOnce(&Path), library: Option<&str>, expected: Result<&[&str], &str>) {
    let dir = tempfile::tempdir().expect("a directory");
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    fs::create_dir(&from).expect("from");
    fs::create_dir(&to).expect("to");
    make(&from);
    let copied = tree(&from, &to, library.map(Path::new)).map(|_| {
        let mut files = Vec::new();
        list(&to, &to, &mut files);
        files.sort();
        files
    });
    match (copied, expected) {
        (Ok(files), Ok(expected)) => assert_eq!(files, expected),
        (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
        (copied, expected) => panic!("{copied:?}, expected {expected:?}"),
    }
}

fn list(root: &Path, dir: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("an entry").path();
        assert!(!path.is_symlink(), "{path:?}");
        let mode = path.metadata().expect("facts").permissions().mode();
        assert_eq!(mode & 0o022, 0, "{path:?} is writable by others");
        if path.is_dir() {
            list(root, &path, into)
        } else {
            into.push(
                path.strip_prefix(root)
                    .expect("inside")
                    .display()
                    .to_string(),
            )
        }
    }
}

fn write(path: PathBuf) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    fs::write(&path, "x").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("its mode");
}

#[test]
fn only_files_that_belong_to_the_plugin_are_copied() {
    check(|dir| write(dir.join("a/b")), None, Ok(&["a/b"]));
    check(|dir| write(dir.join(".git/config")), None, Ok(&[]));
    check(
        |dir| {
            write(dir.join("target/CACHEDIR.TAG"));
            write(dir.join("target/x.so"))
        },
        None,
        Ok(&[]),
    );
    check(
        |dir| {
            write(dir.join("target/CACHEDIR.TAG"));
            write(dir.join("target/x.so"))
        },
        Some("target/x.so"),
        Ok(&["target/CACHEDIR.TAG", "target/x.so"]),
    );
    check(
        |dir| {
            write(dir.join("a"));
            symlink("a", dir.join("b")).expect("linked")
        },
        None,
        Ok(&["a", "b"]),
    );
    check(
        |dir| symlink("/etc/passwd", dir.join("b")).expect("linked"),
        None,
        Err("outside the plugin's directory"),
    );
    check(
        |dir| symlink("/nowhere", dir.join("b")).expect("linked"),
        None,
        Err("No such file"),
    );
    check(
        |dir| symlink(".", dir.join("b")).expect("linked"),
        None,
        Err("link to a directory"),
    );
    check(
        |dir| drop(std::os::unix::net::UnixListener::bind(dir.join("s")).expect("a socket")),
        None,
        Err("neither a file"),
    );
}

#[test]
fn an_example_becomes_a_file_once() {
    check(
        |dir| write(dir.join("config.yaml.example")),
        None,
        Ok(&["config.yaml", "config.yaml.example"]),
    );
    check(
        |dir| {
            write(dir.join("c.example"));
            write(dir.join("c"))
        },
        None,
        Ok(&["c", "c.example"]),
    );
}
