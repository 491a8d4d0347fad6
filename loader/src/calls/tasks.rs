//! Which session a task belongs to, from events that said both.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::hash::Fold;

/// How many tasks are remembered.
pub(crate) const TASKS: usize = 4096;
const SLOTS: usize = 1024;

/// Tasks and their sessions. Reading locks nothing; a pair that was seen lately is known by its hash.
#[derive(Debug)]
pub(super) struct Tasks {
    hasher: Fold,
    /// By the task's hash: the hash of the pair that was seen last.
    lately: Box<[AtomicU64]>,
    known: ArcSwap<Known>,
    learning: Mutex<()>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    sessions: HashMap<Arc<str>, Arc<str>>,
    /// In the order in which the tasks were first seen.
    order: VecDeque<Arc<str>>,
}

impl Default for Tasks {
    fn default() -> Self {
        Self {
            hasher: Fold::default(),
            lately: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
            known: ArcSwap::default(),
            learning: Mutex::default(),
        }
    }
}

impl Tasks {
    /// The slot of a task; there are as many as the remainder can be.
    fn slot(&self, task: u64) -> &AtomicU64 {
        &self.lately[task as usize % SLOTS]
    }

    /// Takes note that a task belongs to a session. `session_hash` is any hash of the session.
    #[inline]
    pub(super) fn learn(&self, task: &str, session: &str, session_hash: u64) {
        let own = self.hasher.of([task]);
        let pair = own.rotate_left(32) ^ session_hash;
        let slot = self.slot(own);
        if slot.load(Ordering::Relaxed) != pair {
            self.note(task, session);
            slot.store(pair, Ordering::Relaxed);
        }
    }

    #[cold]
    fn note(&self, task: &str, session: &str) {
        let is = |known: &Known| {
            known
                .sessions
                .get(task)
                .is_some_and(|known| **known == *session)
        };
        if is(&self.known.load()) {
            return;
        }
        let _one = self.learning.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = Known::clone(&self.known.load());
        let task: Arc<str> = task.into();
        if known
            .sessions
            .insert(Arc::clone(&task), session.into())
            .is_none()
        {
            known.order.push_back(task);
        }
        if known.order.len() > TASKS
            && let Some(oldest) = known.order.pop_front()
        {
            known.sessions.remove(&oldest);
            // If it comes again, it is learned again.
            self.slot(self.hasher.of([&oldest]))
                .store(0, Ordering::Relaxed);
        }
        self.known.store(Arc::new(known));
    }

    /// The session of a task.
    pub(super) fn session(&self, task: &str) -> Option<Arc<str>> {
        self.known.load().sessions.get(task).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(tasks: &Tasks, task: &str, session: &str) {
        let hash = session
            .bytes()
            .fold(7, |hash, byte| hash * 31 + u64::from(byte));
        tasks.learn(task, session, hash);
    }

    #[track_caller]
    fn check(tasks: &Tasks, task: &str, expected: Option<&str>) {
        assert_eq!(tasks.session(task).as_deref(), expected, "{task}");
    }

    #[test]
    fn the_last_word_counts() {
        let tasks = Tasks::default();
        check(&tasks, "t", None);
        for session in ["s1", "s1", "s2", "s1"] {
            learn(&tasks, "t", session);
            check(&tasks, "t", Some(session));
        }
    }

    #[test]
    fn the_last_tasks_are_remembered_and_no_more() {
        let tasks = Tasks::default();
        for number in 0..=TASKS {
            learn(&tasks, &format!("t{number}"), "s");
        }
        check(&tasks, "t0", None);
        check(&tasks, "t1", Some("s"));
        check(&tasks, &format!("t{TASKS}"), Some("s"));
        learn(&tasks, "t0", "s");
        check(&tasks, "t0", Some("s"));
        check(&tasks, "t1", None);
    }
}
