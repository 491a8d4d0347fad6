//! Messages that arrive at the gateway: the numbered cases, through compiled plugins.

use hermes_loader::moments::{Door, Inbound, Received, Source, Surface, memory::GuestList};
use hermes_tests::{Stage, records::Records};
use serde_json::{Value, json};

fn source(user: &str) -> Source {
    Source {
        platform: "telegram".to_owned(),
        chat_id: "chat-9".to_owned(),
        chat_type: "dm".to_owned(),
        user_id: Some(user.to_owned()),
        ..Source::default()
    }
}

fn stage(tag: &str, answers: impl IntoIterator<Item = Value>) -> Stage {
    let plugins = answers
        .into_iter()
        .map(|answer| json!({"pre_gateway_dispatch": [{"return": answer}]}));
    Stage::on(Surface::Gateway, tag, plugins)
}

/// The text that reaches the agent.
#[track_caller]
fn reaches(stage: &Stage, message: Inbound) -> String {
    match message.receive(&stage.moments, &GuestList::of(["friend"])) {
        Received::Message(message) => message.text().to_owned(),
        other => panic!("it does not reach the agent: {other:?}"),
    }
}

#[test]
fn case_37_a_skipped_stranger_hears_nothing() {
    let records = Records::capture();
    let stage = stage("case37", [json!({"action": "skip", "reason": "r-37"})]);
    let door = GuestList::of(["friend"]);
    let received = Inbound::new(source("stranger"), "let me in").receive(&stage.moments, &door);
    let Received::Skipped { reason, by } = received else {
        panic!("{received:?}");
    };
    assert_eq!((reason.as_deref(), &*by), (Some("r-37"), "p1-case37"));
    assert_eq!(door.sent(), [], "no reply, no pairing code");
    let said = records.of("p1-case37");
    let info = said
        .iter()
        .find(|record| record.level == tracing::Level::INFO)
        .expect("it is logged");
    assert_eq!(
        (
            info.fields["reason"].as_str(),
            info.fields["platform"].as_str(),
            info.fields["chat"].as_str()
        ),
        ("r-37", "telegram", "chat-9")
    );

    // Without the plugin the stranger is told how to be let in; in a group, nothing.
    let stage = self::stage("case37b", []);
    let message = || Inbound::new(source("stranger"), "let me in");
    let received = message().receive(&stage.moments, &door);
    assert_eq!(
        received,
        Received::Unauthorised {
            pairing_offered: true
        }
    );
    let sent = door.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].0, "chat-9");
    assert!(sent[0].1.contains("pairing code"), "{}", sent[0].1);
    let in_group = Source {
        chat_type: "group".to_owned(),
        ..source("stranger")
    };
    let received = Inbound::new(in_group, "hello all").receive(&stage.moments, &door);
    assert_eq!(
        received,
        Received::Unauthorised {
            pairing_offered: false
        }
    );
    assert_eq!(door.sent().len(), 1);
    assert_eq!(
        stage.seen("pre_gateway_dispatch").len(),
        2,
        "plugins came first"
    );
}

#[test]
fn case_38_the_first_action_that_is_one_counts() {
    let stage = stage(
        "case38",
        [
            json!({"action": "maybe"}),
            json!({"action": "rewrite", "text": "new"}),
            json!({"action": "skip"}),
        ],
    );
    assert_eq!(
        reaches(&stage, Inbound::new(source("friend"), "old")),
        "new"
    );
    // An empty text is a text.
    let stage = self::stage("case38b", [json!({"action": "rewrite", "text": ""})]);
    assert_eq!(reaches(&stage, Inbound::new(source("friend"), "old")), "");
}

#[test]
fn case_39_a_rewrite_without_a_text_changes_nothing_and_ends_it() {
    let stage = stage(
        "case39",
        [
            json!({"action": "rewrite", "text": 7}),
            json!({"action": "skip"}),
        ],
    );
    assert_eq!(
        reaches(&stage, Inbound::new(source("friend"), "old")),
        "old"
    );
}

