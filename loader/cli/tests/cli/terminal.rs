//! What is asked where a person can answer: the program in a terminal of its own.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::fixture::{Home, copy_hello, hello, text, write};

/// How long a text may take to come.
const BOUND: Duration = Duration::from_secs(60);

struct Terminal {
    keyboard: File,
    screen: Receiver<String>,
    seen: String,
    at: usize,
    child: Child,
}

impl Terminal {
    fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let path = std::path::PathBuf::from(name.to_str().expect("UTF-8"));
        let flags = rustix::fs::OFlags::NOCTTY.bits();
        let slave = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(i32::try_from(flags).expect("small"))
            .open(path)
            .expect("the other end");
        let end = || slave.try_clone().expect("a copy");
        let child = command
            .env("TERM", "dumb")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("it starts");
        drop((command, slave));
        let keyboard = File::from(master);
        let mut reader = keyboard.try_clone().expect("a copy");
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // It fails once nobody has the other end open.
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Self {
            keyboard,
            screen,
            seen: String::new(),
            at: 0,
            child,
        }
    }

    /// Waits for a text after the last one, then types an answer.
    #[track_caller]
    fn answer(&mut self, question: &str, answer: &str) {
        loop {
            if let Some(found) = self.seen[self.at..].find(question) {
                self.at += found + question.len();
                break;
            }
            match self.screen.recv_timeout(BOUND) {
                Ok(text) => self.seen.push_str(&text),
                Err(error) => panic!("{question:?} does not come ({error}): {}", self.seen),
            }
        }
        self.keyboard.write_all(answer.as_bytes()).expect("typed");
    }

    /// Waits for the end. The exit code, and all that was shown.
    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().expect("it ends").code();
        while let Ok(text) = self.screen.recv_timeout(BOUND) {
            self.seen.push_str(&text);
        }
        (code, self.seen)
    }
}

#[test]
fn plugins_are_switched_by_number() {
    let home = Home::with_hello();
    home.plugin("other", "");
    let mut terminal = Terminal::start(home.command(&["plugins"]));
    let question = "Number to switch, Enter to end: ";
    terminal.answer(question, "1\n");
    terminal.answer("Plugin hello-plugin disabled.", "");
    terminal.answer(question, "7\n");
    terminal.answer("`7` is no number of the list", "");
    terminal.answer(question, "1\n");
    terminal.answer("Plugin hello-plugin enabled.", "");
    terminal.answer("replace tools that the agent has built in? [y/N] ", "\n");
    terminal.answer(question, "\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    let config = home.read("config.yaml");
    assert!(config.contains("enabled: [hello-plugin]"), "{config}");
    assert!(config.contains("allow_tool_override: false"), "{config}");
}

#[test]
fn secrets_are_asked_for_without_an_echo_and_saved() {
    let home = Home::new();
    write(
        home.beside("src/plugin.yaml"),
        "name: hello-plugin\nrequires_env:\n  - {name: HELLO_URL, description: where, url: 'https://example.org'}\n  \
         - {name: HELLO_TOKEN, secret: true}\n  - HELLO_SKIPPED\n",
    );
    copy_hello(&home.beside("src"));
    let env = home.write(".env", "# mine\nOTHER=1");
    std::fs::set_permissions(&env, PermissionsExt::from_mode(0o644)).expect("set");
    let dir = text(&home.beside("src"));
    let mut terminal = Terminal::start(home.command(&["plugins", "install", &dir]));
    terminal.answer(
        "HELLO_URL (where, https://example.org) (Enter to skip): ",
        "http://x y\n",
    );
    terminal.answer("HELLO_TOKEN (Enter to skip): ", "sk-secret\n");
    terminal.answer("HELLO_SKIPPED (Enter to skip): ", "\n");
    terminal.answer("Enable hello-plugin now? [y/N] ", "y\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(
        seen.contains("http://x y") && !seen.contains("sk-secret"),
        "{seen}"
    );
    assert!(seen.contains("It asks for HELLO_SKIPPED"), "{seen}");
    assert_eq!(
        home.read(".env"),
        "# mine\nOTHER=1\nHELLO_URL='http://x y'\nHELLO_TOKEN=sk-secret\n"
    );
    let mode = std::fs::metadata(&env).expect("facts").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(home.read("config.yaml").contains("hello-plugin"));
}

#[test]
fn no_is_the_default() {
    let home = Home::new();
    let mut terminal = Terminal::start(home.command(&["plugins", "install", &text(hello())]));
    terminal.answer("Enable hello-plugin now? [y/N] ", "\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(!home.path("config.yaml").exists());

    let mut terminal = Terminal::start(home.command(&["plugins", "enable", "hello-plugin"]));
    // The end of the input.
    terminal.answer("built in? [y/N] ", "\u{4}");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(
        home.read("config.yaml")
            .contains("allow_tool_override: false")
    );

    home.check(
        &["plugins", "disable", "hello-plugin"],
        0,
        &["disabled"],
        &[],
    );
    let terminal = Terminal::start(home.command(&[
        "plugins",
        "enable",
        "hello-plugin",
        "--allow-tool-override",
    ]));
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(
        seen.contains("it may replace built-in tools") && !seen.contains("[y/N]"),
        "{seen}"
    );
    assert!(
        home.read("config.yaml")
            .contains("allow_tool_override: true")
    );
}
