//! `plugins enable`, `disable`, `remove`.

use std::fs;

use crate::fixture::{Home, write};

const CONFIG: &str = "\
# mine
model: x # the best
plugins:
  enabled:
    # keeps me safe
    - zeta
  entries:
    a: {config: {k: v}}
";

#[test]
fn enable_and_disable_say_what_hermes_says() {
    let home = Home::new();
    home.plugin("a", "");
    home.check(
        &["plugins", "enable", "nope"],
        1,
        &[],
        &["Plugin 'nope' is not installed or bundled."],
    );
    home.check(
        &["plugins", "disable", "nope"],
        1,
        &[],
        &["Plugin 'nope' is not installed or bundled."],
    );
    assert_eq!(home.read("config.yaml"), "");
    home.check(
        &["plugins", "enable", "a"],
        0,
        &["✓ Plugin a enabled. Takes effect on next session."],
        &["will be refused", "[no_library]"],
    );
    home.check(
        &["plugins", "enable", "a"],
        0,
        &["already enabled"],
        &["will be refused"],
    );
    home.check(
        &["plugins", "disable", "a"],
        0,
        &["⊘ Plugin a disabled."],
        &[],
    );
    home.check(&["plugins", "disable", "a"], 0, &["already disabled"], &[]);
}

#[test]
fn comments_stay_and_lists_are_sorted() {
    let home = Home::new();
    home.write("config.yaml", CONFIG);
    home.plugin("a", "");
    home.plugin("zeta", "");
    home.check(
        &["plugins", "enable", "a"],
        0,
        &["enabled"],
        &["will be refused"],
    );
    let enabled = home.read("config.yaml");
    for kept in [
        "# mine",
        "model: x # the best",
        "# keeps me safe",
        "- a\n",
        "a: {config: {k: v}}",
    ] {
        assert!(enabled.contains(kept), "{kept:?} in\n{enabled}");
    }
    assert!(enabled.find("- a\n") < enabled.find("- zeta"), "{enabled}");
    home.check(&["plugins", "disable", "a"], 0, &["disabled"], &[]);
    assert!(home.read("config.yaml").contains("# keeps me safe"));
}

#[test]
fn a_category_s_plugin_is_found_by_each_of_its_names() {
    for typed in ["cat/x", "ex", "x"] {
        let home = Home::new();
        home.plugin("cat/x", "name: ex\n");
        home.write("config.yaml", "plugins:\n  disabled: [ex, cat/x]\n");
        home.check(
            &["plugins", "enable", typed],
            0,
            &["Plugin cat/x enabled."],
            &["will be refused"],
        );
        assert!(
            home.read("config.yaml").contains("cat/x"),
            "{}",
            home.read("config.yaml")
        );
        assert!(
            home.read("config.yaml").contains("disabled: []"),
            "{}",
            home.read("config.yaml")
        );
    }
    let home = Home::new();
    home.plugin("one/x", "");
    home.plugin("two/x", "");
    home.check(
        &["plugins", "enable", "x"],
        1,
        &[],
        &["several plugins: one/x, two/x", "hint: give the whole key"],
    );
}

#[test]
fn enabling_says_what_still_keeps_it_off() {
    let home = Home::with_hello();
    home.write("config.yaml", "plugins:\n  deny: [hello-plugin]\n");
    home.check(
        &["plugins", "enable", "hello-plugin"],
        0,
        &["enabled"],
        &["will not load all the same", "plugins.deny"],
    );
}

#[test]
fn a_config_that_cannot_be_edited_is_left_alone() {
    let home = Home::new();
    home.plugin("a", "");
    for config in ["plugins: [", "plugins: 5\n", "- a list\n"] {
        home.write("config.yaml", config);
        home.check(
            &["plugins", "enable", "a"],
            1,
            &[],
            &["error: config.yaml", "the file is as it was", "hint:"],
        );
        assert_eq!(home.read("config.yaml"), config);
    }
}

#[test]
fn one_broken_manifest_does_not_break_the_others() {
    let home = Home::new();
    home.plugin("bad", "- a list\n");
    home.plugin("worse", "name: 123\n");
    home.plugin("good", "");
    home.check(&["plugins", "disable", "good"], 0, &["disabled"], &[]);
    home.check(&["plugins", "disable", "bad"], 0, &["disabled"], &[]);
    home.check(
        &["plugins", "enable", "worse"],
        0,
        &["enabled"],
        &["will be refused", "manifest_name"],
    );
}

