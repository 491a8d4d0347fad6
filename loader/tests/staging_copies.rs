//! How copies get into the cache, stay what they are, and leave it.
#![cfg(unix)]

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_loader::staging::{ContentHash, StageError, Staged, StagedKind, prune, stage};

struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    fn cache(&self) -> PathBuf {
        self.dir.path().join("cache/plugins")
    }

    fn stage(&self, bytes: &[u8]) -> Result<Staged, StageError> {
        stage(&self.cache(), bytes, ContentHash::of(bytes), "sample")
    }

    #[track_caller]
    fn staged(&self, bytes: &[u8]) -> Staged {
        let staged = self.stage(bytes).expect("staged");
        assert_eq!(staged.kind, StagedKind::File);
        assert_eq!(fs::read(&staged.path).expect("the copy is there"), bytes);
        staged
    }

    #[track_caller]
    fn refused(&self, code: &str, words: &str, cure: &str) {
        let error = self.stage(b"library").expect_err(code);
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
        assert_eq!(prune(&self.cache(), &[]).expect_err(code).code(), code);
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.cache())
            .expect("the cache is there")
            .flatten();
        let mut names: Vec<_> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is changed");
}

#[test]
fn a_copy_is_private_and_named_by_its_contents() {
    let home = Home::new();
    let staged = home.staged(b"library");
    let hash = ContentHash::of(b"library");
    let name = format!("{hash}-sample{}", std::env::consts::DLL_SUFFIX);
    assert_eq!(home.names(), [name]);
    assert_eq!(mode(&staged.path), 0o500);
    assert_eq!(mode(&home.cache()), 0o700);
    assert!(staged.path.is_absolute());
}

#[test]
fn a_copy_that_is_there_is_used_again() {
    let home = Home::new();
    let inode = |staged: &Staged| fs::metadata(&staged.path).expect("it is there").ino();
    let first = inode(&home.staged(b"library"));
    assert_eq!(inode(&home.staged(b"library")), first);
    let held = home.staged(b"library");
    let facts = rustix::fs::fstat(held.as_fd()).expect("the held file");
    assert_eq!(facts.st_ino, first);
}

#[test]
fn a_copy_that_is_not_what_its_name_says_is_replaced() {
    let home = Home::new();
    let path = home.staged(b"library").path;
    let check = |tamper: &dyn Fn(&Path)| {
        tamper(&path);
        let staged = home.staged(b"library");
        assert_eq!(
            (staged.path.as_path(), mode(&path)),
            (path.as_path(), 0o500)
        );
    };
    let rewrite = |path: &Path, bytes: &[u8]| {
        fs::remove_file(path).expect("removed");
        fs::write(path, bytes).expect("written");
        set_mode(path, 0o500);
    };
    check(&|path| rewrite(path, b"librarY"));
    check(&|path| rewrite(path, b"librar"));
    check(&|path| rewrite(path, b"library and more"));
    check(&|path| rewrite(path, b""));
    check(&|path| set_mode(path, 0o777));
    check(&|path| {
        fs::remove_file(path).expect("removed");
        symlink("/etc/passwd", path).expect("a link");
    });
    check(&|path| {
        fs::remove_file(path).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()));
    });
    if rustix::process::geteuid().is_root() {
        check(&|path| chown(path, Some(4321), None).expect("root may"));
    }
    assert_eq!(
        home.names().len(),
        1,
        "nothing is left behind: {:?}",
        home.names()
    );
}

#[test]
fn what_is_mapped_is_never_written_to() {
    let home = Home::new();
    let staged = home.staged(b"library");
    let before = fs::metadata(&staged.path).expect("it is there").ino();
    set_mode(&staged.path, 0o777);
    home.staged(b"library");
    assert_ne!(
        fs::metadata(&staged.path).expect("it is there").ino(),
        before,
        "a new file"
    );
}

#[test]
fn a_directory_in_the_place_of_a_copy() {
    let home = Home::new();
    let path = home.staged(b"library").path;
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a directory");
    let error = home.stage(b"library").expect_err("it is in the way");
    assert_eq!(error.code(), "stage_io", "{error}");
    assert_eq!(
        home.names().len(),
        1,
        "the unfinished copy was removed: {:?}",
        home.names()
    );
}

#[test]
fn bytes_under_a_wrong_hash() {
    let home = Home::new();
    let error = stage(
        &home.cache(),
        b"library",
        ContentHash::of(b"other"),
        "sample",
    );
    assert_eq!(error.expect_err("refused").code(), "stage_other_hash");
    assert!(!home.cache().exists());
}

