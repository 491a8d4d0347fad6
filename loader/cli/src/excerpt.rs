//! Makes text of plugins, files and agents fit to be shown: safe for a terminal, and short.

use std::time::Duration;

pub(crate) use hermes_loader::log_files::safe;

/// At most `limit` characters of the text, safe to be shown.
pub(crate) fn excerpt(text: &str, limit: usize) -> String {
    // Escapes are longer than what they stand for, so the cut comes last; but a whole file is not escaped first.
    let head: String = text.chars().take(limit + 1).collect();
    let mut shown = safe(head.trim());
    if let Some((end, _)) = shown.char_indices().nth(limit) {
        shown.truncate(floor(&shown, end));
        shown.push('…');
    } else if head.chars().count() > limit {
        shown.push('…');
    }
    shown
}

/// The boundary of the character before `end`.
fn floor(text: &str, end: usize) -> usize {
    text.get(..end)
        .and_then(|head| head.char_indices().next_back())
        .map_or(0, |(at, _)| at)
}

/// How one text differs from another, around the first difference: what was there, hinted at only,
/// since it may be a secret; and what is there now.
pub(crate) fn difference(before: &str, after: &str, limit: usize) -> (String, String) {
    let pairs = || before.chars().zip(after.chars());
    let same = pairs().take_while(|(a, b)| a == b).count();
    let rest = before.chars().count().min(after.chars().count()) - same;
    let tail = before
        .chars()
        .rev()
        .zip(after.chars().rev())
        .take(rest)
        .take_while(|(a, b)| a == b)
        .count();
    let gone: String = middle(before, same, tail);
    let new: String = middle(after, same, tail);
    let lead = context(before, same);
    let trail: String = after
        .chars()
        .skip(after.chars().count() - tail)
        .take(16)
        .take_while(|c| *c != '\n')
        .collect();
    let (lead, trail) = (safe(&lead), safe(&trail));
    (
        format!("{lead}{}{trail}", hinted(&gone)),
        format!("{lead}{}{trail}", excerpt(&new, limit)),
    )
}

fn middle(text: &str, same: usize, tail: usize) -> String {
    let length = text.chars().count();
    text.chars().skip(same).take(length - same - tail).collect()
}

/// Up to 24 characters before the difference, on its line.
fn context(text: &str, same: usize) -> String {
    let head: Vec<char> = text.chars().take(same).collect();
    let line = head.iter().rposition(|c| *c == '\n').map_or(0, |at| at + 1);
    let start = line.max(head.len().saturating_sub(24));
    head.get(start..).unwrap_or_default().iter().collect()
}

/// The first quarter of a text, at most four characters: enough to know it again, not enough to use it.
pub(crate) fn hinted(text: &str) -> String {
    let length = text.chars().count();
    if length == 0 {
        return String::new();
    }
    let shown: String = text.chars().take(4.min(length / 4)).collect();
    format!("{}…({length} characters)", safe(&shown))
}

/// A duration, in the unit that gives few digits.
pub(crate) fn duration(duration: Duration) -> String {
    let ns = duration.as_nanos();
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

/// `1 plugin`, `2 plugins`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, limit: usize, expected: &str) {
        assert_eq!(excerpt(text, limit), expected);
    }

    #[test]
    fn an_excerpt_is_short_and_cannot_drive_a_terminal() {
        check("hello", 5, "hello");
        check("hello!", 5, "hell…");
        check("a\nb", 10, "a\\nb");
        check("\u{1b}[2Jx", 20, "\\x1b[2Jx");
        check("x\u{202e}y", 20, "x\\u202ey");
        check("größer als", 4, "grö…");
        check("", 4, "");
    }

    #[test]
    fn a_difference_never_shows_what_was_replaced() {
        let (before, after) = difference("PW=hunter2hunter2 x\nB=1", "PW=[redacted:PW] x\nB=1", 40);
        assert_eq!(before, "PW=hun…(14 characters) x");
        assert_eq!(after, "PW=[redacted:PW] x");
        assert_eq!(
            difference("same", "same", 9),
            ("same".to_owned(), "same".to_owned())
        );
        assert_eq!(difference("", "new", 9), (String::new(), "new".to_owned()));
        assert_eq!(difference("aaa", "aa", 9).1, "aa");
    }

    #[test]
    fn a_duration_is_short() {
        let shown =
            [12, 12_345, 45_000_000, 12_000_000_000].map(|ns| duration(Duration::from_nanos(ns)));
        assert_eq!(shown, ["12 ns", "12.3 µs", "45.0 ms", "12.0 s"]);
    }
}
