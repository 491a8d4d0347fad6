//! How a record is bound to the one before it.
//!
//! A line is `{…,"prev":"<64 hex>","hash":"<64 hex>"}`. The hash is the SHA-256 of the previous
//! record's hash, as hex, followed by the line without its `hash` member, byte for byte as written.
//! So any program can check it, without agreeing on how numbers or escapes are spelled.

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// What the first record of a chain has in place of a previous hash.
pub(crate) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

const MARK: &str = ",\"hash\":\"";
const CLOSE: &str = "\"}";

/// SHA-256 as lower-case hex.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The line for `body`, a JSON object that names `prev`.
pub(crate) fn seal(body: &str, prev: &str) -> (String, String) {
    let hash = hash(prev, body.as_bytes());
    let open = body.strip_suffix('}').unwrap_or(body);
    (format!("{open}{MARK}{hash}{CLOSE}"), hash)
}

/// The members that bind a record to others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Link {
    pub(crate) seq: u64,
    pub(crate) event: String,
    pub(crate) prev: String,
    #[serde(skip)]
    pub(crate) hash: String,
    #[serde(default)]
    pub(crate) tool_call_id: String,
    #[serde(default)]
    pub(crate) tool_name: String,
    pub(crate) pair: Option<LinkedCall>,
    pub(crate) recovered_bytes: Option<u64>,
    pub(crate) recovered_sha256: Option<String>,
    #[serde(default)]
    pub(crate) missed: u64,
}

/// The call that a record is about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct LinkedCall {
    pub(crate) call_seq: Option<u64>,
}

/// What a line is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A record with the hash it says it has.
    Whole(Link),
    /// A record whose hash is another than it says: it was edited.
    Edited,
    /// No record, such as the start of one that was being written when the machine went down.
    Torn,
}

/// Reads a line, without its line feed.
pub(crate) fn read(line: &[u8]) -> Line {
    if let Some((body, said)) = split(line)
        && let Ok(mut link) = serde_json::from_slice::<Link>(&body)
        && hash(&link.prev, &body).as_bytes() == said
    {
        link.hash = String::from_utf8_lossy(said).into_owned();
        return Line::Whole(link);
    }
    match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(value) if value.is_object() => Line::Edited,
        _ => Line::Torn,
    }
}

fn split(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let open = line.strip_suffix(CLOSE.as_bytes())?;
    let (open, said) = open.split_at_checked(open.len().checked_sub(GENESIS.len())?)?;
    let mut body = open.strip_suffix(MARK.as_bytes())?.to_vec();
    body.push(b'}');
    Some((body, said))
}

fn hash(prev: &str, body: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(prev.as_bytes());
    hasher.update(body);
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| DIGITS[usize::from(digit)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> String {
        let body = format!(r#"{{"seq":1,"event":"x","prev":"{GENESIS}"}}"#);
        seal(&body, GENESIS).0
    }

    #[test]
    fn a_known_digest() {
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_sealed_line_reads_back() {
        let Line::Whole(link) = read(line().as_bytes()) else {
            panic!("not whole")
        };
        assert_eq!(
            (link.seq, link.event.as_str(), link.prev.as_str()),
            (1, "x", GENESIS)
        );
        assert_eq!(link.hash.len(), 64);
    }

    #[test]
    fn every_single_byte_counts() {
        let line = line();
        for at in 0..line.len() {
            let mut edited = line.clone().into_bytes();
            edited[at] ^= 1;
            assert!(!matches!(read(&edited), Line::Whole(_)), "byte {at}");
        }
    }

    #[track_caller]
    fn check(line: &str, expected: &Line) {
        assert_eq!(read(line.as_bytes()), *expected, "{line}");
    }

    #[test]
    fn edited_and_torn() {
        check(
            &line().replace(r#""event":"x""#, r#""event":"y""#),
            &Line::Edited,
        );
        check("{}", &Line::Edited);
        check(&line()[..40], &Line::Torn);
        check("", &Line::Torn);
        check("[1]", &Line::Torn);
    }
}
