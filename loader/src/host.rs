//! The facade: what an agent embeds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant as Clock};

use arc_swap::ArcSwap;
use hermes_plugin_api::abi::host::{Failed, Limits, OwnedEvent, OwnedHandler, Record};
use hermes_plugin_api::abi::{FailureKind, Root, ServiceCode};
use hermes_plugin_api::catalogue::{self, HookPoint, Payload};
use serde_json::{Map, Value};

use crate::boundary::{HostPort, Instance, Parent, ToolError};
use crate::config::Lookup;
use crate::discover::Surroundings;
use crate::dispatch::{Around, Hooked, Probe, Unobserved, run, run_async};
use crate::fault::{Fault, FaultKind, FaultLog};
use crate::home::Home;
use crate::outcome::Outcome;
use crate::plugin::Plugin;
use crate::registry::{Entry, Snapshot};
use crate::report::Report;
use crate::timers::Timers;
use crate::trace::{Stopwatch, Traced};
use crate::{loading, payload};

/// How long the end of a host waits for calls that do not end.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a host is to be made.
#[must_use]
pub struct Builder {
    home: Home,
    surroundings: Option<Surroundings>,
    only: Option<Vec<String>>,
    linked: Vec<&'static Root>,
    safe_mode: Option<bool>,
    limits: Limits,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Where bundled and project plugins are; read from the environment unless said.
    pub fn surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = Some(surroundings);
        self
    }

    /// Loads only these plugins, by key or name.
    pub fn only<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a plugin that is linked into this program. It loads before the others.
    pub fn link(mut self, root: &'static Root) -> Self {
        self.linked.push(root);
        self
    }

    /// Loads no plugin at all, or does in spite of `HERMES_SAFE_MODE`.
    pub const fn safe_mode(mut self, on: bool) -> Self {
        self.safe_mode = Some(on);
        self
    }

    /// The most bytes that one handler's answer may have; 16 MiB unless said otherwise.
    pub const fn answer_limit(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// Finds, checks, opens and registers. **This runs the code of every plugin that passes the checks.**
    ///
    /// No plugin can make it fail: what is wrong with one is in [`Host::report`], and the others load.
    #[must_use]
    pub fn load(self) -> Host {
        let env: &Lookup<'_> = &|name| std::env::var(name).ok();
        let surroundings = self
            .surroundings
            .unwrap_or_else(|| Surroundings::read(env, std::env::current_dir().ok()));
        let safe = self.safe_mode.unwrap_or_else(|| {
            env("HERMES_SAFE_MODE").is_some_and(|word| crate::config::truthy(&word))
        });
        let faults = Arc::new(FaultLog::default());
        let inner = Arc::new(Inner {
            snapshot: ArcSwap::default(),
            plugins: Mutex::default(),
            timers: Timers::new(Arc::clone(&faults)),
            faults,
            limits: self.limits,
        });
        let weak: Weak<Inner> = Arc::downgrade(&inner);
        let plan = loading::Plan {
            home: &self.home,
            surroundings: &surroundings,
            only: self.only.as_deref(),
            linked: &self.linked,
            safe,
            host: weak,
        };
        let (plugins, report) = plan.carry_out(env);
        *inner.plugins() = plugins;
        inner.publish();
        Host {
            inner,
            report,
            home: self.home,
        }
    }
}

/// Plugins, loaded and ready to be called.
///
/// Every function may be called from any thread, several at once. Dropping the host ends its plugins:
/// see [`Host::shutdown`].
#[derive(Debug)]
pub struct Host {
    inner: Arc<Inner>,
    report: Report,
    home: Home,
}

/// Why an event was not fired.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FireError {
    /// Events are objects.
    #[error("the payload of `{hook}` must be a JSON object, found {found}")]
    Payload {
        /// The hook.
        hook: String,
        /// What it is instead.
        found: &'static str,
    },
}

