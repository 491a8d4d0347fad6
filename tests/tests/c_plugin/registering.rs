//! What a plugin in C may hand over in `register`, and how it fails.

use std::fs;
use std::sync::OnceLock;

use serde_json::json;

use super::installed::{CC, Installed, assert_loaded, blocked, build, compiled};

#[test]
fn registrations_in_c_are_judged_one_by_one() {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    let host = compiled("registers", include_str!("registers.c"), &KEPT).load(&json!({}));
    assert_loaded(&host);
    assert_eq!(
        (host.count("post_tool_call"), host.count("pre_tool_call")),
        (1, 1)
    );
    // In the order of the text above, then CLOSED for one that comes late, then how many were dropped:
    // what was refused stays the plugin's, and what was taken still lives.
    let codes = "[0,0,3,3,3,3,3,3,3,3,3,3,1,3,3,3,3,3,0,2,0]";
    assert_eq!(host.run_tool("codes", &json!({})), Ok(codes.to_owned()));
    assert_eq!(
        blocked(&host, "any", ""),
        "cookie",
        "members behind those this host knows are left alone"
    );
    assert_eq!(host.faults(), []);
    assert!(host.shutdown());
}

#[track_caller]
fn check_refused(create: &str, register: &str, expected: &[&str]) {
    let text = include_str!("fails.c")
        .replace("CREATE;", &format!("((void)args, {create});"))
        .replace("REGISTER;", &format!("{register};"));
    let installed = Installed::new("fails", |library| {
        let source = library.with_extension("c");
        fs::write(&source, text).expect("the text can be written");
        build(CC, &source, &["-std=c11"], library);
        fs::remove_file(&source).expect("the text can be removed");
    });
    let report = installed.load(&json!({})).report().to_string();
    for part in expected {
        assert!(report.contains(part), "{report}");
    }
}

#[test]
fn a_plugin_in_c_that_fails_is_refused_with_its_words() {
    let words = "hermes_host_fail(hermes_host_of(args), \"not on a Sunday\")";
    check_refused(
        words,
        "HERMES_STATUS_NONE",
        &["its `create` failed: not on a Sunday", ".c:"],
    );
    check_refused(
        "HERMES_STATUS_ERROR",
        "HERMES_STATUS_NONE",
        &["its `create` failed: ended with status 2"],
    );
    check_refused(
        "999",
        "HERMES_STATUS_NONE",
        &["its `create` failed: ended with status 999"],
    );
    check_refused(
        "HERMES_STATUS_NONE",
        "HERMES_STATUS_ERROR",
        &["its `register` failed: ended with status 2"],
    );
    check_refused(
        "HERMES_STATUS_NONE",
        "12345",
        &["its `register` failed: ended with status 12345"],
    );
}
