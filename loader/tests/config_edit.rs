//! Edits of config.yaml, as texts before and after.

use hermes_loader::config::edit::{Change, List, edit};

fn add(name: &str) -> Change {
    Change::Add(List::Enabled, name.to_owned())
}

fn drop(name: &str) -> Change {
    Change::Remove(List::Enabled, name.to_owned())
}

fn ban(name: &str) -> Change {
    Change::Add(List::Disabled, name.to_owned())
}

fn entry(name: &str) -> Change {
    Change::RemoveEntry(name.to_owned())
}

#[track_caller]
fn check(change: Change, before: &str, after: &str) {
    let edited = edit(before, &change).map_err(|error| format!("{error}: {}", error.cure()));
    assert_eq!(edited.as_deref(), Ok(after));
    // Doing it twice is doing it once.
    let again = edit(after, &change).map_err(|error| error.to_string());
    assert_eq!(again.as_deref(), Ok(after));
}

#[track_caller]
fn refused(change: Change, before: &str, code: &str, cure: &str) {
    let error = match edit(before, &change) {
        Ok(edited) => panic!("expected {code}, got the text {edited:?}"),
        Err(error) => error,
    };
    assert_eq!(error.code(), code, "{error}");
    assert!(error.cure().contains(cure), "{}", error.cure());
    assert!(error.to_string().starts_with("config.yaml"), "{error}");
}

#[test]
fn nothing_there_yet() {
    let section = "plugins:\n  enabled:\n    - a\n";
    check(add("a"), "", section);
    check(
        add("a"),
        "# mine\n",
        "# mine\nplugins:\n  enabled:\n    - a\n",
    );
    check(
        add("a"),
        "# mine",
        "# mine\nplugins:\n  enabled:\n    - a\n",
    );
    check(add("a"), "---\n", "---\nplugins:\n  enabled:\n    - a\n");
    check(add("a"), "{}\n", "{\"plugins\": {\"enabled\": [\"a\"]}}\n");
    check(
        add("a"),
        "\u{feff}",
        "\u{feff}plugins:\n  enabled:\n    - a\n",
    );
    check(ban("a"), "", "plugins:\n  disabled:\n    - a\n");
}

#[test]
fn no_plugins_section() {
    check(
        add("a"),
        "model: x # best\nhooks: {}\n",
        "model: x # best\nhooks: {}\nplugins:\n  enabled:\n    - a\n",
    );
    check(
        add("a"),
        "model: x",
        "model: x\nplugins:\n  enabled:\n    - a\n",
    );
    check(
        add("a"),
        "model: x\r\nhooks: {}\r\n",
        "model: x\r\nhooks: {}\r\nplugins:\r\n  enabled:\r\n    - a\r\n",
    );
    check(
        add("a"),
        "  model: x\n",
        "  model: x\n  plugins:\n    enabled:\n      - a\n",
    );
    check(
        add("a"),
        "{\n  \"model\": \"x\"\n}\n",
        "{\n  \"plugins\": {\"enabled\": [\"a\"]},\n  \"model\": \"x\"\n}\n",
    );
}

#[test]
fn an_empty_plugins_section() {
    check(add("a"), "plugins:\n", "plugins:\n  enabled:\n    - a\n");
    check(
        add("a"),
        "plugins: # none\nx: 1\n",
        "plugins: # none\n  enabled:\n    - a\nx: 1\n",
    );
    check(
        add("a"),
        "plugins: ~\nx: 1\n",
        "plugins: {enabled: [a]}\nx: 1\n",
    );
    check(add("a"), "plugins: {}\n", "plugins: {enabled: [a]}\n");
    check(add("a"), "plugins:", "plugins:\n  enabled:\n    - a\n");
}

#[test]
fn a_section_without_the_list() {
    check(
        add("a"),
        "plugins:\n  # settings\n  entries:\n    g: {}\n",
        "plugins:\n  enabled:\n    - a\n  # settings\n  entries:\n    g: {}\n",
    );
    check(
        ban("z"),
        "plugins:\n    enabled:\n    - a\n\n    # settings\n    entries: {}\n",
        "plugins:\n    enabled:\n    - a\n    disabled:\n    - z\n\n    # settings\n    entries: {}\n",
    );
    check(
        ban("z"),
        "plugins:\n  enabled:\n      - a",
        "plugins:\n  enabled:\n      - a\n  disabled:\n      - z\n",
    );
    check(
        add("z"),
        "plugins:\n  disabled:\n  - a\n",
        "plugins:\n  enabled:\n  - z\n  disabled:\n  - a\n",
    );
    check(
        ban("z"),
        "plugins: {enabled: [a]}\n",
        "plugins: {disabled: [z], enabled: [a]}\n",
    );
    check(
        ban("z"),
        "plugins: { enabled: [a] }\n",
        "plugins: { disabled: [z], enabled: [a] }\n",
    );
}

