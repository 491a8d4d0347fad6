//! Values that JSON cannot hold: as markers in JSON, as marked values for plugins, and never a lost event.

use hermes_loader::{Host, ToolOutcome, catalogue::payload as events, payload};
use hermes_plugin_api::{abi::host::Lent, catalogue::Payload as _};
use hermes_tests::{Fixture, Placed, TestHome};
use serde_json::{Map, Value, json};

fn load(home: TestHome) -> (TestHome, Host) {
    let home = home.plugin(&Fixture::built("reads-marks"));
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    (home, host)
}

/// What the plugin says it sees.
#[track_caller]
fn ask(host: &Host, hook: &str, payload: &Value) -> Value {
    let outcome = host.fire_json(hook, payload).expect("an object");
    assert_eq!(host.faults(), []);
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    let reply = replies.as_array().and_then(|replies| replies.last());
    reply
        .map(|reply| reply["answer"].clone())
        .unwrap_or_default()
}

/// Nothing but these facts is true of the value, and the others are as for a value that is there and nothing else.
fn facts(json: &Value, told: Value) -> Value {
    let mut all =
        json!({"json": json, "str": null, "id": null, "i64": null, "f64": null, "none": false});
    for (key, fact) in told.as_object().into_iter().flatten() {
        all[key] = fact.clone();
    }
    all
}

/// The same in a field, in a tree, in what the catalogue has no field for, and in a copy of each.
#[track_caller]
fn check(marker: Value, told: Value) {
    check_as(marker.clone(), &marker, told);
}

#[track_caller]
fn check_as(marker: Value, own_json: &Value, told: Value) {
    let (_home, host) = load(TestHome::new());
    let payload = json!({"tool_name": "t", "args": {"x": marker, "list": [marker]}, "task_id": marker, "more": marker});
    let seen = ask(&host, "pre_tool_call", &payload);
    let facts = facts(own_json, told);
    assert_eq!(seen["fields"][2], facts, "in a field");
    let args = &seen["fields"][1];
    assert_eq!(args["members"]["x"], facts, "in an object");
    assert_eq!(
        args["members"]["list"]["members"]["0"], facts,
        "in an array"
    );
    assert_eq!(args["json"], payload["args"], "as a part of the whole");
    assert_eq!(
        seen["extra"]["members"]["more"], facts,
        "in what has no field"
    );
    assert_eq!(seen["extra"]["json"], json!({"more": marker}));
    assert_eq!(seen["kept"], seen["fields"], "in a copy");
    assert_eq!(seen["kept_extra"], seen["extra"], "in a copy");
}

#[test]
fn numbers_that_are_none_are_marked_texts_and_numbers() {
    for (name, number) in [("nan", "NaN"), ("inf", "inf"), ("-inf", "-inf")] {
        check(
            json!({"$float": name}),
            json!({"marked": [1, name], "str": name, "id": name, "f64": number}),
        );
    }
}

#[test]
fn wide_numbers_are_marked_digits() {
    let digits = "123456789012345678901234567890";
    check(
        json!({"$int": digits}),
        json!({"marked": [2, digits], "str": digits, "id": digits}),
    );
}

#[test]
fn bytes_are_marked_hexadecimal() {
    check(
        json!({"$bytes_hex": "00ff"}),
        json!({"marked": [3, "00ff"], "str": "00ff", "id": "00ff"}),
    );
}

#[test]
fn a_text_with_lone_surrogates_can_be_read_and_says_what_it_is() {
    let marker = json!({"$surrogates": "half \\ud83d", "text": "half \u{fffd}"});
    // A value alone has no room for the escapes; the whole it stands in keeps them.
    check_as(
        marker,
        &json!({"$surrogates": "half \u{fffd}"}),
        json!({"marked": [4, "half \u{fffd}"], "str": "half \u{fffd}", "id": "half \u{fffd}"}),
    );
    check(
        json!({"$surrogates": "half \u{fffd}"}),
        json!({"marked": [4, "half \u{fffd}"], "str": "half \u{fffd}", "id": "half \u{fffd}"}),
    );
}

#[test]
fn a_path_is_a_marked_text() {
    check(
        json!({"$path": "/tmp/x"}),
        json!({"marked": [5, "/tmp/x"], "str": "/tmp/x", "id": "/tmp/x"}),
    );
}

