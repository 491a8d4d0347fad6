//! What runs an agent's tools.

use serde_json::{Map, Value};

use crate::moments::scope::Scope;

/// Runs an agent's tools: those of a registry, of plugins, of servers, and those of the loop itself (a task
/// list, memory, delegation).
///
/// # Threads
/// Called from several threads at once in a batch.
pub trait ToolRunner: Send + Sync {
    /// Runs one tool and gives its result, which is normally JSON text.
    ///
    /// A panic counts as a failure of the tool.
    ///
    /// # Errors
    /// When it fails; the model is told.
    fn run(&self, call: &ToolRun<'_>) -> Result<String, ToolFailure>;

    /// Whether this tool may be used at all here. A tool out of scope is refused without asking plugins, for
    /// instance in a background review that only reads.
    fn in_scope(&self, _tool_name: &str) -> bool {
        true
    }
}

/// One tool that is to run now.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ToolRun<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// Its arguments, an object, as handlers left them.
    pub args: &'a Value,
    /// The provider's id of the call.
    pub tool_call_id: Option<&'a str>,
    /// Where it happens.
    pub scope: &'a Scope,
}

impl<'a> ToolRun<'a> {
    /// The arguments by name.
    #[must_use]
    pub fn named_args(&self) -> Option<&'a Map<String, Value>> {
        self.args.as_object()
    }

    /// An argument that is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.args.get(name)?.as_str()
    }
}

/// How a tool failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub enum ToolFailure {
    /// It raised an error: this one.
    Error(String),
    /// Somebody interrupted it.
    Cancelled(String),
    /// It took longer than the agent waits.
    TimedOut(String),
}

impl From<String> for ToolFailure {
    fn from(text: String) -> Self {
        Self::Error(text)
    }
}

impl From<&str> for ToolFailure {
    fn from(text: &str) -> Self {
        Self::Error(text.to_owned())
    }
}
