//! Texts with lone surrogates: as they were, and as they can be read.

/// Whether `shown` is `kept` with U+FFFD for each lone surrogate.
///
/// In `kept` a lone surrogate is its escape (`\ud83d`), and a backslash stands twice. Whoever reads one of the
/// two must be able to rely on the other: a guard judges what is shown, and a bridge may restore what was kept.
pub(super) fn agree(kept: &str, shown: &str) -> bool {
    let (mut kept, mut shown) = (kept.chars(), shown.chars());
    // Whether half a character was just read, which the other half may not follow.
    let mut high = false;
    while let Some(own) = kept.next() {
        let after_high = std::mem::take(&mut high);
        let wanted = if own == '\\' {
            match kept.next() {
                Some('\\') => '\\',
                Some('u') => {
                    let digits: [Option<u32>; 4] =
                        std::array::from_fn(|_| kept.next().and_then(|c| c.to_digit(16)));
                    let unit = digits
                        .into_iter()
                        .try_fold(0, |unit, digit| Some(unit * 16 + digit?));
                    match unit {
                        Some(0xD800..=0xDBFF) => high = true,
                        Some(0xDC00..=0xDFFF) if !after_high => {}
                        _ => return false,
                    }
                    char::REPLACEMENT_CHARACTER
                }
                _ => return false,
            }
        } else {
            own
        };
        if shown.next() != Some(wanted) {
            return false;
        }
    }
    shown.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::agree;

    #[track_caller]
    fn check(kept: &str, shown: &str, expected: bool) {
        assert_eq!(agree(kept, shown), expected, "{kept} {shown}");
    }

    #[test]
    fn only_the_same_text_agrees() {
        check("", "", true);
        check("half \\ud83d", "half \u{fffd}", true);
        check("\\uDE00\\ud83d\\uD83D", "\u{fffd}\u{fffd}\u{fffd}", true);
        check("\\\\ud83d \\ud83d", "\\ud83d \u{fffd}", true);
        check("a \u{fffd} \\ud83d", "a \u{fffd} \u{fffd}", true);
        check("rm -rf x", "ls", false);
        check("\\ud83d", "", false);
        check("\\ud83d", "\u{fffd}x", false);
        check("\\ud83d", "\\ud83d", false);
        check("\\ud83d\\ude00", "\u{fffd}\u{fffd}", false);
        check("\\u0041", "\u{fffd}", false);
        check("\\u0041", "A", false);
        check("\\ud8", "\u{fffd}", false);
        check("\\n", "\n", false);
        check("\\", "\\", false);
    }
}
