//! Rewrites what strict JSON cannot hold into markers, and leaves everything else as it stands.

/// How deep objects and arrays may be nested; the JSON library gives up at 128.
const DEPTH: usize = 100;

/// The text with everything rewritten that strict JSON cannot hold; `None` when there is nothing to do.
pub(super) fn repair(text: &str) -> Option<String> {
    let mut out = String::new();
    // Everything before `copied` is in `out`.
    let mut copied = 0;
    let mut depth: usize = 0;
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let (end, replacement) = match byte {
            b'"' => string(text, at),
            b'-' | b'0'..=b'9' | b'N' | b'I' => literal(text, at),
            b'{' | b'[' if depth == DEPTH => {
                let opaque = format!(r#"{{"$opaque":"deeper than {DEPTH} levels"}}"#);
                (structure_end(text, at)?, Some(opaque))
            }
            b'{' | b'[' => {
                depth += 1;
                (at + 1, None)
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                (at + 1, None)
            }
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

/// Behind the object or array that begins at `start`; `None` when it does not end.
fn structure_end(text: &str, start: usize) -> Option<usize> {
    let mut depth: usize = 0;
    let mut at = start;
    loop {
        match text.as_bytes().get(at)? {
            b'"' => {
                at = string_end(text, at).0;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Behind the string that begins at `start`, and whether it has lone surrogates.
fn string_end(text: &str, start: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut lone) = (start + 1, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return (at + 1, lone),
            b'\\' => {
                let (end, escape) = escape(text, at);
                lone |= escape == Escape::Lone;
                at = end;
            }
            _ => at += 1,
        }
    }
    (bytes.len(), lone)
}

/// Behind the string that begins at `start`, and what stands for it if JSON cannot hold it.
fn string(text: &str, start: usize) -> (usize, Option<String>) {
    let (end, lone) = string_end(text, start);
    let inner = text.get(start + 1..end.saturating_sub(1));
    let Some(inner) = inner.filter(|_| lone) else {
        return (end, None);
    };
    let kept = rewritten(inner, true);
    let rest = text.get(end..).unwrap_or_default();
    let replacement = if rest.trim_start().starts_with(':') {
        format!(r#""$surrogates:{kept}""#)
    } else {
        let shown = rewritten(inner, false);
        format!(r#"{{"$surrogates":"{kept}","text":"{shown}"}}"#)
    };
    (end, Some(replacement))
}

/// The inside of a string, as the inside of a string: lone surrogates as the text of their escape, and
/// backslashes twice, or else U+FFFD for each.
fn rewritten(inner: &str, keep: bool) -> String {
    let mut out = String::with_capacity(2 * inner.len());
    let mut at = 0;
    while let Some(rest) = inner.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find('\\').unwrap_or(rest.len());
        out.push_str(rest.get(..plain).unwrap_or_default());
        at += plain;
        if plain == rest.len() {
            break;
        }
        let (end, escape) = escape(inner, at);
        let own = inner.get(at..end).unwrap_or_default();
        match (escape, keep) {
            (Escape::Lone, true) => {
                out.push('\\');
                out.push_str(own);
            }
            (Escape::Lone, false) => out.push_str("\\ufffd"),
            (Escape::Backslash, true) => out.push_str("\\\\\\\\"),
            _ => out.push_str(own),
        }
        at = end;
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// Half a character.
    Lone,
    /// A backslash.
    Backslash,
    Other,
}

/// Behind the escape that begins at `at`, and what it is.
fn escape(text: &str, at: usize) -> (usize, Escape) {
    let Some(unit) = unit(text, at) else {
        let escaped = text.as_bytes().get(at + 1);
        let escape = if escaped == Some(&b'\\') {
            Escape::Backslash
        } else {
            Escape::Other
        };
        return (at + 2, escape);
    };
    let low = || self::unit(text, at + 6);
    match unit {
        0xD800..=0xDBFF if matches!(low(), Some(0xDC00..=0xDFFF)) => (at + 12, Escape::Other),
        0xD800..=0xDFFF => (at + 6, Escape::Lone),
        0x5C => (at + 6, Escape::Backslash),
        _ => (at + 6, Escape::Other),
    }
}

/// The number of a `\uXXXX` escape.
fn unit(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Behind a number or word outside strings, and what stands for it if JSON cannot hold it.
fn literal(text: &str, start: usize) -> (usize, Option<String>) {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.')))
        .unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    let end = start + end.max(1);
    let float = |name: &str| Some(format!(r#"{{"$float":"{name}"}}"#));
    let digits = word.strip_prefix('-').unwrap_or(word);
    let replacement = match word {
        "NaN" => float("nan"),
        "Infinity" => float("inf"),
        "-Infinity" => float("-inf"),
        _ if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let fits = word.parse::<i64>().is_ok() || word.parse::<u64>().is_ok();
            let wide = digits.len() > 18 && !fits && !digits.starts_with('0');
            wide.then(|| format!(r#"{{"$int":"{word}"}}"#))
        }
        _ if digits.starts_with(|c: char| c.is_ascii_digit()) => match word.parse::<f64>() {
            Ok(number) if number == f64::INFINITY => float("inf"),
            Ok(number) if number == f64::NEG_INFINITY => float("-inf"),
            _ => None,
        },
        _ => None,
    };
    (end, replacement)
}
