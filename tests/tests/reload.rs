//! Putting what is there now in place of what was, while events are in flight.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_loader::{Decision, Host};
use hermes_tests::home::{loaded, report};
use hermes_tests::{Fixture, Placed, TestHome};
use serde_json::{Value, json};

fn blocking(name: &str, message: &str) -> Placed {
    let answer = json!({"action": "block", "message": message});
    Placed::new(&Fixture::built("scripted").named(name))
        .config(json!({"on": {"pre_tool_call": [{"return": answer}]}}))
}

fn told(host: &Host) -> Option<String> {
    let call = json!({"tool_name": "terminal", "args": {}});
    match host
        .fire_json("pre_tool_call", &call)
        .expect("an object")
        .decision
    {
        Decision::Block { message, .. } => Some(message),
        _ => None,
    }
}

/// Edits the configuration of the home as an operator would.
fn edit(home: &TestHome, change: impl FnOnce(&mut Value)) {
    let path = home.path().join("config.yaml");
    let text = fs::read_to_string(&path).expect("readable");
    let mut config: Value = serde_json::from_str(&text).expect("the tests write JSON");
    change(&mut config);
    fs::write(&path, config.to_string()).expect("writable");
}

fn message_of(home: &TestHome, plugin: &str, message: &str) {
    edit(home, |config| {
        config["plugins"]["entries"][plugin]["config"]["on"]["pre_tool_call"][0]["return"]["message"] =
            message.into();
    });
}

#[test]
fn a_forced_rescan_rebuilds_every_hook_exactly_once() {
    // Case 60.
    let home = TestHome::with([blocking("one", "first"), blocking("two", "second")]);
    let host = home.load();
    assert_eq!(
        (host.count("pre_tool_call"), told(&host)),
        (2, Some("first".into()))
    );
    assert!(host.reload());
    assert_eq!(
        (host.count("pre_tool_call"), told(&host)),
        (2, Some("first".into()))
    );
    assert!(host.reload());
    assert_eq!(host.count("pre_tool_call"), 2);
}

#[test]
fn a_rescan_sees_what_was_changed_added_and_taken_away() {
    let home = TestHome::with([blocking("one", "first"), blocking("two", "second")]);
    let host = home.load();
    message_of(&home, "one", "edited");
    edit(&home, |config| {
        let plugins = &mut config["plugins"];
        plugins["enabled"] = json!(["one", "three"]);
        plugins["entries"]["three"] = plugins["entries"]["two"].clone();
    });
    home.place(&home.plugins(), &blocking("three", "third"));
    assert_eq!(
        told(&host),
        Some("first".into()),
        "nothing changes by itself"
    );
    assert!(host.reload());
    assert_eq!(told(&host), Some("edited".into()));
    loaded(&host, "three");
    assert_eq!(report(&host, "two").state.word(), "off");
    assert_eq!(host.count("pre_tool_call"), 2);

    edit(&home, |config| {
        config["plugins"]["required"] = json!(["two"])
    });
    assert!(host.reload());
    assert!(!host.report().missing.is_empty());
    edit(&home, |config| config["plugins"]["enabled"] = json!([]));
    assert!(host.reload());
    let refused = told(&host).expect("`two` is required");
    assert!(refused.contains("`two`"), "{refused}");
}

#[test]
fn no_event_meets_both_or_neither_while_plugins_are_replaced() {
    let home = TestHome::with([blocking("one", "0")]);
    let host = home.load();
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let outcome = host
                        .fire_json("pre_tool_call", &json!({"tool_name": "t", "args": {}}))
                        .expect("an object");
                    assert_eq!(outcome.replies.len(), 1, "{outcome:?}");
                }
            });
        }
        for round in 1..=20 {
            message_of(&home, "one", &round.to_string());
            assert!(host.reload(), "every call ends");
            assert_eq!(told(&host), Some(round.to_string()));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(host.shutdown());
    assert_eq!(told(&host), None);
}
