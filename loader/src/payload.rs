//! Reads the JSON of events, also what strict JSON refuses: no event is lost for a value.

use serde_json::{Map, Value};

/// Reads a payload, which must be an object.
///
/// Lone surrogates become U+FFFD, `NaN` and the infinities become `{"$float":…}`, whole numbers wider
/// than 64 bits become `{"$int":…}`: what a Python host writes and strict JSON refuses or rounds.
///
/// # Errors
/// When the text is no JSON even so, or no object; the text says where.
pub fn parse(text: &str) -> Result<Map<String, Value>, String> {
    let repaired = repair(text);
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

/// The text with everything rewritten that strict JSON cannot hold; `None` when there is nothing to do.
fn repair(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    // Everything before `copied` is in `out`.
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (end, replacement) = match byte {
            b'"' => string(text, at, &mut out, &mut copied),
            b'-' | b'0'..=b'9' | b'N' | b'I' => literal(text, at),
            _ => (at + 1, None),
        };
        if let Some(replacement) = replacement {
            out.push_str(text.get(copied..at)?);
            out.push_str(&replacement);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// The end of the string that begins at `start`; lone surrogates in it are replaced on the way.
fn string(
    text: &str,
    start: usize,
    out: &mut String,
    copied: &mut usize,
) -> (usize, Option<String>) {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return (at + 1, None),
            b'\\' => match escape(text, at) {
                Escape::Pair => at += 12,
                Escape::Lone => {
                    out.push_str(text.get(*copied..at).unwrap_or_default());
                    out.push_str("\\ufffd");
                    at += 6;
                    *copied = at;
                }
                Escape::Other => at += 2,
            },
            _ => at += 1,
        }
    }
    (bytes.len(), None)
}

enum Escape {
    /// Two escapes that make one character.
    Pair,
    /// Half a character.
    Lone,
    Other,
}

fn escape(text: &str, at: usize) -> Escape {
    match unit(text, at) {
        Some(0xD800..=0xDBFF) => match unit(text, at + 6) {
            Some(0xDC00..=0xDFFF) => Escape::Pair,
            _ => Escape::Lone,
        },
        Some(0xDC00..=0xDFFF) => Escape::Lone,
        _ => Escape::Other,
    }
}

/// The number of a `\uXXXX` escape.
fn unit(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

/// The end of a number or word outside strings, and what stands for it if JSON cannot hold it.
fn literal(text: &str, start: usize) -> (usize, Option<String>) {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.')))
        .unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    let end = start + end.max(1);
    let replacement = match word {
        "NaN" => Some(r#"{"$float":"nan"}"#.to_owned()),
        "Infinity" => Some(r#"{"$float":"inf"}"#.to_owned()),
        "-Infinity" => Some(r#"{"$float":"-inf"}"#.to_owned()),
        _ => {
            let digits = word.strip_prefix('-').unwrap_or(word);
            let whole = digits.len() > 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let fits = word.parse::<i64>().is_ok() || word.parse::<u64>().is_ok();
            (whole && !fits).then(|| format!(r#"{{"$int":"{word}"}}"#))
        }
    };
    (end, replacement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Value) {
        assert_eq!(parse(text).map(Value::Object), Ok(expected), "{text}");
    }

    #[test]
    fn nothing_is_lost_for_a_value() {
        use serde_json::json;
        check(r#"{"a":"b"}"#, json!({"a": "b"}));
        check(
            r#"{"a":"half \ud83d an emoji"}"#,
            json!({"a": "half \u{fffd} an emoji"}),
        );
        check(r#"{"a":"\udc00\ud83d"}"#, json!({"a": "\u{fffd}\u{fffd}"}));
        check(r#"{"a":"\ud83d\ude00"}"#, json!({"a": "😀"}));
        check(r#"{"a":"\\ud83d"}"#, json!({"a": "\\ud83d"}));
        check(r#"{"\ud83d":1}"#, json!({"\u{fffd}": 1}));
        check(
            r#"{"a":NaN,"b":[Infinity,-Infinity]}"#,
            json!({"a": {"$float": "nan"}, "b": [{"$float": "inf"}, {"$float": "-inf"}]}),
        );
        check(r#"{"a":18446744073709551615}"#, json!({"a": u64::MAX}));
        check(
            r#"{"a":18446744073709551616}"#,
            json!({"a": {"$int": "18446744073709551616"}}),
        );
        check(
            r#"{"a":-9223372036854775809}"#,
            json!({"a": {"$int": "-9223372036854775809"}}),
        );
        check(
            r#"{"a":"NaN 18446744073709551616"}"#,
            json!({"a": "NaN 18446744073709551616"}),
        );
        check(
            r#"{"ü":1.5e300,"b":-0.25}"#,
            json!({"ü": 1.5e300, "b": -0.25}),
        );
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
            "\u{fffd}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