#[test]
fn a_cache_that_others_can_write_to() {
    let home = Home::new();
    home.staged(b"library");
    for bad in [0o777, 0o770, 0o702, 0o1777] {
        set_mode(&home.cache(), bad);
        home.refused("cache_writable", &format!("mode {bad:04o}"), "chmod go-w ");
    }
    // Readable by others is merely closed.
    set_mode(&home.cache(), 0o755);
    home.staged(b"library");
    assert_eq!(mode(&home.cache()), 0o700);
}

#[test]
fn a_cache_that_others_can_replace() {
    let home = Home::new();
    home.staged(b"library");
    let parent = home.cache().parent().expect("it has one").to_owned();
    set_mode(&parent, 0o777);
    home.refused("cache_writable", "mode 0777", "chmod go-w ");
    set_mode(&parent, 0o1777);
    home.staged(b"library");
}

#[test]
fn a_cache_of_another_user() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let home = Home::new();
    fs::create_dir_all(home.cache()).expect("made");
    set_mode(&home.cache(), 0o700);
    chown(home.cache(), Some(4321), None).expect("root may");
    home.refused(
        "cache_foreign_owner",
        "belongs to user 4321, expected 0",
        "makes its own",
    );
}

#[test]
fn a_cache_that_is_no_directory() {
    let home = Home::new();
    let parent = home.cache().parent().expect("it has one").to_owned();
    fs::create_dir(&parent).expect("made");
    fs::write(home.cache(), b"a file").expect("written");
    home.refused("cache_not_a_directory", "not a directory", "rm ");
    fs::remove_file(home.cache()).expect("removed");
    fs::create_dir(home.dir.path().join("elsewhere")).expect("made");
    symlink(home.dir.path().join("elsewhere"), home.cache()).expect("a link");
    home.refused("cache_not_a_directory", "not a directory", "rm ");
}

#[test]
fn many_at_once_agree() {
    let home = Home::new();
    let contents = vec![7_u8; 300_000];
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| home.staged(&contents).path))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]));
    assert_eq!(home.names().len(), 1, "{:?}", home.names());
}

#[test]
fn staging_while_others_prune() {
    let home = Home::new();
    home.staged(b"so that the cache is there");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let pruners: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        prune(&home.cache(), &[]).expect("pruned");
                    }
                })
            })
            .collect();
        // Counted, not asserted: the pruners must be told to end.
        let good = |staged: Staged| staged.kind == StagedKind::File && staged.path.exists();
        let stage = |round: u32| home.stage(&(round % 2).to_le_bytes()).map(good);
        let rounds: Vec<_> = (0..1000).map(stage).collect();
        done.store(true, Ordering::Relaxed);
        pruners
            .into_iter()
            .for_each(|pruner| pruner.join().expect("no panic"));
        let bad: Vec<_> = rounds
            .iter()
            .filter(|round| !matches!(round, Ok(true)))
            .collect();
        assert!(
            bad.is_empty(),
            "not staged, or pruned although it was held: {bad:?}"
        );
    });
}

