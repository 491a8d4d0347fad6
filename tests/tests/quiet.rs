//! A library never prints: whatever plugins do wrong, both streams belong to the program.

use hermes_loader::Host;
use hermes_tests::{Fixture, Placed, TestHome, block_on, child::in_child, home::loaded};
use serde_json::json;

fn fire_everything(host: &Host) {
    for how in ["formatted", "literal", "several lines", "caught before"] {
        let payload = json!({"tool_name": "t", "args": {"how": how, "late": true, "never": false}, "result": "r"});
        for hook in ["pre_tool_call", "post_tool_call", "transform_tool_result"] {
            let _ = host.fire_json(hook, &payload).expect("an object");
            let _ = block_on(host.fire_json_async(hook, payload.clone())).expect("an object");
        }
    }
    let _ = host.run_tool("panics", &json!({}));
    let _ = host
        .fire_json("before_tool_call", &json!({"toolName": "t"}))
        .expect("an object");
}

#[test]
fn nothing_is_printed_whatever_a_plugin_does() {
    let child = in_child("nothing_is_printed_whatever_a_plugin_does", || {
        let faulty = [
            "panic-in-create",
            "panic-in-register",
            "panic-in-register-and-drop",
            "panic-in-handler",
            "panic-payload-bomb",
            "panic-payload-not-text",
            "panic-in-handler-drop",
            "panic-in-future-poll",
            "panic-in-future-drop",
            "panic-in-timer",
            "panic-in-callback-drop",
            "panic-in-tool",
            "panic-in-tool-drop",
            "errs-in-create",
            "declares-more",
            "unknown-hooks",
            "logs",
            "sleeps-on-tokio",
            "witness",
        ];
        let home = TestHome::with(faulty.map(|name| Placed::new(&Fixture::built(name))));
        let home = home.plugin(Placed::bytes("no-library", "text"));
        let host = home.load();
        loaded(&host, "witness");
        fire_everything(&host);
        assert!(host.faults().len() > 8, "{:#?}", host.faults());
        assert!(host.shutdown());
    });
    child.lived();
    assert_eq!((child.stdout.as_str(), child.stderr.as_str()), ("", ""));
}

#[test]
fn a_panic_on_a_thread_of_the_plugin_is_the_plugin_s_own() {
    // Outside of the guard nobody catches it for the plugin; its thread ends as any thread does, and the
    // hook that was there before says so.
    let child = in_child(
        "a_panic_on_a_thread_of_the_plugin_is_the_plugin_s_own",
        || {
            let home = TestHome::new().plugin(&Fixture::built("logs"));
            let host = home.load();
            loaded(&host, "logs");
            let _ = host
                .fire_json("on_session_start", &json!({"session_id": "s"}))
                .expect("an object");
            let _ = host
                .fire_json("on_session_start", &json!({"session_id": "panic"}))
                .expect("an object");
            assert_eq!(host.faults(), []);
            assert!(host.shutdown());
        },
    );
    child.lived();
    assert!(child.stdout.is_empty(), "{child:#?}");
    assert!(
        child.stderr.contains("boom on a thread of the plugin"),
        "{child:#?}"
    );
}

#[test]
fn the_host_s_own_panics_are_still_told() {
    let child = in_child("the_host_s_own_panics_are_still_told", || {
        let home = TestHome::with(
            ["panic-in-handler", "witness"].map(|name| Placed::new(&Fixture::built(name))),
        );
        let host = home.load();
        fire_everything(&host);
        let caught = std::panic::catch_unwind(|| panic!("the program's own"));
        assert!(caught.is_err());
    });
    child.lived();
    assert!(child.stderr.contains("the program's own"), "{child:#?}");
    assert!(!child.stderr.contains("boom"), "{child:#?}");
}
