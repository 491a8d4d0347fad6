//! Who is called for what, in which order; and the walk along a chain.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant as Clock},
};

use serde_json::{Map, Value as Json, json};

use super::{
    Fault, FaultKind, Loaded, Outcome, Registered,
    entry::{Entry, enter},
    offers::Offers,
    outcome::Change,
};
use crate::{
    abi::{
        CallFlags, ServiceCode,
        host::{
            Answered, BUILTIN_COMMANDS, Entered, Entering, OwnedHandler, Parent, Record, Staged,
            next_id,
        },
        test_host::{CallKey, Here, Instance, Port, scope},
    },
    agent::Agent,
    catalogue::{self, Hook, HookPoint as _},
};

/// A handler that waits for the decision on an approval.
#[derive(Debug)]
struct Resolution {
    id: u64,
    handler: OwnedHandler,
    instance: Arc<Instance>,
}

/// Everything that is registered with one host.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// In load order.
    entries: Mutex<Vec<Arc<Entry>>>,
    resolutions: Mutex<Vec<Resolution>>,
    /// The last tool calls, the newest at the end.
    calls: Mutex<VecDeque<CallKey>>,
    /// In load order.
    offers: Mutex<Vec<Offers>>,
    surroundings: Mutex<Surroundings>,
    /// In milliseconds; 0 when nobody said.
    patience: AtomicU64,
}

/// What is around the plugins, as far as the test says.
#[derive(Default)]
pub(super) struct Surroundings {
    pub(super) agent: Option<Arc<dyn Agent>>,
    pub(super) profile: Option<String>,
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
/// How many tool calls an agent remembers.
const CALLS: usize = 4096;

/// A panic while a lock is held leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes out what is `wanted`, and keeps the rest. What was taken is dropped without the lock.
fn take<T>(from: &Mutex<Vec<T>>, wanted: impl Fn(&T) -> bool) -> Vec<T> {
    let mut from = lock(from);
    let (taken, kept) = from.drain(..).partition(wanted);
    *from = kept;
    taken
}

impl Chains {
    pub(super) fn set_patience(&self, patience: Duration) {
        let patience = patience.as_millis().clamp(1, u32::MAX.into()) as u64;
        self.patience.store(patience, Ordering::Relaxed);
    }

    pub(super) fn surroundings(&self) -> MutexGuard<'_, Surroundings> {
        lock(&self.surroundings)
    }

    pub(super) fn agent_given(&self) -> Option<Arc<dyn Agent>> {
        self.surroundings().agent.clone()
    }

