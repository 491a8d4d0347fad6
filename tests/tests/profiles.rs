//! Several homes in one process: one image, an instance each, and nothing shared but the code.

use hermes_loader::Decision;
use hermes_tests::{Fixture, Placed, TestHome, home::loaded};
use serde_json::json;

/// A home whose one plugin blocks every tool call with this message.
fn home(message: &str) -> TestHome {
    let rule = json!({ "return": { "action": "block", "message": message } });
    let config = json!({ "on": { "pre_tool_call": [rule] } });
    TestHome::with([Placed::new(&Fixture::built("scripted").named("says-no")).config(config)])
}

#[track_caller]
fn check(host: &hermes_loader::Host, expected: Option<&str>) {
    let call = json!({ "tool_name": "terminal", "args": { "command": "ls" } });
    let decision = host
        .fire_json("pre_tool_call", &call)
        .expect("an object")
        .decision;
    let message = match &decision {
        Decision::Block { message, .. } => Some(message.as_str()),
        _ => None,
    };
    assert_eq!(message, expected);
}

#[test]
fn two_profiles_live_side_by_side() {
    let (work, play) = (home("work"), home("play"));
    let (first, second) = (work.load(), play.load());
    loaded(&first, "says-no");
    loaded(&second, "says-no");
    check(&first, Some("work"));
    check(&second, Some("play"));

    // The end of one is not the end of the other, although both run the same image.
    assert!(first.shutdown());
    check(&first, None);
    check(&second, Some("play"));

    // And a new instance of the image takes the place of the one that ended.
    let third = work.load();
    check(&third, Some("work"));
    check(&second, Some("play"));
}
