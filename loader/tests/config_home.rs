//! Where a home is, and where its files lie.

use std::path::{Path, PathBuf};

use hermes_loader::home::{Home, HomeError};

#[track_caller]
fn check(variable: Option<&str>, fallback: Option<&str>, wanted: Result<&str, HomeError>) {
    let home = Home::choose(variable.map(Into::into), fallback.map(PathBuf::from));
    assert_eq!(
        home.map(|home| home.root().to_owned()),
        wanted.map(PathBuf::from)
    );
}

#[test]
fn the_variable_wins_without_its_white_space_and_without_expansion() {
    check(Some("/srv/a"), Some("/home/u/.hermes"), Ok("/srv/a"));
    check(Some("  /srv/a\n"), None, Ok("/srv/a"));
    check(Some("~/x"), None, Ok("~/x"));
    check(Some("relative"), None, Ok("relative"));
    check(Some(" "), Some("/home/u/.hermes"), Ok("/home/u/.hermes"));
    check(Some(""), Some("/home/u/.hermes"), Ok("/home/u/.hermes"));
    check(None, Some("/home/u/.hermes"), Ok("/home/u/.hermes"));
    check(Some(" "), None, Err(HomeError::Unknown));
    check(None, None, Err(HomeError::Unknown));
    assert!(HomeError::Unknown.cure().contains("HERMES_HOME"));
    assert_eq!(HomeError::Unknown.code(), "home_unknown");
}

#[test]
fn files_of_a_home() {
    let home = Home::at("/h");
    for (path, wanted) in [
        (home.config_file(), "/h/config.yaml"),
        (home.env_file(), "/h/.env"),
        (home.plugins_dir(), "/h/plugins"),
        (home.cache_dir(), "/h/cache/plugins"),
        (home.logs_dir(), "/h/logs"),
        (home.hooks_dir(), "/h/hooks"),
        (home.state_dir(), "/h/state/plugins"),
        (home.run_dir(), "/h/run"),
        (
            home.data_dir("command-guard"),
            "/h/plugin-data/command-guard",
        ),
        (home.data_dir("cat/x"), "/h/plugin-data/cat__x"),
    ] {
        assert_eq!(path, Path::new(wanted));
    }
}

#[test]
fn no_name_reaches_out_of_the_data_directory() {
    let home = Home::at("/h");
    for name in [
        "",
        ".",
        "..",
        "../x",
        "/etc",
        "a/../../b",
        "..\\x",
        "C:\\x",
        "a\0b",
        "\n",
    ] {
        let dir = home.data_dir(name);
        assert_eq!(dir.parent(), Some(Path::new("/h/plugin-data")), "{name:?}");
        assert!(dir.file_name().is_some(), "{name:?}");
    }
}