impl Host {
    /// A host over a home.
    pub fn builder(home: Home) -> Builder {
        Builder {
            home,
            surroundings: None,
            only: None,
            linked: Vec::new(),
            safe_mode: None,
            limits: Limits::default(),
        }
    }

    /// What loading came to.
    #[must_use]
    pub const fn report(&self) -> &Report {
        &self.report
    }

    /// The home it was loaded from.
    #[must_use]
    pub const fn home(&self) -> &Home {
        &self.home
    }

    /// Whether any handler is registered for a hook: ask before building a costly payload.
    #[must_use]
    pub fn has(&self, hook: &str) -> bool {
        self.inner.snapshot.load().named(hook).is_some()
    }

    /// How many handlers are registered for a hook.
    #[must_use]
    pub fn count(&self, hook: &str) -> usize {
        self.inner
            .snapshot
            .load()
            .named(hook)
            .map_or(0, |chain| chain.entries.len())
    }

    /// Fires an event of a hook of the catalogue, on this thread.
    ///
    /// While nobody has anything to say, this allocates nothing, takes no lock, reads no clock, and costs
    /// the same for any size of payload.
    pub fn fire<P: HookPoint>(&self, _point: P, payload: &Map<String, Value>) -> Outcome {
        let snapshot = self.inner.snapshot.load();
        match snapshot.chain(P::HOOK) {
            Some(chain) => {
                let record = Record::from_json(chain.hook, payload);
                run(
                    chain,
                    &record,
                    None,
                    Parent::current(),
                    self.inner.around(),
                    &mut Unobserved,
                )
            }
            None => Outcome::default(),
        }
    }

    /// Fires a typed event, on this thread: the cheapest form, since no field has to be looked up.
    ///
    /// ```no_run
    /// # use hermes_loader::{Host, catalogue::payload};
    /// # fn f(host: &Host, args: &serde_json::Value) {
    /// let outcome = host.fire_event(&payload::PreToolCall::new().tool_name("terminal").args(args).session_id("s1"));
    /// # }
    /// ```
    pub fn fire_event<E: Payload>(&self, event: &E) -> Outcome {
        let snapshot = self.inner.snapshot.load();
        match snapshot.chain(E::Point::HOOK) {
            Some(chain) => run(
                chain,
                &event.record(),
                None,
                Parent::current(),
                self.inner.around(),
                &mut Unobserved,
            ),
            None => Outcome::default(),
        }
    }

    /// Fires an event over a payload that is shared anyway: a handler that keeps its event copies nothing.
    pub fn fire_shared<P: HookPoint>(
        &self,
        _point: P,
        payload: &Arc<Map<String, Value>>,
    ) -> Outcome {
        let snapshot = self.inner.snapshot.load();
        let Some(chain) = snapshot.chain(P::HOOK) else {
            return Outcome::default();
        };
        let shared = Arc::new(OwnedEvent::share(Some(P::HOOK), payload));
        let record = Record::from_json(chain.hook, payload);
        run(
            chain,
            &record,
            Some(shared),
            Parent::current(),
            self.inner.around(),
            &mut Unobserved,
        )
    }

    /// Fires an event by name: for bridges, the command line, and hooks that only plugins know.
    ///
    /// # Errors
    /// When the payload is no object.
    pub fn fire_json(&self, hook: &str, payload: &Value) -> Result<Outcome, FireError> {
        let payload = object(hook, payload)?;
        Ok(self
            .inner
            .fire(hook, payload, Parent::current(), &mut Unobserved))
    }

