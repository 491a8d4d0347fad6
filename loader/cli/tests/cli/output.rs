//! What every command keeps to: its streams, its colours, a reader that goes away.

use std::io::Read;
use std::process::Stdio;

use crate::fixture::{Home, hello, hermes, text, write};

#[test]
fn every_json_command_writes_json_and_nothing_else() {
    let home = Home::with_hello();
    let library = text(hello());
    let events = text(&write(
        home.beside("e.jsonl"),
        "{\"hook\":\"pre_tool_call\",\"kwargs\":{}}\n",
    ));
    let commands: [&[&str]; 14] = [
        &["plugins", "disable", "hello-plugin"],
        &["plugins", "disable", "hello-plugin"],
        &["plugins", "enable", "hello-plugin"],
        &["plugins", "remove", "hello-plugin"],
        &["plugins", "install", &library, "--enable"],
        &["plugins", "install", &library, "--force"],
        &["plugins", "check"],
        &["plugins", "list"],
        &["plugins", "inspect", "hello-plugin"],
        &["plugins", "check", &library],
        &["doctor"],
        &["hooks", "catalogue"],
        &["hooks", "fire", "pre_tool_call"],
        &["replay", &events],
    ];
    for command in commands {
        let mut args = command.to_vec();
        args.extend(["--json", "-v"]);
        let ran = home.run(&args, "");
        assert_eq!(ran.code, Some(0), "{args:?} {}", ran.err);
        ran.json();
    }
    let ran = home.run(&["logs", "--json", "-n", "3"], "");
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
    for line in ran.out.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(record["level"], "info", "{line}");
        let time = record["time"].as_str().expect("text");
        assert!(
            record["text"]
                .as_str()
                .is_some_and(|text| text.starts_with(time))
        );
    }
}

#[test]
fn colours_are_for_those_who_want_them() {
    let home = Home::with_hello();
    let run = |args: &[&str], set: &[(&str, &str)]| {
        let output = home
            .command(args)
            .envs(set.iter().copied())
            .output()
            .expect("it runs");
        String::from_utf8(output.stdout)
            .expect("UTF-8")
            .contains('\u{1b}')
    };
    let forced = ("CLICOLOR_FORCE", "1");
    assert!(run(&["plugins", "list"], &[forced]));
    assert!(!run(&["plugins", "list"], &[]));
    assert!(!run(&["plugins", "list"], &[forced, ("NO_COLOR", "1")]));
    assert!(!run(&["plugins", "list", "--no-color"], &[forced]));
    assert!(!run(&["--help", "--no-color"], &[forced]));
}

#[test]
fn quiet_leaves_results_and_errors() {
    let home = Home::with_hello();
    home.check(&["plugins", "list", "-q"], 0, &["hello-plugin"], &[]);
    home.check(
        &["plugins", "enable", "nope", "--quiet"],
        1,
        &[],
        &["error:"],
    );
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let home = Home::with_hello();
    home.write(
        "logs/agent.log",
        &"2026-11-30 10:00:00,000 INFO t: a line that is long enough to fill a pipe\n"
            .repeat(20_000),
    );
    for args in [
        &["logs", "-n", "20000"][..],
        &["hooks", "catalogue", "--json"],
        &["--help"],
    ] {
        let mut child = home
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let mut err = String::new();
        child
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut err)
            .expect("UTF-8");
        let status = child.wait().expect("it ends");
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn plugins_cannot_drive_the_terminal() {
    let home = Home::new();
    home.plugin(
        "x",
        "version: \"1\\e[2J\"\ndescription: \"a\\e]0;title\\a\\nb\"\n",
    );
    for args in [
        &["plugins", "list"][..],
        &["plugins", "list", "--plain"],
        &["plugins", "list", "--json"],
    ] {
        let out = home.run(args, "").out;
        assert!(!out.contains('\u{1b}') && !out.contains('\u{7}'), "{out:?}");
    }
}

#[test]
fn usage_errors_are_two_and_help_is_fine() {
    let home = Home::new();
    home.check(&[], 2, &[], &["Usage:"]);
    home.check(&["bogus"], 2, &[], &["unrecognized subcommand 'bogus'"]);
    home.check(&["--home", ""], 2, &[], &["--home"]);
    home.check(&["--help"], 0, &["Examples:"], &[]);
    home.check(
        &["--version"],
        0,
        &["plugin ABI", "catalogue revision"],
        &[],
    );
}

#[test]
fn the_home_can_be_given() {
    let home = Home::with_hello();
    let elsewhere = text(&home.beside("elsewhere"));
    home.check(
        &["--home", &elsewhere, "plugins", "list"],
        0,
        &["No plugins installed."],
        &["elsewhere/plugins"],
    );
    home.check(
        &["plugins", "list", "--plain", "--home", "./home"],
        0,
        &["hello-plugin"],
        &[],
    );
}

#[test]
fn both_names_are_one_program() {
    let native = std::process::Command::new(env!("CARGO_BIN_EXE_hermes-native"))
        .arg("--version")
        .output()
        .expect("it runs");
    let plain = hermes().arg("--version").output().expect("it runs");
    assert_eq!(native.stdout, plain.stdout);
    let home = Home::new();
    let hint = std::process::Command::new(env!("CARGO_BIN_EXE_hermes-native"))
        .args(["plugins", "list"])
        .env("HERMES_HOME", home.path(""))
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&hint.stderr).contains("hermes-native plugins install"));
}
