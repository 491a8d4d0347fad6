//! What of a request or an answer may be shown: no keys, bounded in every direction.

use serde_json::{Map, Value, json};

/// How much of a value is kept.
#[derive(Clone, Copy)]
struct Bounds {
    characters: usize,
    items: usize,
}

const DEPTH: usize = 8;
const FIRST: Bounds = Bounds {
    characters: 8_000,
    items: 200,
};
const STRICTER: Bounds = Bounds {
    characters: 1_000,
    items: 50,
};

/// The value without credentials, and not longer than `limit` characters of JSON.
pub(super) fn sanitised(value: &Value, limit: usize) -> Value {
    for bounds in [FIRST, STRICTER] {
        let kept = keep(value, bounds, 0);
        if kept.to_string().chars().count() <= limit {
            return kept;
        }
    }
    // Written as JSON again, most texts grow, but seldom to twice their length.
    let text = keep(value, STRICTER, 0).to_string();
    let mut room = limit / 2;
    loop {
        let preview: String = text.chars().take(room).collect();
        let kept =
            json!({"_truncated": true, "original_type": type_name(value), "preview": preview});
        if kept.to_string().chars().count() <= limit || room == 0 {
            return kept;
        }
        room /= 2;
    }
}

fn keep(value: &Value, bounds: Bounds, depth: usize) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text, bounds.characters)),
        Value::Array(_) | Value::Object(_) if depth >= DEPTH => {
            Value::String(format!("<{} too deep>", type_name(value)))
        }
        Value::Array(elements) => {
            let mut kept: Vec<Value> = elements
                .iter()
                .take(bounds.items)
                .map(|element| keep(element, bounds, depth + 1))
                .collect();
            if elements.len() > bounds.items {
                kept.push(format!("<{} more items>", elements.len() - bounds.items).into());
            }
            Value::Array(kept)
        }
        Value::Object(members) => match bytes(members) {
            Some(count) => Value::String(format!("<{count} bytes>")),
            None => Value::Object(members_of(members, bounds, depth)),
        },
        other => other.clone(),
    }
}

fn members_of(members: &Map<String, Value>, bounds: Bounds, depth: usize) -> Map<String, Value> {
    let kept = members.iter().take(bounds.items).map(|(key, value)| {
        let value = if is_secret(key) {
            Value::from("<redacted>")
        } else {
            keep(value, bounds, depth + 1)
        };
        (key.clone(), value)
    });
    let mut kept: Map<String, Value> = kept.collect();
    if members.len() > bounds.items {
        kept.insert(
            "_truncated_items".to_owned(),
            (members.len() - bounds.items).into(),
        );
    }
    kept
}

/// How many bytes the marked form of bytes stands for.
fn bytes(members: &Map<String, Value>) -> Option<usize> {
    match members.get("$bytes_hex") {
        Some(Value::String(digits)) if members.len() == 1 => Some(digits.len() / 2),
        _ => None,
    }
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => {
            let over = text.get(end..).unwrap_or_default().chars().count();
            format!(
                "{}... <{over} more chars>",
                text.get(..end).unwrap_or_default()
            )
        }
    }
}

fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase().replace('-', "_");
    matches!(
        key.as_str(),
        "api_key" | "authorization" | "proxy_authorization" | "cookie" | "set_cookie"
    ) || key.ends_with("_api_key")
}

/// As Python calls it: what reads these previews was written for it.
const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: Value, expected: Value) {
        assert_eq!(sanitised(&value, 50_000), expected);
    }

    #[test]
    fn credentials_are_taken_out_whatever_their_spelling() {
        check(
            json!({"Authorization": "Bearer x", "headers": {"X-API-Key": {"deep": 1}, "Set-Cookie": 1},
                   "OPENAI_API_KEY": "sk", "api_keys": "stays", "cookies": "stays"}),
            json!({"Authorization": "<redacted>", "headers": {"X-API-Key": "<redacted>", "Set-Cookie": "<redacted>"},
                   "OPENAI_API_KEY": "<redacted>", "api_keys": "stays", "cookies": "stays"}),
        );
    }

    #[test]
    fn everything_is_bounded() {
        let long = "ü".repeat(8_001);
        check(
            json!([long]),
            json!([format!("{}... <1 more chars>", "ü".repeat(8_000))]),
        );
        let many: Vec<u32> = (0..201).collect();
        let kept = sanitised(&json!(many), 50_000);
        assert_eq!(kept.as_array().map(Vec::len), Some(201));
        assert_eq!(kept[200], "<1 more items>");
        check(
            json!({"data": {"$bytes_hex": "00ff10"}}),
            json!({"data": "<3 bytes>"}),
        );
        let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
        check(deep, json!([[[[[[[["<list too deep>"]]]]]]]]));
    }

    #[test]
    fn the_whole_is_bounded_too() {
        let long = json!(vec!["x".repeat(5_000); 20]);
        let kept = sanitised(&long, 50_000);
        assert_eq!(
            kept[0].as_str().map(|text| text.chars().count()),
            Some(1_000 + 21)
        );
        let kept = sanitised(&long, 1_000);
        assert_eq!(kept["_truncated"], true);
        assert_eq!(kept["original_type"], "list");
        assert!(kept.to_string().chars().count() <= 1_000, "{kept}");
        let quotes = json!({"a": "\u{1}".repeat(9_000)});
        assert!(sanitised(&quotes, 1_000).to_string().chars().count() <= 1_000);
    }
}
