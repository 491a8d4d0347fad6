//! One call in the ring: words that are read and written by all threads, and never torn.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::hash::words;

/// What is known of a call.
pub(super) mod mark {
    use super::super::fields::Moment;

    /// The entry is being written.
    pub(in super::super) const WRITING: u64 = 1;
    /// The turn ended.
    pub(in super::super) const CLOSED: u64 = 1 << 1;
    /// It must not run, so that nobody waits for its result.
    pub(in super::super) const REFUSED: u64 = 1 << 2;
    /// An event of this moment came.
    pub(in super::super) const fn seen(moment: Moment) -> u64 {
        1 << (4 + 4 * moment as u64)
    }
    /// It is still being judged.
    pub(in super::super) const fn busy(moment: Moment) -> u64 {
        seen(moment) << 1
    }
    /// It came to more than nothing, and that is kept.
    pub(in super::super) const fn kept(moment: Moment) -> u64 {
        seen(moment) << 2
    }
    /// A call whose result is still to come.
    pub(in super::super) const fn is_open(marks: u64) -> bool {
        marks & (seen(Moment::Pre) | seen(Moment::Post) | CLOSED | REFUSED) == seen(Moment::Pre)
    }
}

/// The low bits of a state are marks, the others are the call's number.
pub(super) const BITS: u32 = 16;
const MARKS: u64 = (1 << BITS) - 1;

/// The longest id and tool name that are kept to be told.
const ID: usize = 48;
const TOOL: usize = 32;

/// What an entry says of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Of session and id.
    pub(super) hash: u64,
    /// Of tool, turn and model request: an id that comes again with another is another call.
    pub(super) what: u64,
    /// Of the arguments: the verdict on one call is none on another.
    pub(super) args: u64,
    /// Of the session, or else of the task.
    pub(super) scope: u64,
}

/// One call. The first line of the cache has all that is read on the way of a pass.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub(super) struct Entry {
    state: AtomicU64,
    hash: AtomicU64,
    what: AtomicU64,
    args: AtomicU64,
    scope: AtomicU64,
    next: AtomicU64,
    /// How long the id and the tool's name are.
    lengths: AtomicU64,
    /// The id, then the tool's name, each from the beginning of a word.
    text: [AtomicU64; (ID + TOOL) / 8],
}

/// What one look at an entry gave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) number: u64,
    pub(super) marks: u64,
    pub(super) key: Key,
    pub(super) next: u64,
}

impl Entry {
    /// The state as it is: number and marks.
    pub(super) fn state(&self) -> (u64, u64) {
        let state = self.state.load(Ordering::Acquire);
        (state >> BITS, state & MARKS)
    }

    /// Everything but the names, unless the entry is being written.
    pub(super) fn look(&self) -> Option<Seen> {
        let state = self.state.load(Ordering::Acquire);
        if state & mark::WRITING != 0 {
            return None;
        }
        let key = Key {
            hash: self.hash.load(Ordering::Relaxed),
            what: self.what.load(Ordering::Relaxed),
            args: self.args.load(Ordering::Relaxed),
            scope: self.scope.load(Ordering::Relaxed),
        };
        let next = self.next.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        let number = state >> BITS;
        (self.state.load(Ordering::Relaxed) >> BITS == number).then_some(Seen {
            number,
            marks: state & MARKS,
            key,
            next,
        })
    }

    /// Takes the entry for a newer call. False when somebody else is at it, or it has an even newer one.
    pub(super) fn claim(&self, number: u64) -> bool {
        let mut old = self.state.load(Ordering::Relaxed);
        loop {
            if old >> BITS >= number || old & mark::WRITING != 0 {
                return false;
            }
            let new = number << BITS | mark::WRITING;
            match self
                .state
                .compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
        fence(Ordering::Release);
        true
    }

    /// Writes what the call is; only after a claim.
    pub(super) fn write(&self, key: Key, id: &str, tool: &str) {
        self.hash.store(key.hash, Ordering::Relaxed);
        self.what.store(key.what, Ordering::Relaxed);
        self.args.store(key.args, Ordering::Relaxed);
        self.scope.store(key.scope, Ordering::Relaxed);
        let (id, tool) = (head(id, ID), head(tool, TOOL));
        self.lengths
            .store((id.len() | tool.len() << 32) as u64, Ordering::Relaxed);
        put(&self.text, id);
        put(
            self.text.get(id.len().div_ceil(8)..).unwrap_or_default(),
            tool,
        );
    }

    /// Says which call comes after it in its bucket; only after a claim.
    pub(super) fn link(&self, next: u64) {
        self.next.store(next, Ordering::Relaxed);
    }

    /// Ends the writing.
    pub(super) fn finish(&self, number: u64, marks: u64) {
        self.state.store(number << BITS | marks, Ordering::Release);
    }

    /// Changes the marks of a call. Gives the marks before, or what `change` refused; `None` when the
    /// entry has another call by now.
    pub(super) fn update(
        &self,
        number: u64,
        change: impl Fn(u64) -> Option<u64>,
    ) -> Option<Result<u64, u64>> {
        let mut old = self.state.load(Ordering::SeqCst);
        loop {
            if old >> BITS != number || old & mark::WRITING != 0 {
                return None;
            }
            let marks = old & MARKS;
            let Some(changed) = change(marks) else {
                return Some(Err(marks));
            };
            let new = number << BITS | changed;
            match self
                .state
                .compare_exchange_weak(old, new, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => return Some(Ok(marks)),
                Err(now) => old = now,
            }
        }
    }

    /// The call's id and the tool's name, as far as they are kept.
    pub(super) fn names(&self, number: u64) -> Option<(String, String)> {
        let lengths = self.lengths.load(Ordering::Acquire) as usize;
        let (id, tool) = (lengths & 0xFFFF, lengths >> 32 & 0xFFFF);
        let bytes: Vec<u8> = self
            .text
            .iter()
            .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
            .collect();
        fence(Ordering::Acquire);
        let (now, marks) = self.state();
        if now != number || marks & mark::WRITING != 0 {
            return None;
        }
        let at = id.next_multiple_of(8);
        let text = |from: usize, len: usize| {
            let bytes = bytes.get(from..from + len).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        Some((text(0, id), text(at, tool)))
    }
}

#[inline]
fn put(places: &[AtomicU64], text: &str) {
    let (whole, last) = words(text);
    let mut places = places.iter();
    for (word, place) in whole.iter().zip(&mut places) {
        place.store(u64::from_le_bytes(*word), Ordering::Relaxed);
    }
    if let Some(place) = places.next() {
        place.store(last, Ordering::Relaxed);
    }
}

/// The first `limit` bytes, whole characters.
#[inline]
fn head(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    text.get(..text.floor_char_boundary(limit))
        .unwrap_or_default()
}
