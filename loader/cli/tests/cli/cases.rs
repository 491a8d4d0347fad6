//! The numbered cases of plugin loading, and the traps, as an operator meets them.

use crate::fixture::{Home, copy_hello, write};

#[test]
fn case_46_present_but_not_enabled_is_listed_with_the_command() {
    let home = Home::with_hello();
    home.write("config.yaml", "model: x\n");
    let row = &home.run(&["plugins", "list", "--json"], "").json()[0];
    assert_eq!(
        (&row["status"], &row["loads"]),
        (&"not enabled".into(), &false.into())
    );
    home.check(
        &["plugins", "inspect", "hello-plugin"],
        0,
        &["not enabled in config.yaml"],
        &["not enabled in config (run `hermes plugins enable hello-plugin`)"],
    );
    home.check(&["doctor"], 0, &["0 native plugins loaded"], &[]);
}

#[test]
fn case_47_a_name_in_both_lists_is_disabled() {
    let home = Home::with_hello();
    home.write(
        "config.yaml",
        "plugins:\n  enabled: [hello-plugin]\n  disabled: [hello-plugin]\n",
    );
    let row = &home.run(&["plugins", "list", "--json"], "").json()[0];
    assert_eq!(
        (&row["status"], &row["loads"]),
        (&"disabled".into(), &false.into())
    );
    home.check(
        &["hooks", "fire", "pre_tool_call", "--plugin", "hello-plugin"],
        1,
        &[],
        &["disabled via config"],
    );
}

#[test]
fn case_48_key_and_name_both_enable() {
    for name in ["cat/hello", "hello-plugin"] {
        let home = Home::new();
        home.plugin("cat/hello", "name: hello-plugin\n");
        copy_hello(&home.path("plugins/cat/hello"));
        home.write("config.yaml", &format!("plugins:\n  enabled: [{name}]\n"));
        home.check(
            &["doctor"],
            0,
            &["1 native plugin loaded", "cat/hello"],
            &[],
        );
        let row = &home.run(&["plugins", "list", "--json"], "").json()[0];
        assert_eq!(
            (&row["status"], &row["key"]),
            (&"enabled".into(), &"cat/hello".into())
        );
    }
}

#[test]
fn case_49_the_project_s_plugin_takes_the_place_of_the_user_s() {
    let home = Home::with_hello();
    write(
        home.beside(".hermes/plugins/hello-plugin/plugin.yaml"),
        "name: hello-plugin\nversion: project\n",
    );
    copy_hello(&home.beside(".hermes/plugins/hello-plugin"));
    let loaded = |variable: &str| {
        let output = home
            .command(&["plugins", "inspect", "hello-plugin", "--json"])
            .env("HERMES_ENABLE_PROJECT_PLUGINS", variable)
            .output()
            .expect("it runs");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(value["state"], "loaded");
        (value["version"].clone(), value["source"].clone())
    };
    assert_eq!(loaded("true"), ("project".into(), "project".into()));
    assert_eq!(loaded(""), ("0.1.0".into(), "user".into()));
}

#[test]
fn case_50_to_53_what_is_found_and_what_it_is_called() {
    let home = Home::new();
    home.plugin("a/b", "");
    home.plugin("x/y/z", "name: too-deep\n");
    home.plugin("empty", "");
    home.plugin("list", "- a\n");
    home.plugin("yaml", "name: [\n");
    home.plugin(".x", "");
    home.plugin("B", "");
    let plain = home.run(&["plugins", "list", "--plain"], "").out;
    let names: Vec<&str> = plain
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    // 51 sorts by code point, 50 stops at the second level, 53 names after the directory, and what 52 leaves
    // out of the loaded ones is listed all the same.
    assert_eq!(names, [".x", "B", "b", "empty", "list", "yaml"]);
    let rows = home.run(&["plugins", "list", "--json"], "").json();
    assert_eq!(rows[2]["key"], "a/b");
    assert_eq!(rows[4]["problem"], "manifest_not_a_mapping");
    assert_eq!(rows[5]["problem"], "manifest_syntax");
}

#[test]
fn case_54_an_odd_kind_is_a_warning() {
    let home = Home::with_hello();
    let manifest = home.path("plugins/hello-plugin/plugin.yaml");
    write(manifest.clone(), "name: hello-plugin\nkind: Weird\n");
    home.check(
        &["doctor"],
        1,
        &["1 native plugin loaded", "warning:", "Weird"],
        &[],
    );
    write(manifest, "name: hello-plugin\nkind: 5\n");
    home.check(
        &["doctor"],
        0,
        &["1 native plugin loaded", "all healthy"],
        &[],
    );
}

