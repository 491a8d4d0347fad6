//! Tool and model calls with a plugin's middleware around them.

use std::{cell::RefCell, fmt, sync::Arc};

use serde_json::{Map, Value as Json};

use super::{Fault, FaultKind, Host, entry::Entry};
use crate::{
    abi::{
        CallFlags, HandlerFlags,
        host::{Dispatch, Entered, Failed, Layers, Limits, Parent, Record, Stopped, ask, execute},
    },
    catalogue::{LlmExecution, LlmRequest, Payload, ToolExecution, ToolRequest},
    extension::middleware::Middleware,
};

/// What request middleware came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Requested {
    /// The arguments or the request, as they are to be used.
    pub value: Json,
    /// One entry per valid answer: its `source`, `reason` and `name`.
    pub trace: Vec<Json>,
    /// What went wrong, in the order of the calls. A fault that is closed ended the matter.
    pub faults: Vec<Fault>,
}

/// What a call with middleware around it came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[must_use]
pub struct Executed {
    /// The result, or the text of the error: that of what is wrapped, or of a guard that refuses.
    pub result: Result<Json, String>,
    /// What went wrong in the middleware, in the order of the calls.
    pub faults: Vec<Fault>,
}

impl Host {
    /// Asks the plugins' middleware of the kind `tool_request` about the `args` of an event.
    ///
    /// ```
    /// use hermes_plugin_api::{prelude::*, testing::{Host, event}};
    /// use serde_json::{Map, json};
    ///
    /// let host = Host::new("dry").register(|ctx| {
    ///     ctx.middleware(ToolRequest, |_| Rewrite::to(Map::from_iter([("dry_run".to_owned(), json!(true))])));
    ///     Ok(())
    /// })?;
    /// let requested = host.tool_request(event::tool("deploy").arg("to", "production"));
    /// assert_eq!(requested.value, json!({"dry_run": true}));
    /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
    /// ```
    ///
    /// # Panics
    /// When the payload is no object.
    #[track_caller]
    pub fn tool_request(&self, payload: impl Into<Json>) -> Requested {
        self.request::<ToolRequest>("args", payload.into())
    }

    /// Asks the plugins' middleware of the kind `llm_request` about the `request` of an event.
    ///
    /// # Panics
    /// When the payload is no object.
    #[track_caller]
    pub fn llm_request(&self, payload: impl Into<Json>) -> Requested {
        self.request::<LlmRequest>("request", payload.into())
    }

    /// Calls `run` with the `args` of an event, inside the plugins' middleware of the kind `tool_execution`.
    ///
    /// ```
    /// use hermes_plugin_api::{prelude::*, testing::{Host, event}};
    ///
    /// let host = Host::new("retries").register(|ctx| {
    ///     ctx.middleware(ToolExecution, |call| match call.next(None) {
    ///         Ok(result) => Executed::with(result),
    ///         Err(error) => Executed::with(format!("{} failed: {error}", call.tool_name())),
    ///     });
    ///     Ok(())
    /// })?;
    /// let executed = host.tool_execution(event::tool("deploy"), |_| Err("no route".to_owned()));
    /// assert_eq!(executed.result, Ok("deploy failed: no route".into()));
    /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
    /// ```
    ///
    /// # Panics
    /// When the payload is no object, or `run` panics.
    #[track_caller]
    pub fn tool_execution(
        &self,
        payload: impl Into<Json>,
        mut run: impl FnMut(&Json) -> Result<String, String>,
    ) -> Executed {
        let run = &mut |args: &Json| run(args).map(Json::String);
        self.execution::<ToolExecution>("args", payload.into(), run)
    }

    /// Calls `run` with the `request` of an event, inside the plugins' middleware of the kind `llm_execution`.
    ///
    /// # Panics
    /// When the payload is no object, or `run` panics.
    #[track_caller]
    pub fn llm_execution(
        &self,
        payload: impl Into<Json>,
        mut run: impl FnMut(&Json) -> Result<Json, String>,
    ) -> Executed {
        self.execution::<LlmExecution>("request", payload.into(), &mut run)
    }

    #[track_caller]
    fn request<P: Middleware>(&self, key: &str, payload: Json) -> Requested {
        let (event, original) = Made::<P>::read(key, payload);
        let layers = self.layers::<P>();
        let rewritten = ask(&layers, &event, key, &original, Limits::default()).unwrap_or_default();
        Requested {
            value: rewritten.last.map_or(original, |(value, _)| value),
            trace: rewritten.trace,
            faults: layers.faults.into_inner(),
        }
    }

    #[track_caller]
    fn execution<P: Middleware>(
        &self,
        key: &str,
        payload: Json,
        run: &mut dyn FnMut(&Json) -> Result<Json, String>,
    ) -> Executed {
        let (event, original) = Made::<P>::read(key, payload);
        let layers = self.layers::<P>();
        let result = execute(&layers, &event, (key, &original), Limits::default(), run);
        Executed {
            result: result.map_err(|stopped: Stopped<String, Refused>| stopped.to_string()),
            faults: layers.faults.into_inner(),
        }
    }

    fn layers<P: Middleware>(&self) -> Registered {
        Registered {
            entries: self.chains.of(P::HOOK.name),
            patience: self.chains.patience(),
            faults: RefCell::default(),
        }
    }
}

/// An event of a payload.
struct Made<P> {
    payload: Map<String, Json>,
    kind: std::marker::PhantomData<P>,
}

impl<P: Middleware> Made<P> {
    /// The event, and what of it is to be rewritten or passed on.
    #[track_caller]
    fn read(key: &str, payload: Json) -> (Self, Json) {
        let Json::Object(mut payload) = payload else {
            panic!("the payload of `{}` is no JSON object", P::HOOK.name)
        };
        let original = payload.remove(key);
        let event = Self {
            payload,
            kind: std::marker::PhantomData,
        };
        (event, original.unwrap_or_else(|| Map::new().into()))
    }
}

impl<P: Middleware> Payload for Made<P> {
    type Point = P;

    fn record(&self) -> Record<'_> {
        Record::from_json(Some(P::HOOK), &self.payload)
    }
}

/// Why a guard refuses, as its caller is told.
struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocked: `{}` could not check this call", self.0)
    }
}

struct Registered {
    entries: Vec<Arc<Entry>>,
    patience: std::time::Duration,
    faults: RefCell<Vec<Fault>>,
}

impl Layers for Registered {
    type Refused = Refused;

    fn find(&self, from: usize, tool: Option<&str>) -> Option<usize> {
        let mut rest = self.entries.iter().enumerate().skip(from);
        rest.find(|(_, entry)| entry.wants(tool)).map(|(at, _)| at)
    }

    fn tag(&self, at: usize) -> u64 {
        self.entries.get(at).map_or(0, |entry| entry.staged.id)
    }

    fn is_serial(&self, at: usize) -> bool {
        self.entries
            .get(at)
            .is_some_and(|entry| entry.staged.flags.contains(HandlerFlags::SERIAL))
    }

    fn enter(&self, at: usize, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
        self.entries.get(at).map_or(Entered::Quiet, |entry| {
            entry.enter(CallFlags::NONE, dispatch, parent, self.patience)
        })
    }

    fn fault(&self, at: usize, kind: FaultKind, failed: Failed) -> Option<Refused> {
        let entry = self.entries.get(at)?;
        let plugin = entry.instance.plugin();
        let fault = Fault {
            kind,
            closed: entry.closed,
            ..Fault::failed(plugin, &entry.staged.name, failed)
        };
        self.faults.borrow_mut().push(fault);
        entry.closed.then(|| Refused(plugin.to_owned()))
    }
}
