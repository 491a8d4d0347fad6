//! The example, run as the program it is.

use std::process::{Command, Stdio};

#[test]
fn it_talks_to_its_end() {
    let home = tempfile::tempdir().expect("the system has a temporary directory");
    let output = Command::new(env!("CARGO_BIN_EXE_embed-host"))
        .env("HERMES_HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .expect("it was built");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    for line in [
        "you: tidy up my project",
        r#"[ok] {"output":"hello","exit_code":0,"error":null}"#,
        "> git push --force origin main",
        "agent: That is all I was allowed to do.",
    ] {
        assert!(said.contains(line), "`{line}` is not in:\n{said}");
    }
}
