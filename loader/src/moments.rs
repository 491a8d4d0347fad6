//! The moments around hooks: what an agent calls instead of firing events one by one.
//!
//! An event alone is easy to fire and easy to get wrong: a result that is transformed before the observers
//! saw it, a turn that never ends because the model failed, an approval that is asked for and forgotten. A
//! moment is the code around the hooks, in the order that Hermes Agent has: the agent says what happened,
//! the moment fires what belongs to it and gives back what the agent goes on with.
//!
//! | moment | from | to |
//! | --- | --- | --- |
//! | [`ToolCall`] | what the model asked for | what the model is given |
//! | [`TerminalOutput`] | what a command printed | what the tool's result holds |
//! | [`Turn`] | what the user said | what the user is shown |
//! | [`Sessions`] | a session is opened | it is finalized |
//! | [`Delegation`] | tasks for children | what they came to |
//! | [`Inbound`] | a message arrives | it is dropped, answered, or goes to the agent |
//! | [`Approvals`] | a command is flagged | it may run, or not |
//!
//! What only the agent has is a trait: [`ToolRunner`], [`Model`], [`Approver`], [`Door`], [`History`],
//! [`ApprovalStore`], [`Clock`], [`Redact`]. [`memory`] has one of each that works, for tests and first steps.

mod approvals;
mod clock;
mod delegation;
mod ground;
mod inbound;
pub mod memory;
mod redact;
mod scope;
mod sessions;
mod terminal_output;
mod tool_call;
mod turn;

pub use self::approvals::{
    Approval, ApprovalMode, ApprovalStore, Approvals, Approver, Choice, Flagged, Grant, Judge,
    Prompt, Refused, Ruling,
};
pub use self::clock::{Clock, SystemClock};
pub use self::delegation::{Child, ChildEnd, ChildStatus, Delegation, Task};
pub use self::ground::{Moments, Surface};
pub use self::inbound::{Door, Inbound, Received, Source};
pub use self::redact::{NothingSecret, Redact};
pub use self::scope::Scope;
pub use self::sessions::{Boundary, Exit, ExitReason, Session, Sessions};
pub use self::terminal_output::TerminalOutput;
pub use self::tool_call::{
    ToolCall, ToolFailure, ToolResult, ToolRun, ToolRunner, ToolStatus, Tools,
};
pub use self::turn::{
    Finished, History, Interrupter, Model, ModelError, ModelFacts, Reply, Request, Turn, TurnError,
    TurnSetup, UserMessage,
};

pub use crate::config::Compat;

/// What every event of 0.19 says of its own form.
const SCHEMA: &str = "hermes.observer.v1";

/// A list without elements, to lend.
static NOTHING: serde_json::Value = serde_json::Value::Array(Vec::new());