#[test]
fn case_40_what_is_allowed_is_not_skipped() {
    let stage = stage(
        "case40",
        [json!({"action": "allow"}), json!({"action": "skip"})],
    );
    assert_eq!(
        reaches(&stage, Inbound::new(source("friend"), "old")),
        "old"
    );
    // To be allowed by a plugin is not to be authorised.
    let door = GuestList::of(["friend"]);
    let received = Inbound::new(source("stranger"), "old").receive(&stage.moments, &door);
    assert!(
        matches!(received, Received::Unauthorised { .. }),
        "{received:?}"
    );
}

#[test]
fn case_41_what_the_agent_made_itself_is_not_asked_about() {
    let stage = stage("case41", [json!({"action": "skip"})]);
    let message = Inbound::new(source("nobody"), "a reminder").internal();
    assert_eq!(reaches(&stage, message), "a reminder");
    assert_eq!(stage.fired(), [""; 0]);
}

#[test]
fn case_42_a_plugin_that_fails_stops_nothing() {
    let records = Records::capture();
    let panics = json!({"pre_gateway_dispatch": [{"panic": "boom"}]});
    let stage = Stage::on(Surface::Gateway, "case42", [panics]);
    assert_eq!(
        reaches(&stage, Inbound::new(source("friend"), "old")),
        "old"
    );
    let warnings = records.of("p1-case42");
    assert!(
        warnings
            .iter()
            .any(|record| record.level == tracing::Level::WARN
                && record.message.starts_with("plugin fault: boom")
                && record
                    .fields
                    .get("hook")
                    .is_some_and(|hook| hook == "pre_gateway_dispatch")),
        "{warnings:?}"
    );
}

#[test]
fn commands_are_told_apart_after_everything_else() {
    let stage = stage(
        "commands",
        [json!({"action": "rewrite", "text": "/model  big one "})],
    );
    let door = GuestList::of(["friend"]);
    let received = Inbound::new(source("friend"), "hi").receive(&stage.moments, &door);
    let Received::Command { name, args, .. } = received else {
        panic!("{received:?}");
    };
    assert_eq!((name.as_str(), args.as_str()), ("model", "big one"));
    let stage = self::stage("commands-b", []);
    for text in ["/", "/usr/bin/env is a path", "no /command"] {
        assert_eq!(reaches(&stage, Inbound::new(source("friend"), text)), text);
    }
}

#[test]
fn plugins_see_the_whole_event_also_what_nobody_knows() {
    let stage = stage("event", []);
    let event = json!({
        "text": "hi",
        "message_type": "text",
        "source": {"platform": "matrix", "chat_id": "!room", "chat_type": "dm", "user_id": "friend",
                   "scope_id": "of tomorrow"},
        "reply_to_text": "before",
        "metadata": {"deep": [1]},
    });
    let message = Inbound::from_event(event.as_object().cloned().unwrap_or_default());
    assert_eq!(message.source().platform, "matrix");
    assert_eq!(reaches(&stage, message), "hi");
    assert_eq!(stage.seen("pre_gateway_dispatch")[0]["event"], event);
    // A message without a source is from nobody.
    let nobody = Inbound::from_event(serde_json::Map::new());
    let received = nobody.receive(&stage.moments, &GuestList::of(["friend"]));
    assert!(matches!(
        received,
        Received::Unauthorised {
            pairing_offered: false
        }
    ));
}

/// A door whose list of guests cannot be read.
struct BrokenDoor;

impl Door for BrokenDoor {
    fn is_authorised(&self, _: &Source) -> bool {
        panic!("no list of guests")
    }
    fn pairing(&self, _: &Source) -> Option<String> {
        Some("a code".to_owned())
    }
    fn send(&self, _: &Source, _: &str) -> Result<(), String> {
        Err("the platform is down".to_owned())
    }
}

#[test]
fn a_door_that_breaks_stays_shut() {
    let stage = stage("broken-door", []);
    let received = Inbound::new(source("friend"), "hi").receive(&stage.moments, &BrokenDoor);
    assert_eq!(
        received,
        Received::Unauthorised {
            pairing_offered: false
        }
    );
}
