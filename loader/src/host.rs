//! The facade: what an agent embeds.

mod agent;
mod builder;
mod commands;
mod deliver;
mod embedding;
mod inbound;
mod inner;
mod tools;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant as Clock;

use arc_swap::ArcSwap;
use hermes_plugin_api::abi::host::{Limits, OwnedEvent, Record};
use hermes_plugin_api::catalogue::{self, Hook, HookPoint, Payload};
use serde_json::{Map, Value};

pub use self::builder::Builder;
use self::builder::Recipe;
pub(crate) use self::inner::Inner;
use crate::boundary::Parent;
use crate::calls::CallsReport;
use crate::dispatch::{Hooked, Unobserved};
use crate::fault::Fault;
use crate::home::Home;
use crate::outcome::{Folded, Outcome, OutcomeOf};
use crate::payload;
use crate::report::Report;
use crate::trace::{Stopwatch, Traced};

/// Plugins, loaded and ready to be called.
///
/// Every function may be called from any thread, several at once. Dropping the host ends its plugins:
/// see [`Host::shutdown`].
#[derive(Debug)]
pub struct Host {
    inner: Arc<Inner>,
    report: ArcSwap<Report>,
    recipe: Recipe,
    reloading: Mutex<()>,
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
            embedding: embedding::Embedding::default(),
        }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// What loading came to, the last time.
    #[must_use]
    pub fn report(&self) -> Arc<Report> {
        self.report.load_full()
    }

    /// The home it was loaded from.
    #[must_use]
    pub const fn home(&self) -> &Home {
        &self.recipe.home
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

    /// Fires an event, on this thread, and gives what its handlers decided: one enum per kind of hook.
    ///
    /// While nobody has anything to say, this allocates nothing, takes no lock, reads no clock, and costs
    /// the same for any size of payload.
    ///
    /// ```no_run
    /// # use hermes_loader::{Host, ToolOutcome, catalogue::payload};
    /// # fn f(host: &Host, args: &serde_json::Value) {
    /// let call = payload::PreToolCall::new().tool_name("terminal").args(args).session_id("s1");
    /// match host.fire(&call) {
    ///     ToolOutcome::Proceed { rewrite } => { /* run it with `rewrite.over(args)` */ }
    ///     ToolOutcome::Block { message, by } => { /* the model is told `message` */ }
    ///     ToolOutcome::Approve { ask, rewrite } => { /* ask a person */ }
    /// }
    /// # }
    /// ```
    pub fn fire<E>(&self, event: &E) -> OutcomeOf<E>
    where
        E: Payload,
        <E::Point as HookPoint>::Answer: Folded,
    {
        let outcome = self.dispatch(E::Point::HOOK, || (event.record(), None));
        <E::Point as HookPoint>::Answer::typed(outcome)
    }

    /// As [`Host::fire`], without holding a thread while a handler's answer is not ready.
    ///
    /// The event is copied once, before this returns. Dropping the future cancels the call that is pending.
    pub fn fire_async<E>(
        &self,
        event: &E,
    ) -> impl Future<Output = OutcomeOf<E>> + Send + 'static + use<E>
    where
        E: Payload,
        <E::Point as HookPoint>::Answer: Folded,
    {
        let hook = E::Point::HOOK;
        let snapshot = self.inner.snapshot.load();
        let chain = snapshot.chain(hook);
        let heard = chain.is_some() || self.inner.calls.matters(hook, chain).is_some();
        let fired = heard.then(|| {
            let payload = event.record().to_json();
            self.inner.deliver_later(Hooked::Known(hook), payload)
        });
        async move {
            let outcome = match fired {
                Some(fired) => fired.await,
                None => Outcome::default(),
            };
            <E::Point as HookPoint>::Answer::typed(outcome)
        }
    }

    /// Fires an event of a hook of the catalogue over a payload in JSON.
    pub fn fire_map<P: HookPoint>(&self, _point: P, payload: &Map<String, Value>) -> Outcome {
        self.dispatch(P::HOOK, || {
            (Record::from_json(Some(P::HOOK), payload), None)
        })
    }

    /// Fires an event over a payload that is shared anyway: a handler that keeps its event copies nothing.
    pub fn fire_shared<P: HookPoint>(
        &self,
        _point: P,
        payload: &Arc<Map<String, Value>>,
    ) -> Outcome {
        self.dispatch(P::HOOK, || {
            let shared = Arc::new(OwnedEvent::share(Some(P::HOOK), payload));
            (Record::from_json(Some(P::HOOK), payload), Some(shared))
        })
    }

    /// Makes an event and fires it, if anybody is there.
    #[inline]
    fn dispatch<'e>(
        &self,
        hook: &Hook,
        event: impl FnOnce() -> (Record<'e>, Option<Arc<OwnedEvent>>),
    ) -> Outcome {
        let snapshot = self.inner.snapshot.load();
        let chain = snapshot.chain(hook);
        let fields = self.inner.calls.matters(hook, chain);
        if chain.is_none() && fields.is_none() {
            return Outcome::default();
        }
        let (record, copy) = event();
        self.inner.deliver(
            chain,
            fields,
            &record,
            copy,
            Parent::current(),
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
    pub fn fire_json_async(
        &self,
        hook: &str,
        payload: Value,
    ) -> impl Future<Output = Result<Outcome, FireError>> + Send + 'static + use<> {
        let hooked =
            catalogue::by_name(hook).map_or_else(|| Hooked::Named(hook.to_owned()), Hooked::Known);
        let fired = match payload {
            Value::Object(map) => Ok(self.inner.deliver_later(hooked, map)),
            other => Err(FireError::Payload {
                hook: hook.to_owned(),
                found: payload::kind(&other),
            }),
        };
        async move { Ok(fired?.await) }
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

    /// What became of the tool calls that came with an id: how many wait for their result, how many events
    /// came twice and were delivered once, and which calls have no other half.
    ///
    /// The last 4,096 calls are remembered. An event of a call that comes again is not delivered again, and is
    /// answered with what the first came to; events without a `tool_call_id` are never merged.
    #[must_use]
    pub fn calls(&self) -> CallsReport {
        self.inner.calls.report()
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

    /// Reads configuration and folders again, and puts what is there now in place of what was.
    ///
    /// The new plugins are loaded first, beside the old ones; then every event that begins goes to them;
    /// then the old ones end as in [`Host::shutdown`]. An event in flight ends with the handlers it began
    /// with. No event meets both, or neither. A plugin that no longer loads is in [`Host::report`].
    ///
    /// False when a call of an old plugin did not end in time; that plugin then stays in memory.
    ///
    /// # Threads
    /// One reload at a time; others wait. Not from inside a handler: the call it is in would have to end.
    pub fn reload(&self) -> bool {
        let _one = self
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (plugins, report) = self.recipe.carry_out(&self.inner);
        let ended = self.inner.replace(plugins, &report.missing);
        self.report.store(Arc::new(report));
        ended
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
