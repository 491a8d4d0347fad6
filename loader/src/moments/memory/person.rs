//! A person whose answers are known, and a memory for what was allowed.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::moments::approvals::{ApprovalStore, Approver, Choice, Prompt};

/// A person whose answers are known. One who has none left does not answer in time.
#[derive(Debug, Default)]
pub struct Person {
    answers: Mutex<VecDeque<Choice>>,
    asked: Mutex<Vec<Prompt>>,
}

impl Person {
    /// A person who gives these answers, one after the other.
    #[must_use]
    pub fn answering(answers: impl IntoIterator<Item = Choice>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
        }
    }

    /// What the person was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Prompt> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Approver for Person {
    fn answer(&self, prompt: &Prompt) -> Choice {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(prompt.clone());
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.pop_front().unwrap_or(Choice::Timeout)
    }
}

/// No person at all: what needs one does not run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn reachable(&self, _session_key: &str) -> bool {
        false
    }

    fn answer(&self, _prompt: &Prompt) -> Choice {
        Choice::Timeout
    }
}

/// Rules that were allowed for good, as long as the process lives.
#[derive(Debug, Default)]
pub struct Allowed(Mutex<BTreeSet<String>>);

impl Allowed {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The rules, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().cloned().collect()
    }
}

impl ApprovalStore for Allowed {
    fn is_allowed(&self, pattern_key: &str) -> bool {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.contains(pattern_key)
    }

    fn allow(&self, pattern_key: &str) -> Result<(), String> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert(pattern_key.to_owned());
        Ok(())
    }
}
