//! `plugins install` and `update` with repositories on this machine.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::fixture::{Home, copy_hello, text, write};

/// Whether git is there; where it is not, that is said and nothing is tested.
fn has_git() -> bool {
    let there = Command::new("git").arg("--version").output().is_ok();
    if !there {
        // Past the harness, which shows nothing of a test that passes.
        let _ = std::io::stderr()
            .write_all(b"SKIPPED: git is not installed, nothing about repositories is tested\n");
    }
    there
}

/// Runs git with nobody's settings.
#[track_caller]
fn git(home: &Home, dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args([
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(args)
        .env("HOME", home.beside(""))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A bare repository, and a checkout to fill it from.
struct Upstream {
    url: String,
}

impl Upstream {
    fn new(home: &Home) -> Self {
        let bare = home.beside("up.git");
        fs::create_dir_all(home.beside("work")).expect("a directory");
        git(
            home,
            &home.beside(""),
            &[
                "init",
                "--quiet",
                "--bare",
                "--initial-branch=main",
                &text(&bare),
            ],
        );
        let work = home.beside("work");
        git(home, &work, &["init", "--quiet", "--initial-branch=main"]);
        git(home, &work, &["remote", "add", "origin", &text(&bare)]);
        copy_hello(&work);
        let upstream = Self {
            url: format!("file://{}", text(&bare)),
        };
        write(home.beside("work/settings.yaml.example"), "k: 1\n");
        upstream.publish(home, "1");
        upstream
    }

    fn publish(&self, home: &Home, version: &str) {
        write(
            home.beside("work/plugin.yaml"),
            &format!("name: hello-plugin\nversion: {version}\n"),
        );
        self.push(home);
    }

    fn push(&self, home: &Home) {
        let work = home.beside("work");
        git(home, &work, &["add", "--all"]);
        git(home, &work, &["commit", "--quiet", "-m", "next"]);
        git(
            home,
            &work,
            &["push", "--quiet", "origin", "main", "--tags"],
        );
    }
}

#[test]
fn a_repository_is_installed_and_updated() {
    if !has_git() {
        return;
    }
    let home = Home::new();
    let upstream = Upstream::new(&home);
    home.check(
        &["plugins", "install", &upstream.url, "--enable"],
        0,
        &["✓ Plugin hello-plugin 1 installed in", "enabled"],
        &["warning: file://", "made settings.yaml"],
    );
    home.check(&["doctor"], 0, &["all healthy"], &[]);
    let listed = home.run(&["plugins", "list", "--json"], "").json();
    assert_eq!(listed[0]["source"], "git");
    home.check(
        &["plugins", "update", "hello-plugin"],
        0,
        &["already up to date"],
        &["Fetching"],
    );

    // What the user has there stays: files of his own, and those that were made from an example.
    home.write("plugins/hello-plugin/settings.yaml", "k: mine\n");
    home.write("plugins/hello-plugin/data/state.json", "{}");
    write(home.beside("work/settings.yaml.example"), "k: 2\n");
    write(home.beside("work/more.yaml.example"), "m: 1\n");
    upstream.publish(&home, "2");
    home.check(
        &["plugins", "update", "hello-plugin"],
        0,
        &["✓ Plugin hello-plugin 2 updated ("],
        &["kept", "settings.yaml", "made more.yaml"],
    );
    assert_eq!(home.read("plugins/hello-plugin/settings.yaml"), "k: mine\n");
    assert_eq!(
        home.read("plugins/hello-plugin/settings.yaml.example"),
        "k: 2\n"
    );
    assert_eq!(home.read("plugins/hello-plugin/data/state.json"), "{}");
    assert_eq!(home.read("plugins/hello-plugin/more.yaml"), "m: 1\n");
    home.check(&["doctor"], 0, &["all healthy"], &[]);

    // Even where the author now has a file of that name in the repository.
    write(home.beside("work/settings.yaml"), "k: theirs\n");
    upstream.publish(&home, "3");
    let ran = home.check(
        &["plugins", "update", "hello-plugin", "--json"],
        0,
        &["\"action\": \"updated\""],
        &["Fetching"],
    );
    assert_eq!(ran.json()["version"], "3");
    assert_eq!(home.read("plugins/hello-plugin/settings.yaml"), "k: mine\n");
    upstream.publish(&home, "4");
    home.check(
        &["plugins", "update", "hello-plugin"],
        0,
        &["4 updated"],
        &["kept"],
    );
    assert_eq!(home.read("plugins/hello-plugin/settings.yaml"), "k: mine\n");
    let left: Vec<_> = fs::read_dir(home.path("plugins"))
        .expect("readable")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_bad_commit_leaves_the_old_plugin() {
    if !has_git() {
        return;
    }
    let home = Home::new();
    let upstream = Upstream::new(&home);
    home.check(
        &["plugins", "install", &upstream.url, "--enable"],
        0,
        &["installed"],
        &["warning: file://"],
    );
    let library = crate::fixture::hello()
        .file_name()
        .expect("a name")
        .to_string_lossy();
    type Bad<'a> = &'a dyn Fn();
    let cases: [(Bad<'_>, &str); 4] = [
        (
            &|| {
                write(home.beside(&format!("work/{library}")), "no library\n");
            },
            "a text file",
        ),
        (
            &|| {
                write(home.beside("work/plugin.yaml"), "name: other\n");
                copy_hello(&home.beside("work"));
            },
            "[name_mismatch]",
        ),
        (
            &|| {
                write(
                    home.beside("work/plugin.yaml"),
                    "name: hello-plugin\nmanifest_version: 7\n",
                );
            },
            "[manifest_version]",
        ),
        (
            &|| {
                write(home.beside("work/plugin.yaml"), "name: hello-plugin\n");
                #[cfg(unix)]
                std::os::unix::fs::symlink("/etc/passwd", home.beside("work/passwd"))
                    .expect("linked");
                #[cfg(not(unix))]
                write(home.beside("work/plugin.yaml"), "[]\n");
            },
            "the plugin is as it was",
        ),
    ];
    for (spoil, says) in cases {
        spoil();
        upstream.push(&home);
        let ran = home.check(
            &["plugins", "update", "hello-plugin"],
            1,
            &[],
            &[says, "the plugin is as it was", "hint:"],
        );
        assert!(!ran.err.contains(".installing-"), "{}", ran.err);
        assert!(
            home.read("plugins/hello-plugin/plugin.yaml")
                .contains("version: 1")
        );
        home.check(&["doctor"], 0, &["all healthy"], &[]);
        let left: Vec<_> = fs::read_dir(home.path("plugins"))
            .expect("readable")
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}

#[test]
fn what_cannot_be_updated_is_said_with_a_cure() {
    let home = Home::new();
    home.plugin("x", "");
    home.check(
        &["plugins", "update", "x"],
        1,
        &[],
        &[
            "Plugin 'x' was not installed from git. Cannot update.",
            "hint: to replace it: hermes plugins install PATH --force",
        ],
    );
    home.check(
        &["plugins", "update", "nope"],
        1,
        &[],
        &["Plugin 'nope' is not installed or bundled."],
    );
    if !has_git() {
        return;
    }
    fs::create_dir(home.path("plugins/x/.git")).expect("a directory");
    home.check(
        &["plugins", "update", "x"],
        1,
        &[],
        &["git rev-parse", "fatal:"],
    );

    let upstream = Upstream::new(&home);
    home.check(
        &["plugins", "install", &upstream.url, "--no-enable"],
        0,
        &["installed"],
        &["warning: file://"],
    );
    home.write(
        "plugins/hello-plugin/plugin.yaml",
        "name: hello-plugin\nversion: mine\n",
    );
    upstream.publish(&home, "2");
    home.check(
        &["plugins", "update", "hello-plugin"],
        1,
        &[],
        &["has local changes in plugin.yaml", "hint: undo them"],
    );
    git(
        &home,
        &home.path("plugins/hello-plugin"),
        &["checkout", "--quiet", "."],
    );
    fs::rename(home.beside("up.git"), home.beside("gone.git")).expect("moved");
    home.check(
        &["plugins", "update", "hello-plugin"],
        1,
        &[],
        &["git clone file://", "fatal:", "hint:"],
    );
    assert!(
        home.read("plugins/hello-plugin/plugin.yaml")
            .contains("version: 1")
    );
}

#[test]
fn a_directory_of_a_repository() {
    if !has_git() {
        return;
    }
    let home = Home::new();
    let upstream = Upstream::new(&home);
    let work = home.beside("work");
    fs::create_dir_all(work.join("plugins/hello")).expect("a directory");
    copy_hello(&work.join("plugins/hello"));
    write(
        work.join("plugins/hello/plugin.yaml"),
        "name: hello-plugin\nversion: deep\n",
    );
    upstream.push(&home);
    for identifier in [
        format!("{}/plugins/hello", upstream.url),
        format!("{}#plugins/hello", upstream.url),
    ] {
        home.check(
            &["plugins", "install", &identifier, "--force", "--no-enable"],
            0,
            &["Plugin hello-plugin deep"],
            &["warning: file://"],
        );
        assert!(!home.path("plugins/hello-plugin/.git").exists());
    }
    home.check(
        &["plugins", "install", &format!("{}#nowhere", upstream.url)],
        1,
        &[],
        &["there is no directory `nowhere` in it", "hint:"],
    );
    home.check(
        &["plugins", "install", &upstream.url],
        1,
        &[],
        &["is installed already", "--force"],
    );
}

#[test]
fn without_git_it_says_what_to_install() {
    let home = Home::with_hello();
    let output = home
        .command(&["plugins", "install", "https://example.org/x.git"])
        .env("PATH", home.beside("nowhere"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("git is not there") && said.contains("hint: install git"),
        "{said}"
    );
    home.check(&["doctor"], 0, &["all healthy"], &[]);
}
