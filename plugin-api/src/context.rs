//! What `register` is handed: the registrar, `ctx`.

use std::{fmt, future::Future, path::PathBuf, time::Duration};

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::{
    abi::{CallRef, HostRef, ServiceCode, thunk},
    answers::{Answer as _, IntoAnswer, RawAnswer},
    catalogue::{self, HookPoint, Timer},
    error::Error,
    extension::middleware::{self, Middleware},
    handlers::{Callback, Handle, Registration, Retained, typed, typed_async},
};

/// The registrar: how a plugin says what it wants to see, while its `register` runs.
pub struct Context {
    host: Option<HostRef>,
    plugin: &'static str,
    pub(crate) staged: Vec<Registration>,
    #[cfg(feature = "extensions")]
    pub(crate) tools: Vec<crate::extension::tools::Offer>,
}

impl Context {
    pub(crate) const fn new(host: Option<HostRef>, plugin: &'static str) -> Self {
        Self {
            host,
            plugin,
            staged: Vec::new(),
            #[cfg(feature = "extensions")]
            tools: Vec::new(),
        }
    }

    /// For the entry point of [`testing`](crate::testing), which serves plugins of any name.
    pub(crate) const fn rename(&mut self, plugin: &'static str) {
        self.plugin = plugin;
    }

