//! Where conversations are kept.

use serde_json::Value;

/// Keeps conversations, message by message.
pub trait History {
    /// The messages of a session so far, oldest first, without the system prompt.
    ///
    /// # Errors
    /// When they cannot be read; the turn does not begin then.
    fn messages(&self, session_id: &str) -> Result<Vec<Value>, String>;

    /// Keeps one more message.
    ///
    /// # Errors
    /// When it cannot be kept; the turn goes on, and the log says so.
    fn append(&self, session_id: &str, message: &Value) -> Result<(), String>;
}

/// The messages of a turn: what was kept before, and what came since.
pub(super) struct Conversation<'a> {
    history: &'a dyn History,
    session_id: String,
    /// A list.
    messages: Value,
}

impl<'a> Conversation<'a> {
    pub(super) fn load(history: &'a dyn History, session_id: &str) -> Result<Self, String> {
        Ok(Self {
            messages: Value::Array(history.messages(session_id)?),
            history,
            session_id: session_id.to_owned(),
        })
    }

    pub(super) const fn list(&self) -> &Value {
        &self.messages
    }

    pub(super) fn count(&self) -> usize {
        self.messages.as_array().map_or(0, Vec::len)
    }

    pub(super) fn push(&mut self, message: Value) {
        if let Err(why) = self.history.append(&self.session_id, &message) {
            tracing::warn!(
                session = self.session_id,
                "a message of this session is not kept: {why}"
            );
        }
        if let Value::Array(messages) = &mut self.messages {
            messages.push(message);
        }
    }
}
