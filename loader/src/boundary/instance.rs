//! The table of live instances: how a handle, and never a pointer, leads back to the host.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::thread::ThreadId;
use std::time::{Duration, Instant as Clock};

use hermes_plugin_api::abi::ServiceCode;
use hermes_plugin_api::abi::host::{
    CommandOffer, Failed, OwnedHandler, Parent, Retained, SkillOffer, Staged, Watch,
};

use super::AgentPort;
use super::tools::Description;
use crate::about::About;
use crate::calls::Ledger;

/// A tool in its JSON form, before it is committed.
#[derive(Debug)]
pub(crate) struct StagedTool {
    pub(crate) id: u64,
    pub(crate) description: Description,
    pub(crate) handler: OwnedHandler,
}

/// A command, before it is committed.
#[derive(Debug)]
pub(crate) struct StagedCommand {
    pub(crate) id: u64,
    pub(crate) offer: CommandOffer,
    pub(crate) handler: OwnedHandler,
}

/// What says whether a tool can be used, before it is committed.
#[derive(Debug)]
pub(crate) struct StagedCheck {
    pub(crate) id: u64,
    pub(crate) tool: String,
    pub(crate) handler: OwnedHandler,
}

/// Everything that one `register` staged.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    pub(crate) handlers: Vec<Staged>,
    pub(crate) tools: Vec<StagedTool>,
    pub(crate) commands: Vec<StagedCommand>,
    pub(crate) skills: Vec<SkillOffer>,
    pub(crate) checks: Vec<StagedCheck>,
}

