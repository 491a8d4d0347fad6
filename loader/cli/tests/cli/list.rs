//! `plugins`, `plugins list`, `plugins inspect`, `plugins update`.

use serde_json::json;

use crate::fixture::{Home, write};

#[test]
fn alone_it_says_that_it_needs_a_terminal() {
    Home::new().check(&["plugins"], 0, &["needs a terminal", "plugins list"], &[]);
}

#[test]
fn nothing_installed_is_said_with_a_hint() {
    let home = Home::new();
    home.check(
        &["plugins", "list"],
        0,
        &["No plugins installed."],
        &["Install with: hermes plugins install PATH"],
    );
    home.check(&["plugins", "ls", "--json"], 0, &["[]\n"], &[]);
    assert!(!home.path("").exists(), "listing makes no home");
}

#[test]
fn json_is_the_list_of_hermes_with_more_keys() {
    let home = Home::with_hello();
    let row = &home
        .check(
            &["plugins", "list", "--json"],
            0,
            &["[\n  {\n    \"name\": \"hello-plugin\""],
            &[],
        )
        .json()[0];
    let keys: Vec<&String> = row.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys.get(..5),
        Some(
            &["name", "status", "version", "description", "source"]
                .map(String::from)
                .each_ref()[..]
        )
    );
    assert_eq!(
        (&row["status"], &row["source"]),
        (&json!("enabled"), &json!("user"))
    );
    assert_eq!(
        (&row["form"], &row["loads"], &row["problem"]),
        (&json!("native"), &json!(true), &json!(null))
    );
}

#[test]
fn the_status_is_what_the_lists_say() {
    let home = Home::new();
    home.write(
        "config.yaml",
        "plugins:\n  enabled: [a, b, cat/x]\n  disabled: [b]\n",
    );
    for name in ["a", "b", "c"] {
        home.plugin(name, "version: 1.10\n");
    }
    home.plugin("cat/x", "name: x\n");
    home.plugin("broken", "- a list\n");
    let out = home
        .check(&["plugins", "list", "--plain"], 0, &["enabled"], &[])
        .out;
    let expected = [
        "enabled      user     1.10     a",
        "disabled     user     1.10     b",
        "not enabled  user     1.10     c",
        "enabled      user              x",
        "not enabled  user              broken",
    ];
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_by_key(|line| expected.iter().position(|expected| expected == line));
    assert_eq!(lines, expected);
    let rows = home
        .check(
            &["plugins", "list", "--json"],
            0,
            &["manifest_not_a_mapping", "no_library"],
            &[],
        )
        .json();
    assert_eq!(rows.as_array().map(Vec::len), Some(5));
    let enabled = home
        .check(
            &["plugins", "list", "--enabled", "--plain"],
            0,
            &["a\n"],
            &[],
        )
        .out;
    assert_eq!(enabled.lines().count(), 2);
}