#[test]
fn a_process_that_was_stopped_while_it_pruned_is_neither_waited_for_nor_overtaken() {
    let home = Home::new();
    let path = home.staged(b"library").path;
    let before = fs::metadata(&path).expect("it is there").ino();
    let stopped = fs::File::open(&path).expect("it can be read");
    rustix::fs::flock(&stopped, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    assert_eq!(
        home.stage(b"library")
            .expect_err("no copy to be had")
            .code(),
        "stage_unstable"
    );
    assert_eq!(fs::metadata(&path).expect("it is there").ino(), before);
    drop(stopped);
    home.staged(b"library");
}

#[test]
fn pruning_leaves_what_is_kept_held_or_not_ours() {
    let home = Home::new();
    let kept = home.staged(b"kept").path;
    let held = home.staged(b"held");
    let gone = home.staged(b"gone").path;
    let mut dead = std::process::Command::new("true")
        .spawn()
        .expect("true is installed");
    dead.wait().expect("it ended");
    let unfinished = home.cache().join(format!(".unfinished-{}-1", dead.id()));
    fs::write(&unfinished, b"half").expect("written");
    let alive = home
        .cache()
        .join(format!(".unfinished-{}-x", std::process::id()));
    fs::write(&alive, b"half").expect("written");
    for name in ["README", "libfoo.so", &"0".repeat(64)] {
        fs::write(home.cache().join(name), b"not ours").expect("written");
    }
    let mut expected = [gone, unfinished];
    expected.sort();
    assert_eq!(
        prune(&home.cache(), &[ContentHash::of(b"kept")]).expect("pruned"),
        expected
    );
    assert!(kept.exists() && held.path.exists() && alive.exists());
    assert_eq!(home.names().len(), 6);
    let last = held.path.clone();
    drop(held);
    assert_eq!(
        prune(&home.cache(), &[ContentHash::of(b"kept")]).expect("pruned"),
        [last]
    );
}

#[test]
fn pruning_where_there_is_nothing() {
    let home = Home::new();
    assert_eq!(
        prune(&home.cache(), &[]).expect("no cache"),
        Vec::<PathBuf>::new()
    );
    assert!(!home.cache().exists());
}

/// A program that opens the library it is given, calls `answer` and says whether that is 42.
#[cfg(target_os = "linux")]
mod opened {
    use std::process::Command;

    use rustix::fs::{SealFlags, fcntl_get_seals};

    use super::*;

    const OPENER: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **args) {
    void *library = dlopen(args[1], RTLD_NOW);
    if (!library) { puts(dlerror()); return 1; }
    int (*answer)(void) = (int (*)(void))dlsym(library, "answer");
    return answer() == 42 ? 0 : 2;
}"#;

    /// Set for the run of [`in_a_mount`] inside a mount namespace: where the odd file system is.
    const MOUNT: &str = "HERMES_TEST_MOUNT";

    struct Built {
        dir: tempfile::TempDir,
        library: Vec<u8>,
    }

    fn build() -> Built {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let file = |name: &str| dir.path().join(name);
        fs::write(file("open.c"), OPENER).expect("written");
        fs::write(file("lib.c"), "int answer(void) { return 42; }").expect("written");
        for args in [
            ["-o", "open", "open.c", "-ldl"],
            ["-shared", "-o", "lib.so", "lib.c"],
        ] {
            let made = Command::new("cc")
                .args(args)
                .current_dir(dir.path())
                .status();
            assert!(made.expect("cc is installed").success());
        }
        let library = fs::read(file("lib.so")).expect("built");
        Built { dir, library }
    }

    impl Built {
        fn opens(&self, path: &Path) -> bool {
            // A child sees our descriptors under our number, not under its own.
            let ours = std::process::id().to_string();
            let path = path.to_string_lossy().replace("self", &ours);
            let output = Command::new(self.dir.path().join("open"))
                .arg(path)
                .output();
            output.expect("it runs").status.success()
        }
    }

    #[test]
    fn a_copy_in_the_cache() {
        let built = build();
        let home = Home::new();
        assert!(built.opens(&home.staged(&built.library).path));
    }

    /// Runs [`in_a_mount`] where a file system with these options stands, for that run alone.
    ///
    /// Nothing is said on a machine whose kernel allows no namespaces.
    fn check(options: &str) {
        let allowed = Command::new("unshare").args(["-rm", "true"]).output();
        if !allowed.is_ok_and(|output| output.status.success()) {
            return;
        }
        let place = tempfile::tempdir().expect("a temporary directory");
        let script = format!(
            "mount -t tmpfs -o mode=700,{options} tmpfs \"${MOUNT}\" \
             && exec \"$0\" --exact opened::in_a_mount"
        );
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", &script])
            .arg(std::env::current_exe().expect("this program"))
            .env(MOUNT, place.path())
            .output()
            .expect("unshare runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }

    #[test]
    fn in_a_mount() {
        let Some(place) = std::env::var_os(MOUNT) else {
            return;
        };
        let place = PathBuf::from(place);
        let built = build();
        // The premise: a file there cannot be opened as a library, or cannot be written.
        let direct = place.join("lib.so");
        assert!(fs::write(&direct, &built.library).is_err() || !built.opens(&direct));

        let hash = ContentHash::of(&built.library);
        let staged = stage(&place.join("cache"), &built.library, hash, "sample").expect("staged");
        assert_eq!(staged.kind, StagedKind::Memory);
        assert!(staged.path.starts_with("/proc/self/fd"));
        assert!(built.opens(&staged.path));

        let seals = fcntl_get_seals(staged.as_fd()).expect("seals");
        assert_eq!(
            seals,
            SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL
        );
        assert!(
            fs::write(&staged.path, b"other").is_err(),
            "nobody can write to it"
        );
        assert_eq!(fs::read(&staged.path).expect("readable"), built.library);
    }

    #[test]
    fn a_home_where_nothing_may_be_executed() {
        check("noexec");
    }

    #[test]
    fn a_home_that_is_read_only() {
        check("ro");
    }
}
