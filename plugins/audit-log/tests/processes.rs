//! Several processes append to one log.

#[path = "support/fixture.rs"]
mod fixture;

use std::process::Command;

use audit_log::verify;
use serde_json::json;

const CHILD: &str = "AUDIT_LOG_TEST_CHILD";
const PROCESSES: usize = 3;
const CALLS: usize = 60;

/// Run by itself this does nothing; [`one_chain`] runs it in processes of its own.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(CHILD) else {
        return;
    };
    let config = fixture::config(|config| {
        config.max_bytes = 20_000;
        config.lock_timeout_ms = 60_000;
    });
    let log = fixture::open(&config, dir.as_ref());
    let args = json!({"process": std::process::id()});
    for number in 0..CALLS {
        let id = format!("{}-{number}", std::process::id());
        log.call(&fixture::called(&id, &args)).expect("written");
    }
}

#[test]
fn one_chain() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = std::env::current_exe().expect("this test");
    let children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut command = Command::new(&program);
            command
                .args(["--exact", "child", "--quiet"])
                .env(CHILD, dir.path());
            command.spawn().expect("started")
        })
        .collect();
    let mut pids = Vec::new();
    for mut child in children {
        pids.push(child.id());
        assert!(child.wait().expect("waited").success());
    }
    let report = verify(dir.path()).expect("readable");
    assert_eq!(report.first_bad, None);
    assert_eq!(report.records, (PROCESSES * CALLS) as u64);
    assert!(report.files > 2, "{} files", report.files);
    assert_eq!(report.open_calls.len(), PROCESSES * CALLS);
}

#[test]
fn a_check_while_others_write() {
    let fixture = fixture::Fixture::new(&fixture::config(|config| {
        config.max_bytes = 4096;
        config.lock_timeout_ms = 60_000;
    }));
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 0..200 {
                fixture.call(&format!("c{number}"), &json!({}));
            }
        });
        while !writing.is_finished() {
            let report = verify(fixture.dir.path()).expect("readable");
            assert_eq!((report.first_bad, report.torn_tail), (None, None));
        }
    });
    assert_eq!(verify(fixture.dir.path()).expect("readable").records, 200);
}