#[test]
fn sources_can_be_left_out() {
    let home = Home::new();
    home.plugin("mine", "");
    home.plugin("checkout", "");
    std::fs::create_dir(home.path("plugins/checkout/.git")).expect("a directory");
    write(home.beside("bundled/theirs/plugin.yaml"), "");
    let plain = |args: &[&str]| {
        let mut all = vec!["plugins", "list", "--plain"];
        all.extend(args);
        let output = home
            .command(&all)
            .env("HERMES_BUNDLED_PLUGINS", home.beside("bundled"))
            .output()
            .expect("it runs");
        let out = String::from_utf8(output.stdout).expect("UTF-8");
        out.lines()
            .map(|line| {
                line.split_whitespace()
                    .skip(2)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(&[]), ["bundled theirs", "git checkout", "user mine"]);
    assert_eq!(plain(&["--user"]), ["git checkout", "user mine"]);
    assert_eq!(plain(&["--no-bundled"]), ["git checkout", "user mine"]);
}

#[test]
fn inspect_says_what_was_registered() {
    let home = Home::with_hello();
    home.check(
        &["plugins", "inspect", "hello-plugin"],
        0,
        &[
            "hello-plugin 0.1.0",
            "a guard",
            "pre_tool_call",
            "live",
            "terminal",
        ],
        &[],
    );
    let value = home
        .check(
            &["plugins", "inspect", "hello-plugin", "--json"],
            0,
            &["{"],
            &[],
        )
        .json();
    assert_eq!(value["state"], "loaded");
    assert_eq!(value["hooks"][0]["name"], "pre_tool_call");
    assert_eq!(value["hooks"][0]["fails_closed"], true);
    assert_eq!(value["faults"], json!([]));
    assert!(
        value["checks"]
            .as_array()
            .is_some_and(|checks| checks.len() > 8)
    );
}

#[test]
fn inspect_runs_nothing_that_is_not_enabled() {
    let home = Home::with_hello();
    home.check(
        &["plugins", "disable", "hello-plugin"],
        0,
        &["disabled"],
        &[],
    );
    home.check(
        &["plugins", "inspect", "hello-plugin"],
        0,
        &["off", "declared: pre_tool_call (live)"],
        &["Not loaded: disabled via config"],
    );
    let value = home
        .check(
            &["plugins", "inspect", "hello-plugin", "--json"],
            0,
            &["{"],
            &[],
        )
        .json();
    assert_eq!(
        (&value["state"], &value["guard"]),
        (&json!("off"), &json!(true))
    );
    assert!(!home.path("cache").exists());
}

#[test]
fn inspect_names_hooks_that_do_not_exist() {
    let home = Home::with_scripted("{pre_tool_cal: [{return: 1}]}");
    let name = home.run(&["plugins", "list", "--json"], "").json()[0]["name"]
        .as_str()
        .map(str::to_owned);
    home.check(
        &["plugins", "inspect", &name.expect("a name")],
        0,
        &["never fires here: did you mean `pre_tool_call`?"],
        &[],
    );
}

#[test]
fn inspect_of_a_refused_or_unknown_plugin_fails() {
    let home = Home::new();
    home.plugin("empty", "");
    home.write("config.yaml", "plugins: {enabled: [empty]}\n");
    home.check(
        &["plugins", "inspect", "empty"],
        1,
        &["refused"],
        &["no library", "[no_library]", "hint: build the plugin"],
    );
    home.check(
        &["plugins", "inspect", "empty", "--json"],
        1,
        &["\"code\": \"no_library\""],
        &[],
    );
    home.check(
        &["plugins", "inspect", "nope"],
        1,
        &[],
        &[
            "Plugin 'nope' is not installed or bundled.",
            "hint: installed: empty",
        ],
    );
}

#[test]
fn plain_is_four_columns() {
    let home = Home::new();
    home.plugin("a", "version: 1.2.3\n");
    home.plugin("b", "version: 10\n");
    std::fs::create_dir(home.path("plugins/b/.git")).expect("a directory");
    home.write("config.yaml", "plugins:\n  enabled: [b]\n");
    let ran = home.check(&["plugins", "list", "--plain"], 0, &["enabled"], &[]);
    assert_eq!(
        ran.out,
        "not enabled  user     1.2.3    a\nenabled      git      10       b\n"
    );
}

#[test]
fn plugins_of_the_project_are_pointed_at_but_not_listed() {
    let home = Home::new();
    write(home.beside(".hermes/plugins/p/plugin.yaml"), "name: p\n");
    home.plugin("mine", "");
    let output = home
        .command(&["plugins", "list", "--json"])
        .env("HERMES_ENABLE_PROJECT_PLUGINS", "yes")
        .output()
        .expect("it runs");
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
    assert_eq!(rows[0]["name"], "mine");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("1 plugin of the project not listed"),
        "{said}"
    );
}

#[test]
fn each_hook_is_live_or_not() {
    let home = Home::with_hello();
    let row = &home
        .check(&["plugins", "list", "--json"], 0, &["hooks"], &[])
        .json()[0];
    assert_eq!(
        row["hooks"],
        json!([
            {"name": "pre_tool_call", "liveness": "live", "fires": "live", "advice": null},
            {"name": "on_session_start", "liveness": "live", "fires": "live", "advice": null},
        ])
    );
    let home = Home::new();
    home.plugin(
        "m",
        "provides_hooks: [on_subagent_spawn, 'session:start', on_stream_delta, on_cron_start]\n",
    );
    home.check(
        &["plugins", "list"],
        0,
        &["3 never fired here, 1 unknown"],
        &[
            "hook on_subagent_spawn: never fires here: did you mean `subagent_start`?",
            "hook session:start: never fires here: a gateway event, not a plugin hook: subscribe with",
            "hook on_stream_delta: never fires here: needs a host with `on_stream_delta`",
            "hook on_cron_start: unknown: no host fires it",
        ],
    );
}
