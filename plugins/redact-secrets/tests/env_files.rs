//! Env files on disk: missing, changed, gone, unreadable.

use std::fs;
use std::path::Path;

use redact_secrets::EnvFiles;

#[track_caller]
fn check(files: &mut EnvFiles, changed: bool, warnings: usize, texts: &[&str]) {
    let refresh = files.refresh();
    assert_eq!(
        (refresh.changed, refresh.warnings.len()),
        (changed, warnings)
    );
    let found = files.texts();
    let found: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(found, texts);
}

fn paths(list: &[&str]) -> Vec<String> {
    list.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn a_file_that_comes_changes_and_goes() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut files = EnvFiles::new(&paths(&[".env"]), dir.path(), None);
    check(&mut files, false, 0, &[]);
    fs::write(dir.path().join(".env"), "A=1").expect("written");
    check(&mut files, true, 0, &["A=1"]);
    check(&mut files, false, 0, &["A=1"]);
    fs::write(dir.path().join(".env"), "A=1\nB=2").expect("written");
    check(&mut files, true, 0, &["A=1\nB=2"]);
    // Its secrets stay secret.
    fs::remove_file(dir.path().join(".env")).expect("removed");
    check(&mut files, false, 0, &["A=1\nB=2"]);
}

#[test]
fn relative_absolute_and_home() {
    let (cwd, home) = (
        tempfile::tempdir().expect("dir"),
        tempfile::tempdir().expect("dir"),
    );
    let absolute = home.path().join("abs");
    fs::write(cwd.path().join("rel"), "R").expect("written");
    fs::write(&absolute, "A").expect("written");
    fs::write(home.path().join("h"), "H").expect("written");
    let list = paths(&[
        "rel",
        absolute.to_str().expect("UTF-8"),
        "~/h",
        "rel/below-a-file",
    ]);
    let mut files = EnvFiles::new(&list, cwd.path(), Some(home.path()));
    check(&mut files, true, 0, &["R", "A", "H"]);
}

#[test]
fn an_unreadable_file_is_one_warning() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join(".env")).expect("a directory in its place");
    let mut files = EnvFiles::new(&paths(&[".env"]), dir.path(), None);
    let refresh = files.refresh();
    let shown = refresh.warnings[0].to_string();
    assert!(
        shown.contains("not a regular file") && shown.contains("\nhint: "),
        "{shown}"
    );
    check(&mut files, false, 0, &[]);
}

#[test]
fn debug_shows_no_text() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join(".env"), "A=very-secret-1").expect("written");
    let mut files = EnvFiles::new(&paths(&[".env"]), Path::new(dir.path()), None);
    files.refresh();
    assert!(!format!("{files:?}").contains("very-secret"));
}
