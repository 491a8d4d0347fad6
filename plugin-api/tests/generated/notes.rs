//! Who may call each function of the boundary, and who owns what it takes and gives.
//!
//! The language is explained once, at the top of the header.

/// Struct, member, note.
const NOTES: &[(&str, &str, &str)] = &[
    (
        "Root",
        "create",
        "host calls: load-thread; lent: args; kept by the plugin: *state",
    ),
    (
        "Root",
        "register",
        "host calls: load-thread; lent: registrar",
    ),
    (
        "Root",
        "destroy",
        "host calls: load-thread; the last call with this state",
    ),
    (
        "Root",
        "get_extension",
        "host calls: any-thread; lent: name; static: the result",
    ),
    (
        "Registrar",
        "on",
        "you call: load-thread; lent: spec; taken on OK: spec->handler",
    ),
    ("Registrar", "config", "you call: load-thread; lent: sink"),
    ("Registrar", "data_dir", "you call: load-thread; lent: sink"),
    (
        "Registrar",
        "get_extension",
        "you call: load-thread; lent: name; static: the result",
    ),
    (
        "Services",
        "log",
        "you call: any-thread, concurrent; lent: record",
    ),
    ("Services", "log_level", "you call: any-thread, concurrent"),
    (
        "Services",
        "fail",
        "you call: any-thread, concurrent; lent: failure",
    ),
    (
        "Services",
        "config",
        "you call: any-thread, concurrent; lent: sink",
    ),
    (
        "Services",
        "data_dir",
        "you call: any-thread, concurrent; lent: sink",
    ),
    (
        "Services",
        "timer",
        "you call: any-thread, concurrent; taken on OK: handler",
    ),
    (
        "Services",
        "cancel_timer",
        "you call: any-thread, concurrent",
    ),
    ("Services", "unregister", "you call: any-thread, concurrent"),
    (
        "Services",
        "get_extension",
        "you call: any-thread, concurrent; lent: name; static: the result",
    ),
    (
        "Services",
        "fire",
        "you call: any-thread, concurrent; lent: parent, name, payload_json, outcome",
    ),
    (
        "Handler",
        "call",
        "host calls: any-thread, concurrent; lent: call",
    ),
    (
        "Handler",
        "drop",
        "host calls: any-thread; once, the last call with this state",
    ),
    (
        "Future",
        "poll",
        "host calls: any-thread; lent: call, waker",
    ),
    (
        "Future",
        "drop",
        "host calls: any-thread; once, the last call with this state",
    ),
    (
        "WakerFns",
        "clone",
        "you call: any-thread, concurrent; kept by the plugin: the result, until drop",
    ),
    (
        "WakerFns",
        "wake",
        "you call: any-thread, concurrent; lent: data",
    ),
    (
        "WakerFns",
        "drop",
        "you call: any-thread, concurrent; the last call with this data",
    ),
    (
        "Sink",
        "write",
        "host calls: calling-thread, until the function that was given the sink returns; lent: piece",
    ),
    ("TreeFns", "kind", TREE),
    ("TreeFns", "len", TREE),
    (
        "TreeFns",
        "get",
        "you call: any-thread, concurrent, while the call lives; lent: key; borrowed from the tree: *value",
    ),
    (
        "TreeFns",
        "at",
        "you call: any-thread, concurrent, while the call lives; borrowed from the tree: *value",
    ),
    (
        "TreeFns",
        "next",
        "you call: any-thread, concurrent, while the call lives; borrowed from the tree: *key, *value",
    ),
    (
        "TreeFns",
        "to_json",
        "you call: any-thread, concurrent, while the call lives; lent: sink",
    ),
    (
        "CallFns",
        "set",
        "you call: calling-thread, until the handler returns; lent: value",
    ),
    (
        "CallFns",
        "set_named",
        "you call: calling-thread, until the handler returns; lent: key, value",
    ),
    (
        "CallFns",
        "set_whole",
        "you call: calling-thread, until the handler returns; lent: value",
    ),
    ("CallFns", "begin_object", CALL),
    ("CallFns", "begin_array", CALL),
    (
        "CallFns",
        "key",
        "you call: calling-thread, until the handler returns; lent: key",
    ),
    (
        "CallFns",
        "value",
        "you call: calling-thread, until the handler returns; lent: value",
    ),
    ("CallFns", "end", CALL),
    (
        "CallFns",
        "set_json",
        "you call: calling-thread, until the handler returns; lent: json",
    ),
    (
        "CallFns",
        "set_handler",
        "you call: calling-thread, until the handler returns; taken on OK: handler",
    ),
    ("CallFns", "deadline", CALL),
    ("CallFns", "cancelled", CALL),
    (
        "CallFns",
        "retain",
        "you call: calling-thread, until the handler returns; kept by the plugin: the result, until release",
    ),
    (
        "CallFns",
        "release",
        "you call: any-thread, concurrent; the last use of this retained call",
    ),
    (
        "CallFns",
        "pend",
        "you call: calling-thread, until the handler returns; taken on OK: future",
    ),
    (
        "CallFns",
        "fail",
        "you call: calling-thread, until the handler returns; lent: failure",
    ),
    ("LogFns", "set_level", "host calls: any-thread"),
    (
        "GatewayFns",
        "send",
        "you call: calling-thread, until the handler returns; lent: call, message, receipt",
    ),
    (
        "GatewayFns",
        "append_to_transcript",
        "you call: calling-thread, until the handler returns; lent: call, entry, reason",
    ),
    (
        "MiddlewareFns",
        "next",
        "you call: calling-thread, until the handler returns; lent: call, payload, result",
    ),
    (
        "JsonTools",
        "register",
        "you call: load-thread; lent: description; taken on OK: handler",
    ),
    (
        "JsonTools",
        "check",
        "you call: load-thread; lent: name; taken on OK: handler",
    ),
    (
        "CommandFns",
        "slash",
        "you call: load-thread; lent: description; taken on OK: handler",
    ),
    (
        "CommandFns",
        "cli",
        "you call: load-thread; lent: description; taken on OK: handler",
    ),
    (
        "SkillFns",
        "offer",
        "you call: load-thread; lent: description, why",
    ),
    (
        "AgentFns",
        "manifest",
        "you call: any-thread, concurrent; lent: sink",
    ),
    (
        "AgentFns",
        "profile_name",
        "you call: any-thread, concurrent; lent: sink",
    ),
    (
        "AgentFns",
        "dispatch_tool",
        "you call: any-thread, concurrent; lent: name, args_json, result",
    ),
    (
        "AgentFns",
        "inject_message",
        "you call: any-thread, concurrent; lent: content, role, taken",
    ),
    (
        "AgentFns",
        "complete",
        "you call: any-thread, concurrent; lent: request_json, reply",
    ),
    (
        "CallSlots",
        "attach",
        "you call: calling-thread, until the handler returns; taken on OK: state",
    ),
    (
        "CallSlots",
        "take",
        "you call: calling-thread, until the handler returns; kept by the plugin: what is written to state",
    ),
];

