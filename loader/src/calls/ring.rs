//! The last 4,096 calls, found by the hash of their key. It allocates nothing once it is made, and locks nothing.
//!
//! Calls are numbered as they come; call `n` stands at place `n % 4096`, over the one that came 4,096 calls
//! earlier. A bucket holds the number of its newest call, and each call that of the next older one of its
//! bucket. So a call is put in by one compare-and-swap of its bucket, which fails when anybody else put one in:
//! of two threads with the same call one always sees the other's. Numbers fall along a chain, so whatever is
//! behind a call that was overtaken was overtaken too.
//!
//! A thread that loses such a race has used up a number: it then counts as one of the 4,096.

use std::sync::atomic::{AtomicU64, Ordering};

use super::entry::{Entry, Key, Seen, mark};

/// How many calls are remembered.
pub(crate) const CALLS: u64 = 4096;
const BUCKETS: u64 = 16_384;

/// How often a call takes a new number because others were quicker in its bucket.
const TRIES: usize = 64;

/// The table.
#[derive(Debug)]
pub(super) struct Ring {
    /// The number of the next call; the first is 1.
    next: AtomicU64,
    entries: Box<[Entry]>,
    buckets: Box<[AtomicU64]>,
}

/// How much of a call has to be the same.
#[derive(Clone, Copy, Debug)]
pub(super) enum Same {
    /// Session and id.
    Id,
    /// And tool, turn and model request.
    Call,
    /// And the arguments.
    Event,
}

impl Same {
    #[inline]
    fn holds(self, one: &Key, other: &Key) -> bool {
        one.hash == other.hash
            && match self {
                Self::Id => true,
                Self::Call => one.what == other.what,
                Self::Event => one.what == other.what && one.args == other.args,
            }
    }
}

/// What came of putting a call in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// It is new.
    New(u64),
    /// It was there.
    Known(u64),
    /// Too many others came at the same moment: it is not remembered.
    Unnoted,
}

