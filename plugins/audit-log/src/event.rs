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

/// A session begins, or is given up.
#[derive(Debug, Clone, Copy)]
pub struct SessionMark<'a> {
    /// The session; empty if there was none.
    pub session_id: &'a str,
    /// Which of the two.
    pub mark: Mark,
    /// Why it is given up; empty if the host does not say.
    pub reason: &'a str,
}

/// Which end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Its first turn is about to begin.
    Start,
    /// Its identity is about to be dropped.
    Finalize,
}

/// A person is asked to approve a command, or has answered.
#[derive(Debug, Clone, Copy)]
pub struct Approval<'a> {
    /// The session's key, as approvals name it.
    pub session_key: &'a str,
    /// The tool call; empty if the host does not say.
    pub tool_call_id: &'a str,
    /// The command.
    pub command: &'a str,
    /// The first rule that asked for the approval.
    pub pattern_key: &'a str,
    /// Where it is asked: `cli`, `gateway` or `smart`.
    pub surface: &'a str,
    /// The answer; `None` while it is asked.
    pub choice: Option<&'a str>,
    /// Who answered, if not a person; else empty.
    pub decided_by: &'a str,
}
