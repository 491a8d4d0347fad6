//! What the style asks of the tree and a machine can check.

use std::{fs, path::PathBuf};

use hermes_tests::tree;

/// Longer than 500 lines, and why.
const LONG: &[(&str, &str)] = &[
    (
        "plugin-api/src/abi/frame.rs",
        "the functions of a call stand twice, over the two places it can live in",
    ),
    (
        "plugin-api/src/catalogue/table.rs",
        "one macro makes all hook points, views and payloads",
    ),
];

/// Where `unsafe` may stand besides tests, fixtures and benches, and why.
const UNSAFE: &[(&str, &str)] = &[
    ("plugin-api/src/abi.rs", "the boundary"),
    ("plugin-api/src/abi/", "the boundary"),
    ("plugin-api/src/guard.rs", "the guard"),
    (
        "plugin-api/src/export.rs",
        "the attributes of the exported symbol and section",
    ),
    (
        "plugin-api/src/extension/tools.rs",
        "the entry of a trait object, and what abi_stable's macros write",
    ),
    ("loader/src/boundary.rs", "the boundary"),
    ("loader/src/boundary/", "the boundary"),
    ("loader/src/library.rs", "opening a library"),
    ("loader/src/breadcrumb.rs", "a mapped file"),
];

const FORBIDDEN_NAMES: &[&str] = &[
    "utils", "util", "helpers", "helper", "common", "types", "manager", "misc",
];

fn read(path: &PathBuf) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Path from the root, and text.
fn sources() -> Vec<(String, String)> {
    let rust = tree::files()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".rs"));
    rust.map(|(name, path)| (name, read(&path))).collect()
}

fn in_directory(path: &str, directory: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| part == directory)
}

/// Lines that are not comments, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim_start()))
        .filter(|(_, line)| !line.starts_with("//"))
}

#[track_caller]
fn check(rule: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn every_file_says_its_job_first() {
    let says = |text: &str| text.starts_with("//! ") || text.starts_with("#![doc = include_str!(");
    let silent = sources()
        .into_iter()
        .filter(|(_, text)| !says(text))
        .map(|(name, _)| name);
    check("the first line is `//! …`", silent.collect());
}

#[test]
fn files_are_named_after_what_they_are() {
    let forbidden = |name: &String| {
        let stem = name
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".rs");
        stem == "mod" || FORBIDDEN_NAMES.contains(&stem)
    };
    check(
        "`foo.rs` beside `foo/`, and a name that says something",
        sources()
            .into_iter()
            .map(|(name, _)| name)
            .filter(forbidden)
            .collect(),
    );
}

#[test]
fn no_file_is_too_long() {
    let long = sources().into_iter().filter_map(|(name, text)| {
        let lines = text.lines().count();
        let excused = in_directory(&name, "tests") || LONG.iter().any(|(file, _)| *file == name);
        (lines > 500 && !excused).then(|| format!("{name}: {lines}"))
    });
    check("at most 500 lines, or a reason", long.collect());
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let marks = [
        "unsafe {",
        "unsafe fn",
        "unsafe impl",
        "unsafe extern",
        "unsafe(",
        "unsafe trait",
    ];
    let strays = sources().into_iter().flat_map(|(name, text)| {
        let room = UNSAFE
            .iter()
            .any(|(room, _)| name == *room || room.ends_with('/') && name.starts_with(room));
        let excused = room
            || ["tests", "fixtures", "benches"]
                .iter()
                .any(|directory| in_directory(&name, directory));
        let lines = code(&text)
            .filter(|(_, line)| !excused && marks.iter().any(|mark| line.contains(mark)));
        lines
            .map(|(number, line)| format!("{name}:{number}: {line}"))
            .collect::<Vec<_>>()
    });
    check(
        "`unsafe` only where ARCHITECTURE.md has it",
        strays.collect(),
    );
}

#[test]
fn libraries_never_print() {
    let marks = ["println!", "print!(", "dbg!", "stdout()", "stderr()"];
    let loud = sources().into_iter().flat_map(|(name, text)| {
        let library = name.starts_with("loader/src/") || name.starts_with("plugin-api/src/");
        let lines =
            code(&text).filter(|(_, line)| library && marks.iter().any(|mark| line.contains(mark)));
        lines
            .map(|(number, line)| format!("{name}:{number}: {line}"))
            .collect::<Vec<_>>()
    });
    check("both streams belong to the program", loud.collect());
}

#[test]
fn no_test_is_left_out() {
    // In two pieces, so that this file is not what it looks for.
    let marks = [concat!("#[", "ignore"), concat!("#[", "should_panic")];
    let skipped = sources().into_iter().flat_map(|(name, text)| {
        let lines = code(&text).filter(|(_, line)| marks.iter().any(|mark| line.starts_with(mark)));
        lines
            .map(|(number, line)| format!("{name}:{number}: {line}"))
            .collect::<Vec<_>>()
    });
    check(
        "assert today's behaviour, and say what is wrong with it",
        skipped.collect(),
    );
}

/// `profiles/work` is a place in a home; what begins with the slash is one on a machine.
fn is_a_path_from_the_root(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let before = line.get(..at).unwrap_or_default().chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
    })
}

#[test]
fn the_tree_knows_no_machine() {
    let marks = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let files = tree::files()
        .into_iter()
        .filter(|(_, path)| fs::metadata(path).is_ok_and(|facts| facts.len() < 1 << 20));
    let strays = files.flat_map(|(name, path)| {
        let text = read(&path);
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| marks.iter().any(|mark| is_a_path_from_the_root(line, mark)));
        lines
            .map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim()))
            .collect::<Vec<_>>()
    });
    check("no path of the machine it was written on", strays.collect());
}

#[test]
fn every_fixture_is_used() {
    let files = tree::files();
    let ours: Vec<(String, String)> = files
        .iter()
        .filter(|(name, _)| name.starts_with("tests/"))
        .map(|(name, path)| (name.clone(), read(path)))
        .collect();
    let tests: Vec<&String> = ours
        .iter()
        .filter(|(name, _)| name.starts_with("tests/tests/") || name.starts_with("tests/src/"))
        .map(|(_, text)| text)
        .collect();
    let idle = ours.iter().filter_map(|(name, _)| {
        let file = name.strip_prefix("tests/fixtures/")?;
        let stem = file
            .strip_suffix(".rs")
            .or_else(|| file.strip_suffix(".c"))?;
        let alone = !file.contains('/');
        (alone
            && !tests
                .iter()
                .any(|text| text.contains(&format!("\"{stem}\""))))
        .then(|| name.clone())
    });
    check("a fixture is there for a test", idle.collect());
}
