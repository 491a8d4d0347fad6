//! `plugins check`.

use std::fs;

use serde_json::json;

use crate::fixture::{Home, copy_hello, hello, text, write};

#[test]
fn a_good_plugin_passes_as_file_directory_and_name() {
    let home = Home::with_hello();
    let file = text(hello());
    home.check(
        &["plugins", "check", &file],
        0,
        &[
            "hello-plugin 0.1.0",
            "passed           plugin ABI",
            "not checked here owner",
        ],
        &[],
    );
    let dir = text(&home.path("plugins/hello-plugin"));
    home.check(
        &["plugins", "check", &dir],
        0,
        &["passed           owner", "would load here"],
        &[],
    );
    home.check(
        &["plugins", "check", "hello-plugin"],
        0,
        &["passed           owner"],
        &[],
    );
    assert!(!home.path("cache").exists(), "checking opens nothing");
    let all = home
        .check(
            &["plugins", "check", &file, "hello-plugin", "--json"],
            0,
            &["["],
            &[],
        )
        .json();
    assert_eq!(
        (&all[0]["ok"], &all[1]["ok"], &all[1]["name"]),
        (&json!(true), &json!(true), &json!("hello-plugin"))
    );
}

#[test]
fn each_way_of_being_broken_has_a_code_a_sentence_and_a_cure() {
    let home = Home::new();
    let bytes = fs::read(hello()).expect("the library");
    let half = bytes.get(..bytes.len() / 2).expect("half of it").to_vec();
    let cases: [(&str, Vec<u8>, &str); 5] = [
        ("empty.so", Vec::new(), "the file is empty"),
        ("half.so", half, "truncated"),
        ("text.so", b"hello\n".to_vec(), "a text file"),
        ("script.so", b"#!/bin/sh\n".to_vec(), "a script"),
        ("page.so", b"<!DOCTYPE html><html>".to_vec(), "a web page"),
    ];
    for (name, bytes, words) in cases {
        let file = home.beside(name);
        fs::write(&file, bytes).expect("written");
        home.check(
            &["plugins", "check", &text(&file)],
            1,
            &["refused:", words, "hint:", "["],
            &[],
        );
        let value = home
            .check(
                &["plugins", "check", &text(&file), "--json"],
                1,
                &["\"cure\""],
                &[],
            )
            .json();
        assert_eq!(value[0]["ok"], false, "{name}");
        assert!(
            value[0]["problem"]["message"]
                .as_str()
                .is_some_and(|message| message.contains(words)),
            "{value}"
        );
    }
}

#[test]
fn one_refusal_among_several_counts() {
    let home = Home::with_hello();
    home.check(
        &["plugins", "check", "hello-plugin", "nope"],
        1,
        &["would load here"],
        &["Plugin 'nope' is not installed"],
    );
    let value = home
        .check(
            &["plugins", "check", "nope", "hello-plugin", "--json"],
            1,
            &["unknown_name"],
            &[],
        )
        .json();
    assert_eq!(
        (&value[0]["ok"], &value[1]["ok"]),
        (&json!(false), &json!(true))
    );
    home.check(
        &["plugins", "check", "./gone.so"],
        1,
        &["there is no such file", "[library_missing]"],
        &[],
    );
    home.check(&["plugins", "check"], 2, &[], &["PATH|NAME"]);
}

#[test]
fn a_directory_must_agree_with_its_library() {
    let home = Home::new();
    let manifest = write(home.beside("p/plugin.yaml"), "name: other\n");
    let dir = text(manifest.parent().expect("a directory"));
    home.check(
        &["plugins", "check", &dir],
        1,
        &["no library", "[no_library]"],
        &[],
    );
    copy_hello(&home.beside("p"));
    home.check(
        &["plugins", "check", &dir],
        1,
        &["[name_mismatch]", "hint: set `name: hello-plugin`"],
        &[],
    );
    fs::write(&manifest, "name: hello-plugin\nrole: gaurd\n").expect("written");
    home.check(
        &["plugins", "check", &dir],
        1,
        &["[manifest_word]", "gaurd"],
        &[],
    );
    fs::write(&manifest, "name: hello-plugin\n").expect("written");
    home.check(&["plugins", "check", &dir], 0, &["would load here"], &[]);
}

#[test]
fn a_crate_and_a_python_plugin_are_told_apart() {
    let home = Home::new();
    write(home.beside("crate/Cargo.toml"), "");
    home.check(
        &["plugins", "check", &text(&home.beside("crate"))],
        1,
        &["this is a crate", "cargo build --release"],
        &[],
    );
    home.plugin("py", "");
    home.write("plugins/py/__init__.py", "");
    home.check(&["plugins", "check", "py"], 0, &["written in Python"], &[]);
}

#[cfg(unix)]
#[test]
fn what_others_could_write_is_refused_where_it_is_installed() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_hello();
    let dir = home.path("plugins/hello-plugin");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).expect("changed");
    home.check(
        &["plugins", "check", "hello-plugin"],
        1,
        &["[world_writable]", "hint: chmod o-w"],
        &[],
    );
    home.check(
        &["plugins", "list", "--json"],
        0,
        &["\"problem\": \"world_writable\""],
        &[],
    );
}
