//! What a host tells the log.

use serde_json::Value;

/// The ids of an event; an empty text means that the host gave none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ids<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The task.
    pub task_id: &'a str,
    /// The model's id for the call.
    pub tool_call_id: &'a str,
}

/// A tool is about to run.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// Whose call it is.
    pub ids: Ids<'a>,
    /// The tool.
    pub tool_name: &'a str,
    /// Its arguments.
    pub args: &'a Value,
}

/// A tool has run.
#[derive(Debug, Clone, Copy)]
pub struct ToolResult<'a> {
    /// The call as the host repeats it with the result.
    pub call: ToolCall<'a>,
    /// The result text, of which digest and length are kept.
    pub result: &'a str,
    /// `ok`, `error`, `blocked`, `cancelled`, `timeout`; empty if the host does not say.
    pub status: &'a str,
    /// The kind of error; empty if there was none.
    pub error_type: &'a str,
    /// How long it ran.
    pub duration_ms: Option<u64>,
}

/// A turn is over.
#[derive(Debug, Clone, Copy)]
pub struct TurnEnd<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The task; empty if the host gives none.
    pub task_id: &'a str,
    /// Whether a final answer was produced.
    pub completed: bool,
    /// Whether the turn was interrupted.
    pub interrupted: bool,
}
