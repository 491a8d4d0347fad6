//! `replay`.

use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::{Home, hello, text, write};

fn event(hook: &str, kwargs: &Value) -> String {
    json!({"t_ms": 1, "hook": hook, "kwargs": kwargs}).to_string()
}

fn call(hook: &str, id: &str, command: &str) -> String {
    event(
        hook,
        &json!({"tool_name": "terminal", "args": {"command": command}, "tool_call_id": id, "session_id": "s", "result": "{}"}),
    )
}

fn output(command: &str, output: &str) -> String {
    event(
        "transform_terminal_output",
        &json!({"command": command, "output": output}),
    )
}

fn recording(home: &Home, lines: &[String]) -> String {
    text(&write(
        home.beside("events.jsonl"),
        &(lines.join("\n") + "\n"),
    ))
}

#[test]
fn a_blocked_call_s_results_are_not_fired() {
    // The guard blocks; the other plugin would change every result that it sees.
    let home = Home::with_scripted(
        "{transform_terminal_output: [{return: seen}], transform_tool_result: [{return: seen}], post_tool_call: [{record: x}]}",
    );
    home.check(
        &["plugins", "install", &text(hello()), "--enable"],
        0,
        &["enabled"],
        &[],
    );
    let file = recording(
        &home,
        &[
            call("pre_tool_call", "1", "rm -rf / --no-preserve-root"),
            output("rm -rf / --no-preserve-root", "gone"),
            call("post_tool_call", "1", "rm -rf / --no-preserve-root"),
            call("transform_tool_result", "1", "rm -rf / --no-preserve-root"),
            call("pre_tool_call", "2", "ls"),
            output("ls", "x"),
            call("post_tool_call", "2", "ls"),
            call("transform_tool_result", "2", "ls"),
        ],
    );
    home.check(
        &["replay", &file],
        0,
        &[
            "block",
            "hello-plugin",
            "refusing to delete",
            "would not have run",
            "8 events",
            "1 block",
        ],
        &[],
    );
    let value = home
        .check(&["replay", &file, "--json", "--all"], 0, &["{"], &[])
        .json();
    let decisions: Vec<&str> = value["events"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["decision"].as_str())
        .collect();
    let held = "would not have run";
    assert_eq!(
        decisions,
        [
            "block", held, held, held, "proceed", "replace", "proceed", "replace"
        ]
    );
    assert_eq!(
        (&value["summary"]["blocks"], &value["summary"]["withheld"]),
        (&json!(1), &json!(3))
    );
    assert_eq!(value["summary"]["replacements"], 2);
    assert_eq!(
        value["summary"]["hooks"]["transform_terminal_output"]["events"],
        1
    );
    assert!(value["summary"]["hooks"]["pre_tool_call"]["median_ns"].is_u64());
}

#[test]
fn without_a_decision_there_is_no_row_unless_all_are_wanted() {
    let home = Home::with_hello();
    let file = recording(
        &home,
        &[
            call("pre_tool_call", "1", "ls"),
            String::new(),
            event("on_session_end", &json!({"x": {"_repr": "Thing"}})),
        ],
    );
    home.check(
        &["replay", &file],
        0,
        &[
            "Nothing was decided or changed.",
            "2 events",
            "1 handler called",
        ],
        &[],
    );
    home.check(
        &["replay", &file, "--all"],
        0,
        &["proceed", "on_session_end"],
        &[],
    );
    let value = home
        .check(&["replay", &file, "--json"], 0, &["{"], &[])
        .json();
    assert_eq!(value["events"], json!([]));
}

#[test]
fn bad_lines_are_counted_and_the_others_go_on() {
    let home = Home::with_hello();
    let file = recording(
        &home,
        &[
            "{".to_owned(),
            "{\"hook\":1,\"kwargs\":{}}".to_owned(),
            call("pre_tool_call", "1", "rm -rf /"),
        ],
    );
    home.check(
        &["replay", &file],
        1,
        &["refusing to delete", "2 bad lines"],
        &[
            "events.jsonl:1: not JSON",
            "events.jsonl:2: `hook` must be a text",
        ],
    );
    let value = home
        .check(&["replay", &file, "--json"], 1, &["{"], &["events.jsonl:1"])
        .json();
    assert_eq!(
        (&value["summary"]["bad_lines"], &value["events"][0]["line"]),
        (&json!(2), &json!(3))
    );
}

#[test]
fn what_was_replaced_is_not_shown() {
    let home = Home::with_scripted(
        "{transform_terminal_output: [{replace: [hunter2hunter2, \"[masked]\"]}]}",
    );
    let file = recording(
        &home,
        &[output("cat .env", "PORT=1\nPASSWORD=hunter2hunter2\n")],
    );
    let ran = home.check(
        &["replay", &file],
        0,
        &["replace", "scripted", "now PASSWORD=[masked]"],
        &[],
    );
    assert!(!ran.out.contains("hunter2"), "{}", ran.out);
    let ran = home.check(&["replay", &file, "--json"], 0, &["[masked]"], &[]);
    assert!(!ran.out.contains("hunter2"), "{}", ran.out);
}

#[test]
fn changes_questions_and_faults_have_rows() {
    let on = "{pre_tool_call: [{when: {args.command: a}, return: {action: modify, args: {command: b}}}, \
              {when: {args.command: q}, return: {action: approve, message: sure?}}, {when: {args.command: e}, error: no idea}], \
              pre_llm_call: [{return: {context: remember this}}]}";
    let home = Home::with_scripted(on);
    let file = recording(
        &home,
        &[
            call("pre_tool_call", "1", "a"),
            call("pre_tool_call", "2", "q"),
            call("pre_tool_call", "3", "e"),
            event("pre_llm_call", &json!({"user_message": "hi"})),
            event("pre_tool_cal", &json!({})),
        ],
    );
    home.check(
        &["replay", &file],
        1,
        &[
            "modify",
            "arguments now {\"command\":\"b\"}",
            "approve",
            "sure?",
            "fault of scripted",
            "error",
            "adds: remember this",
            "1 fault",
        ],
        &[
            "`pre_tool_cal` (1 event) is not in the catalogue",
            "error in pre_tool_call: no idea",
        ],
    );
}

#[test]
fn the_recording_may_come_from_standard_input() {
    let home = Home::with_hello();
    let ran = home.run(
        &["replay", "-", "--speed", "1000"],
        &call("pre_tool_call", "1", "rm -rf /"),
    );
    assert!(
        ran.out.contains("refusing to delete"),
        "{}{}",
        ran.out,
        ran.err
    );
    home.check(
        &["replay", "gone.jsonl"],
        1,
        &[],
        &["gone.jsonl: cannot be read", "hint:"],
    );
    home.check(&["replay", "x", "--speed", "-1"], 2, &[], &["--speed"]);
    home.check(&["replay"], 2, &[], &["<EVENTS>"]);
}

#[test]
fn the_recorded_session_plays() {
    let home = Home::with_hello();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hermes-session.jsonl");
    home.check(
        &["replay", &text(&session), "--plugin", "hello-plugin"],
        0,
        &["96 events", "0 faults"],
        &[],
    );
}
