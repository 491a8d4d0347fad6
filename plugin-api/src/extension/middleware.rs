//! `hermes.middleware/1`: code around a tool or a model call, what it answers, and what it wraps.

use serde_json::{Map, Value as Json};

use super::live::LiveError;
use crate::{
    abi::{AnswerCode, AnswerWriter, CallRef, Datum, HandleKind, Status, WriteError, live},
    answers::{Answer, IntoAnswer},
    catalogue::{HookPoint, LlmExecution, LlmRequest, ToolExecution, ToolRequest},
    error::Error,
};

/// The name of the interface.
pub const NAME: &str = live::MIDDLEWARE;

/// What the name of a kind begins with, as a hook point.
pub const PREFIX: &str = "middleware:";

/// A hook point that is one of the four kinds of middleware: what [`Context::middleware`] takes.
///
/// [`Context::middleware`]: crate::Context::middleware
pub trait Middleware: HookPoint {}

impl Middleware for ToolRequest {}
impl Middleware for ToolExecution {}
impl Middleware for LlmRequest {}
impl Middleware for LlmExecution {}

/// The answer of the request kinds: another request, or the original.
///
/// Every middleware sees the same original, and the last one that answers wins.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Rewrite {
    value: Option<Map<String, Json>>,
    source: Option<String>,
    reason: Option<String>,
    name: Option<String>,
}

impl Rewrite {
    /// The original stays.
    pub const KEEP: Self = Self {
        value: None,
        source: None,
        reason: None,
        name: None,
    };

    /// This instead of the whole original: the arguments of a tool, or the request to a model.
    pub fn to(value: Map<String, Json>) -> Self {
        Self {
            value: Some(value),
            ..Self::KEEP
        }
    }

    /// Who says so, for the trace.
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Why, for the trace.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// What the rewriting is called, for the trace.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Answer for Rewrite {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(value) = self.value else {
            return Ok(Status::NONE);
        };
        writer.set_value(0, &Json::Object(value))?;
        for (field, text) in [(1, self.source), (2, self.reason), (3, self.name)] {
            if let Some(text) = text {
                writer.set_str(field, &text)?;
            }
        }
        Ok(Status::ANSWERED)
    }
}

/// The answer of the execution kinds: a result, or that of what they wrap.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Executed(Option<Json>);

impl Executed {
    /// Nothing to say: the result of what it wraps stands. What was not called yet is called by the host.
    pub const PASS: Self = Self(None);

    /// This is the result. What was not called yet is not called at all.
    pub fn with(result: impl Into<Json>) -> Self {
        Self(Some(result.into()))
    }
}

impl Answer for Executed {
    fn write(self, writer: &AnswerWriter<'_>) -> Result<Status, WriteError> {
        let Some(result) = self.0 else {
            return Ok(Status::NONE);
        };
        writer.set_value(AnswerCode::WHOLE, &result)?;
        Ok(Status::ANSWERED)
    }
}

impl<E: Into<Error>> IntoAnswer<Executed> for Result<Json, E> {
    fn into_answer(self) -> Result<Executed, Error> {
        self.map(Executed::with).map_err(Into::into)
    }
}

/// What a middleware wraps, until its handler returns.
#[derive(Clone, Copy, Debug)]
pub struct Next<'a> {
    call: CallRef<'a>,
    is_there: bool,
}

impl<'a> Next<'a> {
    pub(crate) fn of(call: CallRef<'a>, field: u32) -> Self {
        let is_there = matches!(
            call.field(field),
            Datum::Handle { kind, .. } if HandleKind(kind) == HandleKind::NEXT
        );
        Self { call, is_there }
    }

    /// Calls it, on this thread: with another payload, or with the one that this middleware was given.
    ///
    /// # Errors
    /// When the handler has returned, when it was called already, when the event was fired without anything to
    /// wrap, or when what it wraps failed. An error of what it wraps may be handed on with `?`: then it is what
    /// the caller gets.
    pub fn call(&self, payload: Option<&Map<String, Json>>) -> Result<Json, LiveError> {
        if !self.is_there {
            return Err(LiveError::Unsupported);
        }
        let payload = payload.map_or(Ok(String::new()), serde_json::to_string);
        let payload = payload.map_err(|error| LiveError::Failed(error.to_string()))?;
        let result = self.call.call_next(&payload)?;
        serde_json::from_str(&result)
            .map_err(|error| LiveError::Failed(format!("the result is unreadable: {error}")))
    }
}
