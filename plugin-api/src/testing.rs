//! A host in memory: load a plugin, fire an event, look at what it says. No loader, no compiled library.
//!
//! The plugin goes through its real entry point, every handler through the same boundary, guard and
//! answer writer as in an agent, so what passes here behaves the same there. What belongs to the agent is
//! simple: one thread calls handlers one after the other, nothing is quarantined, and timers run when the
//! test says so.
//!
//! ```
//! use hermes_plugin_api::{prelude::*, testing::{Host, event}};
//!
//! fn register(ctx: &mut Context) -> Result<(), Error> {
//!     ctx.on(PreToolCall, |call| match call.args().str("command") {
//!         Some(command) if command.contains("rm -rf /") => Verdict::block("refusing to delete everything"),
//!         _ => Verdict::pass(),
//!     })
//!     .tools(["terminal"]);
//!     Ok(())
//! }
//!
//! let host = Host::new("my-guard").register(register)?;
//! let outcome = host.fire("pre_tool_call", event::tool("terminal").arg("command", "rm -rf /"));
//! assert_eq!(outcome.verdict(), Verdict::block("refusing to delete everything"));
//!
//! let outcome = host.fire("pre_tool_call", event::tool("read_file").arg("path", "rm -rf /"));
//! assert_eq!(outcome.called(), 0);
//! # Ok::<(), hermes_plugin_api::testing::Fault>(())
//! ```
//!
//! A whole plugin is loaded by its entry point, `Host::new("my-guard").load(my_guard::PLUGIN)`; then its
//! role and its handlers declared with [`hook!`](crate::hook) count as well.
//!
//! # Assertions in handlers
//!
//! A failed assertion inside a handler is a panic inside a handler: a [`Fault`] of the outcome, which
//! prints nothing. Assert on what comes out, or end with [`Outcome::sound`].

pub mod event;

mod adhoc;
mod chain;
mod entry;
mod fault;
mod inbound;
mod log;
mod middleware;
mod offers;
mod outcome;
mod setup;

use std::{sync::Arc, time::Duration};

use serde_json::Value as Json;

use self::chain::Chains;
use crate::{
    abi::{host::Parent, test_host::Live},
    catalogue,
};

pub use crate::abi::host::{CommandInfo, CommandKind, SkillInfo};
pub use crate::agent::InMemoryAgent;

pub use self::{
    entry::Registered,
    fault::{Fault, FaultKind},
    log::Log,
    middleware::{Executed, Requested},
    outcome::Outcome,
    setup::Setup,
};
pub use crate::extension::gateway::MemoryGateway;

/// A host with one or more plugins loaded.
///
/// Dropping it ends the plugins as an agent does, the last one first: calls that a handler kept are
/// cancelled, timers, tools and handlers are dropped, exactly once each and before the plugin's `destroy`;
/// from then on everything a plugin kept answers GONE.
///
/// # Panics
/// The drop panics when a plugin faulted as it ended. [`Host::end`] returns such faults instead.
///
/// # Threads
/// Any thread may fire, several at once.
#[derive(Debug)]
#[must_use]
pub struct Host {
    chains: Arc<Chains>,
    plugins: Vec<Loaded>,
}

/// One plugin of a host.
#[derive(Debug)]
struct Loaded {
    live: Live,
}

/// A timer that a plugin set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timer {
    /// Its id.
    pub id: u64,
    /// How long after it was set it runs out.
    pub delay: Duration,
    /// How often it then runs out again; `None` for once.
    pub period: Option<Duration>,
}

impl Host {
    /// Begins a host: says which plugin it is to load.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a host without a plugin is of no use; `Setup` is how one is described"
    )]
    pub fn new(plugin: &str) -> Setup {
        Self {
            chains: Arc::default(),
            plugins: Vec::new(),
        }
        .with(plugin)
    }

    /// Another plugin beside those that are loaded.
    pub fn with(self, plugin: &str) -> Setup {
        Setup::new(self, plugin)
    }

    /// Fires an event. Handlers whose answer comes later are waited for.
    ///
    /// The payload is JSON in the hook's shape, or one made with [`event`].
    ///
    /// # Panics
    /// When the payload is no object, or neither the catalogue nor a plugin knows the hook: a mistyped name
    /// would otherwise pass for a plugin that has nothing to say.
    #[track_caller]
    pub fn fire(&self, hook: &str, payload: impl Into<Json>) -> Outcome {
        let Json::Object(payload) = payload.into() else {
            panic!("the payload of `{hook}` is no JSON object")
        };
        let known = catalogue::by_name(hook).is_some() || self.chains.knows(hook);
        assert!(
            known,
            "no such hook: `{hook}` is neither in the catalogue nor registered by a plugin"
        );
        self.chains.fire(Parent::current(), hook, payload)
    }

    /// What is registered, in the order it is called.
    #[must_use]
    pub fn registrations(&self) -> Vec<Registered> {
        self.chains.registrations()
    }

    /// Everything the plugins logged, plugin by plugin.
    #[must_use]
    pub fn logs(&self) -> Vec<Log> {
        let logs = self.plugins.iter().flat_map(|plugin| {
            let name = plugin.live.instance.plugin();
            plugin
                .live
                .instance
                .logged()
                .into_iter()
                .map(move |logged| Log::new(name, logged))
        });
        logs.collect()
    }

    /// The timers that are set, the one that runs out first in front.
    #[must_use]
    pub fn timers(&self) -> Vec<Timer> {
        let timers = self
            .plugins
            .iter()
            .flat_map(|plugin| plugin.live.instance.timers());
        let mut timers: Vec<_> = timers
            .map(|(id, set)| Timer {
                id,
                delay: set.delay,
                period: set.period,
            })
            .collect();
        timers.sort_by_key(|timer| (timer.delay, timer.id));
        timers
    }

    /// Lets every timer that is set run out once, whatever its delay. Those without a period are then over.
    pub fn run_timers(&self) -> Outcome {
        let mut outcome = Outcome::new("timer", catalogue::by_name("timer"));
        for plugin in &self.plugins {
            self.chains.run_timers(&plugin.live.instance, &mut outcome);
        }
        outcome
    }

    /// Decides every approval that waits for its decision, and calls whoever asked to be told.
    ///
    /// `decision` is `allow-once`, `allow-always`, `deny`, `timeout` or `cancelled`.
    pub fn resolve_approvals(&self, decision: &str) -> Outcome {
        self.chains.resolve(decision)
    }

    /// Ends the plugins, and gives what went wrong outside of events: drops that panicked, a `destroy`.
    #[must_use = "a fault that nobody looks at is lost"]
    pub fn end(mut self) -> Vec<Fault> {
        self.end_plugins()
    }

    fn end_plugins(&mut self) -> Vec<Fault> {
        let mut faults = Vec::new();
        while let Some(plugin) = self.plugins.pop() {
            faults.extend(self.chains.end(plugin));
        }
        faults
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let faults = self.end_plugins();
        if let Some(fault) = faults.first()
            && !std::thread::panicking()
        {
            panic!("as its host was dropped: {fault}\nhint: `Host::end` returns such faults");
        }
    }
}
