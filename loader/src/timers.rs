//! Timers of plugins: one thread per host, started when the first timer is set.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant as Clock};

use hermes_plugin_api::abi::CallFlags;
use hermes_plugin_api::abi::host::{Dispatch, Limits, OwnedHandler, Record};
use hermes_plugin_api::catalogue::{HookPoint, Timer};
use serde_json::{Map, Value};

use crate::boundary::{Entered, Entering, Instance, Parent, next_id};
use crate::fault::FaultLog;

/// Timers one plugin may have at once.
const LIMIT: usize = 1024;

struct Set {
    handler: Arc<OwnedHandler>,
    /// After the handler, so that it is dropped after it.
    instance: Arc<Instance>,
    period: Option<Duration>,
    count: u64,
}

#[derive(Default)]
struct State {
    sets: BTreeMap<u64, Set>,
    due: BTreeMap<(Clock, u64), ()>,
    running: bool,
    over: bool,
}

/// The timers of one host.
pub(crate) struct Timers {
    state: Mutex<State>,
    changed: Condvar,
    faults: Arc<FaultLog>,
}

impl std::fmt::Debug for Timers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timers").finish_non_exhaustive()
    }
}

impl Timers {
    pub(crate) fn new(faults: Arc<FaultLog>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            faults,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a timer; gives the handler back when it cannot.
    pub(crate) fn set(
        self: &Arc<Self>,
        instance: &Arc<Instance>,
        delay: Duration,
        period: Option<Duration>,
        handler: OwnedHandler,
    ) -> Result<u64, OwnedHandler> {
        let mut state = self.state();
        let own = state
            .sets
            .values()
            .filter(|set| Arc::ptr_eq(&set.instance, instance))
            .count();
        let Some(at) = Clock::now()
            .checked_add(delay)
            .filter(|_| own < LIMIT && !state.over && !instance.is_ending())
        else {
            return Err(handler);
        };
        if !state.running {
            let timers = Arc::downgrade(self);
            let run = move || Self::run(&timers);
            if std::thread::Builder::new()
                .name("hermes-timers".to_owned())
                .spawn(run)
                .is_err()
            {
                return Err(handler);
            }
            state.running = true;
        }
        let id = next_id();
        let set = Set {
            instance: Arc::clone(instance),
            handler: Arc::new(handler),
            period,
            count: 0,
        };
        state.sets.insert(id, set);
        state.due.insert((at, id), ());
        drop(state);
        self.changed.notify_one();
        Ok(id)
    }

    /// Ends a timer of this instance. False when there is none.
    pub(crate) fn cancel(&self, instance: &Instance, id: u64) -> bool {
        let mut state = self.state();
        let own = state
            .sets
            .get(&id)
            .is_some_and(|set| std::ptr::eq(&*set.instance, instance));
        let ended = if own { state.sets.remove(&id) } else { None };
        drop(state);
        // The handler is dropped here, without the lock: that is plugin code.
        ended.is_some()
    }

    /// Ends all timers of an instance, or of the host.
    pub(crate) fn end(&self, of: Option<&Instance>) {
        let mut state = self.state();
        let ids: Vec<u64> = state
            .sets
            .iter()
            .filter(|(_, set)| of.is_none_or(|instance| std::ptr::eq(&*set.instance, instance)))
            .map(|(id, _)| *id)
            .collect();
        let ended: Vec<Set> = ids.iter().filter_map(|id| state.sets.remove(id)).collect();
        state.over = state.over || of.is_none();
        drop(state);
        self.changed.notify_one();
        drop(ended);
    }

    fn run(timers: &Weak<Self>) {
        while let Some(this) = timers.upgrade() {
            let mut state = this.state();
            if state.over {
                return;
            }
            let now = Clock::now();
            let next = state.due.first_key_value().map(|((at, id), ())| (*at, *id));
            match next {
                Some((at, id)) if at <= now => {
                    state.due.remove(&(at, id));
                    let due = state.sets.get_mut(&id).map(|set| {
                        set.count += 1;
                        (
                            Arc::clone(&set.instance),
                            Arc::clone(&set.handler),
                            set.count,
                            set.period,
                        )
                    });
                    drop(state);
                    if let Some((instance, handler, count, period)) = due {
                        this.call(id, &instance, &handler, count);
                        drop(handler);
                        this.again(id, period);
                    }
                }
                // Bounded, so that the thread sees that its host is gone.
                next => {
                    let longest = Duration::from_millis(500);
                    let wait = next.map_or(longest, |(at, _)| {
                        at.saturating_duration_since(now).min(longest)
                    });
                    let waited = this
                        .changed
                        .wait_timeout(state, wait)
                        .unwrap_or_else(PoisonError::into_inner);
                    drop(waited);
                }
            }
        }
    }

    fn again(&self, id: u64, period: Option<Duration>) {
        let mut state = self.state();
        let next = period.and_then(|period| Clock::now().checked_add(period));
        let ended = match next {
            Some(at) if state.sets.contains_key(&id) => {
                state.due.insert((at, id), ());
                None
            }
            _ => state.sets.remove(&id),
        };
        drop(state);
        drop(ended);
    }

    fn call(&self, id: u64, instance: &Arc<Instance>, handler: &OwnedHandler, count: u64) {
        let payload = Map::from_iter([
            ("timer_id".to_owned(), Value::from(id)),
            ("count".to_owned(), Value::from(count)),
        ]);
        let record = Record::from_json(Some(Timer::HOOK), &payload);
        let event = record.event();
        let dispatch = Dispatch::new(&event, Some(Timer::HOOK), Limits::default());
        let entering = Entering {
            handler,
            tag: id,
            cookie: 0,
            flags: CallFlags::NONE,
            watch: &**instance,
            deadline: None,
            reentrant: false,
        };
        let entered = match entering.enter(&dispatch, Parent::current()) {
            Entered::Pending(waiting) => waiting.block(None),
            entered => entered,
        };
        if let Entered::Faulted(kind, failed) = entered {
            self.faults
                .note(&instance.plugin, Timer::HOOK.name, kind, &failed);
        }
    }
}