#[test]
fn an_opaque_object_has_a_type_and_no_text() {
    check(
        json!({"$opaque": "Message"}),
        json!({"marked": [6, "Message"]}),
    );
}

#[test]
fn a_live_object_that_nobody_lent_is_a_handle() {
    check(json!({"$handle": [1, 7]}), json!({"handle": [1, 7]}));
}

#[test]
fn an_object_of_the_host_is_read_like_any_other() {
    let (_home, host) = load(TestHome::new());
    let object = json!({"$object": "Source", "platform": "telegram", "chat": {"$opaque": "Chat"}});
    let seen = ask(
        &host,
        "pre_tool_call",
        &json!({"args": object, "source": object}),
    );
    for tree in [
        &seen["fields"][1],
        &seen["extra"]["members"]["source"],
        &seen["kept"][1],
    ] {
        assert_eq!(tree["json"], object);
        assert_eq!(tree["members"]["$object"]["str"], "Source");
        assert_eq!(tree["members"]["platform"]["str"], "telegram");
        assert_eq!(tree["members"]["chat"]["marked"], json!([6, "Chat"]));
    }
}

#[test]
fn what_only_looks_like_a_marker_is_an_object() {
    let (_home, host) = load(TestHome::new());
    for object in [
        json!({"$int": 5}),
        json!({"$int": "5", "more": 1}),
        json!({"$surrogates": "a", "other": "b"}),
        json!({"$surrogates": "a", "text": 1}),
        json!({"$surrogates": 1, "text": "b"}),
        // What is shown must be what was kept, or a guard would judge another text.
        json!({"$surrogates": "rm x \\ud83d", "text": "ls \u{fffd}"}),
        json!({"$handle": [1]}),
        json!({"$handle": [1, -1]}),
        json!({"$handle": "1"}),
        json!({"$strange": "x"}),
        json!({"_repr": "Type"}),
        json!({}),
    ] {
        let seen = ask(&host, "pre_tool_call", &json!({"args": {"x": object}}));
        let member = &seen["fields"][1]["members"]["x"];
        assert!(member.get("members").is_some(), "{member}");
        assert_eq!(member["json"], object);
    }
}

#[test]
fn an_event_that_a_handler_changed_keeps_its_marks() {
    let modify = json!({"action": "modify", "args": {"added": 1}});
    let scripted = Fixture::built("scripted").named("modifies");
    let scripted = Placed::new(&scripted)
        .config(json!({"on": {"pre_tool_call": [{"return": modify}]}, "priority": 1}));
    let (_home, host) = load(TestHome::new().plugin(scripted));
    let marker = json!({"$surrogates": "\\ud83d", "text": "\u{fffd}"});
    let args = json!({"x": marker, "n": {"$float": "nan"}});
    let changed = json!({"x": marker, "n": {"$float": "nan"}, "added": 1});
    let seen = ask(
        &host,
        "pre_tool_call",
        &json!({"tool_name": "t", "args": args, "more": marker}),
    );
    assert_eq!(seen["fields"][1]["json"], changed);
    assert_eq!(seen["kept"][1]["json"], changed);
    assert_eq!(seen["extra"]["json"], json!({"more": marker}));

    // The same for an event that was made of values, not of JSON.
    let fired = host.fire(&events::PreToolCall::new().tool_name("t").args(&args));
    let ToolOutcome::Block { message, .. } = fired else {
        panic!("expected a block, found {fired:?}")
    };
    let fields: Value = serde_json::from_str(&message).expect("JSON");
    assert_eq!(fields[1]["json"], changed);
}

#[test]
fn an_event_of_values_gives_its_json_back() {
    let event = json!({"text": {"$surrogates": "\\ud83d", "text": "\u{fffd}"}});
    let (lossy, wide) = (
        json!({"$surrogates": "\\ude00", "text": "\u{fffd}"}),
        json!({"$int": "1".repeat(30)}),
    );
    let made = events::PreGatewayDispatch::new()
        .event(&event)
        .gateway(Lent::from(&lossy))
        .session_store(Lent::from(&wide));
    let json = Value::Object(made.record().to_json());
    assert_eq!(
        json,
        json!({"event": event, "gateway": lossy, "session_store": wide})
    );
}

