//! Typed answers: what a handler may return, and how it is written down.

use serde_json::{Map, Value as Json, json};

use crate::{
    abi::{AnswerCode, AnswerWriter, Status, Value, WriteError},
    error::Error,
    handlers::Callback,
};

/// An answer of a hook.
pub trait Answer {
    /// Writes the answer; NONE when there is nothing to say.
    ///
    /// # Errors
    /// When the host does not take it.
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError>;
}

/// What a handler may return in place of its hook's answer.
pub trait IntoAnswer<A> {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// When the handler failed.
    fn into_answer(self) -> Result<A, Error>;
}

impl<A: Answer> IntoAnswer<A> for A {
    fn into_answer(self) -> Result<A, Error> {
        Ok(self)
    }
}

impl<A: Answer, E: Into<Error>> IntoAnswer<A> for Result<A, E> {
    fn into_answer(self) -> Result<A, Error> {
        self.map_err(Into::into)
    }
}

/// Observers say nothing.
impl Answer for () {
    fn write(self, _writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        Ok(Status::NONE)
    }
}

/// A bare yes or no.
impl Answer for bool {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        writer.set_whole(Value::bool(self))?;
        Ok(Status::ANSWERED)
    }
}

/// The answer of `pre_tool_call`.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub enum Verdict {
    /// No objection.
    Pass,
    /// The call must not run; the model is told why.
    Block {
        /// Why, in a sentence for the model.
        message: String,
    },
    /// A person has to agree.
    Approve {
        /// What the person is asked.
        message: Option<String>,
        /// Under which key the agreement is remembered; the tool's name when absent.
        rule_key: Option<String>,
    },
    /// The call runs with other arguments.
    Modify {
        /// Arguments to replace, key by key; others stay as they are.
        args: Map<String, Json>,
    },
}

impl Verdict {
    /// No objection.
    pub const fn pass() -> Self {
        Self::Pass
    }

    /// The call must not run. An empty message is replaced by one that names the plugin.
    pub fn block(message: impl Into<String>) -> Self {
        Self::Block {
            message: message.into(),
        }
    }

    /// A person has to agree.
    pub fn approve(message: impl Into<String>) -> Self {
        Self::Approve {
            message: Some(message.into()),
            rule_key: None,
        }
    }

    /// The key under which the agreement is remembered. Only for [`Verdict::Approve`].
    pub fn rule_key(mut self, key: impl Into<String>) -> Self {
        if let Self::Approve { rule_key, .. } = &mut self {
            *rule_key = Some(key.into());
        }
        self
    }

    /// The call runs with these arguments in place of its own, key by key.
    pub const fn modify(args: Map<String, Json>) -> Self {
        Self::Modify { args }
    }
}

impl Answer for Verdict {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        match self {
            Self::Pass => return Ok(Status::NONE),
            Self::Block { message } => {
                writer.set_str(0, "block")?;
                writer.set_str(1, &message)?;
            }
            Self::Approve { message, rule_key } => {
                writer.set_str(0, "approve")?;
                set_optional(writer, 1, message.as_deref())?;
                set_optional(writer, 2, rule_key.as_deref())?;
            }
            Self::Modify { args } => {
                writer.set_str(0, "modify")?;
                writer.set_value(3, &Json::Object(args))?;
            }
        }
        Ok(Status::ANSWERED)
    }
}

/// The answer of `pre_llm_call`: text for the model, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ContextPiece(Option<String>);

impl ContextPiece {
    /// Nothing to add.
    pub const NONE: Self = Self(None);

    /// Text appended to this turn's user message, and to nothing else.
    pub fn append(text: impl Into<String>) -> Self {
        Self(Some(text.into()))
    }
}

impl Answer for ContextPiece {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(text) = self.0 else {
            return Ok(Status::NONE);
        };
        writer.set_str(0, &text)?;
        Ok(Status::ANSWERED)
    }
}

/// The answer of the `transform_*` hooks: another text, or the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Replacement(Option<String>);

impl Replacement {
    /// The original stays.
    pub const KEEP: Self = Self(None);

    /// This text instead. Whether an empty text counts is the hook's rule.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Some(text.into()))
    }
}

impl From<Option<String>> for Replacement {
    fn from(text: Option<String>) -> Self {
        Self(text)
    }
}

impl IntoAnswer<Replacement> for Option<String> {
    fn into_answer(self) -> Result<Replacement, Error> {
        Ok(Replacement(self))
    }
}

impl Answer for Replacement {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(text) = self.0 else {
            return Ok(Status::NONE);
        };
        writer.set_whole(Value::str(&text))?;
        Ok(Status::ANSWERED)
    }
}

/// The answer of `pre_gateway_dispatch`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Flow {
    /// No opinion.
    Pass,
    /// The message is dropped without a reply.
    Skip {
        /// Why, for the log.
        reason: Option<String>,
    },
    /// The message goes on with another text.
    Rewrite {
        /// The text; empty is legal.
        text: String,
    },
    /// The message goes on, and lower handlers no longer count.
    Allow,
}

impl Answer for Flow {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        match self {
            Self::Pass => return Ok(Status::NONE),
            Self::Skip { reason } => {
                writer.set_str(0, "skip")?;
                set_optional(writer, 1, reason.as_deref())?;
            }
            Self::Rewrite { text } => {
                writer.set_str(0, "rewrite")?;
                writer.set_str(2, &text)?;
            }
            Self::Allow => writer.set_str(0, "allow")?,
        }
        Ok(Status::ANSWERED)
    }
}

/// The answer of `pre_verify`: let the agent finish, or tell it what is still missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Continue(Option<String>);

