//! Reads the JSON of events, also what strict JSON refuses: no event is lost for a value.

mod repair;

use serde_json::{Map, Value};

/// Reads a payload, which must be an object.
///
/// What a Python host writes and strict JSON refuses or rounds becomes a marker, which plugins see as a marked
/// value:
///
/// | in the text | marker | what a plugin sees |
/// | --- | --- | --- |
/// | `NaN`, `Infinity`, `-Infinity`, `1e999` | `{"$float":"nan"}`, `"inf"`, `"-inf"` | a marked text, and the number |
/// | whole numbers wider than 64 bits | `{"$int":"…"}` | the digits, marked |
/// | text with lone surrogates | `{"$surrogates":"…","text":"…"}` | `text`, marked: with U+FFFD in their place |
/// | objects and arrays deeper than 100 levels | `{"$opaque":"…"}` | an opaque object |
///
/// In `$surrogates` each lone surrogate is its escape (`\ud83d`) and each backslash stands twice, so that nothing
/// is lost. A key with lone surrogates becomes `$surrogates:` and the key in that form.
///
/// # Errors
/// When the text is no JSON even so, or no object; the text says where.
pub fn parse(text: &str) -> Result<Map<String, Value>, String> {
    let repaired = repair::repair(text);
    match serde_json::from_str(repaired.as_deref().unwrap_or(text)) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(format!("expected an object, found {}", kind(&other))),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text).map(Value::Object), Ok(expected), "{text}");
    }

    #[test]
    fn what_json_holds_stays_as_it_is() {
        check(r#"{"a":"b"}"#, json!({"a": "b"}));
        check(r#"{"a":"\ud83d\ude00"}"#, json!({"a": "😀"}));
        check(r#"{"a":"\\ud83d"}"#, json!({"a": "\\ud83d"}));
        check(r#"{"a":18446744073709551615}"#, json!({"a": u64::MAX}));
        check(
            r#"{"a":"NaN 18446744073709551616"}"#,
            json!({"a": "NaN 18446744073709551616"}),
        );
        check(
            r#"{"ü":1.5e300,"b":-0.25}"#,
            json!({"ü": 1.5e300, "b": -0.25}),
        );
        check(
            r#"{"a":1e16,"b":0.1000000000000000055511151231257827}"#,
            json!({"a": 1e16, "b": 0.1}),
        );
    }

    #[test]
    fn numbers_that_json_has_none_for_are_marked() {
        check(
            r#"{"a":NaN,"b":[Infinity,-Infinity]}"#,
            json!({"a": {"$float": "nan"}, "b": [{"$float": "inf"}, {"$float": "-inf"}]}),
        );
        check(
            r#"{"a":1e999,"b":-12.5E+400}"#,
            json!({"a": {"$float": "inf"}, "b": {"$float": "-inf"}}),
        );
        check(
            r#"{"a":18446744073709551616}"#,
            json!({"a": {"$int": "18446744073709551616"}}),
        );
        check(
            r#"{"a":-9223372036854775809}"#,
            json!({"a": {"$int": "-9223372036854775809"}}),
        );
    }

    #[test]
    fn texts_with_lone_surrogates_are_marked() {
        check(
            r#"{"a":"half \ud83d an emoji"}"#,
            json!({"a": {"$surrogates": "half \\ud83d an emoji", "text": "half \u{fffd} an emoji"}}),
        );
        check(
            r#"{"a":["\uDC00\ud83d"]}"#,
            json!({"a": [{"$surrogates": "\\uDC00\\ud83d", "text": "\u{fffd}\u{fffd}"}]}),
        );
        // What looks like an escape already, other escapes, and a whole character beside a half one.
        check(
            r#"{"a":"\\ud83d \u005c \" \n \ud83d\ude00 \ude00"}"#,
            json!({"a": {
                "$surrogates": "\\\\ud83d \\\\ \" \n 😀 \\ude00",
                "text": "\\ud83d \\ \" \n 😀 \u{fffd}",
            }}),
        );
    }

    #[test]
    fn keys_with_lone_surrogates_stay_apart() {
        check(
            r#"{"\ud83d":1, "\ud83e" : {"a\\\udc00":2}}"#,
            json!({"$surrogates:\\ud83d": 1, "$surrogates:\\ud83e": {"$surrogates:a\\\\\\udc00": 2}}),
        );
    }

    #[test]
    fn what_is_too_deep_is_opaque() {
        let deep = |levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"a":{open}"]}}\"",{{"b":1}}{close},"c":1}}"#)
        };
        let parsed = |levels| parse(&deep(levels)).expect("it is JSON");
        let innermost = |map: &Map<String, Value>, levels: usize| {
            (0..levels).fold(map["a"].clone(), |value, _| value[0].clone())
        };
        assert_eq!(innermost(&parsed(98), 98), "]}\"");
        let opaque = json!({"$opaque": "deeper than 100 levels"});
        for levels in [100, 127, 128, 10_000] {
            let map = parsed(levels);
            assert_eq!(innermost(&map, 99), opaque, "{levels}");
            assert_eq!(map["c"], 1, "{levels}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in [
            "",
            "[1]",
            "null",
            "\"x\"",
            "{",
            "{\"a\":\"\\ud8",
            "{\"a\":N}",
            "{\"a\":-inf}",
            "{\"a\":\"\\ud83d\"",
            "{\"\\ud83d\"}",
            "\u{fffd}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let open = "[".repeat(10_000);
        assert!(parse(&format!("{{\"a\":{open}")).is_err());
    }
}
