//! What plugins attach to calls, as the host in memory keeps it.

use std::{
    cell::RefCell,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value as Json};

use super::{instance::Instance, live::InMemory};
use crate::abi::{
    CallSlots, ServiceCode,
    host::{self, OwnedHandler, call_slots},
};

/// Which tool call an event is about: its session, or else its task; and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallKey {
    scope: String,
    id: String,
}

fn text<'p>(payload: &'p Map<String, Json>, names: [&str; 2]) -> Option<&'p str> {
    let text = names.iter().find_map(|name| payload.get(*name)?.as_str())?;
    (!text.is_empty()).then_some(text)
}

/// The session of an event, or else its task.
pub(crate) fn scope(payload: &Map<String, Json>) -> Option<&str> {
    text(payload, ["session_id", "sessionId"]).or_else(|| text(payload, ["task_id", "taskId"]))
}

impl CallKey {
    /// The call of an event; `None` when the event has no id, or is of another hook.
    pub(crate) fn of(hook: &str, payload: &Map<String, Json>) -> Option<Self> {
        let of_calls = ["pre_tool_call", "before_tool_call", "post_tool_call"];
        let id = text(payload, ["tool_call_id", "toolCallId"])?;
        of_calls.contains(&hook).then(|| Self {
            scope: scope(payload).unwrap_or_default().to_owned(),
            id: id.to_owned(),
        })
    }

    /// Whether the call belongs to this session or task.
    pub(crate) fn is_of(&self, scope: &str) -> bool {
        self.scope == scope
    }
}

thread_local! {
    /// The call whose event is delivered on this thread.
    static CURRENT: RefCell<Option<CallKey>> = const { RefCell::new(None) };
}

/// Says which call it is until it is dropped.
#[derive(Debug)]
pub(crate) struct Here(Option<CallKey>);

impl Here {
    pub(crate) fn enter(key: Option<CallKey>) -> Self {
        Self(CURRENT.replace(key))
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// What one instance attached.
#[derive(Debug, Default)]
pub(super) struct Slots(Mutex<Vec<(CallKey, OwnedHandler)>>);

impl Slots {
    fn held(&self) -> MutexGuard<'_, Vec<(CallKey, OwnedHandler)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops what is attached to these calls; without the lock, since that is plugin code.
    pub(super) fn end(&self, ended: impl Fn(&CallKey) -> bool) {
        drop(self.remove(ended));
    }

    fn remove(&self, wanted: impl Fn(&CallKey) -> bool) -> Vec<(CallKey, OwnedHandler)> {
        let mut held = self.held();
        let (taken, kept) = held.drain(..).partition(|(key, _)| wanted(key));
        *held = kept;
        taken
    }
}

/// The table of `hermes.calls/1`.
pub(super) static CALL_SLOTS: CallSlots = call_slots::<InMemory>();

impl host::Slots for InMemory {
    fn attach(instance: u64, what: OwnedHandler) -> Result<(), (ServiceCode, OwnedHandler)> {
        let Some(instance) = Instance::of(instance) else {
            return Err((ServiceCode::GONE, what));
        };
        let Some(key) = CURRENT.with_borrow(Clone::clone) else {
            return Err((ServiceCode::UNSUPPORTED, what));
        };
        let before = instance.attached.remove(|other| *other == key);
        instance.attached.held().push((key, what));
        drop(before);
        Ok(())
    }

    fn take(instance: u64) -> Result<Option<OwnedHandler>, ServiceCode> {
        let instance = Instance::of(instance).ok_or(ServiceCode::GONE)?;
        let key = CURRENT.with_borrow(Clone::clone);
        let key = key.ok_or(ServiceCode::UNSUPPORTED)?;
        let taken = instance.attached.remove(|other| *other == key).pop();
        Ok(taken.map(|(_, taken)| taken))
    }
}
