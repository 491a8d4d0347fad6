//! What a typed event came to: one enum per kind of hook, which a caller must match.

use std::borrow::Cow;
use std::sync::Arc;

use hermes_plugin_api::answers;
use hermes_plugin_api::catalogue::{HookPoint, Payload};
use serde_json::{Map, Value};

use super::{Change, Decision, Outcome};

/// What firing an event of this payload gives.
pub type OutcomeOf<E> = <<<E as Payload>::Point as HookPoint>::Answer as Folded>::Outcome;

/// An answer type whose answers fold into a typed outcome. Implemented here, for the answers of hooks
/// that a host fires.
pub trait Folded: sealed::Sealed {
    /// All answers of an event, folded.
    type Outcome: Send;

    /// Reads it out of the dynamic form.
    #[doc(hidden)]
    fn typed(outcome: Outcome) -> Self::Outcome;
}

mod sealed {
    pub trait Sealed {}
}

/// Whether a tool may run, and with which arguments.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum ToolOutcome {
    /// It runs.
    Proceed {
        /// What handlers changed of its arguments.
        rewrite: Rewrite,
    },
    /// It must not run.
    Block {
        /// Why, for the model.
        message: String,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
    /// It runs if a person agrees.
    Approve {
        /// What the person is asked.
        ask: Ask,
        /// What handlers changed of its arguments.
        rewrite: Rewrite,
    },
}

/// What handlers changed of a tool's arguments, key by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewrite {
    args: Map<String, Value>,
    by: Vec<(String, Arc<str>)>,
}

impl Rewrite {
    /// Whether the arguments stay as they are.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// The keys that were set, each with the plugin whose value counts.
    pub fn changes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by.iter().map(|(key, by)| (key.as_str(), &**by))
    }

    /// The arguments as they are to be: keys that were set over those of `args`, the others untouched.
    #[must_use]
    pub fn over<'a>(&self, args: &'a Map<String, Value>) -> Cow<'a, Map<String, Value>> {
        if self.args.is_empty() {
            return Cow::Borrowed(args);
        }
        let mut args = args.clone();
        args.extend(
            self.args
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        Cow::Owned(args)
    }
}

/// What a person is asked before a tool may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The plugin's words, where it gave some.
    pub message: Option<String>,
    /// Under which key an agreement is remembered; the tool's name when absent.
    pub rule_key: Option<String>,
    /// The rest of the request, in OpenClaw's shape.
    pub request: Option<Value>,
    /// The plugin whose word it is.
    pub by: Arc<str>,
}

/// Text for the end of this turn's user message. It can be appended to that message and be used for
/// nothing else: no plugin speaks in the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct UserContext(Option<String>);

impl UserContext {
    /// Whether there is nothing to append.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many bytes are appended, the blank line included.
    #[must_use]
    pub fn added_bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.len() + 2)
    }

    /// The user message as it goes to the model: the message, a blank line, the contexts.
    ///
    /// What is stored in the history is `message` itself: contexts are of this turn only.
    #[must_use]
    pub fn appended_to<'m>(&self, message: &'m str) -> Cow<'m, str> {
        match &self.0 {
            Some(text) => Cow::Owned(format!("{message}\n\n{text}")),
            None => Cow::Borrowed(message),
        }
    }
}

/// What became of a text that transforms may replace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum TextOutcome {
    /// The original stays.
    Keep,
    /// Another text is shown in its place.
    Replace {
        /// The text.
        text: String,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
}

impl TextOutcome {
    /// The text to show: the replacement, or else the original.
    #[must_use]
    pub fn shown<'t>(&'t self, original: &'t str) -> &'t str {
        match self {
            Self::Keep => original,
            Self::Replace { text, .. } => text,
        }
    }
}

