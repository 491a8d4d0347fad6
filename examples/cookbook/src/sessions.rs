//! State per session, and never more of it than was agreed.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// One `T` per session, for at most so many sessions: whoever was not heard of for the longest time makes
/// room for a new one.
///
/// Agents end without a farewell, and `on_session_finalize` may then never come. What is only freed there
/// would grow for ever in a gateway that runs for months.
///
/// # Threads
/// Any thread may ask, several at once. A change runs under the lock, so it must not wait for anything.
#[derive(Debug)]
pub struct Sessions<T> {
    limit: usize,
    inner: Mutex<Inner<T>>,
}

#[derive(Debug)]
struct Inner<T> {
    /// Counts touches, so that the oldest one is known without a clock.
    touches: u64,
    states: HashMap<String, (u64, T)>,
}

impl<T> Sessions<T> {
    /// Nothing yet, and room for `limit` sessions, at least one.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            inner: Mutex::new(Inner {
                touches: 0,
                states: HashMap::new(),
            }),
        }
    }

    /// A panic under the lock leaves a state that is whole: changes are made in place, member by member.
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state of a session, which is made by `begin` if there is none. Events without a session
    /// share one state.
    pub fn with<R>(
        &self,
        session: Option<&str>,
        begin: impl FnOnce() -> T,
        change: impl FnOnce(&mut T) -> R,
    ) -> R {
        let key = session.unwrap_or_default();
        // Dropped after the lock is: dropping a state may take its time.
        let mut displaced = None;
        let mut inner = self.lock();
        inner.touches += 1;
        let now = inner.touches;
        if !inner.states.contains_key(key) && inner.states.len() >= self.limit {
            let oldest = inner
                .states
                .iter()
                .min_by_key(|(_, (touched, _))| *touched)
                .map(|(key, _)| key.clone());
            displaced = oldest.and_then(|oldest| inner.states.remove(&oldest));
        }
        let (touched, state) = inner
            .states
            .entry(key.to_owned())
            .or_insert_with(|| (now, begin()));
        *touched = now;
        let changed = change(state);
        drop(inner);
        drop(displaced);
        changed
    }

    /// Changes the state of a session, if there is one.
    pub fn with_known<R>(
        &self,
        session: Option<&str>,
        change: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let mut inner = self.lock();
        inner.touches += 1;
        let now = inner.touches;
        let (touched, state) = inner.states.get_mut(session.unwrap_or_default())?;
        *touched = now;
        Some(change(state))
    }

    /// The state of a session that is over; nothing is kept of it.
    pub fn take(&self, session: Option<&str>) -> Option<T> {
        let (_, state) = self.lock().states.remove(session.unwrap_or_default())?;
        Some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::Sessions;

    #[test]
    fn the_one_that_was_silent_longest_makes_room() {
        let sessions = Sessions::new(2);
        let hear = |session| {
            sessions.with(
                session,
                || 0,
                |heard| {
                    *heard += 1;
                    *heard
                },
            )
        };
        assert_eq!(
            (hear(Some("a")), hear(Some("b")), hear(Some("a"))),
            (1, 1, 2)
        );
        assert_eq!(hear(None), 1, "an event without a session is one too");
        assert_eq!(sessions.take(Some("b")), None, "it made room");
        assert_eq!(sessions.with_known(Some("b"), |heard| *heard), None);
        assert_eq!(sessions.take(Some("a")), Some(2));
        assert_eq!(sessions.take(Some("a")), None, "nothing is kept");
        assert_eq!(sessions.take(None), Some(1));
    }

    #[test]
    fn no_touch_is_lost_between_threads() {
        let sessions = Sessions::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        sessions.with(Some("s"), || 0, |heard| *heard += 1);
                    }
                });
            }
        });
        assert_eq!(sessions.take(Some("s")), Some(4000));
    }
}