    pub(super) fn offers(&self) -> MutexGuard<'_, Vec<Offers>> {
        lock(&self.offers)
    }

    pub(super) fn patience(&self) -> Duration {
        match self.patience.load(Ordering::Relaxed) {
            0 => PATIENCE,
            patience => Duration::from_millis(patience),
        }
    }

    /// What instances are given to reach their host by.
    pub(super) fn port(self: &Arc<Self>) -> Weak<dyn Port> {
        let port: Arc<dyn Port> = Arc::<Self>::clone(self);
        Arc::downgrade(&port)
    }

    /// Makes what a plugin staged live, as a whole.
    pub(super) fn publish(&self, staged: Vec<Staged>, instance: &Arc<Instance>, guard: bool) {
        let entries = staged
            .into_iter()
            .map(|staged| Arc::new(Entry::new(staged, instance, guard)));
        lock(&self.entries).extend(entries);
    }

    pub(super) fn knows(&self, hook: &str) -> bool {
        lock(&self.entries)
            .iter()
            .any(|entry| entry.staged.name == hook)
    }

    /// Guards after everybody else, then higher priority first, then load order.
    fn in_order(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<Arc<Entry>> {
        let mut entries: Vec<_> = lock(&self.entries)
            .iter()
            .filter(|entry| wanted(entry))
            .cloned()
            .collect();
        entries.sort_by(|a, b| {
            a.guard
                .cmp(&b.guard)
                .then(b.staged.priority.total_cmp(&a.staged.priority))
        });
        entries
    }

    /// The handlers of a hook, in the order of the calls.
    pub(super) fn of(&self, hook: &str) -> Vec<Arc<Entry>> {
        self.in_order(|entry| entry.staged.name == hook)
    }

    pub(super) fn registrations(&self) -> Vec<Registered> {
        self.in_order(|_| true)
            .iter()
            .map(|entry| entry.registered())
            .collect()
    }

    /// Fires an event. No lock is held while a plugin is called.
    pub(super) fn fire(
        &self,
        parent: Parent,
        name: &str,
        mut payload: Map<String, Json>,
    ) -> Outcome {
        let hook = catalogue::by_name(name);
        let tool = Record::from_json(hook, &payload).tool().map(str::to_owned);
        let call = self.note_call(name, &payload);
        let _here = Here::enter(call);
        let mut outcome = Outcome::new(name, hook);
        for entry in self.of(name) {
            if !entry.wants(tool.as_deref()) || (outcome.is_terminal() && !entry.watches_on()) {
                continue;
            }
            let flags = if outcome.is_terminal() {
                CallFlags::AFTER_TERMINAL
            } else {
                CallFlags::NONE
            };
            let chained = entry.chained(&outcome, &payload);
            outcome.note_call();
            let entered = entry.call(
                flags,
                chained.as_ref().unwrap_or(&payload),
                parent,
                self.patience(),
            );
            match self.settle(&entry, entered, &mut outcome) {
                Some(Change::Args(args)) => match payload.get_mut("args") {
                    Some(Json::Object(own)) => own.extend(args),
                    _ => _ = payload.insert("args".to_owned(), args.into()),
                },
                Some(Change::Content(content)) => {
                    _ = payload.insert("content".to_owned(), content.into())
                }
                None => {}
            }
        }
        outcome
    }

    /// Which tool call an event is about. What was attached to a call is dropped once it is forgotten, or its
    /// turn ends.
    fn note_call(&self, name: &str, payload: &Map<String, Json>) -> Option<CallKey> {
        if name == "on_session_end"
            && let Some(scope) = scope(payload)
        {
            self.end_attached(|call| call.is_of(scope));
        }
        let call = CallKey::of(name, payload)?;
        let forgotten = {
            let mut calls = lock(&self.calls);
            if !calls.contains(&call) {
                calls.push_back(call.clone());
            }
            (calls.len() > CALLS).then(|| calls.pop_front()).flatten()
        };
        if let Some(forgotten) = forgotten {
            self.end_attached(|call| *call == forgotten);
        }
        Some(call)
    }

    fn end_attached(&self, ended: impl Fn(&CallKey) -> bool) {
        for entry in self.in_order(|_| true) {
            entry.instance.end_attached(&ended);
        }
    }

    fn settle(&self, entry: &Entry, entered: Entered, outcome: &mut Outcome) -> Option<Change> {
        let plugin = entry.instance.plugin();
        match entered {
            Entered::Answered(answered) => {
                let Answered { json, handlers, .. } = *answered;
                let counts = !outcome.is_terminal();
                let change = outcome.note_answer(plugin, json, entry.guard, entry.is_chained());
                if counts {
                    let waiting = handlers.into_iter().map(|(_, handler)| Resolution {
                        id: next_id(),
                        handler,
                        instance: Arc::clone(&entry.instance),
                    });
                    lock(&self.resolutions).extend(waiting);
                }
                change
            }
            Entered::Faulted(kind, failed) => {
                let fault = Fault::failed(plugin, &entry.staged.name, *failed);
                outcome.note_fault(Fault {
                    kind,
                    closed: entry.closed,
                    ..fault
                });
                None
            }
            Entered::Quiet | Entered::Pending(_) => None,
        }
    }

    /// Calls a handler that the plugin handed over for one purpose, and notes how it ended.
    fn call_back(
        &self,
        plugin: &str,
        called: Entering<'_>,
        hook: &'static Hook,
        payload: &Json,
        outcome: &mut Outcome,
    ) {
        let payload = payload.as_object().cloned().unwrap_or_default();
        outcome.note_call();
        if let Entered::Faulted(kind, failed) = enter(
            called,
            Some(hook),
            &payload,
            Parent::current(),
            self.patience(),
        ) {
            outcome.note_fault(Fault {
                kind,
                ..Fault::failed(plugin, hook.name, *failed)
            });
        }
    }

    pub(super) fn run_timers(&self, instance: &Instance, outcome: &mut Outcome) {
        for (id, set) in instance.timers() {
            let count = set.count.fetch_add(1, Ordering::Relaxed) + 1;
            let called = Entering::plain(&set.handler, id, instance);
            self.call_back(
                instance.plugin(),
                called,
                catalogue::Timer::HOOK,
                &json!({ "timer_id": id, "count": count }),
                outcome,
            );
            if set.period.is_none() {
                instance.cancel_timer(id);
            }
        }
    }

    pub(super) fn resolve(&self, decision: &str) -> Outcome {
        let hook = catalogue::ApprovalResolution::HOOK;
        let mut outcome = Outcome::new(hook.name, Some(hook));
        for Resolution {
            id,
            handler,
            instance,
        } in std::mem::take(&mut *lock(&self.resolutions))
        {
            let called = Entering::plain(&handler, id, &*instance);
            self.call_back(
                instance.plugin(),
                called,
                hook,
                &json!({ "decision": decision }),
                &mut outcome,
            );
        }
        outcome
    }

    /// Ends a plugin: its calls are cancelled, what it handed over is dropped, then it is destroyed.
    pub(super) fn end(&self, plugin: Loaded) -> Vec<Fault> {
        let Loaded { live } = plugin;
        let instance = Arc::clone(&live.instance);
        let name = instance.plugin();
        let faults = |hook: &str| {
            let failed = instance.take_failed().into_iter();
            failed
                .map(|failed| Fault::failed(name, hook, failed))
                .collect::<Vec<_>>()
        };

        let mut own = take(&self.entries, |entry| {
            Arc::ptr_eq(&entry.instance, &instance)
        });
        let offers = take(&self.offers, |offers| {
            Arc::ptr_eq(&offers.instance, &instance)
        });
        instance.cancel_calls();
        let until = Clock::now() + self.patience();
        while own.iter().any(|entry| Arc::strong_count(entry) > 1)
            || offers.iter().any(Offers::are_busy)
        {
            if Clock::now() >= until {
                // As an agent does: what is still running keeps its plugin for ever.
                std::mem::forget((own, offers, live));
                let text = "a call does not end; the plugin is not destroyed".to_owned();
                return vec![Fault::told(name, "destroy", FaultKind::Timeout, text)];
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(take(&self.resolutions, |waiting| {
            Arc::ptr_eq(&waiting.instance, &instance)
        }));
        drop(offers);
        live.end_timers();
        instance.end_attached(|_| true);
        while let Some(last) = own.pop() {
            drop(last);
        }
        let mut all = faults("drop");
        live.destroy();
        all.extend(faults("destroy"));
        all
    }
}

impl Port for Chains {
    fn fire(&self, parent: Parent, name: &str, payload: &str) -> Result<String, ServiceCode> {
        let payload = serde_json::from_str(payload).map_err(|_| ServiceCode::INVALID)?;
        Ok(Self::fire(self, parent, name, payload)
            .to_json()
            .to_string())
    }

    fn unregister(&self, instance: &Instance, id: u64) -> Result<(), ServiceCode> {
        let own = |entry: &Arc<Entry>| {
            entry.staged.id == id && std::ptr::eq(&raw const *entry.instance, instance)
        };
        if take(&self.entries, own).is_empty() {
            Err(ServiceCode::INVALID)
        } else {
            Ok(())
        }
    }

    fn has_builtin(&self, command: &str) -> bool {
        BUILTIN_COMMANDS.contains(&command)
    }

    fn dispatch_tool(&self, name: &str, args: &Map<String, Json>) -> String {
        self.dispatch(name, args)
    }

    fn profile(&self) -> String {
        let profile = self.surroundings().profile.clone();
        profile.unwrap_or_else(|| "default".to_owned())
    }

    fn agent(&self) -> Option<Arc<dyn Agent>> {
        self.agent_given()
    }
}