/// What becomes of an inbound message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum FlowOutcome {
    /// It goes on: nobody minded.
    Pass,
    /// It goes on as it is: a plugin said so.
    Allow {
        /// The plugin whose word it is.
        by: Arc<str>,
    },
    /// It is dropped without a reply.
    Skip {
        /// Why, for the log.
        reason: Option<String>,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
    /// It goes on with another text.
    Rewrite {
        /// The text; empty is legal.
        text: String,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
}

/// Whether an agent that is about to finish may.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum VerifyOutcome {
    /// It may.
    Finish,
    /// It goes on.
    Continue {
        /// What it is told, as a message of the user.
        message: String,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
}

/// What becomes of an outgoing message.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub enum SendOutcome {
    /// It is sent as it is.
    Send,
    /// It is sent with another content.
    Rewrite {
        /// The content.
        content: String,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
    /// It is not sent.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// What is said about it elsewhere.
        metadata: Option<Value>,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
}

/// Observers say nothing.
impl Folded for () {
    type Outcome = ();
    fn typed(_outcome: Outcome) {}
}
impl sealed::Sealed for () {}

fn tool(outcome: Outcome) -> ToolOutcome {
    let args_by = |change| match change {
        Change::Arg { key, by } => Some((key, by)),
        Change::Text { .. } => None,
    };
    let rewrite = Rewrite {
        args: outcome.args.unwrap_or_default(),
        by: outcome.changes.into_iter().filter_map(args_by).collect(),
    };
    match outcome.decision {
        Decision::Block { message, by } => ToolOutcome::Block { message, by },
        Decision::Approve {
            message,
            rule_key,
            request,
            by,
        } => ToolOutcome::Approve {
            ask: Ask {
                message,
                rule_key,
                request,
                by,
            },
            rewrite,
        },
        _ => ToolOutcome::Proceed { rewrite },
    }
}

impl Folded for answers::Verdict {
    type Outcome = ToolOutcome;
    fn typed(outcome: Outcome) -> ToolOutcome {
        tool(outcome)
    }
}
impl sealed::Sealed for answers::Verdict {}

impl Folded for answers::ToolDecision {
    type Outcome = ToolOutcome;
    fn typed(outcome: Outcome) -> ToolOutcome {
        tool(outcome)
    }
}
impl sealed::Sealed for answers::ToolDecision {}

impl Folded for answers::ContextPiece {
    type Outcome = UserContext;
    fn typed(outcome: Outcome) -> UserContext {
        match outcome.decision {
            Decision::Context { text } => UserContext(Some(text)),
            _ => UserContext(None),
        }
    }
}
impl sealed::Sealed for answers::ContextPiece {}

impl Folded for answers::Replacement {
    type Outcome = TextOutcome;
    fn typed(outcome: Outcome) -> TextOutcome {
        match outcome.decision {
            Decision::Replace { text, by } => TextOutcome::Replace { text, by },
            _ => TextOutcome::Keep,
        }
    }
}
impl sealed::Sealed for answers::Replacement {}

impl Folded for answers::Flow {
    type Outcome = FlowOutcome;
    fn typed(outcome: Outcome) -> FlowOutcome {
        match outcome.decision {
            Decision::Skip { reason, by } => FlowOutcome::Skip { reason, by },
            Decision::Rewrite { text, by } => FlowOutcome::Rewrite { text, by },
            Decision::Allow { by } => FlowOutcome::Allow { by },
            _ => FlowOutcome::Pass,
        }
    }
}
impl sealed::Sealed for answers::Flow {}

impl Folded for answers::Continue {
    type Outcome = VerifyOutcome;
    fn typed(outcome: Outcome) -> VerifyOutcome {
        match outcome.decision {
            Decision::Continue { message, by } => VerifyOutcome::Continue { message, by },
            _ => VerifyOutcome::Finish,
        }
    }
}
impl sealed::Sealed for answers::Continue {}

impl Folded for answers::SendDecision {
    type Outcome = SendOutcome;
    fn typed(outcome: Outcome) -> SendOutcome {
        match outcome.decision {
            Decision::Rewrite { text, by } => SendOutcome::Rewrite { content: text, by },
            Decision::Cancel {
                reason,
                metadata,
                by,
            } => SendOutcome::Cancel {
                reason,
                metadata,
                by,
            },
            _ => SendOutcome::Send,
        }
    }
}
impl sealed::Sealed for answers::SendDecision {}
