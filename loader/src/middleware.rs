//! Middleware: what plugins do to the request of a tool or a model call, and around the call itself.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hermes_plugin_api::abi::host::{Dispatch, Failed, Layers, Stopped, ask, execute};
use hermes_plugin_api::abi::{CallFlags, HandlerFlags};
use hermes_plugin_api::catalogue::{HookPoint as _, Payload, payload};
use serde_json::Value;

use crate::boundary::{Entered, Parent};
use crate::fault::{FaultKind, FaultLog};
use crate::host::Host;
use crate::registry::{Chain, Entry};

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

/// A guard could not do its job: it faulted, or it is required and not active. So could another handler whose
/// faults refuse the event.
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
    /// A guard around it could not do its job, or is not there.
    #[error("{0}")]
    Refused(Refused),
}

/// The handlers of one kind, and where their faults go.
struct Chained<'a> {
    chain: &'a Chain,
    faults: &'a FaultLog,
}

impl Chained<'_> {
    fn entry(&self, at: usize) -> Option<&Entry> {
        self.chain.entries.get(at).map(|entry| &**entry)
    }
}

impl Layers for Chained<'_> {
    type Refused = Refused;

    fn find(&self, from: usize, tool: Option<&str>) -> Option<usize> {
        let mut rest = self.chain.entries.iter().enumerate().skip(from);
        rest.find(|(_, entry)| entry.wants(tool)).map(|(at, _)| at)
    }

    fn tag(&self, at: usize) -> u64 {
        self.entry(at).map_or(0, |entry| entry.id)
    }

    fn is_serial(&self, at: usize) -> bool {
        self.entry(at)
            .is_some_and(|entry| entry.flags.contains(HandlerFlags::SERIAL))
    }

    fn enter(&self, at: usize, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
        let Some(entry) = self.entry(at) else {
            return Entered::Quiet;
        };
        let entering = entry.entering(CallFlags::NONE);
        // Before the turn: a handler that is inside already would wait for itself.
        entering.refused(parent).unwrap_or_else(|| {
            let _turn = entry.turn(parent);
            match entering.enter(dispatch, parent) {
                Entered::Pending(waiting) => waiting.block(None),
                entered => entered,
            }
        })
    }

    fn fault(&self, at: usize, kind: FaultKind, failed: Failed) -> Option<Refused> {
        let entry = self.entry(at)?;
        self.faults.note(&entry.plugin, &entry.name, kind, &failed);
        entry.closed.then(|| Refused {
            by: Arc::clone(&entry.plugin),
        })
    }
}

/// A guard that is required and was not loaded refuses what it covers.
fn unguarded(chain: &Chain, event: &impl Payload) -> Result<(), Refused> {
    if chain.absent.is_empty() {
        return Ok(());
    }
    let record = event.record();
    let mut absent = chain.absent.iter();
    match absent.find(|guard| guard.covers(record.tool())) {
        Some(guard) => Err(Refused {
            by: Arc::clone(&guard.plugin),
        }),
        None => Ok(()),
    }
}

impl Host {
    /// Asks the middleware of the kind `tool_request` about the arguments of a tool, before `pre_tool_call`.
    ///
    /// Every handler sees the same original, and the last one that answers wins. `event` says the rest: the
    /// tool's name, the ids. While nobody registered, this costs one look.
    ///
    /// # Errors
    /// When a guard faults, or a required one is not active. Other handlers that fault count as if they had said nothing.
    pub fn tool_request<'a>(
        &self,
        event: &payload::ToolRequest<'_>,
        args: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        self.request(event, "args", args)
    }

    /// Asks the middleware of the kind `llm_request` about a request to a model. See [`Host::tool_request`].
    ///
    /// # Errors
    /// When a guard faults, or a required one is not active.
    pub fn llm_request<'a>(
        &self,
        event: &payload::LlmRequest<'_>,
        request: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        self.request(event, "request", request)
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
    /// When `run` fails, a guard around it faults, or a required one is not active.
    pub fn tool_execution<E: fmt::Display>(
        &self,
        event: &payload::ToolExecution<'_>,
        args: &Value,
        mut run: impl FnMut(&Value) -> Result<String, E>,
    ) -> Result<String, ExecutionError<E>> {
        let run = &mut |args: &Value| run(args).map(Value::String);
        self.execution(event, "args", args, run)
            .map(|result| match result {
                Value::String(text) => text,
                other => other.to_string(),
            })
    }

    /// Calls a model inside the middleware of the kind `llm_execution`. See [`Host::tool_execution`].
    ///
    /// # Errors
    /// When `run` fails, a guard around it faults, or a required one is not active.
    pub fn llm_execution<E: fmt::Display>(
        &self,
        event: &payload::LlmExecution<'_>,
        request: &Value,
        mut run: impl FnMut(&Value) -> Result<Value, E>,
    ) -> Result<Value, ExecutionError<E>> {
        self.execution(event, "request", request, &mut run)
    }

    fn request<'a, P: Payload>(
        &self,
        event: &P,
        key: &str,
        original: &'a Value,
    ) -> Result<Requested<'a>, Refused> {
        let snapshot = self.inner().snapshot();
        let Some(chain) = snapshot.chain(P::Point::HOOK) else {
            return Ok(Requested::unchanged(original));
        };
        unguarded(chain, event)?;
        let around = self.inner().around();
        let faults = around.faults;
        let rewritten = ask(
            &Chained { chain, faults },
            event,
            key,
            original,
            around.limits,
        )?;
        let mut requested = Requested::unchanged(original);
        requested.trace = rewritten.trace;
        if let Some((value, at)) = rewritten.last {
            requested.value = Cow::Owned(value);
            requested.by = chain.entries.get(at).map(|entry| Arc::clone(&entry.plugin));
        }
        Ok(requested)
    }

    fn execution<P: Payload, E: fmt::Display>(
        &self,
        event: &P,
        key: &str,
        payload: &Value,
        run: &mut dyn FnMut(&Value) -> Result<Value, E>,
    ) -> Result<Value, ExecutionError<E>> {
        let snapshot = self.inner().snapshot();
        let Some(chain) = snapshot.chain(P::Point::HOOK) else {
            return run(payload).map_err(ExecutionError::Downstream);
        };
        unguarded(chain, event).map_err(ExecutionError::Refused)?;
        let around = self.inner().around();
        let faults = around.faults;
        execute(
            &Chained { chain, faults },
            event,
            (key, payload),
            around.limits,
            run,
        )
        .map_err(|stopped| match stopped {
            Stopped::Downstream(error) => ExecutionError::Downstream(error),
            Stopped::Refused(refused) => ExecutionError::Refused(refused),
        })
    }
}
