//! JSON with one spelling per value, so that equal arguments have equal digests.

use serde_json::Value;

/// Keys sorted by their bytes, no blanks. Written out here, since the order in which `serde_json`
/// keeps keys depends on a feature that any crate in the build may switch on.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value);
    out
}

fn push(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                push(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_bytes());
            out.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                push(out, value);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// At most `limit` characters, with a mark where it was cut.
pub(crate) fn preview(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let value = serde_json::from_str(json).expect("the test's own JSON");
        assert_eq!(text(&value), expected);
    }

    #[test]
    fn one_spelling() {
        check(
            r#"{ "b": [1, 2.5, null], "a": {"d": "x\u0041\n", "c": true} }"#,
            r#"{"a":{"c":true,"d":"xA\n"},"b":[1,2.5,null]}"#,
        );
        check(r#"{"\"": {}, "A": []}"#, r#"{"\"":{},"A":[]}"#);
    }

    #[test]
    fn previews() {
        assert_eq!(preview("abc", 3), "abc");
        assert_eq!(preview("\u{e4}bcd", 2), "\u{e4}b\u{2026}");
    }
}
