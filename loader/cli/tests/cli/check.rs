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

/// hello-plugin, whose library names other hooks: a document of the same length.
fn hello_with_hooks(home: &Home, hooks: &str) -> std::path::PathBuf {
    let mut bytes = std::fs::read(hello()).expect("the library");
    let old = br#"["pre_tool_call","on_session_start"]"#;
    assert!(hooks.len() <= old.len());
    let at = bytes
        .windows(old.len())
        .position(|part| part == old)
        .expect("it names its hooks");
    bytes[at..at + old.len()].fill(b' ');
    bytes[at..at + hooks.len()].copy_from_slice(hooks.as_bytes());
    home.plugin("hello-plugin", "name: hello-plugin\n");
    let name = hello().file_name().expect("a name");
    let library = home.path("plugins/hello-plugin").join(name);
    std::fs::write(&library, bytes).expect("written");
    library
}

#[test]
fn case_19_a_guard_that_guards_nothing_does_not_pass() {
    let home = Home::new();
    let library = text(&hello_with_hooks(&home, r#"["pre_tool_cal"]"#));
    let dir = text(&home.path("plugins/hello-plugin"));
    for target in [&library, &dir, "hello-plugin"] {
        home.check(
            &["plugins", "check", target],
            1,
            &[
                "never fires here hook pre_tool_cal: did you mean `pre_tool_call`?",
                "it is a guard and guards nothing: this host never fires `pre_tool_cal` [guards_nothing]",
                "hint: `pre_tool_cal`: did you mean `pre_tool_call`?",
            ],
            &[],
        );
    }
    let ran = home.run(&["plugins", "check", "hello-plugin", "--json"], "");
    assert_eq!(ran.code, Some(1));
    let value = &ran.json()[0];
    assert_eq!(
        (&value["ok"], &value["problem"]["code"]),
        (&false.into(), &"guards_nothing".into())
    );
    assert_eq!(value["hooks"][0]["fires"], "never fires here");
    // What only watches may wait for a host that fires it.
    home.write(
        "config.yaml",
        "plugins:\n  entries:\n    hello-plugin: {role: observer}\n",
    );
    home.check(
        &["plugins", "check", "hello-plugin"],
        0,
        &["would load here"],
        &[],
    );
    // One hook that is fired is enough.
    hello_with_hooks(&home, r#"["pre_tool_cal","pre_tool_call"]"#);
    home.check(
        &["plugins", "check", &dir],
        0,
        &["live             hook pre_tool_call"],
        &[],
    );
    hello_with_hooks(&home, r#"["on_stream_delta","session:start"]"#);
    home.check(
        &["plugins", "check", &dir],
        1,
        &[
            "needs a host with `on_stream_delta`",
            "a gateway event, not a plugin hook",
        ],
        &[],
    );
    // Without a word about hooks nothing is known.
    hello_with_hooks(&home, "[]");
    home.check(&["plugins", "check", &dir], 0, &["would load here"], &[]);
}

#[test]
fn without_arguments_everything_is_checked() {
    let home = Home::new();
    home.check(&["plugins", "check"], 0, &["No plugins installed."], &[]);
    let home = Home::with_hello();
    home.check(
        &["plugins", "check"],
        0,
        &["hello-plugin", "would load here"],
        &[],
    );
    home.plugin("empty", "");
    let ran = home.run(&["plugins", "check", "--json"], "");
    assert_eq!(ran.code, Some(1));
    let value = ran.json();
    let names: Vec<&serde_json::Value> = (0..3).map(|n| &value[n]["argument"]).collect();
    assert_eq!(names, ["empty", "hello-plugin", "config.yaml"]);
}
