//! What a check finds when somebody changed the files, and what it cannot find.

#[path = "support/fixture.rs"]
mod fixture;

use std::fs;

use audit_log::{Anchor, Config, Head, Report, Why, verify, verify_with};
use fixture::Fixture;
use serde_json::json;

/// Six records: three calls, each with its result.
fn six() -> Fixture {
    let fixture = Fixture::new(&Config::default());
    for id in ["c1", "c2", "c3"] {
        fixture.call(id, &json!({"n": 1}));
        fixture.result(id, &json!({"n": 1}), "ok");
    }
    fixture
}

fn change(fixture: &Fixture, change: impl FnOnce(&mut Vec<String>)) {
    let path = fixture.path("audit-log.jsonl");
    let mut lines: Vec<String> = fixture
        .text("audit-log.jsonl")
        .lines()
        .map(str::to_owned)
        .collect();
    change(&mut lines);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, text).expect("written");
}

#[track_caller]
fn check(changed: impl FnOnce(&mut Vec<String>), line: u64, why: &Why) {
    let fixture = six();
    change(&fixture, changed);
    let report = verify(fixture.dir.path()).expect("readable");
    let bad = report.first_bad.expect("found");
    assert_eq!((bad.line, &bad.why), (line, why), "{bad}");
    assert_eq!(report.records, line - 1);
}

#[test]
fn nothing_changed() {
    let report = verify(six().dir.path()).expect("readable");
    assert_eq!(
        (report.records, report.files, report.first_bad),
        (6, 1, None)
    );
    assert_eq!(
        verify(tempfile::tempdir().expect("dir").path()).expect("readable"),
        Report::default()
    );
}

#[test]
fn edited() {
    check(
        |lines| lines[2] = lines[2].replace("c2", "c9"),
        3,
        &Why::Edited,
    );
    check(
        |lines| lines[2] = lines[2].replace("\"seq\":3", "\"seq\": 3"),
        3,
        &Why::Edited,
    );
    check(
        |lines| lines[5] = lines[5].replace("ok", "ko"),
        6,
        &Why::Edited,
    );
}

#[test]
fn garbled() {
    check(
        |lines| lines[2] = lines[2].replace('{', "("),
        3,
        &Why::NoRecord,
    );
    check(|lines| lines[5] = "x".to_owned(), 6, &Why::NoRecord);
    check(|lines| lines.insert(1, String::new()), 2, &Why::NoRecord);
}

#[test]
fn deleted() {
    check(
        |lines| _ = lines.remove(0),
        1,
        &Why::Unlinked {
            expected: 1,
            found: 2,
        },
    );
    check(
        |lines| _ = lines.remove(3),
        4,
        &Why::Unlinked {
            expected: 4,
            found: 5,
        },
    );
}

#[test]
fn inserted_and_repeated() {
    check(
        |lines| lines.insert(3, lines[2].clone()),
        4,
        &Why::Unlinked {
            expected: 4,
            found: 3,
        },
    );
    let other = six();
    other.call("c4", &json!({"forged": true}));
    let forged = other
        .text("audit-log.jsonl")
        .lines()
        .last()
        .unwrap_or("")
        .to_owned();
    check(
        |lines| lines.insert(3, forged),
        4,
        &Why::Unlinked {
            expected: 4,
            found: 7,
        },
    );
}

#[test]
fn reordered() {
    check(
        |lines| lines.swap(1, 2),
        2,
        &Why::Unlinked {
            expected: 2,
            found: 3,
        },
    );
}

#[test]
fn a_file_removed() {
    let fixture = Fixture::new(&fixture::config(|config| config.max_bytes = 4096));
    for number in 0..60 {
        fixture.call(&format!("c{number}"), &json!({}));
    }
    let first = fixture.text("audit-log.1.jsonl");
    let last: serde_json::Value =
        serde_json::from_str(first.lines().last().unwrap_or("")).expect("a record");
    fs::remove_file(fixture.path("audit-log.1.jsonl")).expect("removed");
    let bad = verify(fixture.dir.path())
        .expect("readable")
        .first_bad
        .expect("found");
    assert!(
        matches!(bad.why, Why::Unlinked { expected: 1, .. }),
        "{bad}"
    );
    assert!(bad.file.ends_with("audit-log.2.jsonl"));
    // Removed on purpose: whoever knows the last record of the removed files can check the rest.
    let start = Head {
        seq: last["seq"].as_u64().unwrap_or(0),
        hash: last["hash"].as_str().unwrap_or("").to_owned(),
    };
    let anchor = Anchor {
        start: Some(start),
        head: None,
    };
    assert_eq!(
        verify_with(fixture.dir.path(), &anchor)
            .expect("readable")
            .first_bad,
        None
    );
}

#[test]
fn cut_off_the_end_is_found_with_a_known_head_only() {
    let fixture = six();
    let head = verify(fixture.dir.path())
        .expect("readable")
        .head
        .expect("records");
    let anchor = Anchor {
        head: Some(head.clone()),
        start: None,
    };
    change(&fixture, |lines| lines.truncate(4));
    assert_eq!(
        verify(fixture.dir.path()).expect("readable").first_bad,
        None,
        "not to be seen from inside"
    );
    let bad = verify_with(fixture.dir.path(), &anchor)
        .expect("readable")
        .first_bad
        .expect("found");
    assert_eq!(bad.why, Why::HeadMissing { expected: head });
    // Written on from there, the old head is still missing.
    fixture.call("c8", &json!({}));
    fixture.call("c9", &json!({}));
    fixture.call("c10", &json!({}));
    assert!(
        verify_with(fixture.dir.path(), &anchor)
            .expect("readable")
            .first_bad
            .is_some()
    );
}

#[test]
fn a_known_head_in_a_longer_log() {
    let fixture = six();
    let head = verify(fixture.dir.path())
        .expect("readable")
        .head
        .expect("records");
    fixture.call("c4", &json!({}));
    let anchor = Anchor {
        head: Some(head.to_string().parse().expect("as printed")),
        start: None,
    };
    assert_eq!(
        verify_with(fixture.dir.path(), &anchor)
            .expect("readable")
            .first_bad,
        None
    );
    for text in ["", "7", "x:00", "7:00", &format!("7:{}", "g".repeat(64))] {
        assert!(text.parse::<Head>().is_err(), "{text}");
    }
}

#[test]
fn an_edited_last_record_is_not_taken_for_a_crash() {
    let fixture = six();
    change(&fixture, |lines| lines[5] = lines[5].replace("ok", "ko"));
    fixture.call("c4", &json!({}));
    let bad = verify(fixture.dir.path())
        .expect("readable")
        .first_bad
        .expect("found");
    assert_eq!((bad.line, bad.why), (6, Why::Edited));
}
