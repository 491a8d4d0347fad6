//! PEM blocks of private keys, cut off ones too.

use regex::bytes::Regex;

use super::{Form, always};
use crate::span::{Label, Span};

/// The pattern is the first line only: what follows is searched by hand, since a pattern that asks
/// for the last line would read to the end of the text once for each first line.
pub(super) const FORM: Form = Form {
    id: "private-key",
    pattern: r"(?P<v>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)",
    real: always,
};

const LAST_LINE: &str = "-----END ";
const CLOSE: &str = "-----";

/// The largest distance between first and last line; an RSA key of 16384 bits needs 12,800 bytes.
const LONGEST: usize = 32 * 1024;

/// Base64 this long is key material.
const MATERIAL: usize = 16;

pub(super) fn find(text: &str, first_line: &Regex, label: Label, spans: &mut Vec<Span>) {
    let begins = first_line.captures_iter(text.as_bytes());
    let begins = begins.filter_map(|found| found.name("v").map(|v| v.range()));
    let mut begins = begins.peekable();
    // The next last line, kept while it is ahead, so that the text is read once.
    let mut last = Some(0);
    while let Some(begin) = begins.next() {
        let limit = begins.peek().map_or(text.len(), |next| next.start);
        if last.is_some_and(|at| at < begin.end) {
            let ahead = text
                .get(begin.end..)
                .and_then(|ahead| ahead.find(LAST_LINE));
            last = ahead.map(|at| begin.end + at);
        }
        let end = last
            .filter(|at| *at < limit && at - begin.end <= LONGEST)
            .and_then(|at| block_end(text, begin.end, at));
        let rest = text.get(begin.end..limit).unwrap_or_default();
        let end = end.unwrap_or_else(|| begin.end + material(rest));
        if end > begin.end {
            let start = begin.start;
            spans.push(Span { start, end, label });
        }
    }
}

/// Where the block from `body` to the last line at `last` ends, if there is a key in between.
fn block_end(text: &str, body: usize, last: usize) -> Option<usize> {
    let inner = text.get(body..last)?;
    let mut run = 0;
    let has_material = inner.bytes().any(|b| {
        run = if is_base64(b) { run + 1 } else { 0 };
        run >= MATERIAL
    });
    let name = last + LAST_LINE.len();
    let close = text
        .get(name..)?
        .get(..64.min(text.len() - name))?
        .find(CLOSE)?;
    has_material.then_some(name + close + CLOSE.len())
}

/// How far lines of base64 go on, when the last line is missing.
fn material(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut end, mut at) = (0, 0);
    loop {
        at += skipped(bytes.get(at..).unwrap_or_default());
        let rest = bytes.get(at..).unwrap_or_default();
        let run = rest.iter().take_while(|b| is_base64(**b)).count();
        if run < MATERIAL {
            return end;
        }
        at += run;
        end = at;
    }
}

/// Line ends, as bytes or as escapes, and the line numbers and quotes that tools put there.
fn skipped(rest: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match rest.get(at) {
            Some(b'\\') if matches!(rest.get(at + 1), Some(b'n' | b'r' | b't')) => at += 2,
            Some(b'\\' | b'\n' | b'\r' | b'\t' | b' ' | b'|' | b'"' | b'\'' | b',') => at += 1,
            Some(b'0'..=b'9') => {
                let digits = rest.get(at..).unwrap_or_default();
                let digits = digits.iter().take_while(|b| b.is_ascii_digit()).count();
                if rest.get(at + digits) != Some(&b'|') {
                    return at;
                }
                at += digits;
            }
            _ => return at,
        }
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
