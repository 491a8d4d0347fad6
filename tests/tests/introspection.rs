//! What a session shows of its plugins: the records, and the text of `/plugins`.

use std::fs;

use hermes_loader::{Home, Host, discover::Surroundings};
use hermes_tests::{Fixture, Placed, TestHome, home::report, records::Records};
use serde_json::json;

fn home() -> TestHome {
    let home = TestHome::with([
        Placed::new(&Fixture::built("unknown-hooks")).manifest("version", "1.2"),
        Placed::bytes("broken", b"no library\n".to_vec()),
    ]);
    let off = home.plugins().join("a-switched-off");
    fs::create_dir_all(&off).expect("a directory");
    fs::write(off.join("plugin.yaml"), "version: 3\nkind: backend\n").expect("a manifest");
    home
}

#[test]
fn the_text_of_the_session_command() {
    let host = home().load();
    let text = host.report().session_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[0], "Plugins (3):");
    assert_eq!(
        lines[1],
        "  ✗ a-switched-off v3 (0 tools, 0 hooks, 0 commands) — not enabled in config (run `hermes plugins enable \
         a-switched-off`)"
    );
    assert!(
        lines[2].starts_with("  ✗ broken (0 tools, 0 hooks, 0 commands) — ")
            && lines[2].contains("a text file"),
        "{text}"
    );
    assert_eq!(
        lines[3],
        "  ✓ unknown-hooks v1.2 (0 tools, 3 hooks, 0 commands)"
    );
}

#[test]
fn no_plugins() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let host = Host::builder(Home::at(dir.path()))
        .surroundings(Surroundings::default())
        .safe_mode(false)
        .load();
    assert_eq!(host.report().session_text(), "No plugins installed.");
}

#[test]
fn records_are_sorted_and_have_hermes_members() {
    let host = home().load();
    let records = serde_json::to_value(host.report().records()).expect("records are JSON");
    assert_eq!(
        records[0],
        json!({
            "name": "a-switched-off", "key": "a-switched-off", "kind": "backend", "version": "3", "description": "",
            "source": "user", "enabled": false, "tools": 0, "hooks": 0, "commands": 0,
            "error": "not enabled in config (run `hermes plugins enable a-switched-off`)",
        })
    );
    let last = &records[2];
    assert_eq!(
        (
            &last["key"],
            &last["enabled"],
            &last["hooks"],
            &last["error"]
        ),
        (
            &json!("unknown-hooks"),
            &json!(true),
            &json!(3),
            &json!(null)
        )
    );
}

#[test]
fn discovery_says_how_many_and_what_it_did_not_look_at() {
    let home = home();
    let deep = home
        .plugins()
        .join("category")
        .join("directory")
        .join("deep");
    fs::create_dir_all(&deep).expect("a directory");
    fs::write(deep.join("plugin.yaml"), "").expect("a manifest");
    let records = Records::capture();
    let _host = home.load();
    let said = |level: tracing::Level, text: &str| {
        records
            .all()
            .iter()
            .any(|record| record.level == level && record.message.contains(text))
    };
    assert!(said(tracing::Level::INFO, "plugins: 3 found, 1 enabled"));
    assert!(said(
        tracing::Level::DEBUG,
        "plugins are not looked for this deep"
    ));
}

#[test]
fn a_plugin_for_a_newer_catalogue_waits_for_a_newer_host() {
    let newer = Fixture::built("unknown-hooks")
        .with_header(28, &9_u32.to_le_bytes())
        .with_metadata(|document| document["catalogue"] = json!(9));
    let host = TestHome::with([Placed::new(&newer)]).load();
    let hooks = &report(&host, "unknown-hooks").hooks;
    let told: Vec<_> = hooks
        .iter()
        .map(|hook| (hook.name.as_str(), hook.advice()))
        .collect();
    assert_eq!(
        told,
        [
            ("foo", Some("needs a host with `foo`".to_owned())),
            (
                "pre_tool_cal",
                Some("did you mean `pre_tool_call`?".to_owned())
            ),
            ("on_session_start", None),
        ]
    );
}
