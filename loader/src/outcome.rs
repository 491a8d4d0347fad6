//! What an event came to, after all its handlers.

mod typed;

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::typed::{
    Ask, FlowOutcome, Folded, OutcomeOf, Rewrite, SendOutcome, TextOutcome, ToolOutcome,
    UserContext, VerifyOutcome,
};
use crate::fault::FaultKind;

/// What is to happen.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
#[non_exhaustive]
#[must_use]
pub enum Decision {
    /// Everything goes on as it was.
    #[default]
    Proceed,
    /// The tool must not run; the model is told why.
    Block {
        /// Why, for the model.
        message: String,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// A person has to agree.
    Approve {
        /// What the person is asked, where the plugin said it.
        message: Option<String>,
        /// Under which key the agreement is remembered, where the plugin said it.
        rule_key: Option<String>,
        /// The rest of the request, in OpenClaw's shape.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<Value>,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// Text for the end of this turn's user message, and for nothing else.
    Context {
        /// The pieces, joined by blank lines.
        text: String,
    },
    /// Another text in place of the original.
    Replace {
        /// The text.
        text: String,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// The message is dropped without a reply.
    Skip {
        /// Why, for the log.
        reason: Option<String>,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// The message goes on with another text.
    Rewrite {
        /// The text.
        text: String,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// The message goes on as it is, because somebody said so.
    Allow {
        /// Whose word it is.
        by: Arc<str>,
    },
    /// The agent goes on, and is told this.
    Continue {
        /// What it is told.
        message: String,
        /// Whose word it is.
        by: Arc<str>,
    },
    /// The message is not sent.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// What is said about it elsewhere.
        metadata: Option<Value>,
        /// Whose word it is.
        by: Arc<str>,
    },
}

impl Decision {
    /// The plugin whose word it is.
    #[must_use]
    pub fn by(&self) -> Option<&str> {
        match self {
            Self::Proceed | Self::Context { .. } => None,
            Self::Block { by, .. }
            | Self::Approve { by, .. }
            | Self::Replace { by, .. }
            | Self::Skip { by, .. }
            | Self::Rewrite { by, .. }
            | Self::Allow { by }
            | Self::Continue { by, .. }
            | Self::Cancel { by, .. } => Some(by),
        }
    }

    /// The word for it: `proceed`, `block`, …
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Block { .. } => "block",
            Self::Approve { .. } => "approve",
            Self::Context { .. } => "context",
            Self::Replace { .. } => "replace",
            Self::Skip { .. } => "skip",
            Self::Rewrite { .. } => "rewrite",
            Self::Allow { .. } => "allow",
            Self::Continue { .. } => "continue",
            Self::Cancel { .. } => "cancel",
        }
    }
}

/// One handler's part in an outcome.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reply {
    /// Whose.
    pub plugin: Arc<str>,
    /// Whether it stands with the guards.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
    /// What it said.
    #[serde(flatten)]
    pub body: Body,
}

/// What a handler said.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Body {
    /// An answer, in its hook's JSON shape.
    Answer(Value),
    /// It faulted.
    Fault {
        /// How.
        kind: FaultKind,
        /// Whether the event is refused for it.
        closed: bool,
    },
}

/// Who changed what on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Change {
    /// A tool's argument was set; of several who set it, the last.
    Arg {
        /// The argument.
        key: String,
        /// The plugin whose value counts.
        by: Arc<str>,
    },
    /// A text was replaced.
    Text {
        /// The plugin that did.
        by: Arc<str>,
        /// How long the text was that it saw.
        bytes_before: usize,
        /// How long the text is that it gave.
        bytes_after: usize,
    },
}

/// What an event came to. On the way where nobody says anything, it holds no memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
#[must_use]
pub struct Outcome {
    /// What is to happen.
    #[serde(flatten)]
    pub decision: Decision,
    /// The tool's arguments that handlers set, over those of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Map<String, Value>>,
    /// Who changed what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Everything that was said, in the order of the calls, also what did not count.
    pub replies: Vec<Reply>,
    /// Fields that the agent left out and the host filled in: `session_id`, from earlier events of the task.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub inferred: &'static [&'static str],
}

impl Outcome {
    /// Whether the event is refused: blocked, skipped or cancelled.
    #[must_use]
    pub const fn is_refused(&self) -> bool {
        matches!(
            self.decision,
            Decision::Block { .. } | Decision::Skip { .. } | Decision::Cancel { .. }
        )
    }
}
