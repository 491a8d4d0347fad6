//! Everything that is generated from the table of hooks and from the boundary, kept up to date.
//!
//! A stale file fails its test, and one command renews them all:
//! `UPDATE_GENERATED=1 cargo test -p hermes-plugin-api --test generated`.

mod answers;
mod c_names;
mod catalogue_rules;
mod compilers;
mod header;
mod hooks_page;
mod layout_in_c;
mod lock;
mod notes;
mod recipes;
mod rules;
#[path = "../layout/source.rs"]
mod source;
#[path = "../layout/structs.rs"]
mod structs;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether stale files are to be renewed instead of reported.
fn renewing() -> bool {
    std::env::var_os("UPDATE_GENERATED").is_some()
}

/// Holds a file to what it is generated from.
#[track_caller]
fn check_file(relative: &str, wanted: &str) {
    let path = repository().join(relative);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found == wanted {
        return;
    }
    if renewing() {
        let dir = path.parent().expect("a file has a directory");
        std::fs::create_dir_all(dir).expect("the directory can be made");
        std::fs::write(&path, wanted).expect("the file can be written");
        return;
    }
    panic!(
        "{relative} is stale{}\nrenew it with\n    \
         UPDATE_GENERATED=1 cargo test -p hermes-plugin-api --test generated",
        first_difference(&found, wanted),
    );
}

fn first_difference(found: &str, wanted: &str) -> String {
    let (mut found, mut wanted) = (found.lines(), wanted.lines());
    for number in 1.. {
        match (found.next(), wanted.next()) {
            (None, None) => break,
            (found, wanted) if found == wanted => {}
            (found, wanted) => {
                let show = |line: Option<&str>| {
                    line.map_or_else(
                        || "the end of the file".to_owned(),
                        |line| format!("`{line}`"),
                    )
                };
                return format!(
                    ": line {number} is {}, expected {}",
                    show(found),
                    show(wanted)
                );
            }
        }
    }
    String::new()
}

#[test]
fn the_header_is_up_to_date() {
    check_file("plugin-api/include/hermes_plugin.h", &header::text());
}

#[test]
fn the_page_of_hooks_is_up_to_date() {
    check_file("docs/hooks.md", &hooks_page::text());
}

#[test]
fn the_lock_is_up_to_date() {
    // A renewal must not make a lock forget: what is there is checked before anything is written.
    lock::check_only_additions();
    check_file("catalogue.lock", &lock::text());
}
