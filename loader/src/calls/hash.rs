//! A quick hash with a secret seed, for ids that only have to be told apart.

use std::hash::{BuildHasher, RandomState};

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
    fn words_are_the_bytes() {
        let (whole, last) = words("0123456789");
        assert_eq!(
            (whole, last.to_le_bytes()),
            (&[*b"01234567"][..], *b"89\0\0\0\0\0\0")
        );
    }
}
