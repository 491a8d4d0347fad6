//! Text as it reads once escapes are resolved, with the way back to the bytes it came from.
//!
//! A view is never built: it is walked, a run of unescaped bytes or one escape at a time, so that
//! text without secrets costs no allocation whatever its escapes.

/// One way of escaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// As inside a JSON string: `\n`, `\"`, `\/`, `\u00e9`.
    Json,
    /// As in a URL: `%2D`.
    Percent,
}

/// The layers to undo, outermost first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View(&'static [Layer]);

use Layer::{Json, Percent};

/// Every view that is searched. JSON within JSON is what a tool result makes of a JSON file.
const VIEWS: [View; 7] = [
    View(&[]),
    View(&[Json]),
    View(&[Json, Json]),
    View(&[Json, Json, Json]),
    View(&[Percent]),
    View(&[Json, Percent]),
    View(&[Percent, Percent]),
];

/// A piece of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece<'t> {
    /// Bytes that stand for themselves.
    Run(&'t [u8]),
    /// What one escape stands for.
    Escape(Unit),
}

/// One character or byte of a view, and where the raw text goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    bytes: [u8; 4],
    len: usize,
    next: usize,
}

impl Unit {
    fn byte(byte: u8, next: usize) -> Self {
        let bytes = [byte, 0, 0, 0];
        Self {
            bytes,
            len: 1,
            next,
        }
    }

    fn char(c: char, next: usize) -> Self {
        let mut bytes = [0; 4];
        let len = c.encode_utf8(&mut bytes).len();
        Self { bytes, len, next }
    }

    fn single(&self) -> Option<u8> {
        (self.len == 1).then_some(self.bytes[0])
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    pub(crate) fn next(&self) -> usize {
        self.next
    }
}

impl View {
    /// The views in which `text` may read differently from all earlier ones.
    pub(crate) fn of(text: &[u8]) -> impl Iterator<Item = Self> {
        let slash = memchr::memchr(b'\\', text).is_some();
        let percent = memchr::memchr(b'%', text).is_some();
        let has = move |needle: &str| memchr::memmem::find(text, needle.as_bytes()).is_some();
        // A second layer needs an escaped backslash; `\u005c` is the other way to write one.
        let nested = slash && (has(r"\\") || has(r"\u005"));
        let deeper = nested && (has(r"\\\\") || has(r"\u005"));
        VIEWS.into_iter().filter(move |view| match view.0 {
            [] => true,
            [Json] => slash,
            [Json, Json] => nested,
            [Json, ..] if view.0.len() == 3 => deeper,
            [Percent] => percent,
            [Json, ..] => slash && percent,
            _ => percent && has("%25"),
        })
    }

    /// Whether nothing is undone.
    pub(crate) fn is_raw(self) -> bool {
        self.0.is_empty()
    }

    /// The pieces of `text` from the start, each with the raw offset it begins at.
    pub(crate) fn walk(self, text: &[u8]) -> impl Iterator<Item = (usize, Piece<'_>)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
            let from = at;
            match self.trigger(rest) {
                Some(0) => {
                    let unit = unit(self.0, text, at)?;
                    at = unit.next;
                    Some((from, Piece::Escape(unit)))
                }
                found => {
                    let run = rest.get(..found.unwrap_or(rest.len()))?;
                    at += run.len();
                    Some((from, Piece::Run(run)))
                }
            }
        })
    }

    fn trigger(self, rest: &[u8]) -> Option<usize> {
        match self.0 {
            [] => None,
            [Percent, ..] => memchr::memchr(b'%', rest),
            [Json, Percent] => memchr::memchr2(b'\\', b'%', rest),
            _ => memchr::memchr(b'\\', rest),
        }
    }
}

/// The unit at `at` once all `layers` are undone; an escape that is none stands for itself.
fn unit(layers: &[Layer], text: &[u8], at: usize) -> Option<Unit> {
    let Some((layer, inner)) = layers.split_last() else {
        return text.get(at).map(|&byte| Unit::byte(byte, at + 1));
    };
    let first = unit(inner, text, at)?;
    let escape = match (layer, first.single()) {
        (Json, Some(b'\\')) => json_escape(inner, text, first.next),
        (Percent, Some(b'%')) => {
            hex(inner, text, first.next, 2).map(|(byte, next)| Unit::byte(byte as u8, next))
        }
        _ => None,
    };
    Some(escape.unwrap_or(first))
}

/// What follows a backslash at `at`.
fn json_escape(inner: &[Layer], text: &[u8], at: usize) -> Option<Unit> {
    let kind = unit(inner, text, at)?;
    let byte = match kind.single()? {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        same @ (b'"' | b'\\' | b'/') => same,
        b'u' => return unicode_escape(inner, text, kind.next),
        _ => return None,
    };
    Some(Unit::byte(byte, kind.next))
}

fn unicode_escape(inner: &[Layer], text: &[u8], at: usize) -> Option<Unit> {
    let (high, next) = hex(inner, text, at, 4)?;
    if let Some(c) = char::from_u32(high) {
        return Some(Unit::char(c, next));
    }
    // A high surrogate: its other half must follow as an escape of its own.
    let slash = unit(inner, text, next).filter(|u| u.single() == Some(b'\\'))?;
    let mark = unit(inner, text, slash.next).filter(|u| u.single() == Some(b'u'))?;
    let (low, next) = hex(inner, text, mark.next, 4)?;
    let pair = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some(Unit::char(c, next))
}

fn hex(inner: &[Layer], text: &[u8], mut at: usize, digits: u32) -> Option<(u32, usize)> {
    let mut number = 0;
    for _ in 0..digits {
        let digit = unit(inner, text, at)?;
        number = number * 16 + char::from(digit.single()?).to_digit(16)?;
        at = digit.next;
    }
    Some((number, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(view: View, text: &str) -> String {
        let mut bytes = Vec::new();
        for (_, piece) in view.walk(text.as_bytes()) {
            match piece {
                Piece::Run(run) => bytes.extend_from_slice(run),
                Piece::Escape(unit) => bytes.extend_from_slice(unit.bytes()),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[track_caller]
    fn check(layers: &'static [Layer], text: &str, expected: &str) {
        assert_eq!(read(View(layers), text), expected);
    }

    #[test]
    fn no_layer_changes_nothing() {
        check(&[], r"a\n%41", r"a\n%41");
    }

    #[test]
    fn json_escapes() {
        check(&[Json], r#"a\n\t\"\\\/\u0041\u00e9"#, "a\n\t\"\\/A\u{e9}");
        check(&[Json], r"\ud83d\ude00", "\u{1f600}");
        check(
            &[Json],
            r"\ud83d \ude00 \u12 \x \",
            r"\ud83d \ude00 \u12 \x \",
        );
        check(&[Json, Json], r#"\\\"a\\n\u005cn"#, "\"a\n\n");
        check(&[Json, Json, Json], r"\\\\\\\\", r"\");
    }

    #[test]
    fn percent_escapes() {
        check(&[Percent], "a%2Db%2db%zz%4", "a-b-b%zz%4");
        check(&[Percent, Percent], "a%252Db", "a-b");
        check(
            &[Json, Percent],
            r"https:\/\/a%2F\u0025\u0034\u0031",
            "https://a/A",
        );
    }

    #[test]
    fn a_view_is_left_out_where_it_shows_nothing_new() {
        for (text, views) in [
            ("abc", 1),
            (r"a\n", 2),
            (r"a\\n", 3),
            (r"\\\\", 4),
            ("%", 2),
            (r"\%25", 5),
        ] {
            assert_eq!(View::of(text.as_bytes()).count(), views, "{text}");
        }
    }
}
