//! A model that says what it was told to say, and a memory for conversations.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::moments::turn::{History, Model, ModelError, ModelFacts, Reply, Request};

/// A model that says what it was told to say. One that has nothing left to say fails.
#[derive(Debug, Default)]
pub struct Script {
    replies: Mutex<VecDeque<Result<Reply, ModelError>>>,
    requests: Mutex<Vec<Value>>,
}

impl Script {
    /// A model that says this, one after the other.
    #[must_use]
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with_failures(replies.into_iter().map(Ok))
    }

    /// A model that says this, and fails where it is told to.
    #[must_use]
    pub fn with_failures(replies: impl IntoIterator<Item = Result<Reply, ModelError>>) -> Self {
        Self {
            replies: Mutex::new(replies.into_iter().collect()),
            requests: Mutex::default(),
        }
    }

    /// The bodies of the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Model for Script {
    fn facts(&self) -> ModelFacts {
        ModelFacts {
            model: "scripted".to_owned(),
            provider: Some("memory".to_owned()),
            base_url: Some("memory:".to_owned()),
            api_mode: Some("chat_completions".to_owned()),
        }
    }

    fn ask(&self, request: &Request<'_>) -> Result<Reply, ModelError> {
        let requests = self.requests.lock();
        requests
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.body());
        let replies = self.replies.lock();
        let next = replies.unwrap_or_else(PoisonError::into_inner).pop_front();
        next.unwrap_or_else(|| Err(ModelError::new("script", "the script is at its end")))
    }
}

/// Conversations, as long as the process lives.
#[derive(Debug, Default)]
pub struct Conversations(Mutex<BTreeMap<String, Vec<Value>>>);

impl Conversations {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl History for Conversations {
    fn messages(&self, session_id: &str) -> Result<Vec<Value>, String> {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(sessions.get(session_id).cloned().unwrap_or_default())
    }

    fn append(&self, session_id: &str, message: &Value) -> Result<(), String> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let messages = sessions.entry(session_id.to_owned()).or_default();
        messages.push(message.clone());
        Ok(())
    }
}
