//! Cases made from public reports, played through compiled plugins: `cases/<name>/` holds the plugins'
//! behaviour and the events.

use std::{fs, path::Path};

use hermes_loader::Host;
use hermes_tests::{
    Fixture, Placed, TestHome,
    home::{loaded, refusal, report},
};
use serde_json::{Value, json};

fn read(case: &str, file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cases")
        .join(case)
        .join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn plugins(case: &str) -> Vec<Value> {
    serde_json::from_str(&read(case, "plugins.json")).expect("a list of plugins")
}

/// Hook and payload of each event.
fn events(case: &str) -> Vec<(String, Value)> {
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).expect("an event");
        (
            event["hook"].as_str().expect("a name").to_owned(),
            event["kwargs"].clone(),
        )
    };
    read(case, "events.jsonl")
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(event)
        .collect()
}

/// The scripted plugin under the name of the case's, with its rules.
fn placed(plugin: &Value) -> Placed {
    let name = plugin["name"].as_str().expect("a name");
    let priority = plugin["priority"].clone();
    let mut placed = Placed::new(&Fixture::built("scripted").named(name))
        .config(json!({"on": plugin["on"], "priority": if priority.is_null() { json!(0) } else { priority }}));
    for key in ["role", "on_failure"] {
        if let Some(word) = plugin[key].as_str() {
            placed = placed.manifest(key, word);
        }
    }
    placed
}

fn host_of<'p>(plugins: impl IntoIterator<Item = &'p Value>) -> (TestHome, Host) {
    // Directories are numbered, so that the order of the file is the order of loading.
    let numbered = plugins
        .into_iter()
        .enumerate()
        .map(|(n, plugin)| placed(plugin).directory(&format!("{n:02}")));
    let home = TestHome::with(numbered);
    let host = home.load();
    (home, host)
}

fn fire(host: &Host, (hook, payload): &(String, Value)) -> Value {
    serde_json::to_value(host.fire_json(hook, payload).expect("an object")).expect("JSON")
}

#[test]
fn a_block_beats_an_approve() {
    let plugins = plugins("01-block-beats-approve");
    let events = events("01-block-beats-approve");
    let backwards: Vec<_> = plugins.iter().rev().collect();
    for order in [plugins.iter().collect::<Vec<_>>(), backwards] {
        let (_home, host) = host_of(order);
        assert!(host.report().is_healthy(), "{:#?}", host.report());
        assert_eq!(host.count("pre_tool_call"), 3);
        let traced = host
            .trace_json(&events[0].0, &events[0].1)
            .expect("an object");
        let first = serde_json::to_value(&traced.outcome).expect("JSON");
        assert_eq!(
            (&first["decision"], &first["by"]),
            (&json!("block"), &json!("never-prod")),
            "in either order: {first}"
        );
        let replies = first["replies"].as_array().expect("a trace").clone();
        let approves = replies
            .iter()
            .find(|reply| reply["plugin"] == "ask-first")
            .expect("it is kept in the trace");
        assert_eq!(approves["answer"]["action"], "approve");

        let second = fire(&host, &events[1]);
        assert_eq!(
            (&second["decision"], &second["by"]),
            (&json!("block"), &json!("empty-reason"))
        );
        let reason = second["message"].as_str().expect("a reason");
        assert!(reason.contains("empty-reason"), "{reason}");

        // All guards are asked even after one has blocked.
        assert_eq!(traced.calls.len(), 3);
        assert!(traced.calls.iter().all(|call| call.guard));
    }
}

#[test]
fn one_plugin_s_panic_stays_its_own_problem() {
    let plugins = plugins("07-panic-in-one-plugin");
    let (_home, host) = host_of(&plugins);
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    let mut results = Vec::new();
    let mut last = Value::Null;
    for event in events("07-panic-in-one-plugin") {
        last = fire(&host, &event);
        if event.0 == "transform_tool_result" {
            results.push(last["text"].clone());
        }
    }
    assert_eq!(results, vec![json!("OK"); 5]);
    assert_eq!(
        (&last["decision"], &last["by"]),
        (&json!("block"), &json!("fragile-guard"))
    );
    assert!(
        !last["message"].to_string().contains("unwrap"),
        "the model is not told what went wrong: {last}"
    );
    let pairs = |label: &str| {
        let outcome = fire(
            &host,
            &("scripted.recorded".to_owned(), json!({"label": label})),
        );
        let replies = outcome["replies"].as_array().expect("replies").clone();
        let own = replies
            .iter()
            .find(|reply| reply["plugin"] == "healthy")
            .expect("its reply")
            .clone();
        own["answer"].as_array().map(Vec::len)
    };
    assert_eq!((pairs("intent"), pairs("result")), (Some(6), Some(5)));
    let counts: Vec<_> = host
        .faults()
        .into_iter()
        .map(|fault| (fault.plugin, fault.count))
        .collect();
    let of = |plugin: &str, count| (plugin.to_owned(), count);
    // The case wants the two that panic each time to be put aside after the third panic; this host counts
    // on and calls them for ever.
    assert_eq!(
        counts,
        [
            of("fragile", 5),
            of("fragile-guard", 1),
            of("fragile-transform", 5)
        ]
    );
}

