//! Middleware: what plugins do to the request of a tool or a model call, and around the call itself.

mod execution;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hermes_plugin_api::abi::CallFlags;
use hermes_plugin_api::abi::host::{Dispatch, Lent, Record};
use hermes_plugin_api::catalogue::{
    Hook, HookPoint, LlmExecution, LlmRequest, Payload, ToolExecution, ToolRequest, payload,
};
use serde_json::{Map, Value};

use self::execution::Execution;
use crate::boundary::{Entered, Parent};
use crate::host::Host;

/// What a request came to, after all its middleware.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub struct Requested<'a> {
    /// The arguments of the tool, or the request to the model, as they are to be used from here on.
    pub value: Cow<'a, Value>,
    /// What was changed, one entry per valid answer with its `source`, `reason` and `name`: the
    /// `middleware_trace` of the events that follow.
    pub trace: Vec<Value>,
    /// The plugin whose answer won.
    pub by: Option<Arc<str>>,
}

impl<'a> Requested<'a> {
    const fn unchanged(original: &'a Value) -> Self {
        Self {
            value: Cow::Borrowed(original),
            trace: Vec::new(),
            by: None,
        }
    }
}

/// A guard, or another handler whose faults refuse the event, could not do its job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The plugin.
    pub by: Arc<str>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = &self.by;
        write!(
            f,
            "blocked: `{by}` could not check this call, and calls it cannot check are refused"
        )
    }
}

impl std::error::Error for Refused {}

/// Why an execution gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutionError<E> {
    /// The tool or the model failed, in the embedder's own words.
    #[error("{0}")]
    Downstream(E),
    /// A guard around it could not do its job.
    #[error("{0}")]
    Refused(Refused),
}

/// The versions that every event of middleware carries.
const TELEMETRY: &str = "hermes.observer.v1";
const SCHEMA: &str = "hermes.middleware.v1";

/// Puts a value into a field of the record's hook, by name.
fn put<'a>(record: &mut Record<'a>, hook: &Hook, name: &str, lent: impl Into<Lent<'a>>) {
    if let Some(field) = hook.field(name) {
        record.set(field.number, lent.into());
    }
}

fn versioned<'a>(mut record: Record<'a>, hook: &Hook) -> Record<'a> {
    put(&mut record, hook, "telemetry_schema_version", TELEMETRY);
    put(&mut record, hook, "middleware_schema_version", SCHEMA);
    record
}

/// An entry of the trace: what the answer says of itself, as far as it is text.
fn traced(answer: &Map<String, Value>) -> Value {
    let said = ["source", "reason", "name"].into_iter().filter_map(|key| {
        Some((
            key.to_owned(),
            answer.get(key).filter(|v| v.is_string())?.clone(),
        ))
    });
    Value::Object(said.collect())
}

