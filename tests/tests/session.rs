//! The recorded session of a real agent, through the three shipped plugins: what each event comes to, exactly.
//!
//! `session.expected.json` was reviewed line by line; renew it with `UPDATE_GENERATED=1` only when a rule of a
//! plugin changed, and read what changed.

use std::{env, fs, path::Path};

use hermes_loader::Host;
use hermes_tests::{Fixture, Placed, TestHome, home::loaded, tree};
use serde_json::{Map, Value, json};

const PLUGINS: [(&str, &str); 3] = [
    ("command-guard", "guard"),
    ("redact-secrets", "transform"),
    ("audit-log", "observer"),
];

/// What the session's own `cat .env` printed; made up.
const ENV: &str = "API_KEY=sk-demo0000000000000000000000000000abcd\n\
                   DATABASE_URL=postgres://svc:s3cr3t-pa55@db.internal/app\n\
                   PORT=8080\n";

/// Parts of the secrets that must not be anywhere after the transforms.
const SECRETS: [&str; 2] = ["sk-demo0000", "s3cr3t-pa55"];

struct Event {
    hook: String,
    kwargs: Value,
}

fn session() -> Vec<Event> {
    let text = fs::read_to_string(tree::root().join("examples/hermes-session.jsonl"))
        .expect("the session is there");
    let read = |line: &str| {
        let mut event = hermes_loader::payload::parse(line).expect("an event");
        Event {
            hook: event["hook"].as_str().expect("a name").to_owned(),
            kwargs: event.remove("kwargs").expect("a payload"),
        }
    };
    text.lines().map(read).collect()
}

fn host() -> (TestHome, Host) {
    let mut home = TestHome::new();
    fs::write(home.path().join(".env"), ENV).expect("the file is written");
    let files = json!([home.path().join(".env")]);
    for (name, role) in PLUGINS {
        let mut placed = Placed::new(&Fixture::shipped(name)).manifest("role", role);
        if name == "redact-secrets" {
            placed = placed.config(json!({ "env_files": files }));
        }
        home = home.plugin(placed);
    }
    let host = home.load();
    PLUGINS.iter().for_each(|(name, _)| loaded(&host, name));
    (home, host)
}

/// One line for an event: what it is, who was called, and what it came to.
fn line(number: usize, event: &Event, host: &Host) -> Value {
    let traced = host
        .trace_json(&event.hook, &event.kwargs)
        .expect("an object");
    let mut outcome = serde_json::to_value(traced).expect("JSON");
    let map = outcome.as_object_mut().expect("an object");
    map.remove("total_ns");
    let replies = map.remove("replies").unwrap_or_default();
    let calls = map.remove("calls").unwrap_or_default();
    let called: Vec<Value> = calls
        .as_array()
        .expect("a list")
        .iter()
        .map(|call| {
            assert_eq!(call.get("fault"), None, "event {number}: {call}");
            call["plugin"].clone()
        })
        .collect();
    let mut line = Map::new();
    line.insert("event".to_owned(), json!(number));
    line.insert("hook".to_owned(), json!(event.hook));
    for field in ["tool_name", "command"] {
        if let Some(text) = event.kwargs.get(field).and_then(Value::as_str) {
            line.insert(field.to_owned(), json!(text));
        }
    }
    if let Some(command) = event.kwargs.pointer("/args/command") {
        line.insert("command".to_owned(), command.clone());
    }
    line.insert("called".to_owned(), called.into());
    line.extend(map.clone());
    assert_eq!(
        replies.as_array().map_or(0, Vec::len) > 0,
        line["decision"] != "proceed",
        "event {number}: who speaks decides: {replies}"
    );
    line.into()
}

/// The records of the audit log, without what differs from run to run.
fn audited(home: &Path) -> Vec<Value> {
    let dir = home.join("plugin-data/audit-log");
    let entries = fs::read_dir(dir).expect("it keeps a log");
    let files: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    assert_eq!(files.len(), 1, "{files:#?}");
    let text = fs::read_to_string(&files[0]).expect("it can be read");
    for secret in SECRETS {
        assert!(!text.contains(secret), "the log keeps a secret: {secret}");
    }
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a record is JSON");
        let mut kept = Map::from_iter([("audit".to_owned(), record["event"].clone())]);
        for key in ["tool_name", "tool_call_id", "status", "pair", "counts"] {
            if let Some(value) = record.get(key) {
                kept.insert(key.to_owned(), value.clone());
            }
        }
        Value::Object(kept)
    };
    text.lines().map(record).collect()
}

#[test]
fn the_recorded_session_comes_to_what_was_reviewed() {
    let events = session();
    let (home, host) = host();
    let mut lines: Vec<Value> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        lines.push(line(number, event, &host));
    }
    assert_eq!(host.faults(), []);
    assert!(host.shutdown());
    lines.extend(audited(home.path()));

    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", text.join(",\n"));
    for secret in SECRETS {
        assert!(!text.contains(secret), "a secret is left: {secret}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/session.expected.json");
    if env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&file, &text).expect("it is written");
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let differs = text.lines().zip(expected.lines()).find(|(a, b)| a != b);
    if let Some((found, expected)) = differs {
        panic!("expected {expected}\n   found {found}");
    }
    assert_eq!(text.lines().count(), expected.lines().count());
}
