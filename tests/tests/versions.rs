//! Plugins of other ages and of another compiler: what fits loads, and what does not is refused in one
//! sentence that names what is missing.

#![cfg(target_os = "linux")]

use hermes_loader::Host;
use hermes_tests::{
    Fixture, Placed, TestHome,
    home::{loaded, refusal, report},
    standalone::{Build, other_toolchain},
};
use serde_json::{Value, json};

fn load(plugin: impl Into<Placed>) -> (TestHome, Host) {
    let home = TestHome::with([plugin.into()]);
    let host = home.load();
    (home, host)
}

#[track_caller]
fn fire(host: &Host, hook: &str, payload: &Value) -> Value {
    let outcome = host
        .fire_json(hook, payload)
        .expect("the payload is an object");
    serde_json::to_value(outcome).expect("JSON")
}

#[test]
fn a_plugin_of_abi_1_0_works() {
    let (_home, host) = load(&Fixture::built("old-minor"));
    loaded(&host, "old-minor");
    let line = report(&host, "old-minor");
    let metadata = line.metadata.as_ref().expect("metadata");
    assert_eq!(
        (metadata.abi.to_string().as_str(), metadata.catalogue),
        ("1.0", 1)
    );
    // Fields that were added since are no concern of its.
    let payload =
        json!({"tool_name": "terminal", "args": {}, "turn_id": "t", "of_tomorrow": {"a": 1}});
    let outcome = fire(&host, "pre_tool_call", &payload);
    assert_eq!(
        (&outcome["decision"], &outcome["message"]),
        (&json!("block"), &json!("an old plugin says no"))
    );
    assert_eq!(
        fire(&host, "pre_tool_call", &json!({"tool_name": "panic"}))["decision"],
        "proceed"
    );
    assert_eq!(
        fire(
            &host,
            "transform_llm_output",
            &json!({"response_text": "x"})
        )["text"],
        "by an old plugin"
    );
    assert!(host.shutdown());
    assert_eq!(host.faults(), []);
}

#[test]
fn an_old_plugin_can_be_a_guard() {
    // Its registration has no phase: the operator's word puts it among the guards.
    let (_home, host) = load(Placed::new(&Fixture::built("old-minor")).guard());
    loaded(&host, "old-minor");
    assert!(
        report(&host, "old-minor")
            .hooks
            .iter()
            .all(|hook| hook.guard && hook.fails_closed)
    );
}

#[test]
fn a_plugin_of_abi_1_2_works_as_far_as_this_host_goes() {
    let (_home, host) = load(&Fixture::built("newer-minor"));
    loaded(&host, "newer-minor");
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {}}),
    );
    assert_eq!(outcome["decision"], "block", "{outcome}");
    assert_eq!(outcome["message"], r#"summons: false, newer field: """#);
    assert_eq!(
        outcome["replies"][0]["answer"]
            .as_object()
            .map(serde_json::Map::len),
        Some(2),
        "{outcome}"
    );
    // A hook of tomorrow: kept, said to be unknown, and reachable by its name.
    let hooks = &report(&host, "newer-minor").hooks;
    assert_eq!(hooks[1].name, "new_hook");
    assert_eq!(
        serde_json::to_value(hooks[1].liveness).expect("JSON"),
        "unknown"
    );
    assert_eq!(
        fire(&host, "new_hook", &json!({}))["replies"][0]["answer"],
        "reached"
    );
    assert!(host.shutdown());
    assert_eq!(host.faults(), []);
}

#[track_caller]
fn check_required(requires: Value, code: &str, sentence: &str) {
    let fixture =
        Fixture::built("newer-minor").with_metadata(|document| document["requires"] = requires);
    let (_home, host) = load(&fixture);
    let refusal = refusal(&host, "newer-minor");
    assert_eq!(
        (refusal.code(), refusal.to_string().as_str()),
        (code, sentence)
    );
    assert!(
        refusal.cure().contains("update the host"),
        "{}",
        refusal.cure()
    );
}

#[test]
fn what_a_plugin_cannot_do_without_is_named() {
    check_required(
        json!({"abi_minor": 2}),
        "requires_abi",
        "requires plugin ABI 1.2, this host speaks 1.1",
    );
    check_required(
        json!({"hooks": ["pre_tool_call", "new_hook"]}),
        "requires_hook",
        "needs `new_hook`, which this host (catalogue revision 3) does not have",
    );
    check_required(
        json!({"hooks": ["pre_tool_call.args", "pre_tool_call.mood"]}),
        "requires_hook",
        "needs `pre_tool_call.mood`, which this host (catalogue revision 3) does not have",
    );
    check_required(
        json!({"extensions": ["hermes.tools/1", "hermes.dreams/3"]}),
        "requires_extension",
        "needs the extension interface `hermes.dreams/3`: this host does not have it",
    );
}

#[test]
fn what_a_plugin_requires_and_the_host_has_is_no_matter() {
    let fixture = Fixture::built("newer-minor").with_metadata(|document| {
        document["requires"] = json!({"abi_minor": 1, "hooks": ["pre_tool_call.turn_id"]})
    });
    let (_home, host) = load(&fixture);
    loaded(&host, "newer-minor");
}

#[test]
fn a_plugin_of_another_compiler_works() {
    let Some((toolchain, version)) = other_toolchain() else {
        use std::io::Write as _;
        // Not a log record: whoever runs the tests is to see it.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED: no nightly toolchain, so no plugin of another compiler"
        );
        return;
    };
    let build = Build {
        label: toolchain,
        toolchain: Some(toolchain),
        args: &[],
    };
    let home = TestHome::with([
        Placed::new(&build.fixture("witness")),
        Placed::new(&build.fixture("panic-payload-bomb")),
        Placed::new(&build.fixture("keeps-events")).config(json!({})),
    ]);
    let host = home.load();
    for plugin in ["witness", "panic-payload-bomb", "keeps-events"] {
        loaded(&host, plugin);
        let compiler = report(&host, plugin)
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.compiler.clone());
        assert_eq!(compiler.as_deref(), Some(version.as_str()));
    }
    let outcome = fire(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"witness": "by nightly"}}),
    );
    assert_eq!(
        (&outcome["by"], &outcome["message"]),
        (&json!("witness"), &json!("by nightly"))
    );
    // Its panics are contained in its own standard library.
    let faults = host.faults();
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert_eq!(
        (faults[0].plugin.as_str(), faults[0].text.as_str()),
        (
            "panic-payload-bomb",
            "panic with a payload that is not text"
        )
    );
    // Its futures run on this host's threads.
    let mut future = Box::pin(host.fire_json_async(
        "pre_tool_call",
        json!({"tool_name": "terminal", "tool_call_id": "n", "args": {}}),
    ));
    assert!(hermes_tests::wait::poll_once(&mut future).is_pending());
    let answered = fire(
        &host,
        "keeper.do",
        &json!({"word": "answer", "id": "n", "text": "across compilers"}),
    );
    assert_eq!(answered["replies"][0]["answer"], true);
    let outcome = hermes_tests::block_on(future).expect("an object");
    assert_eq!(outcome.decision.by(), Some("keeps-events"));
    fire(&host, "keeper.do", &json!({"word": "release", "id": "n"}));
    assert!(host.shutdown());
}