#[test]
fn two_redactors_both_apply() {
    let plugins = plugins("15-two-redactors-chain");
    let (_home, host) = host_of(&plugins);
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    let events = events("15-two-redactors-chain");
    let outcome = fire(&host, &events[0]);
    let text = outcome["text"].as_str().expect("a replacement");
    for secret in ["@example.org", "ghx_"] {
        assert!(!text.contains(secret), "{text}");
    }
    for mask in ["[mail]", "[token]"] {
        assert!(text.contains(mask), "{text}");
    }
    assert_eq!(text.chars().count(), 80);
    let changed: Vec<_> = outcome["replies"]
        .as_array()
        .expect("a trace")
        .iter()
        .map(|reply| reply["plugin"].clone())
        .collect();
    assert_eq!(
        changed,
        ["secrets", "pii", "shortener"].map(Value::from),
        "who changed it, in order"
    );
    assert_eq!(
        fire(&host, &events[1])["decision"],
        "proceed",
        "nobody asked for terminal output"
    );

    // A redactor that fails, and fails closed by choice, lets nothing through.
    let mut broken = plugins;
    broken[1]["on_failure"] = "closed".into();
    broken[1]["on"]["transform_tool_result"][0] = json!({"panic": "no memory for a pattern"});
    let (_home, host) = host_of(&broken);
    let outcome = fire(&host, &events[0]);
    let text = outcome["text"].as_str().expect("a notice");
    assert!(
        text.contains("pii") && text.len() < 80 && !text.contains("push"),
        "{text}"
    );
}

#[test]
fn hook_names_that_no_host_fires() {
    let plugins = plugins("19-unknown-hook-names");
    let (_home, host) = host_of(&plugins);
    let hooks = |plugin: &str| -> Vec<(String, String, Option<&'static str>)> {
        let line = report(&host, plugin);
        let own = line
            .hooks
            .iter()
            .filter(|hook| hook.name != "scripted.recorded");
        own.map(|hook| {
            let word = serde_json::to_value(hook.liveness).expect("JSON");
            (
                hook.name.clone(),
                word.as_str().unwrap_or_default().to_owned(),
                hook.suggestion,
            )
        })
        .collect()
    };
    let of = |name: &str, word: &str, suggestion| (name.to_owned(), word.to_owned(), suggestion);
    for plugin in ["metrics", "mailer", "newer"] {
        loaded(&host, plugin);
    }
    let metrics = hooks("metrics");
    assert!(
        metrics.contains(&of("on_session_start", "live", None)),
        "{metrics:#?}"
    );
    let spawn = metrics
        .iter()
        .find(|(name, ..)| name == "on_subagent_spawn")
        .expect("it is listed");
    assert_eq!(
        (spawn.1.as_str(), spawn.2),
        ("unknown", Some("subagent_start")),
        "{metrics:#?}"
    );
    let cron = metrics
        .iter()
        .find(|(name, ..)| name == "on_cron_start")
        .expect("it is listed");
    assert_eq!((cron.1.as_str(), cron.2), ("unknown", None));
    let mailer = hooks("mailer");
    assert!(
        mailer.contains(&of("pre_llm_call", "live", None)),
        "{mailer:#?}"
    );
    assert!(
        mailer.contains(&of("session:start", "gateway", None)),
        "{mailer:#?}"
    );
    assert_eq!(hooks("newer"), [of("on_stream_delta", "dormant", None)]);

    // A guard whose only hook can never fire guards nothing.
    let typo = refusal(&host, "typo");
    assert_eq!(typo.code(), "guards_nothing");
    assert!(
        typo.to_string().contains("did you mean `pre_tool_call`"),
        "{}",
        *typo
    );
}
