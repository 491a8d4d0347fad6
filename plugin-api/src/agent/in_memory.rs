//! An agent made of closures: for tests, and for embedding where there is no more to it.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use serde_json::{Map, Value as Json};

use super::{Agent, AgentError, LlmReply, LlmRequest};

type Tool = dyn Fn(&Map<String, Json>) -> Result<String, AgentError> + Send + Sync;
type Model = dyn Fn(&LlmRequest) -> Result<LlmReply, AgentError> + Send + Sync;

/// An agent made of closures. What it is not given, it does not offer.
///
/// ```
/// use hermes_plugin_api::agent::{Agent, InMemoryAgent, LlmReply, LlmRequest};
///
/// let agent = InMemoryAgent::new()
///     .tool("terminal", |args| Ok(format!("{{\"ran\":{}}}", args["command"])))
///     .interactive()
///     .model(|request| Ok(LlmReply::new(request.messages[0].content.to_uppercase())));
/// assert!(agent.inject_message("my-plugin", "hello"));
/// assert_eq!(agent.injected(), ["hello"]);
/// assert_eq!(agent.complete("my-plugin", &LlmRequest::new("hi")).unwrap().text, "HI");
/// ```
#[derive(Default)]
pub struct InMemoryAgent {
    tools: BTreeMap<String, Box<Tool>>,
    model: Option<Box<Model>>,
    interactive: bool,
    injected: Mutex<Vec<String>>,
}

impl InMemoryAgent {
    /// An agent that offers nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One of its own tools.
    #[must_use]
    pub fn tool<F>(mut self, name: impl Into<String>, run: F) -> Self
    where
        F: Fn(&Map<String, Json>) -> Result<String, AgentError> + Send + Sync + 'static,
    {
        self.tools.insert(name.into(), Box::new(run));
        self
    }

    /// It has a user who types, so it takes injected messages; see [`InMemoryAgent::injected`].
    #[must_use]
    pub const fn interactive(mut self) -> Self {
        self.interactive = true;
        self
    }

    /// Its model.
    #[must_use]
    pub fn model<F>(mut self, answer: F) -> Self
    where
        F: Fn(&LlmRequest) -> Result<LlmReply, AgentError> + Send + Sync + 'static,
    {
        self.model = Some(Box::new(answer));
        self
    }

    /// The messages that were injected, the oldest first.
    #[must_use]
    pub fn injected(&self) -> Vec<String> {
        self.injected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl fmt::Debug for InMemoryAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemoryAgent")
            .field("tools", &self.tools.keys())
            .field("interactive", &self.interactive)
            .finish_non_exhaustive()
    }
}

impl Agent for InMemoryAgent {
    fn run_tool(&self, name: &str, args: &Map<String, Json>) -> Result<String, AgentError> {
        let tool = self.tools.get(name).ok_or(AgentError::Unsupported)?;
        tool(args)
    }

    fn inject_message(&self, _plugin: &str, text: &str) -> bool {
        if self.interactive {
            self.injected
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(text.to_owned());
        }
        self.interactive
    }

    fn complete(&self, _plugin: &str, request: &LlmRequest) -> Result<LlmReply, AgentError> {
        let model = self.model.as_ref().ok_or(AgentError::Unsupported)?;
        model(request)
    }
}
