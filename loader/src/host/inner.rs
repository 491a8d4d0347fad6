//! What plugins reach through their handles; they hold it weakly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as Clock};

use arc_swap::{ArcSwap, Guard};
use hermes_plugin_api::abi::host::{Failed, Limits, OwnedHandler, Record};
use hermes_plugin_api::abi::{FailureKind, ServiceCode};
use hermes_plugin_api::catalogue;
use serde_json::{Map, Value};

use super::embedding::Embedding;
use crate::boundary::{HostPort, Instance, Parent};
use crate::calls::Ledger;
use crate::dispatch::{Around, Probe, Unobserved};
use crate::fault::{FaultKind, FaultLog};
use crate::outcome::Outcome;
use crate::payload;
use crate::plugin::{PATIENCE, Plugin};
use crate::registry::{Absent, Entry, Snapshot};
use crate::required::{self, Missing};
use crate::timers::Timers;

/// The live half of a host.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(super) snapshot: ArcSwap<Snapshot>,
    plugins: Mutex<Vec<Plugin>>,
    /// Guards that are required and were not loaded.
    absent: Mutex<Vec<Absent>>,
    pub(super) faults: Arc<FaultLog>,
    timers: Arc<Timers>,
    pub(super) calls: Arc<Ledger>,
    pub(super) limits: Limits,
    pub(super) embedding: Embedding,
}

impl Inner {
    pub(super) fn new(limits: Limits, embedding: Embedding) -> Arc<Self> {
        let faults = Arc::new(FaultLog::default());
        Arc::new(Self {
            snapshot: ArcSwap::default(),
            plugins: Mutex::default(),
            absent: Mutex::default(),
            timers: Timers::new(Arc::clone(&faults)),
            calls: Arc::default(),
            faults,
            limits,
            embedding,
        })
    }

    pub(crate) fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.snapshot.load()
    }

    pub(crate) fn around(&self) -> Around<'_> {
        Around {
            faults: &self.faults,
            limits: self.limits,
        }
    }

    pub(super) fn plugins(&self) -> MutexGuard<'_, Vec<Plugin>> {
        self.plugins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn absent(&self) -> MutexGuard<'_, Vec<Absent>> {
        self.absent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what is registered visible to every dispatch that begins from now on, and gives what was before.
    pub(super) fn publish(&self) -> Arc<Snapshot> {
        let entries: Vec<Arc<Entry>> = self
            .plugins()
            .iter()
            .flat_map(|plugin| plugin.entries.iter().cloned())
            .collect();
        let snapshot = Snapshot::new(entries, &self.absent());
        self.calls.listen(|hook| snapshot.chain(hook).is_some());
        self.snapshot.swap(Arc::new(snapshot))
    }

    pub(super) fn fire<P: Probe>(
        &self,
        hook: &str,
        payload: &Map<String, Value>,
        parent: Parent,
        probe: &mut P,
    ) -> Outcome {
        let snapshot = self.snapshot.load();
        let chain = snapshot.named(hook);
        let known = catalogue::by_name(hook);
        let fields = known.and_then(|hook| self.calls.matters(hook, chain));
        if chain.is_none() && fields.is_none() {
            return Outcome::default();
        }
        let record = Record::from_json(known, payload);
        self.deliver(chain, fields, &record, None, parent, probe)
    }

    pub(super) fn shutdown(&self) -> bool {
        self.timers.end(None);
        self.replace(Vec::new(), &[])
    }

    /// Puts these plugins in place of those that are loaded, which end, newest first. False when a call of
    /// one of them does not end in time.
    pub(super) fn replace(&self, plugins: Vec<Plugin>, missing: &[Missing]) -> bool {
        *self.absent() = required::absent(missing);
        let plugins = std::mem::replace(&mut *self.plugins(), plugins);
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
        self.calls.end_instance(instance.handle());
    }

    fn fault(&self, plugin: &str, step: &str, failed: &Failed) {
        let kind = if failed.kind == FailureKind::PANIC {
            FaultKind::Panic
        } else {
            FaultKind::Error
        };
        self.faults.note(plugin, step, kind, failed);
    }

    fn calls(&self) -> &Ledger {
        &self.calls
    }
}
