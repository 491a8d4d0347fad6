//! Runs part of a test in a process of its own, to see what it prints and whether it lives.

use std::{
    env,
    io::{Read, Write},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::Instant,
};

use crate::{fixture, wait};

/// Names the test whose body is to run in this process.
const MARK: &str = "HERMES_TESTS_CHILD";
/// Everything before this line is the test harness's.
const BEGIN: &str = "-- the child begins --\n";

/// What became of a child.
#[derive(Debug)]
pub struct Child {
    /// How it ended.
    pub status: ExitStatus,
    /// What its body printed.
    pub stdout: String,
    /// What its body said on stderr.
    pub stderr: String,
}

/// Runs `body` in a child process and gives what became of it. `test` is the calling test's name.
///
/// In the child this function does not return: it runs the body, and ends with code 0.
///
/// # Panics
/// When the child cannot be started, or does not end in time.
#[track_caller]
pub fn in_child(test: &str, body: impl FnOnce()) -> Child {
    if env::var(MARK).is_ok_and(|name| name == test) {
        mark();
        body();
        // Not a return: the harness would print its verdict.
        std::process::exit(0);
    }
    // Built now, so that the child has nothing to build.
    fixture::build_all();
    let exe = env::current_exe().expect("this program has a path");
    let mut command = Command::new(exe);
    command
        .args([
            test,
            "--exact",
            "--nocapture",
            "--test-threads=1",
            "--quiet",
        ])
        .env(MARK, test);
    command
        .env(fixture::PLACE, fixture::place())
        .env("RUST_BACKTRACE", "1");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the child starts");
    let stdout = child
        .stdout
        .take()
        .map(|pipe| thread::spawn(move || drain(pipe)));
    let stderr = child
        .stderr
        .take()
        .map(|pipe| thread::spawn(move || drain(pipe)));
    let end = Instant::now() + 2 * wait::BOUND;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            break status;
        }
        if Instant::now() > end {
            // It may have ended by itself this very moment.
            let _ = child.kill();
            panic!("the child of `{test}` does not end");
        }
        thread::park_timeout(std::time::Duration::from_millis(5));
    };
    let text = |reader: Option<thread::JoinHandle<String>>| {
        let text = reader
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default();
        text.split_once(BEGIN)
            .map_or(text.clone(), |(_, own)| own.to_owned())
    };
    Child {
        status,
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

fn mark() {
    // A stream that is closed has nothing to be marked on.
    let _ = std::io::stdout().write_all(BEGIN.as_bytes());
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().write_all(BEGIN.as_bytes());
}

fn drain(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // What could be read is what there is.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Child {
    /// Makes sure that the body came to its end.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn lived(&self) {
        assert!(
            self.status.success(),
            "the child ended with {}: {self:#?}",
            self.status
        );
    }
}