#[test]
fn remove_deletes_the_plugin_and_its_names() {
    let home = Home::new();
    home.write(
        "config.yaml",
        "plugins:\n  enabled: [a, b] # two\n  entries:\n    a: {config: {k: v}}\n",
    );
    home.plugin("a", "");
    home.plugin("b", "");
    home.write("plugin-data/a/data", "");
    home.check(
        &["plugins", "rm", "a"],
        0,
        &[
            "✓ Plugin a removed.",
            "its name is out of `plugins.enabled`",
        ],
        &["its settings", "its data", "--purge"],
    );
    assert!(
        !home.path("plugins/a").exists()
            && home.path("plugins/b").exists()
            && home.path("plugin-data/a/data").exists()
    );
    assert_eq!(
        home.read("config.yaml"),
        "plugins:\n  enabled: [b] # two\n  entries:\n    a: {config: {k: v}}\n"
    );
    let left: Vec<_> = fs::read_dir(home.path("plugins"))
        .expect("readable")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    home.check(&["plugins", "remove", "a"], 1, &[], &["not installed"]);
}

#[test]
fn purge_deletes_data_and_settings() {
    let home = Home::new();
    home.write(
        "config.yaml",
        "plugins:\n  entries:\n    a: {config: {k: v}}\n    b: {}\n",
    );
    home.plugin("a", "");
    home.write("plugin-data/a/data", "");
    home.check(
        &["plugins", "uninstall", "a", "--purge"],
        0,
        &["its settings", "its data"],
        &[],
    );
    assert!(!home.path("plugin-data/a").exists());
    assert_eq!(
        home.read("config.yaml"),
        "plugins:\n  entries:\n    b: {}\n"
    );
}

#[test]
fn nothing_outside_the_plugins_directory_is_deleted() {
    let home = Home::new();
    home.plugin("a", "");
    write(home.path("x/plugin.yaml"), "");
    for typed in ["../x", "..", ".", "/", "a/..", ""] {
        home.check(&["plugins", "remove", typed], 1, &[], &["error:"]);
    }
    home.check(
        &["plugins", "remove", "../x"],
        1,
        &[],
        &["nothing is deleted"],
    );
    assert!(home.path("x/plugin.yaml").exists() && home.path("plugins/a/plugin.yaml").exists());

    write(home.beside("bundled/theirs/plugin.yaml"), "");
    let output = home
        .command(&["plugins", "remove", "theirs"])
        .env("HERMES_BUNDLED_PLUGINS", home.beside("bundled"))
        .output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("plugins disable theirs"));
    assert!(home.beside("bundled/theirs/plugin.yaml").exists());
}

#[cfg(unix)]
#[test]
fn a_linked_plugin_is_unlinked() {
    let home = Home::new();
    write(home.beside("work/plugin.yaml"), "name: dev\n");
    fs::create_dir_all(home.path("plugins")).expect("a directory");
    std::os::unix::fs::symlink(home.beside("work"), home.path("plugins/dev")).expect("a link");
    home.check(&["plugins", "remove", "dev"], 0, &["removed"], &[]);
    assert!(
        home.beside("work/plugin.yaml").exists()
            && home.path("plugins/dev").symlink_metadata().is_err()
    );
}

#[test]
fn the_word_about_tools_is_written() {
    let home = Home::with_hello();
    let config = home.read("config.yaml");
    home.check(
        &["plugins", "enable", "hello-plugin"],
        0,
        &["already enabled"],
        &[],
    );
    assert_eq!(home.read("config.yaml"), config, "nobody was asked");
    home.check(
        &["plugins", "enable", "hello-plugin", "--allow-tool-override"],
        0,
        &["already enabled", "it may replace built-in tools"],
        &[],
    );
    assert!(
        home.read("config.yaml")
            .contains("entries:\n    hello-plugin:\n      allow_tool_override: true"),
        "{}",
        home.read("config.yaml")
    );
    let ran = home.check(
        &[
            "plugins",
            "enable",
            "hello-plugin",
            "--no-allow-tool-override",
            "--json",
        ],
        0,
        &["\"action\": \"already enabled\""],
        &[],
    );
    assert_eq!(ran.json()["allow_tool_override"], false);
    assert!(
        home.read("config.yaml")
            .contains("allow_tool_override: false")
    );
    home.check(
        &[
            "plugins",
            "enable",
            "hello-plugin",
            "--allow-tool-override",
            "--no-allow-tool-override",
        ],
        2,
        &[],
        &["cannot be used with"],
    );
}
