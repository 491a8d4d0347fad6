//! Which files `read_library` reads, and what it says of the others.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use hermes_loader::inspect::Outcome;
use hermes_loader::permissions::{
    LibraryBytes, PermissionError, SIZE_LIMIT, read_file, read_library,
};
use hermes_loader::staging::ContentHash;

const LIBRARY: &str = "lib/plugin.so";

/// A plugins directory with one plugin in it, as a careful user has them.
struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let home = Self { dir };
        fs::create_dir_all(home.plugin().join("lib")).expect("the plugin's directories");
        fs::write(home.library(), b"library").expect("the library");
        for path in [
            home.plugins(),
            home.plugin(),
            home.plugin().join("lib"),
            home.library(),
        ] {
            mode(&path, 0o755);
        }
        home
    }

    fn plugins(&self) -> PathBuf {
        self.dir.path().join("plugins")
    }

    fn plugin(&self) -> PathBuf {
        self.plugins().join("sample")
    }

    fn library(&self) -> PathBuf {
        self.plugin().join(LIBRARY)
    }

    fn read(&self) -> Result<LibraryBytes, PermissionError> {
        read_library(&self.plugin(), Path::new(LIBRARY))
    }

    /// Says that the library is refused after `change`, with this code, these words and this cure.
    #[track_caller]
    fn refused(&self, code: &str, words: &str, cure: &str) {
        let error = self.read().expect_err(code);
        assert_eq!(error.code(), code, "{error}");
        assert!(
            error.to_string().contains(words),
            "{:?} does not say {words:?}",
            error.to_string()
        );
        assert!(
            error.cure().contains(cure),
            "{:?} does not say {cure:?}",
            error.cure()
        );
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is changed");
}

/// Whether the tests run as root, who alone can give files away.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_private_file_is_read_once() {
    let home = Home::new();
    let read = home.read().expect("a private file");
    assert_eq!(read.bytes, b"library");
    assert_eq!(read.sha256, ContentHash::of(b"library"));
    assert_eq!(
        read.path,
        home.library().canonicalize().expect("the library is there")
    );
    let open: Vec<_> = read
        .checks
        .iter()
        .filter(|c| c.outcome != Outcome::Passed)
        .map(|c| c.name)
        .collect();
    assert_eq!(open, ["access control lists"]);
}

#[test]
fn each_place_that_every_user_can_write() {
    let home = Home::new();
    for (path, was) in [
        (home.plugins(), 0o755),
        (home.plugin(), 0o755),
        (home.plugin().join("lib"), 0o755),
        (home.library(), 0o755),
    ] {
        let shown = path.display().to_string();
        for bad in [0o757, 0o1777] {
            mode(&path, bad);
            home.refused(
                "world_writable",
                &format!("{shown}: writable by every user (mode {bad:04o})"),
                &format!("chmod o-w {shown}"),
            );
        }
        mode(&path, was);
    }
    home.read().expect("all is private again");
}

#[test]
fn a_group_that_can_write() {
    let home = Home::new();
    mode(&home.library(), 0o775);
    home.read().expect("this user's own group");
    if is_root() {
        chown(home.library(), None, Some(4321)).expect("root may");
        home.refused(
            "group_writable",
            "writable by group 4321 (mode 0775)",
            "chmod g-w ",
        );
        mode(&home.library(), 0o755);
        home.read().expect("the group cannot write");
    }
}

#[test]
fn a_foreign_owner() {
    if !is_root() {
        return;
    }
    for path in ["", "lib", LIBRARY] {
        let home = Home::new();
        let path = home.plugin().join(path);
        chown(&path, Some(4321), None).expect("root may");
        home.refused(
            "foreign_owner",
            "belongs to user 4321, expected 0 or root",
            "chown 0 ",
        );
    }
}

#[test]
fn no_file_there() {
    let home = Home::new();
    fs::remove_file(home.library()).expect("removed");
    home.refused(
        "library_missing",
        "there is no such file",
        "build the plugin",
    );
    symlink("nowhere.so", home.library()).expect("a link");
    home.refused(
        "library_missing",
        "there is no such file",
        "build the plugin",
    );
    fs::remove_dir_all(home.plugin()).expect("removed");
    home.refused(
        "library_missing",
        "there is no such file",
        "build the plugin",
    );
    fs::write(home.plugin(), "a file").expect("written");
    home.refused(
        "library_missing",
        "there is no such file",
        "build the plugin",
    );
}

#[test]
fn paths_that_are_not_below_the_directory() {
    let home = Home::new();
    for path in [
        "/etc/passwd",
        "../other/x.so",
        "lib/../../x.so",
        "",
        ".",
        "lib/..",
    ] {
        let error = read_library(&home.plugin(), Path::new(path)).expect_err(path);
        assert_eq!(error.code(), "library_path", "{path}: {error}");
    }
    read_library(&home.plugin(), Path::new("./lib/./plugin.so")).expect("this one is");
}

