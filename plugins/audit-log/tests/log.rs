//! What is recorded of calls, results and turns, and how files are kept.

#[path = "support/fixture.rs"]
mod fixture;

use audit_log::{AuditError, Config, Counts, Fsync, RecordArgs, Recorded, verify};
use fixture::{Fixture, config};
use serde_json::{Value, json};

/// The events of a case or session, in the form Hermes records them.
#[track_caller]
fn check(events: &str, expected: &[&str], counts: Counts) {
    let fixture = Fixture::new(&Config::default());
    for event in events.lines() {
        fixture.replay(&serde_json::from_str(event).expect("the test's own event"));
    }
    let records = fixture.records();
    let told: Vec<_> = records.iter().map(tell).collect();
    assert_eq!(told, expected);
    assert_eq!(fixture.log.counts(), counts);
    assert_eq!(fixture.log.open_calls(), 0);
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.first_bad, report.records),
        (None, expected.len() as u64)
    );
    assert!(report.open_calls.is_empty());
}

fn tell(record: &Value) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
    let pair = &record["pair"];
    let pair = match (pair["state"].as_str(), pair["call_seq"].as_u64()) {
        (Some(state), Some(seq)) => format!(" {state} {seq}"),
        (Some(state), None) => format!(" {state}"),
        _ => String::new(),
    };
    let again = record["duplicates"]
        .as_u64()
        .map_or(String::new(), |n| format!(" +{n}"));
    format!(
        "{} {} {}{pair}{again}",
        record["seq"],
        text("event"),
        text("tool_call_id")
    )
}

#[test]
fn case_03_pre_without_post() {
    check(
        include_str!("data/case-03.jsonl"),
        &[
            "1 tool_call call_m1",
            "2 tool_call call_r1",
            "3 tool_result call_r1 complete 2",
            "4 tool_result call_p9 no_pre_seen",
            "5 no_result_seen call_m1 no_result_seen 1",
            "6 turn_end -",
        ],
        Counts {
            calls: 2,
            results: 2,
            no_pre_seen: 1,
            no_result_seen: 1,
            ..Counts::default()
        },
    );
}

#[test]
fn case_04_same_call_fires_twice() {
    let end = r#"{"t_ms": 5000, "hook": "on_session_end", "kwargs": {"session_id": "ses_01"}}"#;
    check(
        &format!("{}\n{end}", include_str!("data/case-04.jsonl").trim()),
        &[
            "1 tool_call call_01",
            "2 tool_call call_02",
            "3 tool_call -",
            "4 tool_call -",
            "5 no_result_seen call_01 no_result_seen 1 +1",
            "6 no_result_seen call_02 no_result_seen 2",
            "7 no_result_seen - no_result_seen 3",
            "8 no_result_seen - no_result_seen 4",
            "9 turn_end -",
        ],
        Counts {
            calls: 4,
            duplicates: 1,
            no_result_seen: 4,
            ..Counts::default()
        },
    );
}

#[test]
fn the_recorded_session_pairs_completely() {
    let fixture = Fixture::new(&Config::default());
    for event in include_str!("data/session-calls.jsonl").lines() {
        fixture.replay(&serde_json::from_str(event).expect("recorded as JSON"));
    }
    let expected = Counts {
        calls: 15,
        results: 15,
        ..Counts::default()
    };
    assert_eq!(fixture.log.counts(), expected);
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.first_bad, report.open_calls),
        (33, None, vec![])
    );
    let text = fixture.text("audit-log.jsonl");
    assert!(!text.contains("s3cr3t-pa55"), "no result text by default");
}

#[test]
fn the_members_of_a_record() {
    let fixture = Fixture::new(&Config::default());
    fixture.call("c1", &json!({"b": "x", "a": 1}));
    fixture.result("c1", &json!({"a": 1, "b": "x"}), "all good");
    let mut records = fixture.records();
    for record in &mut records {
        for key in ["pid", "prev", "hash"] {
            record.as_object_mut().expect("an object").remove(key);
        }
    }
    let ids =
        json!({"session_id": "s", "task_id": "t", "tool_call_id": "c1", "tool_name": "terminal"});
    let mut call = json!({
        "seq": 1, "time": "2026-11-30T16:13:50.000000Z", "event": "tool_call",
        "args_preview": r#"{"a":1,"b":"x"}"#,
    });
    call["args_sha256"] = records[0]["args_sha256"].clone();
    let mut result = json!({
        "seq": 2, "time": "2026-11-30T16:13:51.000000Z", "event": "tool_result",
        "status": "ok", "duration_ms": 7, "result_bytes": 8,
        "pair": {"state": "complete", "call_seq": 1},
    });
    result["result_sha256"] = records[1]["result_sha256"].clone();
    for record in [&mut call, &mut result] {
        for (key, value) in ids.as_object().expect("an object") {
            record[key] = value.clone();
        }
    }
    assert_eq!(records, [call, result]);
    assert_eq!(records[0]["args_sha256"].as_str().map(str::len), Some(64));
}

#[track_caller]
fn check_args(config: &str, present: &[&str]) {
    let fixture = Fixture::new(&fixture::parsed(config));
    fixture.call("c1", &json!({"command": "x".repeat(300)}));
    let record = fixture.records().remove(0);
    let found: Vec<_> = ["args_sha256", "args_preview", "args"]
        .into_iter()
        .filter(|key| record.get(key).is_some())
        .collect();
    assert_eq!(found, present, "{config}");
    if let Some(preview) = record["args_preview"].as_str() {
        assert!(preview.chars().count() <= 201);
    }
}

