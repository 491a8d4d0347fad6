//! Cuts spans so that no escape is split, and writes the masks.

use crate::span::Span;

/// How every mask starts.
pub(crate) const OPEN: &str = "[redacted:";

/// How every mask ends.
const CLOSE: char = ']';

/// Adds the mask for `name` to `out`.
pub(crate) fn push(out: &mut String, name: &str) {
    out.push_str(OPEN);
    out.push_str(name);
    out.push(CLOSE);
}

/// Where `text` already holds masks with names that `known` accepts. Other brackets may be a way
/// to slip a secret through, so they are text like any other.
pub(crate) fn existing(text: &str, known: impl Fn(&str) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for start in memchr::memmem::find_iter(text.as_bytes(), OPEN.as_bytes()) {
        let from = start + OPEN.len();
        let name = text.get(from..).unwrap_or_default();
        let end = name
            .bytes()
            .take(crate::config::LONGEST_NAME + 1)
            .position(|b| b == b']');
        let name = end.and_then(|end| name.get(..end));
        if let Some(name) = name.filter(|name| known(name)) {
            found.push((start, from + name.len() + 1));
        }
    }
    found
}

/// Widens the span where it would split an escape, since half a `\n` or `\u00e9` is not JSON.
/// In text that is no JSON this takes a character too many, never one too few.
pub(crate) fn whole_escapes(text: &str, span: &mut Span) {
    let bytes = text.as_bytes();
    if let Some(slash) = escape_around(bytes, span.start) {
        span.start = slash;
    }
    if let Some(slash) = escape_around(bytes, span.end) {
        let escaped = text.get(slash + 1..).and_then(|rest| rest.chars().next());
        let len = match escaped {
            Some('u') => 1 + hex_digits(bytes, slash + 2),
            Some(c) => c.len_utf8(),
            None => 0,
        };
        span.end = span.end.max(slash + 1 + len);
    }
}

/// The backslash of the escape that has `at` strictly inside.
fn escape_around(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes.get(..at)?;
    if ends_in_open_slash(before) {
        return at.checked_sub(1);
    }
    // In `\u00e9`, one to four bytes back there is the `u`.
    let digits = before
        .iter()
        .rev()
        .take(3)
        .take_while(|b| b.is_ascii_hexdigit());
    (0..=digits.count()).find_map(|digits| {
        let mark = at.checked_sub(digits + 1)?;
        let opened = bytes.get(mark) == Some(&b'u') && ends_in_open_slash(bytes.get(..mark)?);
        (opened && hex_digits(bytes, mark + 1) > digits).then(|| mark - 1)
    })
}

fn hex_digits(bytes: &[u8], from: usize) -> usize {
    let digits = bytes.get(from..).unwrap_or_default().iter().take(4);
    digits.take_while(|b| b.is_ascii_hexdigit()).count()
}

/// Whether the last backslash escapes what comes next.
fn ends_in_open_slash(before: &[u8]) -> bool {
    before.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Label;

    #[track_caller]
    fn check(text: &str, start: usize, end: usize, expected: &str) {
        let mut span = Span {
            start,
            end,
            label: Label::Form(0),
        };
        whole_escapes(text, &mut span);
        assert_eq!(&text[span.start..span.end], expected);
    }

    #[test]
    fn escapes_are_not_split() {
        check(r"a\nbcd", 2, 5, r"\nbc");
        check(r"a\\nbcd", 3, 5, r"nb");
        check(r"ab\n", 0, 3, r"ab\n");
        check(r"ab\\n", 0, 3, r"ab\\");
        check(r"ab\\n", 0, 4, r"ab\\");
        check(r"\u00e9bc", 3, 8, r"\u00e9bc");
        check(r"\u00e9bc", 5, 8, r"\u00e9bc");
        check(r"\u00e9bc", 6, 8, r"bc");
        check(r"ab\u00e9", 0, 5, r"ab\u00e9");
        check(r"ab\u00e9c", 0, 2, r"ab");
        check(r"ab\u00", 0, 5, r"ab\u00");
        check("ab\\\u{e9}", 0, 3, "ab\\\u{e9}");
        check(r"ab\", 0, 3, r"ab\");
    }

    #[test]
    fn existing_masks() {
        let known = |name: &str| name == "A_KEY";
        assert_eq!(existing("x [redacted:A_KEY] y", known), [(2, 18)]);
        assert_eq!(existing("[redacted:other] [redacted:A_KEY", known), []);
        assert_eq!(existing("[redacted:[redacted:A_KEY]", known), [(10, 26)]);
    }
}
