//! Two plugins linked into one program, beside one that is loaded: the same registry, apart from each other.

use hermes_loader::{FaultKind, Host, State, discover::Surroundings};
use hermes_tests::{
    Fixture, Placed, TestHome,
    home::{loaded, report},
    records::Records,
};
use serde_json::{Value, json};

fn host(home: &TestHome) -> Host {
    Host::builder(home.home())
        .surroundings(Surroundings::default())
        .safe_mode(false)
        .link(linked_first::PLUGIN)
        .link(linked_second::PLUGIN)
        .load()
}

fn replies(host: &Host, hook: &str) -> Value {
    let outcome = host.fire_json(hook, &json!({})).expect("an object");
    serde_json::to_value(outcome.replies).expect("JSON")
}

#[test]
fn both_live_in_one_program() {
    let records = Records::capture();
    let home = TestHome::with([Placed::new(&Fixture::built("witness"))]);
    let host = host(&home);
    for plugin in ["linked-first", "linked-second", "witness"] {
        loaded(&host, plugin);
    }
    let whole = host.report();
    let order: Vec<_> = whole
        .plugins
        .iter()
        .map(|plugin| plugin.key.as_str())
        .collect();
    assert_eq!(
        order,
        ["linked-first", "linked-second", "witness"],
        "linked ones load before the others"
    );
    let first = report(&host, "linked-first");
    assert!(first.dir.is_none() && first.source.is_none() && first.sha256.is_none());
    assert_eq!(
        first
            .metadata
            .as_ref()
            .map(|metadata| metadata.name.as_str()),
        Some("linked-first")
    );

    let who = replies(&host, "who");
    assert_eq!(
        (&who[0]["answer"], &who[1]["answer"]),
        (&json!("linked-first"), &json!("linked-second"))
    );

    // One image has one list of declared handlers; each plugin took only its own.
    assert_eq!(host.count("post_tool_call"), 2);
    for plugin in ["linked-first", "linked-second"] {
        let hooks = &report(&host, plugin).hooks;
        assert_eq!(
            hooks
                .iter()
                .filter(|hook| hook.name == "post_tool_call")
                .count(),
            1,
            "{hooks:#?}"
        );
    }
    let _ = host
        .fire_json("post_tool_call", &json!({"tool_name": "t"}))
        .expect("an object");
    drop(records);

    // The guard is in both, and each panic is its plugin's own.
    for plugin in ["first", "second"] {
        assert_eq!(
            replies(&host, &format!("panic.{plugin}"))[0]["fault"]["kind"],
            "panic"
        );
    }
    let faults = host.faults();
    let told: Vec<_> = faults
        .iter()
        .map(|fault| (fault.plugin.as_str(), fault.kind, fault.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("linked-first", FaultKind::Panic, "boom in linked-first"),
            ("linked-second", FaultKind::Panic, "boom in linked-second")
        ]
    );
    assert!(
        faults[0].place.contains("linked/first/src/lib.rs:"),
        "{faults:#?}"
    );
    let outcome = host.fire_json(
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"witness": "too"}}),
    );
    assert_eq!(outcome.expect("an object").decision.by(), Some("witness"));
    assert!(host.shutdown());
}

#[test]
fn a_linked_plugin_lives_several_lives() {
    let home = TestHome::new();
    for _ in 0..3 {
        let host = host(&home);
        loaded(&host, "linked-first");
        assert!(host.shutdown());
        assert_eq!(replies(&host, "who"), json!([]));
    }
    // Two at once.
    let (one, two) = (host(&home), host(&home));
    drop(one);
    assert_eq!(replies(&two, "who").as_array().map(Vec::len), Some(2));
}

#[test]
fn a_linked_plugin_can_be_switched_off() {
    let home = TestHome::new();
    std::fs::write(
        home.path().join("config.yaml"),
        "plugins:\n  disabled: [linked-first]\n",
    )
    .expect("it is written");
    let host = host(&home);
    assert!(matches!(report(&host, "linked-first").state, State::Off(_)));
    loaded(&host, "linked-second");
    assert_eq!(replies(&host, "who").as_array().map(Vec::len), Some(1));
}

#[test]
fn a_library_may_have_another_plugin_s_crate_in_it() {
    let home = TestHome::with([Placed::new(&Fixture::built("links-another"))]);
    let host = home.load();
    loaded(&host, "links-another");
    let who = replies(&host, "links-another.who");
    assert_eq!(who[0]["answer"], json!(1), "{who}");
}