    /// The plugin's name.
    #[must_use]
    pub const fn plugin(&self) -> &'static str {
        self.plugin
    }

    /// Registers a closure for a hook.
    ///
    /// ```
    /// use hermes_plugin_api::prelude::*;
    ///
    /// fn register(ctx: &mut Context) -> Result<(), Error> {
    ///     ctx.on(PreToolCall, |call| match call.args().str("command") {
    ///         Some(command) if command.contains("rm -rf /") => Verdict::block("refusing to delete everything"),
    ///         _ => Verdict::pass(),
    ///     })
    ///     .tools(["terminal"])
    ///     .priority(50);
    ///     Ok(())
    /// }
    /// ```
    pub fn on<P, F, R>(&mut self, _point: P, judge: F) -> &mut Registration
    where
        P: HookPoint,
        F: for<'a> Fn(P::View<'a>) -> R + Send + Sync + 'static,
        R: IntoAnswer<P::Answer>,
    {
        let registration = typed::<P, F, R>(self.host, judge);
        self.stage(registration)
    }

    /// Registers a value whose type implements [`Handle`] for the hook.
    pub fn on_handler<P: HookPoint>(
        &mut self,
        point: P,
        handler: impl Handle<P>,
    ) -> &mut Registration {
        self.on(point, move |event: P::View<'_>| handler.handle(event))
    }

    /// Registers an `async` closure. It owns its event and may take its time; the host waits without
    /// blocking a thread where it can.
    ///
    /// With the feature `tokio` the future runs on a runtime that belongs to the plugin, so timers and
    /// sockets of tokio work.
    pub fn on_async<P, F, Fut, R>(&mut self, _point: P, judge: F) -> &mut Registration
    where
        P: HookPoint,
        P::Answer: Send,
        F: Fn(Retained<P>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoAnswer<P::Answer> + Send + 'static,
    {
        let registration = typed_async::<P, F, Fut, R>(self.host, judge);
        self.stage(registration)
    }

    /// Registers a closure for a hook by name, over the raw event: for bridges, scripted plugins and
    /// hooks that this crate does not know. An unknown name is kept and called when a host fires it.
    pub fn register_hook<F>(&mut self, name: &str, judge: F) -> &mut Registration
    where
        F: for<'a> Fn(CallRef<'a>) -> Result<RawAnswer, Error> + Send + Sync + 'static,
    {
        let fields = catalogue::by_name(name).map_or(0, |hook| hook.fields.len());
        let handler = thunk::handler(self.host, move |call| {
            Ok(judge(call)?.write(&call.answer())?)
        });
        self.stage(Registration::new(name, fields, handler))
    }

    /// Registers middleware of one of the four kinds: around a tool or a model call, or on its request.
    ///
    /// The same as [`Context::on`], for the hook points that are middleware and for no others.
    ///
    /// ```
    /// use hermes_plugin_api::prelude::*;
    ///
    /// fn register(ctx: &mut Context) -> Result<(), Error> {
    ///     ctx.middleware(ToolExecution, |call| {
    ///         let result = call.next(None);
    ///         tracing::info!(tool = call.tool_name(), ok = result.is_ok(), "a tool ran");
    ///         result
    ///     });
    ///     Ok(())
    /// }
    /// ```
    pub fn middleware<P, F, R>(&mut self, kind: P, judge: F) -> &mut Registration
    where
        P: Middleware,
        F: for<'a> Fn(P::View<'a>) -> R + Send + Sync + 'static,
        R: IntoAnswer<P::Answer>,
    {
        self.on(kind, judge)
    }

    /// Registers middleware by the name of its kind, over the raw event. A kind that the host does not know is
    /// kept, and the host's log says so.
    pub fn register_middleware<F>(&mut self, kind: &str, judge: F) -> &mut Registration
    where
        F: for<'a> Fn(CallRef<'a>) -> Result<RawAnswer, Error> + Send + Sync + 'static,
    {
        self.register_hook(&format!("{}{kind}", middleware::PREFIX), judge)
    }

    fn stage(&mut self, registration: Registration) -> &mut Registration {
        self.staged.push(registration);
        let last = self.staged.len() - 1;
        &mut self.staged[last]
    }

    /// The configuration of this plugin: `plugins.entries.<name>.config` of the host's `config.yaml`.
    /// A plugin without one is given an empty object, so a type whose fields all have defaults works.
    /// Anything but an object is refused.
    ///
    /// # Errors
    /// When the configuration is not what `T` asks for; the text names the key.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self
            .host
            .and_then(|host| host.config_json())
            .unwrap_or_default();
        let text = if text.is_empty() || text == "null" {
            "{}"
        } else {
            &text
        };
        // By way of a value: an error then names no line and column of a text that the operator never saw.
        let read = serde_json::from_str::<Json>(text).and_then(|json| match json {
            Json::Object(_) => serde_json::from_value(json),
            // Not what it says: it may be a secret.
            Json::String(_) => Err(serde::de::Error::custom(
                "expected keys with values, found text",
            )),
            Json::Array(_) => Err(serde::de::Error::custom(
                "expected keys with values, found a list",
            )),
            _ => Err(serde::de::Error::custom(
                "expected keys with values, found a single value",
            )),
        });
        read.map_err(|error| {
            let plugin = self.plugin;
            Error::new(format!(
                "`plugins.entries.{plugin}.config` is not what this plugin takes: {error}"
            ))
        })
    }

    /// A directory of this plugin's own, which exists and survives updates. Differs from profile to profile.
    ///
    /// # Errors
    /// When the host has none to give.
    pub fn data_dir(&self) -> Result<PathBuf, Error> {
        self.host
            .and_then(|host| host.data_dir())
            .ok_or_else(|| Error::new("the host has no data directory for this plugin"))
    }

    /// A way back to the host that may be kept and used from any thread.
    #[must_use]
    pub const fn host(&self) -> Option<HostRef> {
        self.host
    }

    /// Offers a tool to the model: what it is called, and how it runs on its arguments, a JSON object.
    ///
    /// Its name must be free. A tool of a name that another toolset has is left out, and the host logs an
    /// error; see [`Tool::replaces`](crate::extension::tools::Tool::replaces). An error or a panic becomes a
    /// JSON object with an `error` for the model.
    #[cfg(feature = "extensions")]
    pub fn tool<F>(&mut self, mut tool: crate::extension::tools::Tool, run: F)
    where
        F: Fn(&serde_json::Value) -> Result<String, Error> + Send + Sync + 'static,
    {
        if let (Some(host), Some((name, check))) = (self.host, tool.take_check()) {
            let handler = thunk::handler(self.host, move |call| Ok(check().write(&call.answer())?));
            if let Err(code) = host.offer_tool_check(&name, handler) {
                let code = code.0;
                tracing::debug!(
                    "this host does not check whether `{name}` can be used (code {code})"
                );
            }
        }
        self.tools
            .push(crate::extension::tools::Offer::new(self.host, tool, run));
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("plugin", &self.plugin)
            .field("staged", &self.staged)
            .finish_non_exhaustive()
    }
}

impl HostRef {
    /// Calls `run` once after `delay`, on a thread of the host.
    ///
    /// # Errors
    /// The host's code, e.g. GONE once the instance is over.
    pub fn after<F>(&self, delay: Duration, run: F) -> Result<u64, ServiceCode>
    where
        F: for<'a> Fn(catalogue::TimerView<'a>) + Send + Sync + 'static,
    {
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.timer(delay_ms, 0, Callback::of(Timer, run).into_handler())
    }

    /// Calls `run` every `period`, on a thread of the host, until it is cancelled.
    ///
    /// # Errors
    /// The host's code.
    pub fn every<F>(&self, period: Duration, run: F) -> Result<u64, ServiceCode>
    where
        F: for<'a> Fn(catalogue::TimerView<'a>) + Send + Sync + 'static,
    {
        let period_ms = u64::try_from(period.as_millis()).unwrap_or(u64::MAX).max(1);
        self.timer(
            period_ms,
            period_ms,
            Callback::of(Timer, run).into_handler(),
        )
    }
}