#[test]
fn case_56_a_missing_entry_symbol_stops_nobody_else() {
    let home = Home::with_hello();
    home.plugin("stranger", "name: stranger\n");
    let name = format!(
        "{}stranger{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let source = "/../../tests/fixtures/not-a-plugin.c";
    let compiled = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(home.path("plugins/stranger").join(name))
        .arg(format!("{}{source}", env!("CARGO_MANIFEST_DIR")))
        .status();
    assert!(compiled.is_ok_and(|status| status.success()));
    home.write(
        "config.yaml",
        "plugins:\n  enabled: [hello-plugin, stranger]\n",
    );
    let ran = home.check(
        &["hooks", "fire", "pre_tool_call"],
        0,
        &["hello-plugin"],
        &[
            "plugin `stranger` is not loaded: does not export `hermes_plugin_v1`",
            "[no_entry_point]",
            "hint:",
        ],
    );
    assert!(!ran.out.contains("stranger"), "{}", ran.out);
}

#[test]
fn case_61_enable_and_disable_with_exit_codes() {
    let home = Home::new();
    home.check(
        &["plugins", "enable", "nope"],
        1,
        &[],
        &["not installed or bundled"],
    );
    for name in ["b", "a", "c"] {
        home.plugin(name, "");
        home.check(
            &["plugins", "enable", name],
            0,
            &["enabled"],
            &["will be refused"],
        );
    }
    assert!(
        home.read("config.yaml").contains("- a\n    - b\n    - c\n"),
        "{}",
        home.read("config.yaml")
    );
    for name in ["c", "a"] {
        home.check(
            &["plugins", "disable", name],
            0,
            &["⊘ Plugin", "disabled."],
            &[],
        );
    }
    home.check(&["plugins", "disable", "a"], 0, &["already disabled"], &[]);
    assert!(
        home.read("config.yaml").contains("- a\n    - c\n"),
        "{}",
        home.read("config.yaml")
    );
}

#[test]
fn case_62_a_path_removes_nothing() {
    let home = Home::new();
    home.plugin("x", "");
    home.write("x/kept", "");
    for name in ["../x", "..", "/etc", "x/../x", ".", ""] {
        home.check(&["plugins", "remove", name], 1, &[], &["error:"]);
    }
    assert!(home.path("x/kept").exists() && home.path("plugins/x").exists());
}

#[test]
fn trap_the_status_says_nothing_of_what_loads() {
    let home = Home::new();
    home.plugin("broken", "name: broken\n");
    home.write("config.yaml", "plugins:\n  enabled: [broken]\n");
    let row = &home.run(&["plugins", "list", "--json"], "").json()[0];
    assert_eq!(
        (&row["status"], &row["problem"]),
        (&"enabled".into(), &"no_library".into())
    );
    home.check(
        &["plugins", "list"],
        0,
        &["enabled", "no_library"],
        &["The status is what config.yaml says"],
    );
}

#[test]
fn trap_one_bad_manifest_breaks_no_command() {
    let home = Home::with_hello();
    home.plugin("bad", "- not\n- a mapping\n");
    home.plugin("number", "name: 123\n");
    for args in [
        &["plugins", "disable", "hello-plugin"][..],
        &["plugins", "enable", "hello-plugin"],
        &["plugins", "list"],
        &["plugins", "inspect", "hello-plugin"],
        &["plugins", "check", "hello-plugin"],
        &["plugins", "disable", "bad"],
        &["plugins", "remove", "number"],
        &["plugins", "remove", "bad"],
    ] {
        let ran = home.run(args, "");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
    home.check(&["doctor"], 0, &["all healthy"], &[]);
}

#[test]
fn management_commands_load_nothing() {
    let home = Home::with_hello();
    for args in [
        &["plugins", "list"][..],
        &["plugins", "check", "hello-plugin"],
        &["plugins", "check"],
        &["plugins", "disable", "hello-plugin"],
        &["plugins", "enable", "hello-plugin"],
        &["plugins"],
    ] {
        let ran = home.run(args, "");
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    }
    // Whatever is opened is copied there first.
    assert!(!home.path("cache").exists());
    home.check(
        &["hooks", "fire", "pre_tool_call"],
        0,
        &["hello-plugin"],
        &[],
    );
    assert!(home.path("cache").exists());
}

#[test]
fn safe_mode_loads_nothing() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "fire", "pre_tool_call"],
        0,
        &["hello-plugin"],
        &[],
    );
    home.check(
        &["hooks", "fire", "pre_tool_call", "--safe-mode"],
        0,
        &["no handler was called"],
        &["Nobody registered"],
    );
    home.check(
        &["--safe-mode", "doctor"],
        1,
        &["0 native plugins loaded", "[safe_mode]", "--safe-mode"],
        &[],
    );
    home.check(
        &[
            "hooks",
            "fire",
            "pre_tool_call",
            "--plugin",
            "hello-plugin",
            "--safe-mode",
        ],
        1,
        &[],
        &["safe mode is on (--safe-mode)", "hint: run it without"],
    );
    for word in ["1", " TRUE ", "on"] {
        let output = home
            .command(&["plugins", "inspect", "hello-plugin", "--json"])
            .env("HERMES_SAFE_MODE", word)
            .output()
            .expect("it runs");
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(value["state"], "off", "{word}");
    }
    assert!(home.read("logs/agent.log").contains("safe mode"));
}

#[test]
fn debug_shows_the_log_of_the_plugins() {
    let home = Home::with_hello();
    let shown = |word: &str| {
        let output = home
            .command(&["hooks", "fire", "pre_tool_call"])
            .env("HERMES_PLUGINS_DEBUG", word)
            .output()
            .expect("it runs");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let said = shown("yes");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        !lines.is_empty() && lines.iter().all(|line| line.starts_with("[plugins] ")),
        "{said}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with("[plugins] INFO ")),
        "{said}"
    );
    assert_eq!(shown("0"), "");
}
