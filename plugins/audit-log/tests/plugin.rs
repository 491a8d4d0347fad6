//! The plugin as an agent meets it: loaded by its entry point, told of calls, results and turns.

use std::path::{Path, PathBuf};

use audit_log::{PLUGIN, verify};
use hermes_plugin_api::abi::Level;
use hermes_plugin_api::testing::{Fault, FaultKind, Host, event};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Every hook event of one recorded session of Hermes Agent 0.19.
const SESSION: &str = "../../examples/hermes-session.jsonl";

struct Fixture {
    dir: TempDir,
    host: Host,
}

fn load(dir: &Path, config: Value) -> Result<Host, Fault> {
    Host::new("audit-log")
        .config(config)
        .data_dir(dir)
        .load(PLUGIN)
}

impl Fixture {
    fn new(config: Value) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let host = load(dir.path(), config).expect("a lawful configuration");
        Self { dir, host }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("audit-log.jsonl")
    }

    /// Fires recorded events; this plugin never has anything to say.
    fn replay(&self, events: &str) {
        for line in events.lines() {
            let event: Value = serde_json::from_str(line).expect("recorded as JSON");
            let hook = event["hook"].as_str().expect("recorded with its hook");
            let outcome = self.host.fire(hook, event["kwargs"].clone());
            assert!(outcome.sound().answers().is_empty(), "{hook}");
        }
    }

    fn fire(&self, hook: &str, payload: impl Into<Value>) {
        self.host.fire(hook, payload).sound();
    }

    fn records(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.file()).expect("readable");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    /// The events of all records, each with its call and the state of its pair; the chain must be whole.
    fn told(&self) -> Vec<String> {
        let report = verify(self.dir.path()).expect("readable");
        assert_eq!(report.first_bad, None);
        let tell = |record: &Value| {
            let words = [
                &record["event"],
                &record["tool_call_id"],
                &record["pair"]["state"],
            ];
            let words: Vec<_> = words.into_iter().filter_map(Value::as_str).collect();
            words.join(" ")
        };
        self.records().iter().map(tell).collect()
    }
}

#[test]
fn every_call_of_a_recorded_session_has_its_result() {
    let fixture = Fixture::new(json!({}));
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION);
    fixture.replay(&std::fs::read_to_string(session).expect("it is part of the repository"));
    let told = fixture.told();
    let count = |what: &str| told.iter().filter(|told| told.starts_with(what)).count();
    assert_eq!((count("tool_call "), count("tool_result ")), (15, 15));
    assert_eq!(
        told.iter()
            .filter(|told| told.ends_with(" complete"))
            .count(),
        15
    );
    assert_eq!(
        (
            count("session_start"),
            count("turn_end"),
            count("session_finalize")
        ),
        (1, 3, 3)
    );
    assert_eq!(told.len(), 15 + 15 + 1 + 3 + 3);
    let records = fixture.records();
    let blocked = records
        .iter()
        .find(|record| record["status"] == "blocked")
        .expect("one was refused");
    assert_eq!(
        (&blocked["tool_call_id"], &blocked["error_type"]),
        (&json!("call_7_0"), &json!("plugin_block"))
    );
    assert_eq!(records[0]["event"], "session_start");
}

#[test]
fn case_03_a_call_without_a_result_and_a_result_without_a_call() {
    let fixture = Fixture::new(json!({}));
    fixture.replay(include_str!("data/case-03.jsonl"));
    assert_eq!(
        fixture.told(),
        [
            "tool_call call_m1",
            "tool_call call_r1",
            "tool_result call_r1 complete",
            "tool_result call_p9 no_pre_seen",
            "no_result_seen call_m1 no_result_seen",
            "turn_end",
        ]
    );
}

#[test]
fn case_04_a_call_that_is_reported_twice() {
    let fixture = Fixture::new(json!({}));
    fixture.replay(include_str!("data/case-04.jsonl"));
    assert_eq!(
        fixture.told(),
        [
            "tool_call call_01",
            "tool_call call_02",
            "tool_call",
            "tool_call"
        ]
    );
}

#[test]
fn approvals_and_ends_of_sessions_are_recorded() {
    let fixture = Fixture::new(json!({"record_args": "full"}));
    let asked = event::empty()
        .field("command", "git push -f")
        .field("pattern_key", "force_push")
        .field("session_key", "default")
        .field("surface", "cli")
        .call_id("call_1");
    fixture.fire("pre_approval_request", asked.clone());
    fixture.fire("post_approval_response", asked.field("choice", "deny"));
    fixture.fire(
        "on_session_finalize",
        json!({"session_id": null, "reason": "shutdown"}),
    );
    let records = fixture.records();
    let shown: Vec<_> = records
        .iter()
        .map(|record| {
            let mut record = record.as_object().cloned().unwrap_or_default();
            record.retain(|key, _| {
                !["time", "pid", "prev", "hash", "seq", "command_sha256"].contains(&key.as_str())
            });
            Value::Object(record)
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!({"event": "approval_request", "tool_call_id": "call_1", "session_key": "default",
                "command": "git push -f", "pattern_key": "force_push", "surface": "cli"}),
            json!({"event": "approval_response", "tool_call_id": "call_1", "session_key": "default",
                "command": "git push -f", "pattern_key": "force_push", "surface": "cli", "choice": "deny"}),
            json!({"event": "session_finalize", "reason": "shutdown"}),
        ]
    );
    assert_eq!(fixture.told().len(), 3);
}

