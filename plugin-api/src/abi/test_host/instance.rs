//! One instance of one plugin: made through its root, found by its handle, ended through its root.

use std::{
    collections::BTreeMap,
    ffi::c_void,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::AtomicU64},
    time::Duration,
};

use serde_json::{Map, Value as Json, json};

use super::{
    calls::{CallKey, Slots},
    registrar::registrar,
    services::SERVICES,
};
use crate::{
    abi::{
        CreateArgs, CreateFlags, FailureKind, Level, Root, ServiceCode, Status,
        host::{
            CommandOffer, Failed, Logged, OwnedHandler, Parent, Retained, SkillOffer, Staged,
            Watch, next_id,
        },
    },
    agent::{Agent, LlmRights},
};

/// What an instance is given by its host.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) plugin: String,
    pub(crate) config: String,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) level: Level,
    /// The plugin's directory.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) llm: LlmRights,
}

impl Terms {
    /// What a host reads of a plugin.
    pub(super) fn manifest(&self) -> Json {
        let source = self.dir.as_ref().map(|_| "user");
        json!({ "key": self.plugin, "name": self.plugin, "source": source, "path": self.dir })
    }
}

/// A command, before it is committed and afterwards.
#[derive(Debug)]
pub(crate) struct StagedCommand {
    pub(crate) id: u64,
    pub(crate) offer: CommandOffer,
    pub(crate) handler: OwnedHandler,
}

/// What says whether a tool can be used.
#[cfg(feature = "extensions")]
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
    pub(crate) commands: Vec<StagedCommand>,
    pub(crate) skills: Vec<SkillOffer>,
    #[cfg(feature = "extensions")]
    pub(crate) checks: Vec<StagedCheck>,
}

/// What an instance asks of the host as a whole.
pub(crate) trait Port: Send + Sync {
    /// Fires an event from inside `parent`, and gives the outcome as JSON.
    fn fire(&self, parent: Parent, name: &str, payload: &str) -> Result<String, ServiceCode>;

    /// Takes a registration of this instance out of its chain.
    fn unregister(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode>;

    /// Whether the host has a slash command of this name itself.
    fn has_builtin(&self, command: &str) -> bool;

    /// Runs a tool, of a plugin or of the agent; fires no hooks.
    fn dispatch_tool(&self, name: &str, args: &Map<String, Json>) -> String;

    /// The name of the active profile.
    fn profile(&self) -> String;

    /// The agent around the plugins.
    fn agent(&self) -> Option<Arc<dyn Agent>>;
}

/// A timer that is set.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) delay: Duration,
    pub(crate) period: Option<Duration>,
    pub(crate) handler: OwnedHandler,
    pub(crate) count: AtomicU64,
}

/// One instance of one plugin.
pub(crate) struct Instance {
    handle: u64,
    pub(super) terms: Terms,
    pub(super) port: Weak<dyn Port>,
    /// `Some` while `register` runs.
    staging: Mutex<Option<Staging>>,
    failed: Mutex<Vec<Failed>>,
    logged: Mutex<Vec<Logged>>,
    timers: Mutex<BTreeMap<u64, Arc<Set>>>,
    retained: Mutex<Vec<Weak<Retained>>>,
    pub(super) attached: Slots,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}

/// Live instances by handle. Handles count up and never come again, so each has a generation of its own.
static TABLE: Mutex<BTreeMap<u64, Arc<Instance>>> = Mutex::new(BTreeMap::new());

/// A panic while a lock is held leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Instance {
    /// The instance behind a handle; `None` once it is over.
    pub(super) fn of(handle: u64) -> Option<Arc<Self>> {
        lock(&TABLE).get(&handle).cloned()
    }

    /// From now on its handle answers GONE.
    fn delist(&self) {
        let gone = lock(&TABLE).remove(&self.handle);
        // Without the lock: what the instance still owns is the plugin's, and its drop may ask the table.
        drop(gone);
    }

    /// The plugin's name.
    pub(crate) fn plugin(&self) -> &str {
        &self.terms.plugin
    }

    /// Stages what `put` puts, unless the registrar is closed; then the thing is given back.
    pub(super) fn stage<T>(&self, thing: T, put: impl FnOnce(&mut Staging, T)) -> Option<T> {
        let mut staging = lock(&self.staging);
        let Some(staging) = &mut *staging else {
            return Some(thing);
        };
        put(staging, thing);
        None
    }

    pub(super) fn is_registering(&self) -> bool {
        lock(&self.staging).is_some()
    }

    pub(super) fn fail(&self, failed: Failed) {
        lock(&self.failed).push(failed);
    }

    /// What was reported since this was last asked.
    pub(crate) fn take_failed(&self) -> Vec<Failed> {
        std::mem::take(&mut lock(&self.failed))
    }

    pub(super) fn log(&self, logged: Logged) {
        if logged.level <= self.terms.level {
            lock(&self.logged).push(logged);
        }
    }

    /// Everything the plugin logged.
    pub(crate) fn logged(&self) -> Vec<Logged> {
        lock(&self.logged).clone()
    }

    pub(super) fn set_timer(&self, set: Set) -> u64 {
        let id = next_id();
        lock(&self.timers).insert(id, Arc::new(set));
        id
    }

    /// Ends a timer. False when there is none.
    pub(crate) fn cancel_timer(&self, id: u64) -> bool {
        let ended = lock(&self.timers).remove(&id);
        // The handler is dropped here, without the lock: that is plugin code.
        ended.is_some()
    }

    /// The timers that are set, the one that runs out first in front.
    pub(crate) fn timers(&self) -> Vec<(u64, Arc<Set>)> {
        let mut timers: Vec<_> = lock(&self.timers)
            .iter()
            .map(|(id, set)| (*id, Arc::clone(set)))
            .collect();
        timers.sort_by_key(|(id, set)| (set.delay, *id));
        timers
    }

    /// Drops what the plugin attached to these calls.
    pub(crate) fn end_attached(&self, ended: impl Fn(&CallKey) -> bool) {
        self.attached.end(ended);
    }

    /// Tells everybody who kept a call that it is over.
    pub(crate) fn cancel_calls(&self) {
        for call in std::mem::take(&mut *lock(&self.retained))
            .iter()
            .filter_map(Weak::upgrade)
        {
            call.cancel();
        }
    }

    fn reason(&self, status: Status) -> Failed {
        lock(&self.failed).pop().unwrap_or_else(|| Failed {
            kind: FailureKind::ERROR,
            text: format!("ended with status {}, and did not say why", status.0),
            file: String::new(),
            line: 0,
        })
    }
}

