//! `hooks fire` and `hooks catalogue`.

use serde_json::json;

use crate::fixture::{Home, write};

const DELETE: &str = r#"{"args":{"command":"rm -rf /"}}"#;

#[test]
fn a_guard_s_block_is_shown() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "fire", "pre_tool_call", "--payload", DELETE],
        0,
        &["block by hello-plugin: refusing to delete", "guard"],
        &[],
    );
    let value = home
        .check(
            &[
                "hooks",
                "fire",
                "pre_tool_call",
                "--payload",
                DELETE,
                "--json",
            ],
            0,
            &["{"],
            &[],
        )
        .json();
    assert_eq!(
        (&value["decision"], &value["by"]),
        (&json!("block"), &json!("hello-plugin"))
    );
    assert_eq!(value["event"], "pre_tool_call");
    assert_eq!(value["payload"]["session_id"], "test-session");
    assert_eq!(value["payload"]["tool_name"], "terminal");
    assert!(value["calls"][0]["ns"].is_u64() && value["total_ns"].is_u64());
}

#[test]
fn the_synthetic_event_passes() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "fire", "pre_tool_call"],
        0,
        &["pre_tool_call: proceed"],
        &[],
    );
    let value = home
        .check(
            &["hooks", "fire", "pre_tool_call", "--json"],
            0,
            &["{"],
            &[],
        )
        .json();
    assert_eq!(value["payload"]["args"], json!({"command": "echo hello"}));
    home.check(
        &[
            "hooks",
            "fire",
            "pre_tool_call",
            "--payload",
            r#"{"tool_name":"browser"}"#,
        ],
        0,
        &["no handler was called"],
        &["for other tools"],
    );
    home.check(
        &["hooks", "fire", "on_session_end"],
        0,
        &["no handler was called"],
        &["Nobody registered for it"],
    );
}

#[test]
fn a_payload_comes_from_a_file_or_from_standard_input() {
    let home = Home::with_hello();
    let file = write(home.beside("event.json"), DELETE);
    let file = file.to_str().expect("UTF-8");
    home.check(
        &["hooks", "fire", "pre_tool_call", "--payload-file", file],
        0,
        &["block by hello-plugin"],
        &[],
    );
    let ran = home.run(
        &["hooks", "fire", "pre_tool_call", "--payload-file", "-"],
        DELETE,
    );
    assert!(ran.out.contains("block by hello-plugin"), "{}", ran.out);
    home.check(
        &["hooks", "fire", "pre_tool_call", "--payload-file", "gone"],
        1,
        &[],
        &["gone: cannot be read"],
    );
}

#[test]
fn no_event_is_lost_for_a_value() {
    let home = Home::with_hello();
    let half = r#"{"args":{"command":"rm -rf / \ud83d"},"n":NaN,"big":99999999999999999999}"#;
    home.check(
        &["hooks", "fire", "pre_tool_call", "--payload", half],
        0,
        &["block by hello-plugin"],
        &[],
    );
}

#[test]
fn a_payload_that_is_none_is_a_usage_error() {
    let home = Home::new();
    for payload in ["", "[1]", "nonsense", "\"x\""] {
        home.check(
            &["hooks", "fire", "x", "--payload", payload],
            2,
            &[],
            &["must be a JSON object", "hint: for example"],
        );
    }
    home.check(&["hooks", "fire"], 2, &[], &["<EVENT>"]);
    home.check(
        &[
            "hooks",
            "fire",
            "x",
            "--payload",
            "{}",
            "--payload-file",
            "y",
        ],
        2,
        &[],
        &["cannot be used with"],
    );
}

#[test]
fn an_unknown_event_is_fired_with_a_warning() {
    let home = Home::with_scripted("{pre_tool_cal: [{return: {said: yes}}]}");
    home.check(
        &["hooks", "fire", "pre_tool_cal"],
        0,
        &["{\"said\":"],
        &[
            "not in the catalogue",
            "hint: did you mean `pre_tool_call`?",
        ],
    );
    home.check(
        &["hooks", "fire", "zzz"],
        0,
        &["no handler was called"],
        &["not in the catalogue", "hooks catalogue"],
    );
}

#[test]
fn a_fault_is_a_problem() {
    let home = Home::with_scripted("{pre_tool_call: [{panic: went wrong}]}");
    home.check(
        &["hooks", "fire", "pre_tool_call"],
        1,
        &["fault: panic", "proceed"],
        &[
            "panic in pre_tool_call: went wrong",
            "logs --plugin scripted",
        ],
    );
    let value = home
        .check(
            &["hooks", "fire", "pre_tool_call", "--json"],
            1,
            &["{"],
            &[],
        )
        .json();
    assert_eq!(value["faults"][0]["kind"], "panic");
}

#[test]
fn only_the_plugin_that_is_asked_for_is_loaded() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "fire", "pre_tool_call", "--plugin", "hello-plugin"],
        0,
        &["proceed"],
        &[],
    );
    home.check(
        &["hooks", "fire", "pre_tool_call", "--plugin", "nope"],
        1,
        &[],
        &["Plugin 'nope' is not installed"],
    );
    home.plugin("bad", "");
    home.write("config.yaml", "plugins: {enabled: [bad, hello-plugin]}\n");
    home.check(
        &["hooks", "fire", "pre_tool_call", "--plugin", "bad"],
        1,
        &[],
        &["plugin `bad` is refused", "[no_library]", "hint:"],
    );
    home.check(
        &["hooks", "fire", "pre_tool_call"],
        0,
        &["proceed"],
        &["plugin `bad` is not loaded"],
    );
}

#[test]
fn the_catalogue_counts_handlers() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "catalogue"],
        0,
        &["pre_tool_call", "before_tool_call", "openclaw"],
        &[],
    );
    let rows = home
        .check(&["hooks", "catalogue", "--json"], 0, &["["], &[])
        .json();
    let handlers = |name: &str| {
        rows.as_array()
            .and_then(|rows| rows.iter().find(|row| row["name"] == name))
            .map(|row| row["handlers"].clone())
    };
    assert_eq!(handlers("pre_tool_call"), Some(json!(1)));
    assert_eq!(handlers("post_tool_call"), Some(json!(0)));
    assert_eq!(handlers("timer"), None);
    let home = Home::with_scripted("{odd: [{return: 1}]}");
    home.check(&["hooks", "catalogue"], 0, &["odd", "in no catalogue"], &[]);
}

#[test]
fn the_names_of_the_shell_hook_commands_are_free() {
    for command in ["list", "test", "revoke", "doctor", "bogus"] {
        Home::new().check(&["hooks", command], 2, &[], &["unrecognized subcommand"]);
    }
}