impl Continue {
    /// The agent may finish.
    pub const FINISH: Self = Self(None);

    /// The agent goes on, and is told this.
    pub fn with(message: impl Into<String>) -> Self {
        Self(Some(message.into()))
    }
}

impl Answer for Continue {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(message) = self.0 else {
            return Ok(Status::NONE);
        };
        writer.set_str(0, "continue")?;
        writer.set_str(1, &message)?;
        Ok(Status::ANSWERED)
    }
}

/// The text a callback answers with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Reply(String);

impl Reply {
    /// This text, normally JSON.
    pub fn text(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Answer for Reply {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        writer.set_whole(Value::str(&self.0))?;
        Ok(Status::ANSWERED)
    }
}

/// The answer of OpenClaw's `before_tool_call`.
#[derive(Debug, Default)]
#[must_use]
pub struct ToolDecision {
    params: Option<Map<String, Json>>,
    block: bool,
    block_reason: Option<String>,
    approval: Option<Approval>,
}

impl ToolDecision {
    /// No decision.
    pub fn none() -> Self {
        Self::default()
    }

    /// The call must not run.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            block: true,
            block_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Parameters to set over the call's own.
    pub fn params(mut self, params: Map<String, Json>) -> Self {
        self.params = Some(params);
        self
    }

    /// A person has to agree.
    pub fn require_approval(mut self, approval: Approval) -> Self {
        self.approval = Some(approval);
        self
    }
}

impl Answer for ToolDecision {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let silent = self.params.is_none() && !self.block && self.approval.is_none();
        if silent {
            return Ok(Status::NONE);
        }
        if let Some(params) = self.params {
            writer.set_value(0, &Json::Object(params))?;
        }
        if self.block {
            writer.set(1, Value::bool(true))?;
        }
        set_optional(writer, 2, self.block_reason.as_deref())?;
        if let Some(approval) = self.approval {
            writer.set_value(3, &approval.request)?;
            if let Some(callback) = approval.on_resolution {
                writer.set_handler(4, callback.into_handler())?;
            }
        }
        Ok(Status::ANSWERED)
    }
}

/// What a person is asked, and who is told the outcome.
#[derive(Debug)]
#[must_use]
pub struct Approval {
    request: Json,
    on_resolution: Option<Callback>,
}

impl Approval {
    /// A title of at most 80 and a description of at most 256 characters.
    pub fn new(title: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            request: json!({ "title": title.into(), "description": description.into() }),
            on_resolution: None,
        }
    }

    /// `info`, `warning` (the default) or `critical`.
    pub fn severity(mut self, severity: impl Into<String>) -> Self {
        self.request["severity"] = Json::String(severity.into());
        self
    }

    /// How long the person has, in milliseconds; 120,000 unless said otherwise, at most 600,000.
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.request["timeoutMs"] = timeout_ms.into();
        self
    }

    /// Which decisions are offered: of `allow-once`, `allow-always` and `deny`.
    pub fn allowed_decisions<S: Into<String>>(
        mut self,
        decisions: impl IntoIterator<Item = S>,
    ) -> Self {
        self.request["allowedDecisions"] = decisions
            .into_iter()
            .map(Into::into)
            .map(Json::String)
            .collect();
        self
    }

    /// Called once with the decision, on a thread of the host; see [`Callback::of`](crate::handlers::Callback::of).
    pub fn on_resolution(mut self, callback: Callback) -> Self {
        self.on_resolution = Some(callback);
        self
    }
}

/// The answer of OpenClaw's `message_sending`.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct SendDecision {
    content: Option<String>,
    cancel: bool,
    cancel_reason: Option<String>,
    metadata: Option<Map<String, Json>>,
}

impl SendDecision {
    /// No decision.
    pub fn none() -> Self {
        Self::default()
    }

    /// Another content, which the next handler sees.
    pub fn content(content: impl Into<String>) -> Self {
        Self {
            content: Some(content.into()),
            ..Self::default()
        }
    }

    /// The message is not sent.
    pub fn cancel(reason: impl Into<String>) -> Self {
        Self {
            cancel: true,
            cancel_reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Metadata for whoever asked for the sending; at most 4096 bytes.
    pub fn metadata(mut self, metadata: Map<String, Json>) -> Self {
        self.metadata = Some(metadata);
        self
    }
}

impl Answer for SendDecision {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        if self == Self::default() {
            return Ok(Status::NONE);
        }
        set_optional(writer, 0, self.content.as_deref())?;
        if self.cancel {
            writer.set(1, Value::bool(true))?;
        }
        set_optional(writer, 2, self.cancel_reason.as_deref())?;
        if let Some(metadata) = self.metadata {
            writer.set_value(3, &Json::Object(metadata))?;
        }
        Ok(Status::ANSWERED)
    }
}

/// An answer without a type: for dynamic handlers, bridges and hooks the catalogue does not know.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct RawAnswer(Option<Json>);

impl RawAnswer {
    /// Nothing to say.
    pub const NONE: Self = Self(None);

    /// The whole answer, in the hook's JSON shape.
    pub const fn json(value: Json) -> Self {
        Self(Some(value))
    }
}

impl Answer for RawAnswer {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(value) = self.0 else {
            return Ok(Status::NONE);
        };
        writer.set_value(AnswerCode::WHOLE, &value)?;
        Ok(Status::ANSWERED)
    }
}

fn set_optional(
    writer: &AnswerWriter<'_>,
    field: u32,
    text: Option<&str>,
) -> Result<(), WriteError> {
    text.map_or(Ok(()), |text| writer.set_str(field, text))
}