#[test]
fn an_empty_list() {
    check(
        add("a"),
        "plugins:\n  enabled: []\n",
        "plugins:\n  enabled: [a]\n",
    );
    check(
        add("a"),
        "plugins:\n  enabled: [ ] # none\n",
        "plugins:\n  enabled: [a] # none\n",
    );
    check(
        add("a"),
        "plugins:\n  enabled: # none\n  disabled: []\n",
        "plugins:\n  enabled: # none\n    - a\n  disabled: []\n",
    );
    check(
        add("a"),
        "plugins:\n  enabled: null\n",
        "plugins:\n  enabled: [a]\n",
    );
    check(
        add("a"),
        "plugins: {enabled: }\n",
        "plugins: {enabled: [a] }\n",
    );
    check(
        add("a"),
        "plugins:\n  enabled:",
        "plugins:\n  enabled:\n    - a\n",
    );
}

#[test]
fn flow_lists() {
    check(
        add("b"),
        "plugins:\n  enabled: [a, c]\n",
        "plugins:\n  enabled: [a, b, c]\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled: [ c, a ]\n",
        "plugins:\n  enabled: [ a, b, c ]\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled: [a,c] # x\n",
        "plugins:\n  enabled: [a,b,c] # x\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled: [\n    a,\n    c,\n  ]\n",
        "plugins:\n  enabled: [\n    a,\n    b,\n    c,\n  ]\n",
    );
    check(
        add("b"),
        "plugins: {\"enabled\": [\"a\"]}\n",
        "plugins: {\"enabled\": [\"a\", \"b\"]}\n",
    );
    check(
        drop("b"),
        "plugins:\n  enabled: [a, b, c]\n",
        "plugins:\n  enabled: [a, c]\n",
    );
    check(
        drop("a"),
        "plugins:\n  enabled: [a]\n",
        "plugins:\n  enabled: []\n",
    );
    check(
        drop("a"),
        "plugins:\n  enabled: [c, 'a', \"b\"]\n",
        "plugins:\n  enabled: [\"b\", c]\n",
    );
    check(
        add("x, y"),
        "plugins:\n  enabled: [a]\n",
        "plugins:\n  enabled: [a, \"x, y\"]\n",
    );
}

#[test]
fn block_lists_at_either_indentation() {
    check(
        add("b"),
        "plugins:\n  enabled:\n  - a\n  - c\nx: 1\n",
        "plugins:\n  enabled:\n  - a\n  - b\n  - c\nx: 1\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n    - a\n    - c\nx: 1\n",
        "plugins:\n  enabled:\n    - a\n    - b\n    - c\nx: 1\n",
    );
    check(
        add("d"),
        "plugins:\n  enabled:\n  - a\n  - c",
        "plugins:\n  enabled:\n  - a\n  - c\n  - d\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n  - c\n  - a\n",
        "plugins:\n  enabled:\n  - a\n  - b\n  - c\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n  - a\n  - a\n",
        "plugins:\n  enabled:\n  - a\n  - b\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n  -\n    a\n  -   c\n",
        "plugins:\n  enabled:\n  -\n    a\n  - b\n  -   c\n",
    );
    check(
        drop("b"),
        "plugins:\n  enabled:\n  - a\n  - b # why\n  - c\n",
        "plugins:\n  enabled:\n  - a\n  - c\n",
    );
    check(
        drop("a"),
        "plugins:\n  enabled: # on\n  # mine\n  - a\n  disabled: []\n",
        "plugins:\n  enabled: [] # on\n  # mine\n  disabled: []\n",
    );
    check(
        drop("a"),
        "plugins:\n  enabled:\n  - 'a'\n  - \"b\"\n",
        "plugins:\n  enabled:\n  - \"b\"\n",
    );
}

#[test]
fn comments_stay_with_their_items() {
    check(
        add("b"),
        "plugins:\n  enabled:\n    # all of them\n    - c\n    - d # late\n\n    # end\n",
        "plugins:\n  enabled:\n    # all of them\n    - b\n    - c\n    - d # late\n\n    # end\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n    # guards\n    - d\n\n    # logs\n    - a # first\n",
        "plugins:\n  enabled:\n\n    # logs\n    - a # first\n    - b\n    # guards\n    - d\n",
    );
    check(
        drop("b"),
        "plugins:\n  enabled:\n    - a\n    # - old\n    - b\n    - c\n",
        "plugins:\n  enabled:\n    - a\n    # - old\n    - c\n",
    );
    check(
        drop("c"),
        "plugins:\n  enabled:\n    - a\n    # last\n    - c\nx: 1\n",
        "plugins:\n  enabled:\n    - a\n    # last\nx: 1\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n  - a #\ttab\there\n#\tout here\n  - c\n",
        "plugins:\n  enabled:\n  - a #\ttab\there\n  - b\n#\tout here\n  - c\n",
    );
}

