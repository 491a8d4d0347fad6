//! The plugin without an agent: what it refuses, and what it says.

use hello_plugin::PLUGIN;
use hermes_plugin_api::prelude::Verdict;
use hermes_plugin_api::testing::{Host, event};

fn host() -> Host {
    Host::new("hello-plugin")
        .load(PLUGIN)
        .expect("it registers")
}

#[track_caller]
fn check(tool: &str, command: &str, expected: &Verdict) {
    let outcome = host().fire("pre_tool_call", event::tool(tool).arg("command", command));
    assert_eq!(outcome.verdict(), *expected);
}

#[test]
fn the_root_file_system_stays() {
    let refused = Verdict::block("refusing to delete the root file system");
    check("terminal", "rm -rf /", &refused);
    check("terminal", "sudo rm -rf / --no-preserve-root", &refused);
    check("terminal", "ls", &Verdict::pass());
    check("write_file", "rm -rf /", &Verdict::pass());
}

#[test]
fn a_session_is_greeted() {
    let host = host();
    host.fire("on_session_start", event::session("ses_1"))
        .sound();
    let logs = host.logs();
    assert_eq!(logs.len(), 1);
    assert_eq!(
        (logs[0].message.as_str(), &logs[0].fields["session"]),
        ("hello", &"ses_1".into())
    );
}
