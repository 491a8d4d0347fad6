//! Edits of the config.yaml of a home: cases 61 and 62, and what happens to the file.

use std::fs;
use std::path::Path;

use hermes_loader::config::Config;
use hermes_loader::config::edit::{Change, EditError, apply};
use hermes_loader::home::Home;
use hermes_loader::manifest::check_name;

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().expect("temp dir");
    let home = Home::at(dir.path().join("home"));
    (dir, home)
}

fn text(home: &Home) -> String {
    fs::read_to_string(home.config_file()).expect("config.yaml")
}

fn write(home: &Home, text: &str) {
    fs::create_dir_all(home.root()).expect("home");
    fs::write(home.config_file(), text).expect("config.yaml");
}

fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("directory").map(|entry| {
        let name = entry.expect("entry").file_name();
        name.to_string_lossy().into_owned()
    });
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[test]
fn case_61_enable_and_disable_keep_sorted_lists() {
    let (_dir, home) = home();
    for name in ["b", "c", "a"] {
        assert!(matches!(apply(&home, &Change::enable(name)), Ok(true)));
    }
    assert_eq!(
        text(&home),
        "plugins:\n  enabled:\n    - a\n    - b\n    - c\n"
    );
    assert!(matches!(apply(&home, &Change::enable("b")), Ok(false)));
    assert!(matches!(apply(&home, &Change::disable("b")), Ok(true)));
    assert!(matches!(apply(&home, &Change::disable("b")), Ok(false)));
    assert!(matches!(apply(&home, &Change::disable("a")), Ok(true)));
    assert_eq!(
        text(&home),
        "plugins:\n  enabled:\n    - c\n  disabled:\n    - a\n    - b\n"
    );
    let config = Config::load(&home, &|_| None);
    assert_eq!(config.problems(), []);
    assert_eq!(files(home.root()), ["config.yaml"]);
}

#[test]
fn case_62_a_name_is_never_a_path() {
    for name in ["../x", "a/b", "..", ".", "a\\b", "", "  ", "a\0"] {
        assert!(check_name(name).is_err(), "{name:?}");
    }
    for name in ["command-guard", "été", ".x", "a b", "x..y"] {
        assert!(check_name(name).is_ok(), "{name:?}");
    }
}

#[test]
fn forget_takes_out_every_mention() {
    let (_dir, home) = home();
    write(
        &home,
        "plugins:\n  enabled: [a, g]\n  disabled: [g]\n  entries:\n    g: {config: {}}\n    a: {}\n",
    );
    assert!(matches!(apply(&home, &Change::forget("g")), Ok(true)));
    assert_eq!(
        text(&home),
        "plugins:\n  enabled: [a]\n  disabled: []\n  entries:\n    a: {}\n"
    );
}

#[test]
fn a_refused_change_leaves_the_file_alone() {
    let (_dir, home) = home();
    let before = "plugins:\n  enabled: [g]\n  disabled: true\n";
    write(&home, before);
    let error = apply(&home, &Change::disable("g")).map_err(|error| error.code());
    assert_eq!(error, Err("edit_shape"));
    assert_eq!(text(&home), before);
    assert_eq!(files(home.root()), ["config.yaml"]);
}

#[test]
fn what_is_no_text_file_is_refused() {
    let (_dir, home) = home();
    fs::create_dir_all(home.config_file()).expect("directory");
    let error = apply(&home, &Change::enable("g"));
    assert!(
        matches!(error, Err(EditError::Unreadable { .. })),
        "{error:?}"
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("metadata").permissions().mode() & 0o777
    }

    #[test]
    fn the_mode_stays_and_a_new_file_is_private() {
        let (_dir, home) = home();
        assert!(matches!(apply(&home, &Change::enable("a")), Ok(true)));
        assert_eq!(mode(&home.config_file()), 0o600);
        let permissions = fs::Permissions::from_mode(0o640);
        fs::set_permissions(home.config_file(), permissions).expect("chmod");
        assert!(matches!(apply(&home, &Change::enable("b")), Ok(true)));
        assert_eq!(mode(&home.config_file()), 0o640);
    }

    #[test]
    fn a_link_stays_and_its_target_changes() {
        let (dir, home) = home();
        let target = dir.path().join("dotfiles");
        fs::create_dir_all(&target).expect("dotfiles");
        fs::write(target.join("hermes.yaml"), "# shared\n").expect("target");
        fs::create_dir_all(home.root()).expect("home");
        symlink("../dotfiles/hermes.yaml", home.config_file()).expect("link");
        assert!(matches!(apply(&home, &Change::enable("a")), Ok(true)));
        let about = fs::symlink_metadata(home.config_file()).expect("link");
        assert!(about.file_type().is_symlink());
        let wanted = "# shared\nplugins:\n  enabled:\n    - a\n";
        let got = fs::read_to_string(target.join("hermes.yaml")).expect("target");
        assert_eq!(got, wanted);
        assert_eq!(files(&target), ["hermes.yaml"]);
    }

    #[test]
    fn a_link_to_nothing_gets_its_target() {
        let (dir, home) = home();
        fs::create_dir_all(home.root()).expect("home");
        symlink(dir.path().join("later.yaml"), home.config_file()).expect("link");
        assert!(matches!(apply(&home, &Change::enable("a")), Ok(true)));
        assert!(dir.path().join("later.yaml").is_file());
    }
}