impl Watch for Instance {
    fn retained(&self, call: &Arc<Retained>) {
        lock(&self.retained).push(Arc::downgrade(call));
    }

    fn instance(&self) -> u64 {
        self.handle
    }
}

/// The document a plugin says of itself.
pub(crate) fn metadata(root: &'static Root) -> &'static [u8] {
    // SAFETY: the document is a static of the plugin.
    unsafe { root.metadata.bytes() }
}

/// An instance that was created and not yet destroyed.
#[derive(Debug)]
pub(crate) struct Live {
    root: &'static Root,
    state: *mut c_void,
    pub(crate) instance: Arc<Instance>,
}

// SAFETY: the state is only handed to the plugin's own functions, whose instance is `Sync`.
unsafe impl Send for Live {}
// SAFETY: as above.
unsafe impl Sync for Live {}

impl Live {
    /// Makes an instance through the plugin's root.
    pub(crate) fn create(
        root: &'static Root,
        terms: Terms,
        port: Weak<dyn Port>,
    ) -> Result<Self, Failed> {
        let instance = Arc::new(Instance {
            handle: next_id(),
            terms,
            port,
            staging: Mutex::default(),
            failed: Mutex::default(),
            logged: Mutex::default(),
            timers: Mutex::default(),
            retained: Mutex::default(),
            attached: Slots::default(),
        });
        lock(&TABLE).insert(instance.handle, Arc::clone(&instance));
        let args = CreateArgs {
            size: size_of::<CreateArgs>() as u32,
            // As a library of its own: its `tracing` records then come to this host.
            flags: CreateFlags::NONE,
            instance: instance.handle,
            services: &raw const SERVICES,
        };
        let mut state = std::ptr::null_mut();
        let status = root.create.map_or(Status::ERROR, |create| {
            // SAFETY: the arguments and the place for the state are lent for the call.
            unsafe { create(&raw const args, &raw mut state) }
        });
        if status == Status::NONE {
            return Ok(Self {
                root,
                state,
                instance,
            });
        }
        instance.delist();
        Err(instance.reason(status))
    }

    /// Lets the plugin register, and gives what it staged: all or nothing.
    pub(crate) fn register(&self) -> Result<Staging, Failed> {
        *lock(&self.instance.staging) = Some(Staging::default());
        let registrar = registrar(self.instance.handle);
        let status = self.root.register.map_or(Status::ERROR, |register| {
            // SAFETY: the state is the one `create` gave; the registrar is lent for the call.
            unsafe { register(self.state, &raw const registrar) }
        });
        let staged = lock(&self.instance.staging).take().unwrap_or_default();
        if status == Status::NONE {
            Ok(staged)
        } else {
            Err(self.instance.reason(status))
        }
    }

    #[cfg(feature = "extensions")]
    pub(super) const fn root(&self) -> &'static Root {
        self.root
    }

    #[cfg(feature = "extensions")]
    pub(super) const fn state(&self) -> *mut c_void {
        self.state
    }

    /// Ends the timers, whose handlers are dropped here.
    pub(crate) fn end_timers(&self) {
        let ended = std::mem::take(&mut *lock(&self.instance.timers));
        drop(ended);
    }

    /// Ends the instance; all its handlers must have been dropped. From then on its handle answers GONE.
    pub(crate) fn destroy(self) {
        if let Some(destroy) = self.root.destroy {
            // SAFETY: called once, since `self` is consumed.
            unsafe { destroy(self.state) };
        }
        self.instance.delist();
    }
}
