//! Cuts spans to the strings of a JSON text, so that it is the same JSON with other strings.

use serde::de::IgnoredAny;

use crate::span::Span;

/// A stretch to replace: by the mask, or by the mask as a JSON string of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) span: Span,
    pub(crate) quoted: bool,
}

/// Whether `text` is one JSON object, array or string. A bare number or word is taken for prose.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[', '"'])
        && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The spans as they are, for text that is no JSON.
pub(crate) fn plain(spans: Vec<Span>) -> Vec<Cut> {
    spans
        .into_iter()
        .map(|span| Cut {
            span,
            quoted: false,
        })
        .collect()
}

/// The spans cut to the insides of strings; a number that is touched becomes a string.
///
/// With `whole`, every string that is touched is replaced as a whole.
pub(crate) fn fit(text: &str, spans: &[Span], whole: bool) -> Vec<Cut> {
    let mut cuts = Vec::with_capacity(spans.len());
    let mut spans = spans.iter().peekable();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (start, end, quoted) = match byte {
            b'"' => (at + 1, string_end(bytes, at + 1), false),
            b'-' | b'0'..=b'9' | b'a'..=b'z' => (at, scalar_end(bytes, at), true),
            _ => {
                at += 1;
                continue;
            }
        };
        at = if quoted { end } else { end + 1 };
        let mut first = true;
        while let Some(&span) = spans.peek() {
            if span.end <= start {
                spans.next();
                continue;
            }
            if span.start >= end {
                break;
            }
            let all = quoted || whole;
            let span_in = match all {
                true => Span {
                    start,
                    end,
                    ..*span
                },
                false => Span {
                    start: span.start.max(start),
                    end: span.end.min(end),
                    ..*span
                },
            };
            if first || !all {
                cuts.push(Cut {
                    span: span_in,
                    quoted,
                });
            }
            first = false;
            if span.end > end {
                break;
            }
            spans.next();
        }
    }
    cuts
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

fn scalar_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.');
    from + rest.iter().take_while(inside).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Label;

    #[track_caller]
    fn check(text: &str, spans: &[(usize, usize)], whole: bool, expected: &[(&str, bool)]) {
        let label = Label::Form(0);
        let spans: Vec<_> = spans
            .iter()
            .map(|&(start, end)| Span { start, end, label })
            .collect();
        let cuts = fit(text, &spans, whole);
        let cuts: Vec<_> = cuts
            .iter()
            .map(|cut| (&text[cut.span.start..cut.span.end], cut.quoted))
            .collect();
        assert_eq!(cuts, expected);
    }

    #[test]
    fn inside_strings() {
        check(r#"{"a":"bcdef"}"#, &[(6, 8)], false, &[("bc", false)]);
        check(
            r#"{"a":"bcdef"}"#,
            &[(6, 7), (8, 9)],
            false,
            &[("b", false), ("d", false)],
        );
        check(
            r#"{"a":"bcdef"}"#,
            &[(6, 7), (8, 9)],
            true,
            &[("bcdef", false)],
        );
        check(r#"["a\"b","c"]"#, &[(2, 6)], false, &[(r#"a\"b"#, false)]);
    }

    #[test]
    fn across_strings() {
        check(
            r#"{"ab":"cdef"}"#,
            &[(3, 9)],
            false,
            &[("b", false), ("cd", false)],
        );
        check(r#"{"a":1,"b":2}"#, &[(3, 6)], false, &[("1", true)]);
    }

    #[test]
    fn numbers() {
        check(r#"{"a":12345678}"#, &[(6, 9)], false, &[("12345678", true)]);
        check(
            r#"[-1.5e+8,2]"#,
            &[(2, 3), (5, 7)],
            false,
            &[("-1.5e+8", true)],
        );
    }
}
