//! What a plugin in C keeps with a tool call.

use std::sync::OnceLock;

use serde_json::json;

use super::installed::{assert_loaded, compiled};

#[test]
fn a_plugin_in_c_keeps_state_with_a_call() {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    let host = compiled("keeps", include_str!("keeps.c"), &KEPT).load(&json!({}));
    assert_loaded(&host);
    let fire = |hook: &str, id: &str| {
        let payload = json!({"tool_name": "terminal", "session_id": "s", "tool_call_id": id});
        let outcome = host.fire_json(hook, &payload).expect("an object");
        assert_eq!(outcome.replies, []);
    };
    for id in ["taken", "dropped", ""] {
        fire("pre_tool_call", id);
    }
    for id in ["taken", "never there"] {
        fire("post_tool_call", id);
    }
    assert_eq!(host.calls().attached, 1);
    fire("on_session_end", "");
    // Two were attached, a call without an id keeps nothing, nor does a tool; a missing pointer is invalid.
    let shown = "[4433,10,11]";
    assert_eq!(host.run_tool("kept", &json!({})), Ok(shown.to_owned()));
    assert_eq!(host.faults(), []);
    assert!(host.shutdown());
}