#[test]
fn what_is_kept_of_arguments() {
    check_args("{}", &["args_sha256", "args_preview"]);
    check_args(r#"{"preview_chars": 0}"#, &["args_sha256"]);
    check_args(r#"{"record_args": "full"}"#, &["args_sha256", "args"]);
    check_args(r#"{"record_args": "none"}"#, &[]);
}

#[test]
fn files_rotate_and_the_chain_goes_on() {
    let fixture = Fixture::new(&config(|config| config.max_bytes = 4096));
    for number in 0..100 {
        fixture.call(&format!("c{number}"), &json!({}));
    }
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!((report.records, report.first_bad), (100, None));
    assert!(report.files > 5, "{} files", report.files);
    let first = fixture.text("audit-log.1.jsonl");
    let second = fixture.text("audit-log.2.jsonl");
    let last: Value = serde_json::from_str(first.lines().last().unwrap_or("")).expect("a record");
    let next: Value = serde_json::from_str(second.lines().next().unwrap_or("")).expect("a record");
    assert_eq!(next["prev"], last["hash"]);
    // A start right after a rotation, with no current file at all.
    std::fs::rename(
        fixture.path("audit-log.jsonl"),
        fixture.path("audit-log.900.jsonl"),
    )
    .expect("renamed");
    fixture.call("last", &json!({}));
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!((report.records, report.first_bad), (101, None));
}

#[test]
fn a_call_that_is_given_up() {
    let fixture = Fixture::new(&config(|config| config.max_open_calls = 1));
    fixture.call("c1", &json!({}));
    fixture.call("c2", &json!({}));
    let told: Vec<_> = fixture.records().iter().map(tell).collect();
    assert_eq!(
        told,
        ["1 tool_call c1", "2 evicted c1 evicted 1", "3 tool_call c2"]
    );
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        report
            .open_calls
            .iter()
            .map(|call| call.seq)
            .collect::<Vec<_>>(),
        [3]
    );
}

#[test]
fn a_failed_write_is_an_error_and_the_next_one_says_so() {
    let fixture = Fixture::new(&Config::default());
    fixture.call("c1", &json!({}));
    let file = fixture.path("audit-log.jsonl");
    let aside = fixture.path("aside");
    std::fs::rename(&file, &aside).expect("renamed");
    std::fs::create_dir(&file).expect("a directory in its place");
    let error = fixture.try_call("c2", &json!({})).expect_err("not written");
    assert!(
        matches!(error, AuditError::Io { action: "open", .. }),
        "{error}"
    );
    std::fs::remove_dir(&file).expect("removed");
    std::fs::rename(&aside, &file).expect("renamed");
    fixture.result("c2", &json!({}), "x");
    let record = fixture.records().remove(1);
    assert_eq!(tell(&record), "2 tool_result c2 complete");
    assert_eq!(record["missed"], 1);
    assert_eq!(verify(fixture.dir.path()).expect("readable").missed, 1);
}

#[test]
fn a_lock_that_is_not_given_back() {
    let fixture = Fixture::new(&config(|config| config.lock_timeout_ms = 1));
    fixture.call("c1", &json!({}));
    let lock = std::fs::File::open(fixture.path("audit-log.lock")).expect("the lock file");
    lock.lock().expect("locked");
    let error = fixture.try_call("c2", &json!({})).expect_err("busy");
    assert!(error.to_string().contains("\nhint: "), "{error}");
    assert!(matches!(error, AuditError::Busy { waited_ms: 1, .. }));
    drop(lock);
    assert_eq!(
        fixture.try_call("c3", &json!({})).expect("written"),
        Recorded::Written { seq: 2 }
    );
}

#[test]
fn threads_share_one_log() {
    let fixture = Fixture::new(&config(|config| {
        config.fsync = Fsync::Every;
        config.lock_timeout_ms = 60_000;
    }));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let fixture = &fixture;
            scope.spawn(move || {
                for number in 0..25 {
                    let id = format!("c{thread}-{number}");
                    fixture.call(&id, &json!({}));
                    fixture.result(&id, &json!({}), "x");
                }
            });
        }
    });
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.first_bad, report.open_calls),
        (200, None, vec![])
    );
    assert_eq!(fixture.log.counts().no_pre_seen, 0);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new(&config(|_| {}));
    fixture.call("c1", &json!({}));
    for file in ["audit-log.jsonl", "audit-log.lock"] {
        let mode = std::fs::metadata(fixture.path(file))
            .expect("exists")
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{file}");
    }
}

#[test]
fn configurations_that_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    for (text, expected) in [
        (
            r#"{"max_bytes": 1}"#,
            "`max_bytes`: 1 is below the least accepted, 4096\nhint: ",
        ),
        (
            r#"{"max_open_calls": 0}"#,
            "`max_open_calls`: 0 is below the least accepted, 1\nhint: ",
        ),
    ] {
        let opened = audit_log::AuditLog::open(
            &fixture::parsed(text),
            dir.path(),
            Box::new(audit_log::SystemClock),
        );
        let error = opened.expect_err("refused").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(serde_json::from_str::<Config>(r#"{"maxbytes": 1}"#).is_err());
    assert_eq!(
        fixture::parsed(r#"{"record_args": "none"}"#).record_args,
        RecordArgs::None
    );
}