#[test]
fn links() {
    let home = Home::new();
    let inner = home.plugin().join("lib/real.so");
    fs::rename(home.library(), &inner).expect("renamed");
    symlink("real.so", home.library()).expect("a link");
    assert!(
        home.read()
            .expect("a link that stays inside")
            .path
            .ends_with("lib/real.so")
    );

    let outside = home.dir.path().join("outside.so");
    fs::rename(&inner, &outside).expect("moved");
    fs::remove_file(home.library()).expect("removed");
    symlink(&outside, home.library()).expect("a link");
    home.refused(
        "escapes_directory",
        "outside.so, outside",
        "cp --remove-destination ",
    );

    fs::remove_file(home.library()).expect("removed");
    fs::remove_dir(home.plugin().join("lib")).expect("removed");
    symlink(home.dir.path(), home.plugin().join("lib")).expect("a link");
    fs::rename(&outside, home.dir.path().join("plugin.so")).expect("moved");
    home.refused("escapes_directory", "plugin.so, outside", "cp ");

    // A directory whose name begins like the plugin's is not inside.
    let twin = home.plugins().join("sample-2");
    fs::create_dir(&twin).expect("a directory");
    fs::write(twin.join("plugin.so"), b"x").expect("a file");
    fs::remove_file(home.plugin().join("lib")).expect("removed");
    symlink(&twin, home.plugin().join("lib")).expect("a link");
    home.refused("escapes_directory", "sample-2", "cp ");
}

#[test]
fn a_link_to_the_plugin_directory_is_followed_and_both_ends_are_judged() {
    let home = Home::new();
    let work = home.dir.path().join("work");
    fs::create_dir(&work).expect("a directory");
    mode(&work, 0o755);
    fs::rename(home.plugin(), work.join("sample")).expect("moved");
    symlink(work.join("sample"), home.plugin()).expect("a link");
    home.read().expect("a plugin under development");
    for place in [&work, &home.plugins()] {
        mode(place, 0o777);
        home.refused("world_writable", &place.display().to_string(), "chmod o-w ");
        mode(place, 0o755);
    }
}

#[test]
fn what_is_no_file_is_named_and_never_waited_for() {
    let home = Home::new();
    let replace = |make: &dyn Fn(&Path)| {
        let path = home.library();
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir(&path);
        make(&path);
    };
    replace(&|path| {
        let made = Command::new("mkfifo")
            .arg(path)
            .status()
            .expect("mkfifo is installed");
        assert!(made.success());
    });
    home.refused(
        "not_a_file",
        "a named pipe (FIFO), expected a regular file",
        "put the built library",
    );
    replace(&|path| fs::create_dir(path).expect("a directory"));
    home.refused("not_a_file", "a directory", "put the built library");
    replace(&|path| drop(UnixListener::bind(path).expect("a socket")));
    home.refused("not_a_file", "a socket", "put the built library");
    if is_root() && cfg!(target_os = "linux") {
        let made = |path: &Path| {
            Command::new("mknod")
                .arg(path)
                .args(["c", "1", "5"])
                .status()
                .is_ok_and(|s| s.success())
        };
        let _ = fs::remove_file(home.library());
        // Some containers forbid it.
        if made(&home.library()) {
            match home.read() {
                Err(PermissionError::NotRegular { kind, .. }) => {
                    assert_eq!(kind.to_string(), "a device")
                }
                Err(PermissionError::Io { .. }) => {}
                other => panic!("a device was read: {other:?}"),
            }
        }
    }
}

#[test]
fn a_file_of_absurd_size_is_not_read() {
    let home = Home::new();
    // Sparse: it takes no room on the disk.
    let file = fs::File::options()
        .write(true)
        .open(home.library())
        .expect("opened");
    file.set_len(SIZE_LIMIT + 1).expect("enlarged");
    home.refused(
        "too_large",
        "536870913 bytes, at most 536870912 are read",
        "strip debug",
    );
}

#[test]
fn a_file_nobody_may_read() {
    if is_root() {
        return;
    }
    let home = Home::new();
    mode(&home.library(), 0o000);
    home.refused("unreadable", "cannot be read", "chmod u+rX ");
}

#[test]
fn a_relative_plugin_directory() {
    // The tests run in the package's directory, which holds the sources.
    let read = read_library(Path::new("src"), Path::new("lib.rs"));
    match read {
        Ok(read) => assert!(read.path.is_absolute()),
        // A checkout may be shared; the point is that the path was understood.
        Err(error) => assert!(
            !matches!(error.code(), "library_missing" | "library_path"),
            "{error}"
        ),
    }
}

#[test]
fn a_file_elsewhere_is_read_wherever_it_lies() {
    let home = Home::new();
    mode(&home.plugin(), 0o777);
    let library = read_file(&home.library()).expect("nobody judges the directory");
    assert_eq!(library.bytes, b"library");
    assert_eq!(library.sha256, ContentHash::of(b"library"));
    let open = library
        .checks
        .iter()
        .filter(|check| check.outcome != Outcome::Passed);
    let open: Vec<_> = open.map(|check| check.name).collect();
    assert_eq!(open, ["owner", "writable by others"]);

    let refused = |path: &Path| read_file(path).map(|_| ()).map_err(|error| error.code());
    assert_eq!(refused(&home.plugin()), Err("not_a_file"));
    assert_eq!(refused(Path::new("/")), Err("not_a_file"));
    assert_eq!(
        refused(&home.plugin().join("gone.so")),
        Err("library_missing")
    );
    let fifo = home.plugin().join("fifo.so");
    let made = Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(refused(&fifo), Err("not_a_file"));
}