impl Host {
    /// Asks the middleware of the kind `tool_request` about the arguments of a tool, before `pre_tool_call`.
    ///
    /// Every handler sees the same original, and the last one that answers wins. `event` says the rest: the
    /// tool's name, the ids. While nobody registered, this costs one look.
    ///
    /// # Errors
    /// When a guard faults. Other handlers that fault count as if they had said nothing.
    pub fn tool_request<'a>(
        &self,
        event: &payload::ToolRequest<'_>,
        args: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        self.request(ToolRequest, event, "args", "original_args", args)
    }

    /// Asks the middleware of the kind `llm_request` about a request to a model. See [`Host::tool_request`].
    ///
    /// # Errors
    /// When a guard faults.
    pub fn llm_request<'a>(
        &self,
        event: &payload::LlmRequest<'_>,
        request: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        self.request(LlmRequest, event, "request", "original_request", request)
    }

    /// Runs a tool inside the middleware of the kind `tool_execution`. The first handler is the outermost; `run`
    /// is called by the innermost, with the arguments that it passed on, at most once.
    ///
    /// A handler that faults before it called what it wraps is skipped; one that faults afterwards does not
    /// change the result. An error of `run` comes back as it is, unless a handler answers in spite of it; a panic
    /// of `run` goes on once the handlers around it have returned. While nobody registered, this costs one look,
    /// and calls `run`.
    ///
    /// ```no_run
    /// # use hermes_loader::{Host, catalogue::payload};
    /// # fn f(host: &Host, args: &serde_json::Value, my_terminal: impl Fn(&serde_json::Value) -> Result<String, std::io::Error>) {
    /// let event = payload::ToolExecution::new().tool_name("terminal").session_id("s1");
    /// let result = host.tool_execution(&event, args, |args| my_terminal(args));
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `run` fails, or a guard around it faults.
    pub fn tool_execution<E: fmt::Display>(
        &self,
        event: &payload::ToolExecution<'_>,
        args: &Value,
        mut run: impl FnMut(&Value) -> Result<String, E>,
    ) -> Result<String, ExecutionError<E>> {
        let run = &mut |args: &Value| run(args).map(Value::String);
        self.execution(ToolExecution, event, "args", args, run)
            .map(|result| match result {
                Value::String(text) => text,
                other => other.to_string(),
            })
    }

    /// Calls a model inside the middleware of the kind `llm_execution`. See [`Host::tool_execution`].
    ///
    /// # Errors
    /// When `run` fails, or a guard around it faults.
    pub fn llm_execution<E: fmt::Display>(
        &self,
        event: &payload::LlmExecution<'_>,
        request: &Value,
        mut run: impl FnMut(&Value) -> Result<Value, E>,
    ) -> Result<Value, ExecutionError<E>> {
        self.execution(LlmExecution, event, "request", request, &mut run)
    }

    fn request<'a, P: HookPoint>(
        &self,
        _kind: P,
        event: &impl Payload<Point = P>,
        key: &str,
        original_key: &str,
        original: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        let snapshot = self.inner().snapshot();
        let Some(chain) = snapshot.chain(P::HOOK) else {
            return Ok(Requested::unchanged(original));
        };
        let mut record = versioned(event.record(), P::HOOK);
        put(&mut record, P::HOOK, key, original);
        put(&mut record, P::HOOK, original_key, original);
        let around = self.inner().around();
        let (live, parent, tool) = (record.event(), Parent::current(), record.tool());
        let dispatch = Dispatch::new(&live, Some(P::HOOK), around.limits);
        let mut requested = Requested::unchanged(original);
        for entry in chain.entries.iter().filter(|entry| entry.wants(tool)) {
            let entering = entry.entering(CallFlags::NONE);
            let entered = entering.refused(parent).unwrap_or_else(|| {
                let _turn = entry.turn(parent);
                match entering.enter(&dispatch, parent) {
                    Entered::Pending(waiting) => waiting.block(None),
                    entered => entered,
                }
            });
            match entered {
                Entered::Quiet | Entered::Pending(_) => {}
                Entered::Faulted(kind, failed) => {
                    around
                        .faults
                        .note(&entry.plugin, &entry.name, kind, &failed);
                    if entry.closed {
                        let by = Arc::clone(&entry.plugin);
                        return Err(Refused { by });
                    }
                }
                Entered::Answered(answered) => {
                    let Value::Object(answer) = answered.json else {
                        continue;
                    };
                    let Some(value) = answer.get(key).filter(|value| value.is_object()) else {
                        continue;
                    };
                    requested.trace.push(traced(&answer));
                    requested.value = Cow::Owned(value.clone());
                    requested.by = Some(Arc::clone(&entry.plugin));
                }
            }
        }
        Ok(requested)
    }

    fn execution<P: HookPoint, E: fmt::Display>(
        &self,
        _kind: P,
        event: &impl Payload<Point = P>,
        key: &str,
        payload: &Value,
        run: &mut dyn FnMut(&Value) -> Result<Value, E>,
    ) -> Result<Value, ExecutionError<E>> {
        let snapshot = self.inner().snapshot();
        let Some(chain) = snapshot.chain(P::HOOK) else {
            return run(payload).map_err(ExecutionError::Downstream);
        };
        let record = versioned(event.record(), P::HOOK);
        let number = |name| P::HOOK.field(name).map_or(u32::MAX, |field| field.number);
        let mut execution = Execution {
            chain,
            record: &record,
            payload_field: number(key),
            next_field: number("next"),
            around: self.inner().around(),
            parent: Parent::current(),
            run,
        };
        execution.layer(0, payload)
    }
}
