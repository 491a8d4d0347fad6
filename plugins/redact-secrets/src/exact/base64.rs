//! The base64 characters that a value fixes, wherever in the encoded bytes it stands.

/// The least number of fixed characters worth searching for.
const LEAST: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Whether the neighbouring characters hold bits of the value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    before: bool,
    after: bool,
}

impl Shares {
    /// The range with the neighbours that share bits, and the padding.
    pub(crate) fn widen(&self, text: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
        let encoded = |at: usize| {
            text.get(at)
                .is_some_and(|b| STANDARD.contains(b) || URL_SAFE.contains(b))
        };
        if self.before && start.checked_sub(1).is_some_and(encoded) {
            start -= 1;
        }
        if self.after && encoded(end) {
            end += 1;
        }
        // Padding gives the length away.
        for _ in 0..2 {
            if text.get(end) == Some(&b'=') {
                end += 1;
            }
        }
        (start, end)
    }
}

/// The fixed characters for each of the three alignments, in both alphabets, without repeats.
pub(crate) fn forms(value: &[u8]) -> Vec<(Vec<u8>, Shares)> {
    let mut forms: Vec<(Vec<u8>, Shares)> = Vec::new();
    for alphabet in [STANDARD, URL_SAFE] {
        for offset in 0..3 {
            let (fixed, shares) = fixed(value, offset, alphabet);
            if fixed.len() >= LEAST && forms.iter().all(|(form, _)| *form != fixed) {
                forms.push((fixed, shares));
            }
        }
    }
    forms
}

/// The characters that hold bits of `value` only, when `offset` bytes stand before it.
fn fixed(value: &[u8], offset: usize, alphabet: &[u8; 64]) -> (Vec<u8>, Shares) {
    let skipped_bits = (6 - offset * 8 % 6) % 6;
    let mut fixed = Vec::with_capacity(value.len() * 4 / 3);
    let (mut bits, mut held) = (0_u32, 0);
    let mut to_skip = skipped_bits;
    for &byte in value {
        bits = bits << 8 | u32::from(byte);
        held += 8;
        if to_skip > 0 {
            held -= to_skip;
            to_skip = 0;
        }
        while held >= 6 {
            held -= 6;
            let index = bits >> held & 63;
            fixed.extend(alphabet.get(index as usize));
        }
        bits &= (1 << held) - 1;
    }
    let shares = Shares {
        before: skipped_bits > 0,
        after: held > 0,
    };
    (fixed, shares)
}