#[test]
fn other_line_ends_marks_and_letters() {
    check(
        add("b"),
        "plugins:\r\n  enabled:\r\n  - a # eins\r\n  - c\r\n",
        "plugins:\r\n  enabled:\r\n  - a # eins\r\n  - b\r\n  - c\r\n",
    );
    check(
        drop("c"),
        "plugins:\r\n  enabled:\r\n  - a\r\n  - c",
        "plugins:\r\n  enabled:\r\n  - a\r\n",
    );
    check(
        add("b"),
        "\u{feff}plugins:\n  enabled:\n  - a\n",
        "\u{feff}plugins:\n  enabled:\n  - a\n  - b\n",
    );
    check(
        add("été"),
        "# 日本語\nplugins:\n  enabled:\n  - zèbre # ü\n  - 猫\n",
        "# 日本語\nplugins:\n  enabled:\n  - zèbre # ü\n  - été\n  - 猫\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled: [ä, ö] # ü\n",
        "plugins:\n  enabled: [b, ä, ö] # ü\n",
    );
    check(
        add("yes"),
        "plugins:\n  enabled:\n  - a\n",
        "plugins:\n  enabled:\n  - a\n  - \"yes\"\n",
    );
    check(
        add("1.0"),
        "plugins:\n  enabled: [a]\n",
        "plugins:\n  enabled: [\"1.0\", a]\n",
    );
    check(
        add("cat/x"),
        "plugins:\n  enabled: [a]\n",
        "plugins:\n  enabled: [a, cat/x]\n",
    );
}

#[test]
fn anchors_and_aliases_elsewhere() {
    check(
        add("b"),
        "base: &base {x: 1}\nplugins:\n  enabled:\n  - a\n  entries:\n    a: *base\n",
        "base: &base {x: 1}\nplugins:\n  enabled:\n  - a\n  - b\n  entries:\n    a: *base\n",
    );
    check(
        add("b"),
        "n: &n a\nplugins:\n  enabled: [*n , c]\n",
        "n: &n a\nplugins:\n  enabled: [*n , b , c]\n",
    );
    check(
        add("b"),
        "plugins:\n  enabled:\n  - &x a\n  - !!str c\nlast: *x\n",
        "plugins:\n  enabled:\n  - &x a\n  - b\n  - !!str c\nlast: *x\n",
    );
    check(
        add("b"),
        "base: &base\n  enabled: [a]\nplugins:\n  <<: *base\n  deny: []\n",
        "base: &base\n  enabled: [a]\nplugins:\n  enabled:\n    - a\n    - b\n  <<: *base\n  deny: []\n",
    );
}

#[test]
fn entries() {
    check(
        entry("g"),
        "plugins:\n  entries:\n    a: {x: 1}\n    g: # mine\n      config:\n        x: |\n          text\n\n      role: guard # yes\n    z: {}\n",
        "plugins:\n  entries:\n    a: {x: 1}\n    z: {}\n",
    );
    check(
        entry("g"),
        "plugins:\n  entries: # all\n    # about g\n    g:\n      config: {}\nx: 1\n",
        "plugins:\n  entries: {} # all\n    # about g\nx: 1\n",
    );
    check(
        entry("g"),
        "plugins:\n  entries: {a: {}, g: {x: 1}, z: {}}\n",
        "plugins:\n  entries: {a: {}, z: {}}\n",
    );
    check(
        entry("g"),
        "plugins:\n  entries: {g: {}}\n",
        "plugins:\n  entries: {}\n",
    );
    check(
        entry("g"),
        "plugins: {entries: {g: , z: 1}}\n",
        "plugins: {entries: {z: 1}}\n",
    );
    check(
        entry("g"),
        "plugins:\n  entries:\n    g:\n    z:\n",
        "plugins:\n  entries:\n    z:\n",
    );
    check(
        entry("cat/x"),
        "plugins:\n  entries:\n    'cat/x': {a: 1}\n    y: {}\n",
        "plugins:\n  entries:\n    y: {}\n",
    );
    check(
        entry("g"),
        "plugins:\r\n  entries:\r\n    g:\r\n      x: 1\r\n    z: {}",
        "plugins:\r\n  entries:\r\n    z: {}",
    );
}

#[test]
fn nothing_to_do() {
    for (change, text) in [
        (drop("a"), ""),
        (drop("a"), "plugins: nonsense\n"),
        (drop("a"), "plugins:\n  enabled: true\n"),
        (drop("a"), "plugins:\n  enabled: [c, b]\n"),
        (add("b"), "plugins:\n  enabled: [c, b]\n"),
        (entry("g"), "plugins:\n  entries: [g]\n"),
        (entry("g"), "plugins:\n  entries:\n    h: {}\n"),
    ] {
        check(change, text, text);
    }
}

