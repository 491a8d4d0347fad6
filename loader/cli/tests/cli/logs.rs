//! `logs`, and what the program itself logs.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::fixture::{Home, hello, text};

const OLD: &str = "2026-11-29 10:00:00,000 INFO [session-1] tools: old\n2026-11-29 10:00:01,000 WARNING [a] t: careful\n";
const NEW: &str = "2026-11-30 10:00:00,000 ERROR t: plugin `b` broke\n    at line 2\n2026-11-30 10:00:01,000 INFO [a] t: new\n";

fn home() -> Home {
    let home = Home::new();
    home.write("logs/agent.log.1", OLD);
    home.write("logs/agent.log", NEW);
    home
}

#[test]
fn the_last_records_of_all_files_are_shown() {
    let home = home();
    let all = home.check(&["logs"], 0, &["old"], &[]).out;
    assert_eq!(all, format!("{OLD}{NEW}"));
    home.check(&["logs", "-n", "1"], 0, &["[a] t: new"], &[]);
    assert_eq!(home.check(&["logs", "-n", "2"], 0, &["new"], &[]).out, NEW);
    assert_eq!(
        home.check(&["logs", "--level", "warning"], 0, &["careful"], &[])
            .out
            .lines()
            .count(),
        3
    );
    assert_eq!(
        home.check(
            &["logs", "--plugin", "b"],
            0,
            &["broke\n    at line 2"],
            &[]
        )
        .out
        .lines()
        .count(),
        2
    );
    assert_eq!(
        home.check(&["logs", "--plugin", "a"], 0, &["careful", "new"], &[])
            .out
            .lines()
            .count(),
        2
    );
    home.check(
        &["logs", "--level", "loud"],
        2,
        &[],
        &["expected debug, info, warning, error or critical"],
    );
}

#[test]
fn no_log_is_no_error() {
    Home::new().check(&["logs"], 0, &[], &["nothing has been logged in"]);
    home().check(&["logs", "--plugin", "nobody"], 0, &[], &["no record fits"]);
}

#[test]
fn followed_lines_come_through_a_rotation() {
    let home = home();
    let mut child = Ended(
        home.command(&["logs", "--follow", "-n", "1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs"),
    );
    let mut lines = BufReader::new(child.0.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().expect("a line").expect("readable");
    let log = home.path("logs/agent.log");
    let append = |text: &str| {
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&log)
            .expect("opened");
        file.write_all(text.as_bytes()).expect("written");
    };
    assert!(next().ends_with("new"));
    append("2026-11-30 10:00:02,000 INFO t: one\n");
    assert!(next().ends_with("one"));
    std::fs::rename(&log, home.path("logs/agent.log.1")).expect("renamed");
    append("2026-11-30 10:00:03,000 INFO t: two\n");
    assert!(next().ends_with("two"));
    std::fs::write(&log, "").expect("cut");
    append("2026-11-30 10:00:04,000 INFO t: three\n");
    assert!(next().ends_with("three"));
}

/// A program that goes on until it is ended, also when a test fails.
struct Ended(std::process::Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_happens_is_logged_by_weight() {
    let home = Home::new();
    home.check(
        &["plugins", "install", &text(hello()), "--enable"],
        0,
        &["enabled"],
        &[],
    );
    home.plugin("bad", "");
    home.write("config.yaml", "plugins: {enabled: [bad, hello-plugin]}\n");
    home.check(
        &["hooks", "fire", "on_session_start"],
        0,
        &["proceed"],
        &["`bad` is not loaded"],
    );
    let (agent, errors) = (home.read("logs/agent.log"), home.read("logs/errors.log"));
    assert!(
        agent.contains("INFO [hello-plugin] hermes_native") && agent.contains("installed from="),
        "{agent}"
    );
    assert!(
        agent.contains("INFO [hello-plugin] hermes::plugin: hello"),
        "{agent}"
    );
    assert!(
        agent.contains("WARNING [bad]") && errors.contains("WARNING [bad]"),
        "{agent}\n{errors}"
    );
    assert!(!errors.contains("INFO"), "{errors}");
    home.check(
        &["logs", "--plugin", "bad", "--level", "warning"],
        0,
        &["plugin refused: no library"],
        &[],
    );
}

#[test]
fn verbose_shows_the_log_on_standard_error() {
    let home = Home::with_hello();
    home.check(
        &["hooks", "fire", "on_session_start", "-v"],
        0,
        &["proceed"],
        &["INFO [hello-plugin] hermes::plugin: hello"],
    );
    let output = home
        .command(&["hooks", "fire", "on_session_start"])
        .env("HERMES_PLUGINS_DEBUG", "1")
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("[plugins] INFO [hello-plugin]"));
}

#[test]
fn a_full_log_is_put_aside() {
    let home = Home::with_hello();
    home.write("logs/agent.log", &"x\n".repeat(3 * 1024 * 1024));
    home.check(&["hooks", "fire", "on_session_start"], 0, &["proceed"], &[]);
    assert!(home.read("logs/agent.log").len() < 10_000);
    assert_eq!(home.read("logs/agent.log.1").len(), 6 * 1024 * 1024);
}

#[cfg(unix)]
#[test]
fn logs_are_for_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_hello();
    home.check(&["hooks", "fire", "on_session_start"], 0, &["proceed"], &[]);
    let mode = |path: &str| {
        home.path(path)
            .metadata()
            .expect("there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("logs"), mode("logs/agent.log")), (0o700, 0o600));
}
