//! Finds lines in a text, and writes lines the way it does.

/// Where the line that holds `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line after the one that holds `at` begins; the end of the text for the last one.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    after
        .find('\n')
        .map_or(text.len(), |newline| at + newline + 1)
}

/// The white space before `at` on its line, or `None` when something else stands there.
pub(super) fn indent(text: &str, at: usize) -> Option<&str> {
    let before = text.get(line_start(text, at)..at)?;
    before.chars().all(|c| c == ' ').then_some(before)
}

/// Where the text up to `end` ends, without the white space at its end.
pub(super) fn content_end(text: &str, start: usize, end: usize) -> usize {
    text.get(..end)
        .map_or(end, |head| head.trim_end().len())
        .max(start)
}

/// How this text ends its lines.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// The text with whole `lines` put in at `at`, the beginning of a line or the end of the text.
pub(super) fn insert_lines(text: &str, at: usize, lines: &[String]) -> Option<String> {
    let newline = newline(text);
    let (head, tail) = (text.get(..at)?, text.get(at..)?);
    let mut out = head.to_owned();
    if !head.is_empty() && !head.ends_with('\n') {
        out.push_str(newline);
    }
    for line in lines {
        out.push_str(line);
        out.push_str(newline);
    }
    out.push_str(tail);
    Some(out)
}

/// The text with `range` replaced.
pub(super) fn replace(text: &str, range: std::ops::Range<usize>, by: &str) -> Option<String> {
    let (head, tail) = (text.get(..range.start)?, text.get(range.end..)?);
    Some(format!("{head}{by}{tail}"))
}

/// Just behind the colon of the key that ends at `key_end`.
pub(super) fn after_colon(text: &str, key_end: usize) -> Option<usize> {
    let rest = text.get(key_end..)?;
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    rest.get(gap..)?
        .starts_with(':')
        .then_some(key_end + gap + 1)
}
