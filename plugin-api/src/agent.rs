//! What only an agent has, and plugins may ask for: its model, its own tools, its user's input line.
//!
//! Plugins ask through their [`HostRef`](crate::HostRef); an agent that embeds the loader answers with an
//! [`Agent`]. The requests and replies are the same types on both sides.

mod in_memory;
mod rights;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use self::{in_memory::InMemoryAgent, rights::LlmRights};

/// One message of a request to a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// Its text.
    pub content: String,
}

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
#[must_use]
pub struct LlmRequest {
    /// The conversation.
    pub messages: Vec<Message>,
    /// What stands before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Another model than the agent's. The operator has to allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another provider than the agent's. The operator has to allow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The longest answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How much chance there is in the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The JSON schema of the answer; absent for free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Json>,
}

impl LlmRequest {
    /// A request of one message of the user.
    pub fn new(content: impl Into<String>) -> Self {
        Self::default().message("user", content)
    }

    /// One more message.
    pub fn message(mut self, role: impl Into<String>, content: impl Into<String>) -> Self {
        self.messages.push(Message {
            role: role.into(),
            content: content.into(),
        });
        self
    }

    /// What stands before the conversation.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Another model than the agent's: `plugins.entries.<key>.llm.allow_model_override` has to allow it.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Another provider than the agent's: `plugins.entries.<key>.llm.allow_provider_override` has to allow
    /// it.
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// The longest answer.
    pub const fn max_tokens(mut self, tokens: u64) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// How much chance there is in the answer.
    pub const fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct LlmReply {
    /// The answer; JSON when the request had a schema.
    pub text: String,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What it cost, in the provider's own members.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub usage: Map<String, Json>,
}

impl LlmReply {
    /// A reply of this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The model that answered.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Its provider.
    #[must_use]
    pub fn provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// What it cost.
    #[must_use]
    pub fn usage(mut self, usage: Map<String, Json>) -> Self {
        self.usage = usage;
        self
    }
}

/// Why an agent did not do what a plugin asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentError {
    /// This agent has no such thing.
    Unsupported,
    /// It tried, and failed.
    Failed {
        /// Why, in words for the plugin's author.
        text: String,
    },
}

impl AgentError {
    /// It tried, and failed.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed { text: text.into() }
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported => f.write_str("this agent does not offer it"),
            Self::Failed { text } => f.write_str(text),
        }
    }
}

impl std::error::Error for AgentError {}

/// The agent around the plugins, as far as plugins may ask it for something. Every method has an answer
/// for agents that do not offer the thing.
///
/// # Threads
/// Any thread of any plugin may ask, several at once; the host holds no lock meanwhile. A plugin's thread
/// waits for the answer, so an agent that has to ask a person or a server should bound its wait.
pub trait Agent: Send + Sync {
    /// Runs one of the agent's own tools, and gives its result, normally JSON text. Fires no hooks.
    ///
    /// # Errors
    /// [`AgentError::Unsupported`] when the agent has no tool of this name.
    fn run_tool(&self, name: &str, args: &Map<String, Json>) -> Result<String, AgentError> {
        let _ = (name, args);
        Err(AgentError::Unsupported)
    }

    /// Takes a message as if the user had typed it: the next input when the agent is idle, else it
    /// interrupts what runs. `plugin` is who asks. False where nobody types, e.g. behind a gateway.
    fn inject_message(&self, plugin: &str, text: &str) -> bool {
        let _ = (plugin, text);
        false
    }

    /// Asks a model. `plugin` is who asks; model and provider were allowed by the operator, or are absent.
    ///
    /// # Errors
    /// When there is no model, or it failed.
    fn complete(&self, plugin: &str, request: &LlmRequest) -> Result<LlmReply, AgentError> {
        let _ = (plugin, request);
        Err(AgentError::Unsupported)
    }
}