const TREE: &str = "you call: any-thread, concurrent, while the call lives";
const CALL: &str = "you call: calling-thread, until the handler returns";

/// The note of a function.
pub(crate) fn note(of: &str, member: &str) -> &'static str {
    let found = NOTES
        .iter()
        .find(|(structure, name, _)| (*structure, *name) == (of, member));
    let (_, _, note) = found
        .unwrap_or_else(|| panic!("say in tests/generated/notes.rs who may call {of}.{member}"));
    note
}

#[test]
fn every_note_keeps_the_language() {
    for (of, member, note) in NOTES {
        let (side, rest) = note.split_once(": ").expect("a note begins with who calls");
        assert!(
            matches!(side, "host calls" | "you call"),
            "{of}.{member}: {note}"
        );
        let thread = rest.split([',', ';']).next().unwrap_or_default();
        assert!(
            matches!(thread, "load-thread" | "calling-thread" | "any-thread"),
            "{of}.{member}: {note}"
        );
        for part in rest.split("; ").skip(1) {
            let word = part.split(':').next().unwrap_or_default();
            let known = [
                "lent",
                "taken on OK",
                "kept by the plugin",
                "borrowed from the tree",
                "static",
            ];
            let said = ["once, the last", "the last"]
                .iter()
                .any(|words| part.starts_with(words));
            assert!(said || known.contains(&word), "{of}.{member}: {part}");
        }
    }
}

#[test]
fn every_note_is_about_a_function() {
    let source = super::source::read();
    for (of, member, _) in NOTES {
        let members = &source
            .structure(of)
            .unwrap_or_else(|| panic!("there is no {of}"))
            .members;
        let found = members.iter().find(|found| found.name == *member);
        assert!(
            found.is_some_and(|found| found.ty.contains("fn(")),
            "{of}.{member} is no function"
        );
    }
}