    /// Fires an event by name without holding a thread while a handler's answer is not ready.
    ///
    /// Dropping the future cancels the call that is pending.
    ///
    /// # Errors
    /// When the payload is no object.
    pub fn fire_async(
        &self,
        hook: &str,
        payload: Value,
    ) -> impl Future<Output = Result<Outcome, FireError>> + Send + 'static {
        let inner = Arc::clone(&self.inner);
        let hooked =
            catalogue::by_name(hook).map_or_else(|| Hooked::Named(hook.to_owned()), Hooked::Known);
        let payload = match payload {
            Value::Object(map) => Ok(map),
            other => Err(FireError::Payload {
                hook: hook.to_owned(),
                found: payload::kind(&other),
            }),
        };
        async move {
            let payload = payload?;
            let snapshot = inner.snapshot.load_full();
            let (faults, limits) = (Arc::clone(&inner.faults), inner.limits);
            drop(inner);
            Ok(run_async(snapshot, hooked, payload, faults, limits).await)
        }
    }

    /// Fires an event and says what each handler did, and how long it took. For people, not for speed.
    ///
    /// # Errors
    /// When the payload is no object.
    pub fn trace_json(&self, hook: &str, payload: &Value) -> Result<Traced, FireError> {
        let payload = object(hook, payload)?;
        let mut stopwatch = Stopwatch::default();
        let start = Clock::now();
        let outcome = self
            .inner
            .fire(hook, payload, Parent::current(), &mut stopwatch);
        Ok(Traced {
            outcome,
            calls: stopwatch.calls,
            total: start.elapsed(),
        })
    }

    /// The tools that plugins offer, each with its plugin: name, toolset, description and parameters.
    #[must_use]
    pub fn tools(&self) -> Vec<(Arc<str>, Map<String, Value>)> {
        let plugins = self.inner.plugins();
        let tools = plugins.iter().flat_map(|plugin| {
            plugin
                .tools
                .iter()
                .map(|tool| (Arc::clone(&plugin.name), tool))
        });
        tools
            .map(|(plugin, tool)| (plugin, tool.description.json.clone()))
            .collect()
    }

    /// Runs a tool of a plugin, on this thread. Fires no hooks.
    ///
    /// # Errors
    /// When no plugin offers it, or it failed.
    pub fn run_tool(&self, name: &str, args: &Value) -> Result<String, ToolError> {
        let found = {
            let plugins = self.inner.plugins();
            plugins
                .iter()
                .flat_map(|plugin| &plugin.tools)
                .find(|tool| tool.description.name == name)
                .cloned()
        };
        let tool = found.ok_or_else(|| ToolError::Unknown {
            tool: name.to_owned(),
        })?;
        tool.run(args).map_err(|(kind, failed)| {
            let plugin = &tool.instance.plugin;
            self.inner.faults.note(plugin, name, kind, &failed);
            let text = crate::fault::one_line(&failed.text);
            ToolError::Failed {
                tool: name.to_owned(),
                plugin: plugin.to_string(),
                text,
            }
        })
    }

    /// Everything that went wrong inside plugins so far.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        self.inner.faults.all()
    }

    /// Tells every plugin how loud to be, after the host's subscriber changed.
    pub fn refresh_log_level(&self) {
        let level = crate::log::level();
        self.inner
            .plugins()
            .iter()
            .for_each(|plugin| plugin.set_log_level(level));
    }

    /// Ends all plugins, newest first: nothing is called any more, pending calls are cancelled and waited
    /// for, handlers are dropped, then each plugin's `destroy` runs. Libraries stay mapped.
    ///
    /// False when a call did not end in time; its plugin then stays, and its `destroy` is skipped.
    pub fn shutdown(&self) -> bool {
        self.inner.shutdown()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.inner.shutdown();
    }
}

fn object<'p>(hook: &str, payload: &'p Value) -> Result<&'p Map<String, Value>, FireError> {
    payload.as_object().ok_or_else(|| FireError::Payload {
        hook: hook.to_owned(),
        found: payload::kind(payload),
    })
}

/// What plugins reach through their handles; they hold it weakly.
#[derive(Debug)]
pub(crate) struct Inner {
    snapshot: ArcSwap<Snapshot>,
    plugins: Mutex<Vec<Plugin>>,
    faults: Arc<FaultLog>,
    timers: Arc<Timers>,
    limits: Limits,
}

