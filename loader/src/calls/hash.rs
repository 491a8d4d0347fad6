//! A quick hash with a secret seed, for ids that only have to be told apart.

use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

/// Multiplies and folds, eight bytes at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fold(u64);

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Default for Fold {
    fn default() -> Self {
        Self(RandomState::new().hash_one(ODD))
    }
}

impl Fold {
    /// The hash of some texts, each told apart from the next.
    #[inline]
    pub(super) fn of<const N: usize>(self, texts: [&str; N]) -> u64 {
        let mut hash = self.0;
        for text in texts {
            let (whole, last) = words(text);
            hash = mix(hash, text.len() as u64);
            for word in whole {
                hash = mix(hash, u64::from_le_bytes(*word));
            }
            hash = mix(hash, last);
        }
        hash
    }

    /// The hash of a call's arguments; `None` when there is more of them than is looked at.
    #[inline]
    pub(super) fn arguments(self, json: &Value) -> Option<u64> {
        let mut arguments = Arguments {
            fold: self,
            hash: self.0,
            values: VALUES,
            bytes: BYTES,
        };
        arguments.value(json)?;
        Some(arguments.hash)
    }
}

/// How many values and how many bytes of text of a call's arguments are looked at.
const VALUES: usize = 64;
const BYTES: usize = 1024;

/// A hash of arguments that may still grow, within bounds.
struct Arguments {
    fold: Fold,
    hash: u64,
    values: usize,
    bytes: usize,
}

impl Arguments {
    fn word(&mut self, word: u64) {
        self.hash = mix(self.hash, word);
    }

    fn text(&mut self, text: &str) -> Option<()> {
        self.bytes = self.bytes.checked_sub(text.len())?;
        let own = self.fold.of([text]);
        self.word(own);
        Some(())
    }

    fn value(&mut self, json: &Value) -> Option<()> {
        self.values = self.values.checked_sub(1)?;
        match json {
            Value::Null => self.word(1),
            Value::Bool(value) => self.word(2 + u64::from(*value)),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(whole), ..) => {
                    self.word(4);
                    self.word(whole.cast_unsigned());
                }
                (_, Some(whole), _) => {
                    self.word(5);
                    self.word(whole);
                }
                (.., float) => {
                    self.word(6);
                    self.word(float?.to_bits());
                }
            },
            Value::String(text) => {
                self.word(7);
                self.text(text)?;
            }
            Value::Array(elements) => {
                self.word(8);
                self.word(elements.len() as u64);
                for element in elements {
                    self.value(element)?;
                }
            }
            Value::Object(members) => {
                self.word(9);
                self.word(members.len() as u64);
                for (name, member) in members {
                    self.text(name)?;
                    self.value(member)?;
                }
            }
        }
        Some(())
    }
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let wide = u128::from(hash ^ word) * u128::from(ODD);
    (wide as u64) ^ (wide >> 64) as u64
}

/// The bytes of a text: whole words, and a last one that zeros fill.
#[inline]
pub(super) fn words(text: &str) -> (&[[u8; 8]], u64) {
    let (whole, rest) = text.as_bytes().as_chunks::<8>();
    let last = rest
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    (whole, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let fold = Fold::default();
        let texts = [
            ["", ""],
            ["a", ""],
            ["", "a"],
            ["12345678", ""],
            ["1234567", "8"],
            ["12345678\0", ""],
        ];
        let mut hashes: Vec<u64> = texts.map(|texts| fold.of(texts)).into();
        assert_eq!(fold.of(["1234567", "8"]), hashes[4]);
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), texts.len());
    }

    #[test]
    fn arguments_are_told_apart_within_bounds() {
        use serde_json::json;
        let fold = Fold::default();
        let different = [
            json!({}),
            json!({"command": "ls"}),
            json!({"command": "ls "}),
            json!({"command": ["ls"]}),
            json!({"command": null}),
            json!({"command": false}),
            json!({"command": 0}),
            json!({"command": 0.0}),
            json!({"command": u64::MAX}),
            json!({"command": -1}),
            json!({"comman": "dls"}),
            json!({"a": 1, "b": 2}),
            json!({"a": {"b": 2}}),
            json!([1, [2]]),
            json!([[1], 2]),
        ];
        let hashes: Vec<_> = different.iter().map(|args| fold.arguments(args)).collect();
        for (n, hash) in hashes.iter().enumerate() {
            assert!(hash.is_some(), "{}", different[n]);
            assert_eq!(fold.arguments(&different[n].clone()), *hash);
            assert!(!hashes[..n].contains(hash), "{}", different[n]);
        }
        let text = |len: usize| json!("x".repeat(len));
        assert!(fold.arguments(&text(BYTES)).is_some());
        assert_eq!(fold.arguments(&text(BYTES + 1)), None);
        assert_eq!(fold.arguments(&json!(vec![0; VALUES])), None);
    }

    #[test]
    fn words_are_the_bytes() {
        let (whole, last) = words("0123456789");
        assert_eq!(
            (whole, last.to_le_bytes()),
            (&[*b"01234567"][..], *b"89\0\0\0\0\0\0")
        );
    }
}
