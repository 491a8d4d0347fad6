//! Texts out of events: a message whatever its form, and a text of a size one can keep.

use hermes_plugin_api::{Datum, TreeRef};

/// At most `max` characters of a text, and whether that is all of it.
#[must_use]
pub fn cut(text: &str, max: usize) -> (&str, bool) {
    match text.char_indices().nth(max) {
        Some((at, _)) => (text.split_at(at).0, false),
        None => (text, true),
    }
}

/// The text of a user's message: itself, or the text parts of one that has pictures too.
///
/// `None` when there is no text in it.
#[must_use]
pub fn message_text(message: &Datum<'_>) -> Option<String> {
    let text = match message {
        Datum::Tree(parts) => {
            let texts = parts
                .iter()
                .filter_map(|(_, part)| part_text(part.as_tree()?));
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.as_str()?.to_owned(),
    };
    (!text.trim().is_empty()).then_some(text)
}

fn part_text(part: TreeRef<'_>) -> Option<&str> {
    let is_text = part
        .str("type")
        .is_none_or(|kind| kind == "text" || kind == "input_text");
    part.str("text").filter(|_| is_text)
}

/// The session that is over, whichever field names it: `session_id` may be null, and is the new one in
/// some hosts where `old_session_id` is given.
#[must_use]
pub fn session_of<'a>(old: Option<&'a str>, session: Option<&'a str>) -> Option<&'a str> {
    old.or(session).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{cut, session_of};

    #[test]
    fn a_cut_keeps_characters_whole() {
        assert_eq!(cut("añb", 2), ("añ", false));
        assert_eq!(cut("añb", 3), ("añb", true));
        assert_eq!(cut("", 0), ("", true));
        assert_eq!(cut("a", 0), ("", false));
    }

    #[test]
    fn the_old_session_is_the_one_that_ends() {
        assert_eq!(session_of(Some("old"), Some("new")), Some("old"));
        assert_eq!(session_of(None, Some("only")), Some("only"));
        assert_eq!(session_of(None, Some("")), None);
    }
}
