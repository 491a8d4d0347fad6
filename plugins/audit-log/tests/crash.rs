//! A record that was being written when the machine went down.

#[path = "support/fixture.rs"]
mod fixture;

use std::fs::{self, OpenOptions};
use std::io::Write;

use audit_log::{Config, Recovery, verify};
use fixture::{Fixture, open};
use serde_json::json;

/// Two records, then `left` as a crash leaves it, then two more by a new process.
#[track_caller]
fn check(left: &[u8], recovered: &[(u64, u64)]) {
    let fixture = Fixture::new(&Config::default());
    fixture.call("c1", &json!({}));
    fixture.result("c1", &json!({}), "x");
    let path = fixture.path("audit-log.jsonl");
    let mut file = OpenOptions::new().append(true).open(&path).expect("exists");
    file.write_all(left).expect("written");
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        report.torn_tail,
        Some(left.len() as u64).filter(|_| !left.ends_with(b"\n"))
    );

    let next = open(&Config::default(), fixture.dir.path());
    for id in ["c2", "c3"] {
        next.call(&fixture::called(id, &json!({})))
            .expect("written");
    }
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(report.first_bad, None);
    assert_eq!(report.records, 4 + recovered.len() as u64);
    let expected = recovered
        .iter()
        .map(|&(seq, bytes)| Recovery { seq, bytes });
    assert_eq!(report.recovered, expected.collect::<Vec<_>>());
    let bytes = fs::read(&path).expect("readable");
    assert!(
        bytes.windows(left.len()).any(|window| window == left),
        "nothing is thrown away"
    );

    // Whoever takes the rest of the crash away is found out.
    let kept = String::from_utf8_lossy(&bytes)
        .into_owned()
        .replace(String::from_utf8_lossy(left).trim(), "");
    fs::write(&path, kept).expect("written");
    assert!(
        verify(fixture.dir.path())
            .expect("readable")
            .first_bad
            .is_some()
    );
}

#[test]
fn half_a_record() {
    check(br#"{"seq":3,"time":"2026-11-30T16:13"#, &[(3, 33)]);
    check(b"{", &[(3, 1)]);
    check(b"\xff\xfe\x00", &[(3, 3)]);
}

#[test]
fn several_halves() {
    check(b"{\"seq\":3\n{\"seq\":3,\"ti", &[(3, 21)]);
}

#[test]
fn a_long_half() {
    check(&[b'x'; 100_000], &[(3, 100_000)]);
}

#[test]
fn only_the_line_feed_is_missing() {
    let fixture = Fixture::new(&Config::default());
    fixture.call("c1", &json!({}));
    let text = fixture.text("audit-log.jsonl");
    fs::write(fixture.path("audit-log.jsonl"), text.trim_end()).expect("written");
    fixture.call("c2", &json!({}));
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.first_bad, report.recovered),
        (2, None, vec![])
    );
}

#[test]
fn the_very_first_record_is_half() {
    let fixture = Fixture::new(&Config::default());
    fs::write(fixture.path("audit-log.jsonl"), "{\"seq\":1,").expect("written");
    fixture.call("c1", &json!({}));
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.first_bad, report.recovered.len()),
        (2, None, 1)
    );
}

#[test]
fn half_a_record_in_a_full_file() {
    let fixture = Fixture::new(&fixture::config(|config| config.max_bytes = 4096));
    for number in 0..8 {
        fixture.call(&format!("c{number}"), &json!({}));
    }
    let mut file = OpenOptions::new()
        .append(true)
        .open(fixture.path("audit-log.jsonl"))
        .expect("exists");
    file.write_all(&[b'x'; 5_000]).expect("written");
    fixture.call("last", &json!({}));
    let report = verify(fixture.dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.files, report.first_bad),
        (10, 2, None)
    );
}

#[test]
fn cut_anywhere() {
    let fixture = Fixture::new(&Config::default());
    fixture.call("c1", &json!({}));
    fixture.call("c2", &json!({}));
    let text = fixture.text("audit-log.jsonl");
    for len in (0..text.len()).step_by(3) {
        fs::write(fixture.path("audit-log.jsonl"), &text[..len]).expect("written");
        fixture.log.result(&result()).expect("written");
        let report = verify(fixture.dir.path()).expect("readable");
        assert_eq!(report.first_bad, None, "cut at {len}");
    }
}

fn result() -> audit_log::ToolResult<'static> {
    static NULL: serde_json::Value = serde_json::Value::Null;
    let call = fixture::called("c9", &NULL);
    audit_log::ToolResult {
        call,
        result: "x",
        status: "ok",
        error_type: "",
        duration_ms: None,
    }
}
