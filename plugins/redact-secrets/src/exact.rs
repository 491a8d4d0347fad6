//! Finds exact values: as they are, escaped as in JSON or a URL, and inside base64.

mod base64;
mod search;

use crate::config::ConfigError;
use crate::span::{Label, Span};
use crate::view::{Piece, View};
use search::{Hit, Search};

/// All values in all encodings, ready to search for.
pub(crate) struct Exact {
    /// Absent when there is nothing to search for.
    search: Option<Search>,
    patterns: Vec<Pattern>,
}

struct Pattern {
    value: usize,
    /// For base64, whether the characters before and after it hold bits of the value too.
    shares: Option<base64::Shares>,
}

impl Exact {
    pub(crate) fn new(texts: &[(usize, String)]) -> Result<Self, ConfigError> {
        let mut bytes: Vec<Vec<u8>> = Vec::new();
        let mut patterns = Vec::new();
        for (value, text) in texts {
            bytes.push(text.as_bytes().to_vec());
            patterns.push(Pattern {
                value: *value,
                shares: None,
            });
        }
        for (value, text) in texts {
            for (encoded, shares) in base64::forms(text.as_bytes()) {
                bytes.push(encoded);
                patterns.push(Pattern {
                    value: *value,
                    shares: Some(shares),
                });
            }
        }
        let search = match bytes.is_empty() {
            true => None,
            false => Some(Search::new(&bytes)?),
        };
        Ok(Self { search, patterns })
    }

    /// Adds every occurrence, overlapping ones too: the longest alone would leave the tail of
    /// another value standing.
    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        let Some(search) = &self.search else { return };
        let text = text.as_bytes();
        for view in View::of(text) {
            let mut hits = search.hits(text, view);
            if !hits.is_empty() {
                self.locate(text, view, &mut hits, spans);
            }
        }
    }

    /// Whether any value stands in `name`.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        let mut spans = Vec::new();
        self.find(name, &mut spans);
        !spans.is_empty()
    }

    /// Walks the view a second time, to turn starts in the view into starts in the raw text.
    fn locate(&self, text: &[u8], view: View, hits: &mut [Hit], spans: &mut Vec<Span>) {
        hits.sort_unstable_by_key(|hit| hit.start);
        let mut hits = hits.iter().peekable();
        let mut read = 0;
        for (from, piece) in view.walk(text) {
            let (len, runs) = match piece {
                Piece::Run(run) => (run.len(), true),
                Piece::Escape(unit) => (unit.bytes().len(), false),
            };
            while let Some(hit) = hits.next_if(|hit| hit.start < read + len) {
                let start = if runs {
                    from + (hit.start - read)
                } else {
                    from
                };
                let Some(pattern) = self.patterns.get(hit.pattern) else {
                    continue;
                };
                let (start, end) = match &pattern.shares {
                    Some(shares) => shares.widen(text, start, hit.end),
                    None => (start, hit.end),
                };
                let label = Label::Value(pattern.value);
                spans.push(Span { start, end, label });
            }
            read += len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], text: &str, expected: &[&str]) {
        let texts: Vec<_> = values.iter().map(|v| (0, (*v).to_owned())).collect();
        let exact = Exact::new(&texts).expect("few values");
        let mut spans = Vec::new();
        exact.find(text, &mut spans);
        let mut found: Vec<_> = spans.iter().map(|s| &text[s.start..s.end]).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn plain_and_overlapping() {
        check(&[], "anything", &[]);
        check(&["abcdefgh"], "xabcdefghx abcdefg", &["abcdefgh"]);
        check(
            &["abcdefgh", "efghijkl"],
            "abcdefghijkl",
            &["abcdefgh", "efghijkl"],
        );
        check(
            &["abcdefgh", "abcdefghij"],
            "abcdefghij",
            &["abcdefgh", "abcdefghij"],
        );
        check(
            &["gr\u{fc}\u{df}e-12"],
            "x gr\u{fc}\u{df}e-12 y",
            &["gr\u{fc}\u{df}e-12"],
        );
    }

    #[test]
    fn escaped() {
        check(
            &["say \"hi\"\n\\o/"],
            r#"{"a":"say \"hi\"\n\\o\/"}"#,
            &[r#"say \"hi\"\n\\o\/"#],
        );
        check(
            &["say \"hi\""],
            r#"{"a":"{\"b\":\"say \\\"hi\\\"\"}"}"#,
            &[r#"say \\\"hi\\\""#],
        );
        check(
            &["gr\u{fc}\u{df}e-12"],
            r"gr\u00fc\u00DFe-12",
            &[r"gr\u00fc\u00DFe-12"],
        );
        check(
            &["p@ss w0rd/+"],
            "p%40ss%20w0rd%2f%2B",
            &["p%40ss%20w0rd%2f%2B"],
        );
        check(&["correct-horse"], "correct%2Dhorse", &["correct%2Dhorse"]);
    }

    #[test]
    fn in_base64() {
        // printf 'user:hunter2hunter' | base64, and the value alone with and without a line feed
        check(
            &["hunter2hunter"],
            "dXNlcjpodW50ZXIyaHVudGVy",
            &["podW50ZXIyaHVudGVy"],
        );
        check(
            &["hunter2hunter"],
            "aHVudGVyMmh1bnRlcg== x",
            &["aHVudGVyMmh1bnRlcg=="],
        );
        check(
            &["hunter2hunter"],
            "aHVudGVyMmh1bnRlcgo=",
            &["aHVudGVyMmh1bnRlcg"],
        );
        check(&["??>>??>>??"], "Pz8-Pj8_Pj4_Pw==", &["Pz8-Pj8_Pj4_Pw=="]);
        check(&["??>>??>>??"], "Pz8+Pj8/Pj4/Pw==", &["Pz8+Pj8/Pj4/Pw=="]);
        check(
            &["??>>??>>??"],
            r"Pz8+Pj8\/Pj4\/Pw==",
            &[r"Pz8+Pj8\/Pj4\/Pw=="],
        );
    }
}