/// A small generator of its own: the same texts on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'t>(&mut self, among: &[&'t str]) -> &'t str {
        among[usize::try_from(self.roll(among.len() as u64)).unwrap_or_default()]
    }

    /// The inside of a string, as Python's `json.dumps` writes it.
    fn text(&mut self) -> String {
        let pieces = [
            "a",
            "key",
            " ",
            "\\ud83d",
            "\\uDE00",
            "\\ud83d\\ude00",
            "\\\\",
            "\\\"",
            "\\n",
            "\\u0000",
            "\\u005c",
            "ü",
            "😀",
            "\\\\ud83d",
            "NaN",
            "$int",
            "{",
            "]",
            ",",
            ":",
            "\\u00e9",
        ];
        (0..self.roll(6)).map(|_| self.pick(&pieces)).collect()
    }

    fn number(&mut self) -> String {
        let odd = [
            "NaN",
            "Infinity",
            "-Infinity",
            "1e+16",
            "1e-05",
            "5e-324",
            "1.7976931348623157e+308",
            "0.1",
            "-0.0",
            "2.2250738585072011e-308",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993",
            "0.30000000000000004",
            "1e400",
        ];
        match self.roll(3) {
            0 => self.pick(&odd).to_owned(),
            1 => f64::from_bits(self.roll(u64::MAX))
                .to_string()
                .replace("inf", "Infinity"),
            _ => format!(
                "{}{}",
                self.roll(u64::MAX),
                "7".repeat(self.roll(40) as usize)
            ),
        }
    }

    fn value(&mut self, depth: u32) -> String {
        let leaf = depth == 0;
        match self.roll(if leaf { 6 } else { 9 }) {
            0 => "null".to_owned(),
            1 => "true".to_owned(),
            2 | 3 => self.number(),
            4 => format!("\"{}\"", self.text()),
            5 => self
                .pick(&[
                    r#"{"$path":"/x"}"#,
                    r#"{"$opaque":"T"}"#,
                    r#"{"$bytes_hex":"ff"}"#,
                    r#"{"_repr":"T"}"#,
                ])
                .to_owned(),
            6 => {
                let elements: Vec<String> =
                    (0..self.roll(4)).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", elements.join(", "))
            }
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: u32) -> String {
        let members: Vec<String> = (0..self.roll(4))
            .map(|_| format!("\"{}\": {}", self.text(), self.value(depth)))
            .collect();
        format!("{{{}}}", members.join(", "))
    }
}

/// What is left when a text with lone surrogates is taken out of its whole: the text, and the mark.
fn piecewise(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(piecewise).collect(),
        Value::Object(members) => {
            if let (2, Some(Value::String(_)), Some(Value::String(text))) = (
                members.len(),
                members.get("$surrogates"),
                members.get("text"),
            ) {
                return json!({"$surrogates": text});
            }
            let members = members
                .iter()
                .map(|(key, value)| (key.clone(), piecewise(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[test]
fn no_dump_of_python_is_lost() {
    let (_home, host) = load(TestHome::new());
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut marked = 0;
    for round in 0..1000 {
        let depth = if round % 50 == 0 { 6 } else { 3 };
        let mut text = format!(
            "{{\"x\": {}, \"y\": {}}}",
            dice.value(depth),
            dice.object(depth)
        );
        if round % 100 == 0 {
            let levels = 20 * (round / 100);
            text = format!(
                "{{\"x\": {}{text}{}}}",
                "[".repeat(levels),
                "]".repeat(levels)
            );
        }
        let parsed = payload::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let whole = Value::Object(parsed);
        marked += usize::from(whole.to_string().contains("\"$"));
        let echo = ask(&host, "marks.echo", &whole);
        let told = |what: &str| serde_json::from_str(echo[what].as_str().unwrap_or_default()).ok();
        assert_eq!(told("whole").as_ref(), Some(&whole), "{text}");
        assert_eq!(told("kept").as_ref(), Some(&whole), "{text}");
        assert_eq!(told("rebuilt"), Some(piecewise(&whole)), "{text}");
        // What a plugin fires itself goes the same way, and comes out the same.
        assert_eq!(
            payload::parse(&whole.to_string()).map(Value::Object),
            Ok(whole)
        );
    }
    assert!(marked > 300, "the texts are odd enough: {marked}");
}