impl Default for Ring {
    fn default() -> Self {
        let many = |count: u64| 0..count;
        Self {
            next: AtomicU64::new(1),
            entries: many(CALLS).map(|_| Entry::default()).collect(),
            buckets: many(BUCKETS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Ring {
    /// Both tables have as many places as the remainder can be, so this is never out of bounds.
    #[inline]
    fn entry(&self, number: u64) -> &Entry {
        &self.entries[(number % CALLS) as usize]
    }

    #[inline]
    fn bucket(&self, hash: u64) -> &AtomicU64 {
        &self.buckets[(hash % BUCKETS) as usize]
    }

    /// The oldest number that is still remembered.
    pub(super) fn oldest(&self) -> u64 {
        self.next.load(Ordering::SeqCst).saturating_sub(CALLS)
    }

    /// The newest call of this key, as far as it has to be the same.
    #[inline]
    pub(super) fn find(&self, key: &Key, same: Same) -> Option<u64> {
        self.find_without(key, same, 0)
    }

    /// The same, among those that have none of these marks.
    #[inline]
    pub(super) fn find_without(&self, key: &Key, same: Same, marks: u64) -> Option<u64> {
        let from = self.bucket(key.hash).load(Ordering::Acquire);
        self.walk(from, 0, |seen| {
            same.holds(&seen.key, key) && seen.marks & marks == 0
        })
    }

    /// Follows a chain as far as `behind`, which was looked at before.
    #[inline]
    fn walk(&self, from: u64, behind: u64, holds: impl Fn(&Seen) -> bool) -> Option<u64> {
        let mut number = from;
        while number > behind && number >= self.oldest() {
            let seen = self.entry(number).look()?;
            if seen.number != number {
                return None;
            }
            if holds(&seen) {
                return Some(number);
            }
            number = seen.next;
        }
        None
    }

    /// Puts a call in, unless it is there already.
    #[inline]
    pub(super) fn put(&self, key: &Key, id: &str, tool: &str, marks: u64) -> Put {
        let bucket = self.bucket(key.hash);
        let same = |seen: &Seen| Same::Event.holds(&seen.key, key);
        let mut head = bucket.load(Ordering::Acquire);
        if let Some(number) = self.walk(head, 0, same) {
            return Put::Known(number);
        }
        for _ in 0..TRIES {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            let entry = self.entry(number);
            if !entry.claim(number) {
                continue;
            }
            entry.write(*key, id, tool);
            // A newer one in front: numbers must fall along the chain, so take a newer number.
            while head < number {
                entry.link(head);
                entry.finish(number, marks);
                let put =
                    bucket.compare_exchange(head, number, Ordering::AcqRel, Ordering::Acquire);
                let Err(now) = put else {
                    return Put::New(number);
                };
                if let Some(known) = self.walk(now, head, same) {
                    entry.finish(number, 0);
                    return Put::Known(known);
                }
                head = now;
            }
            entry.finish(number, 0);
        }
        Put::Unnoted
    }

    /// Changes the marks of a call; see [`Entry::update`].
    pub(super) fn update(
        &self,
        number: u64,
        change: impl Fn(u64) -> Option<u64>,
    ) -> Option<Result<u64, u64>> {
        self.entry(number).update(number, change)
    }

    /// The marks of a call; none when it was overtaken.
    pub(super) fn marks(&self, number: u64) -> u64 {
        self.update(number, |_| None)
            .map_or(0, |marks| marks.unwrap_or_else(|marks| marks))
    }

    /// The call's id and the tool's name, as far as they are kept.
    pub(super) fn names(&self, number: u64) -> Option<(String, String)> {
        self.entry(number).names(number)
    }

    /// All calls that are remembered, with their marks and scopes.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let oldest = self.oldest();
        let seen = self.entries.iter().filter_map(Entry::look);
        seen.filter(move |seen| seen.number >= oldest && seen.marks & !mark::CLOSED != 0)
            .map(|seen| (seen.number, seen.marks, seen.key.scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: u64 = mark::seen(super::super::fields::Moment::Pre);

    fn key(hash: u64) -> Key {
        Key {
            hash,
            what: 7,
            args: 8,
            scope: 9,
        }
    }

    fn put(ring: &Ring, hash: u64) -> Put {
        ring.put(&key(hash), &format!("call_{hash}"), "terminal", SEEN)
    }

    #[test]
    fn the_last_calls_are_remembered_exactly() {
        let ring = Ring::default();
        for number in 1..=CALLS {
            assert_eq!(put(&ring, number), Put::New(number));
        }
        // The 4,096th oldest, and the newest.
        assert_eq!(put(&ring, 1), Put::Known(1));
        assert_eq!(put(&ring, CALLS), Put::Known(CALLS));
        assert_eq!(put(&ring, CALLS + 1), Put::New(CALLS + 1));
        assert_eq!(put(&ring, 2), Put::Known(2));
        assert_eq!(put(&ring, 1), Put::New(CALLS + 2));
        assert_eq!(ring.find(&key(2), Same::Call), None, "and that made room");
        assert_eq!(ring.all().count() as u64, CALLS);
    }

    #[test]
    fn many_times_around() {
        let ring = Ring::default();
        for number in 1..=5 * CALLS {
            assert_eq!(put(&ring, number), Put::New(number));
            let oldest = number.saturating_sub(CALLS - 1).max(1);
            assert_eq!(put(&ring, oldest), Put::Known(oldest));
        }
        let (id, tool) = ring.names(5 * CALLS).expect("it is remembered");
        assert_eq!(
            (id, tool),
            (format!("call_{}", 5 * CALLS), "terminal".to_owned())
        );
        assert_eq!(ring.names(4 * CALLS), None);
    }

    #[test]
    fn all_calls_in_one_bucket() {
        let ring = Ring::default();
        let hash = |number: u64| number * BUCKETS + 3;
        for number in 1..=2 * CALLS {
            assert_eq!(put(&ring, hash(number)), Put::New(number));
        }
        for number in CALLS + 1..=2 * CALLS {
            assert_eq!(ring.find(&key(hash(number)), Same::Call), Some(number));
        }
        assert_eq!(ring.find(&key(hash(CALLS)), Same::Call), None);
    }

    #[test]
    fn the_same_id_about_something_else_is_another_call() {
        let ring = Ring::default();
        let other = Key { what: 8, ..key(1) };
        assert_eq!(put(&ring, 1), Put::New(1));
        assert_eq!(ring.put(&other, "call_1", "patch", SEEN), Put::New(2));
        assert_eq!(ring.find(&key(1), Same::Call), Some(1));
        assert_eq!(ring.find(&key(1), Same::Id), Some(2), "the newest");
    }

    #[test]
    fn names_are_cut_between_characters() {
        let ring = Ring::default();
        let long = "é".repeat(40);
        assert_eq!(ring.put(&key(1), &long, &long, SEEN), Put::New(1));
        let (id, tool) = ring.names(1).expect("it is remembered");
        assert_eq!((id, tool), ("é".repeat(24), "é".repeat(16)));
    }

    /// Losing a race costs a number, so that what all threads do together stays below what is remembered.
    const CONTESTED: usize = CALLS as usize / 8;

    #[test]
    fn eight_threads_with_the_same_calls_make_each_once() {
        for round in 0..20 {
            let ring = Ring::default();
            // Few buckets, so that calls meet in them.
            let hash = |call: usize| (call % 5 + 1) as u64 + (call / 5) as u64 * BUCKETS + round;
            let made: Vec<AtomicU64> = (0..CONTESTED).map(|_| AtomicU64::new(0)).collect();
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        start.wait();
                        for (call, made) in made.iter().enumerate() {
                            if matches!(put(&ring, hash(call)), Put::New(_)) {
                                made.fetch_add(1, Ordering::SeqCst);
                            }
                        }
                    });
                }
            });
            let made: Vec<u64> = made
                .iter()
                .map(|made| made.load(Ordering::SeqCst))
                .collect();
            assert_eq!(made, vec![1; CONTESTED], "round {round}");
        }
    }

    #[test]
    fn eight_threads_go_around_with_calls_of_their_own() {
        let ring = Ring::default();
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let ring = &ring;
                scope.spawn(move || {
                    for call in 0..2 * CALLS {
                        // Sixteen buckets for all of them.
                        let hash = (call * 8 + thread) * BUCKETS + call % 16;
                        let Put::New(number) = put(ring, hash) else {
                            panic!("call {call} of thread {thread} was there")
                        };
                        let found = ring.find(&key(hash), Same::Call);
                        // Unless the others went once around in this moment.
                        let overtaken = number < ring.oldest();
                        assert!(found == Some(number) || overtaken, "{found:?} for {number}");
                    }
                });
            }
        });
        assert!(ring.all().count() as u64 <= CALLS);
    }
}
