//! How a turn is to be made, and what the user said.

use serde_json::Value;

use super::history::History;
use super::model::Model;

/// How a turn is to be made.
#[derive(Clone)]
pub struct TurnSetup<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// Where the conversation is kept.
    pub history: &'a dyn History,
    /// The system prompt. No plugin adds to it.
    pub system: Option<String>,
    /// The tools that the model is offered: a list.
    pub tools: Value,
    /// The most tokens of an answer.
    pub max_tokens: Option<i64>,
    /// Whether the session is a coding one.
    pub coding: bool,
    /// How often a plugin may ask the agent to go on (`agent.max_verify_nudges`).
    pub max_verify_nudges: u32,
    /// How often a request that may be retried is tried again, at once.
    pub max_retries: u32,
}

impl<'a> TurnSetup<'a> {
    /// A turn with this model and history: no system prompt, no tools, three nudges, no retries.
    #[must_use]
    pub fn new(model: &'a dyn Model, history: &'a dyn History) -> Self {
        Self {
            model,
            history,
            system: None,
            tools: Value::Array(Vec::new()),
            max_tokens: None,
            coding: false,
            max_verify_nudges: 3,
            max_retries: 0,
        }
    }
}

impl std::fmt::Debug for TurnSetup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnSetup").finish_non_exhaustive()
    }
}

/// What the user said.
#[derive(Clone, Debug, PartialEq)]
pub struct UserMessage(pub(super) Value);

impl UserMessage {
    /// Content parts: text, images, … Plugins see them, and add nothing to them.
    #[must_use]
    pub fn parts(parts: Vec<Value>) -> Self {
        Self(Value::Array(parts))
    }
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for UserMessage {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<Value> for UserMessage {
    /// A text, or a list of parts; anything else counts as its JSON text.
    fn from(content: Value) -> Self {
        match content {
            Value::String(_) | Value::Array(_) => Self(content),
            other => Self(other.to_string().into()),
        }
    }
}
