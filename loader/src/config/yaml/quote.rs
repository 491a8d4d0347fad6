//! Writes a text as a YAML scalar that reads back as the same text.

use serde_json::Value;

use super::scalar;

/// `text` as a YAML scalar: bare where that is safe everywhere, double-quoted otherwise.
pub(crate) fn scalar(text: &str) -> String {
    if is_bare(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// `text` in double quotes, valid both as YAML and as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // JSON lets these through; YAML takes them for line ends, or for nothing it may read.
        if matches!(
            c,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        ) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether `text` may stand without quotes in block and flow context and means itself there.
fn is_bare(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '/')
        && text.chars().all(word)
        && matches!(scalar::plain(text), Value::String(_))
        // A date is text here, but a date to the loader of Hermes; and `=` is a tag of its own there.
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, written: &str) {
        assert_eq!(scalar(text), written);
        for frame in [
            format!("- {written}\n"),
            format!("[{written}]\n"),
            format!("[{}]", quoted(text)),
        ] {
            let read = super::super::parse(&frame).map(|document| document.value);
            assert_eq!(read, Ok(serde_json::json!([text])), "{frame:?}");
        }
    }

    #[test]
    fn bare_where_safe() {
        check("command-guard", "command-guard");
        check("cat/x_y.z", "cat/x_y.z");
        check("été", "été");
    }

    #[test]
    fn quoted_otherwise() {
        for text in [
            "",
            " ",
            "yes",
            "null",
            "1",
            "1.0",
            "2024-01-01",
            "a: b",
            "a #b",
            "- a",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a",
            "[a]",
            "a,b",
            "{a}",
            "\"",
            "'",
            "\\",
            "a\nb",
            "a\tb",
            "\u{85}",
            "\u{7f}",
            "\u{2028}",
            "<<",
            "=",
            "~",
            "---",
            "...",
        ] {
            check(text, &quoted(text));
        }
    }
}
