//! What plugins attached to calls: one thing for each plugin's instance and call.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_plugin_api::abi::host::OwnedHandler;

type Held = BTreeMap<(u64, u64), OwnedHandler>;

/// By call and instance. What is taken out is dropped without the lock, since that is plugin code.
#[derive(Debug, Default)]
pub(super) struct Slots {
    held: Mutex<Held>,
    count: AtomicUsize,
}

impl Slots {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        let mut held = self.held();
        let result = change(&mut held);
        self.count.store(held.len(), Ordering::SeqCst);
        result
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    /// Attaches; what was there before is dropped.
    pub(super) fn put(&self, call: u64, instance: u64, handler: OwnedHandler) {
        drop(self.change(|held| held.insert((call, instance), handler)));
    }

    pub(super) fn take(&self, call: u64, instance: u64) -> Option<OwnedHandler> {
        self.change(|held| held.remove(&(call, instance)))
    }

    /// Drops everything of these calls.
    #[cold]
    pub(super) fn end_calls(&self, calls: impl Iterator<Item = u64>) {
        if self.count() == 0 {
            return;
        }
        let ended: Vec<_> = self.change(|held| {
            let keys: Vec<_> = calls.flat_map(|call| of_call(held, call)).collect();
            keys.iter().filter_map(|key| held.remove(key)).collect()
        });
        drop(ended);
    }

    /// Drops everything of calls before `oldest`.
    #[inline]
    pub(super) fn end_before(&self, oldest: u64) {
        if self.count() > 0 {
            self.end_older(oldest);
        }
    }

    #[cold]
    fn end_older(&self, oldest: u64) {
        let ended = self.change(|held| {
            let kept = held.split_off(&(oldest, 0));
            std::mem::replace(held, kept)
        });
        drop(ended);
    }

    /// Drops everything of an instance.
    pub(super) fn end_instance(&self, instance: u64) {
        if self.count() == 0 {
            return;
        }
        let ended: Vec<_> = self.change(|held| {
            let own: Vec<_> = held
                .keys()
                .filter(|(_, of)| *of == instance)
                .copied()
                .collect();
            own.iter().filter_map(|key| held.remove(key)).collect()
        });
        drop(ended);
    }
}

fn of_call(held: &Held, call: u64) -> Vec<(u64, u64)> {
    held.range((call, 0)..=(call, u64::MAX))
        .map(|(key, _)| *key)
        .collect()
}

impl Drop for Slots {
    fn drop(&mut self) {
        // An instance that ended took its own along. What is left belongs to plugins that stay for ever,
        // since somebody is still inside them.
        let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(held));
    }
}
