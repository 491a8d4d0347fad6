//! The quick reject: one pass without allocation that lets most commands go unparsed.
//!
//! The text is read as a run of words of letters and digits. Quotes, backslashes, line continuations
//! and `$@` between letters are skipped, since the shell removes them: `r''m` is the word `rm`.

use crate::{fs, git, remote, services, system};

/// Longer words are none of ours.
const MAX_WORD: usize = 24;

/// The words that make a text worth parsing.
#[derive(Debug, Clone)]
pub(crate) struct Quick {
    /// Sorted.
    words: Vec<Box<[u8]>>,
    /// For each first byte, the lengths that occur, one bit each.
    lengths: Box<[u32; 256]>,
    /// Something of interest has other characters than letters and digits: parse everything.
    always: bool,
}

/// Parts of paths that matter as the target of a redirection.
const PLACES: &[&[u8]] = &[
    b"etc", b"boot", b"bin", b"sbin", b"lib", b"lib32", b"lib64", b"System", b"sysrq",
];
/// Devices that are safe to write to.
const SAFE_DEVICES: &[&[u8]] = &[
    b"null", b"stdout", b"stderr", b"stdin", b"tty", b"fd", b"zero", b"tcp",
];

impl Quick {
    pub(crate) fn new<'a>(extra: impl Iterator<Item = &'a str>) -> Self {
        let lists = [
            fs::PROGRAMS,
            git::PROGRAMS,
            remote::PROGRAMS,
            services::PROGRAMS,
            system::PROGRAMS,
        ];
        let built_in = lists.into_iter().flatten().copied();
        let mut always = false;
        let mut words: Vec<Box<[u8]>> = Vec::new();
        for word in built_in.chain(extra) {
            // A name with other characters is found by its first part.
            let part = word
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next();
            match part {
                Some(part) if !part.is_empty() && part.len() <= MAX_WORD => {
                    words.push(part.as_bytes().into())
                }
                _ => always = true,
            }
        }
        words.sort_unstable();
        words.dedup();
        let mut lengths = Box::new([0u32; 256]);
        for word in &words {
            if let Some(&first) = word.first()
                && let Some(mask) = lengths.get_mut(usize::from(first))
            {
                *mask |= 1 << word.len();
            }
        }
        Self {
            words,
            lengths,
            always,
        }
    }

    /// False if nothing in `text` can meet a rule.
    pub(crate) fn interesting(&self, text: &str) -> bool {
        if self.always {
            return true;
        }
        let (mut word, mut part) = (Letters::default(), Letters::default());
        let mut seen = Seen::default();
        let mut previous = 0u8;
        for &byte in text.as_bytes() {
            let before = std::mem::replace(&mut previous, byte);
            match byte {
                // `\n` may be the letter, or a line end that `printf` or `echo -e` makes of it.
                b'n' | b't' | b'r' if before == b'\\' => {
                    if self.contains(part.get()) {
                        return true;
                    }
                    part = Letters::default();
                    word.push(byte);
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {
                    word.push(byte);
                    part.push(byte);
                }
                // `$'…'` can spell any word by its codes.
                b'\'' if before == b'$' => return true,
                b'\'' | b'"' | b'\\' | b'$' | b'@' | b'*' | b'`' => {}
                b'\n' if before == b'\\' => {}
                b'\r' if before == b'\\' => previous = b'\\',
                _ => {
                    if self.contains(part.get()) || self.ends_word(word.get(), byte, &mut seen) {
                        return true;
                    }
                    (word, part) = (Letters::default(), Letters::default());
                }
            }
        }
        self.contains(part.get()) || self.ends_word(word.get(), b' ', &mut seen)
    }

    /// Takes a whole word, and the byte after it; true if the text is of interest.
    fn ends_word(&self, word: &[u8], next: u8, seen: &mut Seen) -> bool {
        seen.write |= next == b'>';
        // `f()` or `f ( )` may be a fork bomb.
        let function = next == b')' && seen.open && word.is_empty();
        seen.open = next == b'(' || (seen.open && word.is_empty() && matches!(next, b' ' | b'\t'));
        if !word.is_empty() {
            seen.place |= PLACES.contains(&word) || (seen.dev && !SAFE_DEVICES.contains(&word));
            seen.dev = word == b"dev" && next == b'/';
        } else if next != b'/' && next != b'.' {
            seen.dev = false;
        }
        function || word == b"function" || (seen.write && seen.place) || self.contains(word)
    }

    fn contains(&self, word: &[u8]) -> bool {
        let Some(&first) = word.first() else {
            return false;
        };
        let mask = self
            .lengths
            .get(usize::from(first))
            .copied()
            .unwrap_or_default();
        mask & (1 << word.len()) != 0
            && self
                .words
                .binary_search_by(|known| known.as_ref().cmp(word))
                .is_ok()
    }
}

#[derive(Default)]
struct Seen {
    /// A `>`.
    write: bool,
    /// A path that matters when written to.
    place: bool,
    /// The last word was `dev`, with a slash behind.
    dev: bool,
    /// The last thing was `(`.
    open: bool,
}

/// The letters of a word so far.
#[derive(Default)]
struct Letters {
    bytes: [u8; MAX_WORD],
    length: usize,
}

impl Letters {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
        }
        self.length += 1;
    }

    /// The word; nothing if it is too long to be one of ours.
    fn get(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