impl Inner {
    fn around(&self) -> Around<'_> {
        Around {
            faults: &self.faults,
            limits: self.limits,
        }
    }

    fn plugins(&self) -> MutexGuard<'_, Vec<Plugin>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what is registered visible to every dispatch that begins from now on, and gives what was before.
    fn publish(&self) -> Arc<Snapshot> {
        let entries: Vec<Arc<Entry>> = self
            .plugins()
            .iter()
            .flat_map(|plugin| plugin.entries.iter().cloned())
            .collect();
        self.snapshot.swap(Arc::new(Snapshot::new(entries)))
    }

    fn fire<P: Probe>(
        &self,
        hook: &str,
        payload: &Map<String, Value>,
        parent: Parent,
        probe: &mut P,
    ) -> Outcome {
        let snapshot = self.snapshot.load();
        match snapshot.named(hook) {
            Some(chain) => run(
                chain,
                &Record::from_json(chain.hook, payload),
                None,
                parent,
                self.around(),
                probe,
            ),
            None => Outcome::default(),
        }
    }

    fn shutdown(&self) -> bool {
        let plugins = std::mem::take(&mut *self.plugins());
        self.timers.end(None);
        let old = self.publish();
        let until = Clock::now() + PATIENCE;
        plugins.iter().for_each(Plugin::cancel_calls);
        // A dispatch in flight keeps its snapshot, and with it the handlers it may still call.
        while Arc::strong_count(&old) > 1 && Clock::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let idle = Arc::strong_count(&old) == 1;
        drop(old);
        if !idle {
            tracing::warn!(
                "a dispatch does not end; the plugins stay, and their `destroy` is skipped"
            );
            plugins.into_iter().for_each(Plugin::abandon);
            return false;
        }
        let ended: Vec<bool> = plugins
            .into_iter()
            .rev()
            .map(|plugin| plugin.end(PATIENCE))
            .collect();
        ended.into_iter().all(|ended| ended)
    }
}

impl HostPort for Inner {
    fn fire(&self, parent: Parent, name: &str, text: &str) -> Result<String, ServiceCode> {
        let payload = payload::parse(text).map_err(|_| ServiceCode::INVALID)?;
        let outcome = Self::fire(self, name, &payload, parent, &mut Unobserved);
        serde_json::to_string(&outcome).map_err(|_| ServiceCode::FAILED)
    }

    fn unregister(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode> {
        let removed = {
            let mut plugins = self.plugins();
            plugins.iter_mut().find_map(|plugin| {
                let own =
                    |entry: &Arc<Entry>| entry.id == id && std::ptr::eq(&*entry.instance, instance);
                let index = plugin.entries.iter().position(own)?;
                Some(plugin.entries.remove(index))
            })
        };
        let removed = removed.ok_or(ServiceCode::INVALID)?;
        // Dropping a handler runs plugin code, so no lock is held here. If a dispatch is inside it, that
        // dispatch drops it.
        drop(self.publish());
        drop(removed);
        Ok(())
    }

    fn timer(
        &self,
        instance: &Arc<Instance>,
        delay: Duration,
        period: Option<Duration>,
        handler: OwnedHandler,
    ) -> Result<u64, (ServiceCode, OwnedHandler)> {
        self.timers
            .set(instance, delay, period, handler)
            .map_err(|handler| (ServiceCode::FAILED, handler))
    }

    fn cancel_timer(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode> {
        if self.timers.cancel(instance, id) {
            Ok(())
        } else {
            Err(ServiceCode::INVALID)
        }
    }

    fn end_timers(&self, instance: &Instance) {
        self.timers.end(Some(instance));
    }

    fn fault(&self, plugin: &str, step: &str, failed: &Failed) {
        let kind = if failed.kind == FailureKind::PANIC {
            FaultKind::Panic
        } else {
            FaultKind::Error
        };
        self.faults.note(plugin, step, kind, failed);
    }

    fn has_extension(&self, name: &str) -> bool {
        crate::admit::EXTENSIONS.contains(&name)
    }
}