#[test]
fn what_is_refused_says_what_to_write() {
    let lines = "plugins:\n  enabled: [a]";
    refused(add("a"), "plugins: nonsense\n", "edit_shape", lines);
    refused(add("a"), "plugins: [x]\n", "edit_shape", lines);
    refused(add("a"), "plugins:\n  enabled: true\n", "edit_shape", lines);
    refused(add("a"), "plugins:\n  enabled: b\n", "edit_shape", lines);
    refused(add("a"), "- x\n", "edit_shape", lines);
    refused(add("a"), "a: [\n", "edit_syntax", "correct line");
    refused(add("a"), "a: 1\n---\nb: 2\n", "edit_syntax", "correct line");
    refused(add("a"), "model: x\n...\n", "edit_layout", lines);
    refused(
        add("b"),
        "x: &e [a]\nplugins:\n  enabled: *e\n",
        "edit_layout",
        "[a, b]",
    );
    refused(
        add("b"),
        "plugins:\n  enabled: &e [a]\nx: *e\n",
        "edit_layout",
        "[a, b]",
    );
    refused(
        add("b"),
        "plugins: &p\n  enabled: [a]\nx: *p\n",
        "edit_layout",
        "[a, b]",
    );
    refused(
        add("b"),
        "plugins:\n  enabled: [\n    a, # one\n  ]\n",
        "edit_layout",
        "[a, b]",
    );
    refused(
        add("b"),
        "? plugins\n: ? enabled\n  : - a\n",
        "edit_layout",
        "[a, b]",
    );
    refused(
        drop("a"),
        "plugins:\n  enabled: [&n a]\nx: *n\n",
        "edit_layout",
        "enabled: []",
    );
    refused(
        entry("g"),
        "plugins:\n  entries:\n    g: &g {}\n    h: *g\n",
        "edit_layout",
        "remove `g`",
    );
}

#[test]
fn the_word_about_tools_is_written_where_it_belongs() {
    let set = |allowed| Change::AllowToolOverride("a".to_owned(), allowed);
    for (before, after) in [
        (
            "",
            "plugins:\n  entries:\n    a:\n      allow_tool_override: true\n",
        ),
        (
            "model: x # mine\n",
            "model: x # mine\nplugins:\n  entries:\n    a:\n      allow_tool_override: true\n",
        ),
        (
            "plugins:\n  enabled:\n    - a # mine\nmodel: x\n",
            "plugins:\n  enabled:\n    - a # mine\n  entries:\n    a:\n      allow_tool_override: true\nmodel: x\n",
        ),
        (
            "plugins:\n  entries:\n    b: {priority: 1} # b\n",
            "plugins:\n  entries:\n    b: {priority: 1} # b\n    a:\n      allow_tool_override: true\n",
        ),
        (
            "plugins:\n  entries: {b: {}}\n",
            "plugins:\n  entries: {a: {allow_tool_override: true}, b: {}}\n",
        ),
        (
            "plugins:\n  entries:\n    a: {priority: 1}\n",
            "plugins:\n  entries:\n    a: {allow_tool_override: true, priority: 1}\n",
        ),
        (
            "plugins:\n  entries:\n    a:\n      priority: 1\n    b:\n",
            "plugins:\n  entries:\n    a:\n      priority: 1\n      allow_tool_override: true\n    b:\n",
        ),
        (
            "plugins:\n  entries:\n    a: # mine\n    b:\n",
            "plugins:\n  entries:\n    a: # mine\n      allow_tool_override: true\n    b:\n",
        ),
        (
            "plugins:\n  entries: ~\n",
            "plugins:\n  entries: {a: {allow_tool_override: true}}\n",
        ),
        (
            "plugins:\n  entries:\n    a:\n      allow_tool_override: false # no\n",
            "plugins:\n  entries:\n    a:\n      allow_tool_override: true # no\n",
        ),
        (
            "{\"plugins\": {\"enabled\": [\"a\"]}}\n",
            "{\"plugins\": {\"entries\": {\"a\": {\"allow_tool_override\": true}}, \"enabled\": [\"a\"]}}\n",
        ),
    ] {
        check(set(true), before, after);
        check(set(true), after, after);
    }
    let no = "plugins:\n  entries:\n    a:\n      allow_tool_override: false\n";
    check(set(false), "", no);
    for shape in [
        "plugins: [a]\n",
        "plugins:\n  entries: [a]\n",
        "plugins:\n  entries:\n    a: 1\n",
        "plugins:\n  entries:\n    a: {allow_tool_override: 'yes'}\n",
    ] {
        refused(set(true), shape, "edit_shape", "allow_tool_override: true");
    }
}