/// What an instance may ask of the host it lives in.
pub(crate) trait HostPort: AgentPort {
    /// Fires an event from inside `parent`, and gives the outcome as JSON.
    fn fire(&self, parent: Parent, name: &str, payload: &str) -> Result<String, ServiceCode>;
    /// Takes a registration out of its chain.
    fn unregister(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode>;
    /// Sets a timer; on failure the handler is given back.
    fn timer(
        &self,
        instance: &Arc<Instance>,
        delay: Duration,
        period: Option<Duration>,
        handler: OwnedHandler,
    ) -> Result<u64, (ServiceCode, OwnedHandler)>;
    /// Ends a timer.
    fn cancel_timer(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode>;
    /// Ends all timers of an instance.
    fn end_timers(&self, instance: &Instance);
    /// Records what went wrong in a plugin outside of any event.
    fn fault(&self, plugin: &str, step: &str, failed: &Failed);
    /// The ledger of tool calls.
    fn calls(&self) -> &Ledger;
}

/// One instance of one plugin.
pub(crate) struct Instance {
    handle: AtomicU64,
    pub(crate) plugin: Arc<str>,
    pub(crate) about: About,
    config: String,
    data_dir: PathBuf,
    host: Weak<dyn HostPort>,
    /// `Some` while `register` runs.
    staging: Mutex<Option<Staging>>,
    step: Mutex<Step>,
    retained: Mutex<Vec<Weak<Retained>>>,
    ending: AtomicBool,
}

/// The step of the loader's thread that waits to hear whether the plugin failed in it.
#[derive(Debug, Default)]
struct Step {
    /// Drops on other threads have nothing to do with it.
    runs_on: Option<ThreadId>,
    failed: Option<Failed>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("plugin", &self.plugin)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instance {
    /// Puts a new instance into the table.
    pub(crate) fn enlist(
        plugin: Arc<str>,
        about: About,
        config: String,
        data_dir: PathBuf,
        host: Weak<dyn HostPort>,
    ) -> Arc<Self> {
        let instance = Arc::new(Self {
            handle: AtomicU64::new(0),
            plugin,
            about,
            config,
            data_dir,
            host,
            staging: Mutex::default(),
            step: Mutex::default(),
            retained: Mutex::default(),
            ending: AtomicBool::new(false),
        });
        let handle = TABLE
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .put(Arc::clone(&instance));
        instance.handle.store(handle, Ordering::Release);
        instance
    }

    /// The instance behind a handle; `None` once it is over.
    pub(crate) fn of(handle: u64) -> Option<Arc<Self>> {
        TABLE
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(handle)
    }

    /// Takes the instance out of the table: from now on every service answers GONE.
    pub(crate) fn delist(&self) {
        TABLE
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(self.handle());
    }

    pub(crate) fn handle(&self) -> u64 {
        self.handle.load(Ordering::Acquire)
    }

    pub(crate) fn host(&self) -> Option<Arc<dyn HostPort>> {
        self.host.upgrade()
    }

    pub(crate) fn config(&self) -> &str {
        &self.config
    }

    /// The plugin's data directory, which is made when it is first asked for.
    pub(crate) fn data_dir(&self) -> std::io::Result<&PathBuf> {
        std::fs::create_dir_all(&self.data_dir)?;
        Ok(&self.data_dir)
    }

    /// Opens the registrar.
    pub(crate) fn open(&self) {
        *lock(&self.staging) = Some(Staging::default());
    }

    /// Stages what `put` puts, unless the registrar is closed; then the thing is given back.
    pub(crate) fn stage<T>(&self, thing: T, put: impl FnOnce(&mut Staging, T)) -> Result<(), T> {
        match &mut *lock(&self.staging) {
            Some(staging) => {
                put(staging, thing);
                Ok(())
            }
            None => Err(thing),
        }
    }

    /// Whether `register` is running.
    pub(crate) fn is_open(&self) -> bool {
        lock(&self.staging).is_some()
    }

    /// Closes the registrar and gives what was staged.
    pub(crate) fn close(&self) -> Staging {
        lock(&self.staging).take().unwrap_or_default()
    }

    /// Begins `create`, `register` or `destroy`, on this thread.
    pub(crate) fn begin_step(&self) {
        *lock(&self.step) = Step {
            runs_on: Some(std::thread::current().id()),
            failed: None,
        };
    }

    /// Ends the step, and gives what the plugin says went wrong in it.
    pub(crate) fn end_step(&self) -> Option<Failed> {
        std::mem::take(&mut *lock(&self.step)).failed
    }

    /// Takes a failure: that of the step that runs on this thread, or else that of a drop.
    pub(crate) fn fail(&self, failed: Failed) {
        let mut step = lock(&self.step);
        if step.runs_on == Some(std::thread::current().id()) {
            step.failed = Some(failed);
            return;
        }
        drop(step);
        self.fault("drop", &failed);
    }

    /// Records what went wrong outside of any event.
    pub(crate) fn fault(&self, step: &str, failed: &Failed) {
        match self.host() {
            Some(host) => host.fault(&self.plugin, step, failed),
            None => tracing::warn!(
                plugin = &*self.plugin,
                hook = step,
                place = crate::fault::place(failed),
                "plugin fault: {}",
                crate::fault::one_line(&failed.text)
            ),
        }
    }

    /// Whether the instance takes nothing new.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Ends the timers of the instance; from now on it gets no new ones.
    pub(crate) fn end_timers(&self) {
        self.ending.store(true, Ordering::Release);
        if let Some(host) = self.host() {
            host.end_timers(self);
        }
    }

    /// Waits, bounded, until nobody but the caller, `own` others and the table holds the instance: then no
    /// handler, timer or tool of it is being called any more, since each of those holds it.
    pub(crate) fn is_alone(self: &Arc<Self>, own: usize, patience: Duration) -> bool {
        let until = Clock::now() + patience;
        while Arc::strong_count(self) > own + 2 {
            if Clock::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Tells everybody who holds a call of this instance, or waits for one, that nobody wants the answer.
    pub(crate) fn cancel_calls(&self) {
        let calls: Vec<_> = lock(&self.retained)
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        calls.iter().for_each(|call| call.cancel());
    }

    /// Cancels every retained call and waits, bounded, until all are released.
    /// False when some call does not end: the instance then stays for ever.
    pub(crate) fn end_calls(&self, patience: Duration) -> bool {
        let until = Clock::now() + patience;
        self.cancel_calls();
        let calls = std::mem::take(&mut *lock(&self.retained));
        while calls.iter().any(|call| call.strong_count() > 0) {
            if Clock::now() >= until {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}

impl Watch for Instance {
    fn retained(&self, call: &Arc<Retained>) {
        let mut calls = lock(&self.retained);
        if calls.len() == calls.capacity() {
            calls.retain(|call| call.strong_count() > 0);
        }
        calls.push(Arc::downgrade(call));
    }

    fn instance(&self) -> u64 {
        self.handle()
    }
}

static TABLE: RwLock<Table> = RwLock::new(Table { slots: Vec::new() });

/// Slots with a generation each: a stale handle never leads to a newer instance.
struct Table {
    slots: Vec<Slot>,
}

struct Slot {
    generation: u32,
    instance: Option<Arc<Instance>>,
}

impl Table {
    fn put(&mut self, instance: Arc<Instance>) -> u64 {
        let free = self
            .slots
            .iter()
            .position(|slot| slot.instance.is_none() && slot.generation < u32::MAX);
        let index = free.unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                instance: None,
            });
            self.slots.len() - 1
        });
        let slot = &mut self.slots[index];
        slot.generation += 1;
        slot.instance = Some(instance);
        (u64::from(slot.generation) << 32) | index as u64
    }

    fn slot(&self, handle: u64) -> Option<usize> {
        let index = (handle & u64::from(u32::MAX)) as usize;
        let slot = self.slots.get(index)?;
        (u64::from(slot.generation) == handle >> 32).then_some(index)
    }

    fn get(&self, handle: u64) -> Option<Arc<Instance>> {
        let index = self.slot(handle)?;
        self.slots.get(index)?.instance.clone()
    }

    fn remove(&mut self, handle: u64) {
        if let Some(slot) = self
            .slot(handle)
            .and_then(|index| self.slots.get_mut(index))
        {
            slot.instance = None;
        }
    }
}
