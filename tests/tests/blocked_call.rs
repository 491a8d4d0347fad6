//! A blocked call from end to end: what runs, what the model sees, and who was asked.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use hermes_loader::moments::{
    ToolCall, ToolStatus, Tools,
    memory::{Nobody, Toolbox},
};
use hermes_tests::Stage;
use serde_json::{Value, json};

#[test]
fn case_1_the_first_of_two_blocks_is_what_the_model_sees() {
    let blocks = |message: &str| -> Value {
        json!({"pre_tool_call": [{"record": "asked", "return": {"action": "block", "message": message}}]})
    };
    let stage = Stage::new("case1", [blocks("a"), blocks("b")]);
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    let ran = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&ran);
    let runner = Toolbox::new().tool("terminal", move |_| {
        own.store(true, Ordering::SeqCst);
        Ok("done".to_owned())
    });
    let call = ToolCall::new("terminal", json!({"command": "ls"})).id("call-1");
    let result = call.run(&Tools {
        approvals: &approvals,
        runner: &runner,
    });

    assert!(!ran.load(Ordering::SeqCst), "the tool is not run");
    assert_eq!(
        (result.text.as_str(), result.status),
        (r#"{"error":"a"}"#, ToolStatus::Blocked)
    );
    assert_eq!(result.blocked_by.as_deref(), Some("p1-case1"));
    let outcome = stage
        .moments
        .host()
        .fire_json("scripted.recorded", &json!({"label": "asked"}))
        .expect("an object");
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    let asked: Vec<(&Value, usize)> = replies
        .as_array()
        .expect("a reply of each")
        .iter()
        .filter_map(|reply| Some((&reply["plugin"], reply["answer"].as_array()?.len())))
        .collect();
    assert_eq!(
        asked,
        [(&json!("p1-case1"), 1), (&json!("p2-case1"), 1)],
        "both were asked, once"
    );
}