#[test]
fn what_is_kept_of_a_command_is_configured() {
    for (kept, key) in [
        ("full", "command"),
        ("digest", "command_preview"),
        ("none", ""),
    ] {
        let fixture = Fixture::new(json!({"record_args": kept}));
        fixture.fire(
            "pre_approval_request",
            event::empty().field("command", "rm x"),
        );
        let record = fixture.records().remove(0);
        for shown in ["command", "command_preview"] {
            assert_eq!(record[shown] == "rm x", shown == key, "{kept}: {record}");
        }
        assert_eq!(
            record["command_sha256"].is_string(),
            kept != "none",
            "{record}"
        );
    }
}

#[test]
fn odd_events_are_recorded_as_well() {
    let fixture = Fixture::new(json!({}));
    fixture.fire("pre_tool_call", json!({}));
    let image = json!({"type": "image", "bytes": 3});
    let bytes = image.to_string().len();
    fixture.fire(
        "post_tool_call",
        event::tool("camera").call_id("c").field("result", image),
    );
    fixture.fire(
        "post_tool_call",
        json!({"tool_name": "t", "duration_ms": -4, "result": null}),
    );
    fixture.fire("on_session_end", json!({}));
    let told = fixture.told();
    assert_eq!(told[..2], ["tool_call", "tool_result c no_pre_seen"]);
    assert_eq!(fixture.records()[1]["result_bytes"], json!(bytes));
}

#[test]
fn a_log_that_cannot_be_written_stops_nothing_and_is_told_once() {
    let fixture = Fixture::new(json!({}));
    fixture.fire("pre_tool_call", event::tool("first").call_id("a"));
    // In the way of the log, on whatever system and whoever runs the test.
    let aside = fixture.dir.path().join("aside");
    std::fs::rename(fixture.file(), &aside).expect("renamed");
    std::fs::create_dir(fixture.file()).expect("made");
    for id in ["b", "c", "d"] {
        let outcome = fixture
            .host
            .fire("pre_tool_call", event::tool("next").call_id(id));
        assert!(outcome.sound().answers().is_empty());
    }
    let errors = || {
        let logs = fixture.host.logs();
        logs.iter().filter(|log| log.level == Level::ERROR).count()
    };
    assert_eq!(errors(), 1);
    let message = &fixture.host.logs()[0].message;
    assert!(
        message.starts_with("a record is missing: cannot "),
        "{message}"
    );

    std::fs::remove_dir(fixture.file()).expect("removed");
    std::fs::rename(aside, fixture.file()).expect("renamed");
    fixture.fire("pre_tool_call", event::tool("last").call_id("e"));
    assert_eq!(fixture.told(), ["tool_call a", "tool_call e"]);
    assert_eq!(fixture.records()[1]["missed"], 3);
    assert_eq!(errors(), 1);
}

#[test]
fn it_watches_after_whoever_changes_the_arguments() {
    let fixture = Fixture::new(json!({"record_args": "full"}));
    let Fixture { dir, host } = fixture;
    let host = host.with("rewriter").register(|ctx| {
        use hermes_plugin_api::prelude::*;
        ctx.on(PreToolCall, |_| {
            Verdict::modify([("path".to_owned(), json!("b.txt"))].into_iter().collect())
        });
        Ok(())
    });
    let fixture = Fixture {
        dir,
        host: host.expect("it registers"),
    };
    fixture.fire(
        "pre_tool_call",
        event::tool("read_file").arg("path", "a.txt").call_id("c"),
    );
    assert_eq!(fixture.records()[0]["args"], json!({"path": "b.txt"}));
}

#[test]
fn the_directory_is_the_data_directory_or_the_configured_one() {
    let (data, own) = (
        tempfile::tempdir().expect("a directory"),
        tempfile::tempdir().expect("a directory"),
    );
    let host = load(data.path(), json!({"dir": own.path()})).expect("lawful");
    host.fire("on_session_start", event::session("s")).sound();
    assert!(own.path().join("audit-log.jsonl").is_file());
    assert!(!data.path().join("audit-log.jsonl").exists());
    // Without either there is nowhere to write.
    let fault = Host::new("audit-log")
        .load(PLUGIN)
        .expect_err("no directory");
    assert_eq!(fault.text, "the host has no data directory for this plugin");
    let config = json!({"dir": own.path()});
    drop(
        Host::new("audit-log")
            .config(config)
            .load(PLUGIN)
            .expect("it needs none"),
    );
}

#[track_caller]
fn check_refused(config: Value, parts: &[&str]) {
    let dir = tempfile::tempdir().expect("a directory");
    let fault = load(dir.path(), config).expect_err("a configuration that cannot be used");
    assert_eq!(
        (fault.hook.as_str(), fault.kind),
        ("register", FaultKind::Error)
    );
    assert!(
        fault.text.contains("`plugins.entries.audit-log.config`"),
        "{fault}"
    );
    for part in parts {
        assert!(fault.text.contains(part), "`{part}` is not in: {fault}");
    }
}

#[test]
fn a_configuration_that_cannot_be_used_refuses_the_plugin() {
    check_refused(
        json!({"directory": "x"}),
        &["unknown field `directory`", "`dir`"],
    );
    check_refused(
        json!({"max_bytes": 10}),
        &["`max_bytes`: 10 is below the least accepted"],
    );
    check_refused(json!({"max_open_calls": 0}), &["`max_open_calls`: 0"]);
    check_refused(json!({"record_args": "some"}), &["unknown variant `some`"]);
    check_refused(json!({"fsync": true}), &["invalid type: boolean"]);
    check_refused(json!("x"), &["found text"]);
}
