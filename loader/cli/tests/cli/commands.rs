//! `commands`, and the sub-commands that plugins add.

use serde_json::json;

use crate::fixture::Home;

const CONFIG: &str = "{commands: [Fence], cli: [count, plugins], skills: [[how-to, plugin.yaml]], \
                      tools: [{name: dice}, {name: needs, requires_env: [NO_SUCH_VARIABLE_HERE]}]}";

#[test]
fn everything_that_plugins_offer_is_listed() {
    let (home, name) = Home::with_offers(CONFIG);
    let ran = home.check(
        &["commands"],
        0,
        &[
            "/fence LINE",
            "hermes count",
            "Counts words.",
            "hidden: the program has one of this name itself",
            "dice",
            "unavailable: NO_SUCH_VARIABLE_HERE is not set",
            &format!("{name}:how-to"),
        ],
        &[],
    );
    let hidden = ran.out.lines().filter(|line| line.contains("hidden"));
    assert_eq!(hidden.count(), 1, "{}", ran.out);

    let value = home
        .check(&["commands", "--json"], 0, &["\"commands\""], &[])
        .json();
    let count = &value["commands"][3];
    let expected = json!({
        "plugin": name, "kind": "cli", "name": "count", "description": "Counts words.",
        "hint": "hermes NAME WORD...",
    });
    assert_eq!(*count, expected, "{value:#}");
    assert_eq!(
        value["tools"][1]["missing_env"],
        json!(["NO_SUCH_VARIABLE_HERE"])
    );
    assert_eq!(value["skills"][0]["name"], format!("{name}:how-to"));
}

#[test]
fn nothing_to_list_is_said() {
    Home::new().check(
        &["commands"],
        0,
        &["no plugin offers a command"],
        &["plugins list"],
    );
    let value = Home::new().run(&["commands", "--json"], "").json();
    assert_eq!(value, json!({"commands": [], "tools": [], "skills": []}));
}

#[test]
fn inspect_shows_what_a_plugin_offers() {
    let (home, name) = Home::with_offers(CONFIG);
    let shown = ["/fence LINE", "hermes count", "dice", "how-to"];
    home.check(&["plugins", "inspect", name], 0, &shown, &[]);
    let value = home.run(&["plugins", "inspect", name, "--json"], "").json();
    assert_eq!(
        value["commands"].as_array().map(Vec::len),
        Some(5),
        "{value:#}"
    );
    assert_eq!(value["skills"][0]["description"], "A skill.");
    assert_eq!(value["tools"], json!(["dice", "needs"]));
}

#[test]
fn a_plugins_sub_command_is_run() {
    let (home, name) = Home::with_offers(CONFIG);
    home.check(&["count"], 0, &[], &[]);
    home.check(&["count", "a", "--json", "-v"], 3, &["a+--json+-v\n"], &[]);
    home.check(&["--quiet", "count", "--home", "x"], 2, &["--home+x"], &[]);
    home.check(
        &["count", "--help"],
        0,
        &["Counts words.", "hermes NAME WORD...", name],
        &[],
    );
    home.check(
        &["count", "fail"],
        1,
        &[],
        &[
            "error: command `count` of plugin",
            "no such word",
            "logs --plugin",
        ],
    );
    home.check(&["count", "panic"], 1, &[], &["failed: boom"]);
    // The program's own goes first.
    home.check(&["--quiet", "plugins", "list"], 0, &[name], &[]);
}

#[test]
fn a_word_that_nobody_has_is_a_usage_error() {
    let (home, _) = Home::with_offers(CONFIG);
    home.check(
        &["coun", "a"],
        2,
        &[],
        &["unrecognized subcommand 'coun'", "Usage:"],
    );
    home.check(
        &["plugin", "list"],
        2,
        &[],
        &["unrecognized subcommand 'plugin'", "'plugins'"],
    );
    // A slash command is none of the terminal's.
    home.check(&["fence"], 2, &[], &["unrecognized subcommand 'fence'"]);
}

#[test]
fn plugins_are_loaded_only_for_words_that_are_none_of_the_programs() {
    let (home, _) = Home::with_offers("{skills: [[x, no-such-file]]}");
    home.check(&["--quiet", "plugins", "list"], 0, &["enabled"], &[]);
    home.check(
        &["count"],
        2,
        &[],
        &[
            "is not loaded",
            "there is nothing at",
            "unrecognized subcommand 'count'",
        ],
    );
}
