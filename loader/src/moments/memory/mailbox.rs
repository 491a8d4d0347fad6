//! People who answer later, from another thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::moments::approvals::{Approver, Choice, Prompt};

/// People who answer later, from another thread: what a gateway needs, where a question is a message and an
/// answer is another one.
#[derive(Debug, Default)]
pub struct Mailbox {
    waiting: Mutex<Vec<Waiting>>,
    answered: Condvar,
}

#[derive(Debug)]
struct Waiting {
    prompt: Prompt,
    choice: Option<Choice>,
}

impl Mailbox {
    /// Nobody is asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The questions that wait for an answer, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Prompt> {
        let waiting = self.lock();
        let open = waiting.iter().filter(|entry| entry.choice.is_none());
        open.map(|entry| entry.prompt.clone()).collect()
    }

    /// Answers the oldest question of a session. False when none waits: it was answered, or is too old.
    pub fn resolve(&self, session_key: &str, choice: Choice) -> bool {
        let mut waiting = self.lock();
        let oldest = waiting
            .iter_mut()
            .find(|entry| entry.choice.is_none() && entry.prompt.session_key == session_key);
        let Some(entry) = oldest else { return false };
        entry.choice = Some(choice);
        drop(waiting);
        self.answered.notify_all();
        true
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for Mailbox {
    fn notify(&self, prompt: &Prompt) -> Result<(), String> {
        self.lock().push(Waiting {
            prompt: prompt.clone(),
            choice: None,
        });
        Ok(())
    }

    fn answer(&self, prompt: &Prompt) -> Choice {
        let until = Instant::now().checked_add(prompt.timeout);
        let mut waiting = self.lock();
        loop {
            let Some(at) = waiting
                .iter()
                .position(|entry| entry.prompt.id == prompt.id)
            else {
                return Choice::Timeout;
            };
            let choice = waiting.get(at).and_then(|entry| entry.choice);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if choice.is_some() || left.is_some_and(|left| left.is_zero()) {
                waiting.remove(at);
                return choice.unwrap_or(Choice::Timeout);
            }
            // A time too long to count is waited for in pieces.
            let left = left.unwrap_or(prompt.timeout).min(PIECE);
            let waited = self.answered.wait_timeout(waiting, left);
            (waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

const PIECE: std::time::Duration = std::time::Duration::from_secs(3600);
