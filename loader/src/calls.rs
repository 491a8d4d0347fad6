//! The ledger of tool calls: each event of a call is delivered once, and results are paired with calls.

mod begin;
mod current;
mod entry;
mod fields;
mod hash;
mod judging;
mod report;
mod ring;
mod slots;
mod tasks;
mod wait;

use std::collections::BTreeMap;
use std::hash::RandomState;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_plugin_api::abi::host::{OwnedHandler, Record};
use hermes_plugin_api::catalogue::{self, Hook};
use serde_json::{Map, Value, json};

pub(crate) use self::current::Here;
use self::entry::mark;
pub(crate) use self::fields::{Fields, Moment};
use self::hash::Fold;
pub(crate) use self::judging::Begun;
pub use self::report::{CallsReport, Unpaired, Why};
use self::ring::Ring;
use crate::outcome::Outcome;
use crate::registry::Chain;

/// How long an event that came twice waits for the first one's outcome, before it is judged by itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an outcome says when the host filled the session in.
pub(crate) const INFERRED: &[&str] = &["session_id"];

/// Somebody handles events of tool calls.
const CALLS: u8 = 1;
/// Somebody handles events that have a session and a task.
const SESSIONS: u8 = 2;

/// All tool calls of one host that have an id.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// What strangers choose, the ids of calls, is hashed with care.
    keys: RandomState,
    quick: Fold,
    fields: Box<[Option<Fields>]>,
    heard: AtomicU8,
    ring: Ring,
    tasks: tasks::Tasks,
    slots: slots::Slots,
    waiting: wait::Waiting,
    /// What the first event came to, where that is more than nothing.
    outcomes: Mutex<BTreeMap<(u64, Moment), Outcome>>,
    /// Whether any call was told before it ran: some hosts send no id there.
    told_before: AtomicBool,
    /// Tells calls apart whose arguments are too long to be looked at.
    long: AtomicU64,
    complete: AtomicU64,
    duplicates: AtomicU64,
    unpaired: report::List,
    patience: Duration,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::patient(PATIENCE)
    }
}

impl Ledger {
    fn patient(patience: Duration) -> Self {
        Self {
            keys: RandomState::new(),
            quick: Fold::default(),
            fields: fields::all(),
            heard: AtomicU8::new(0),
            ring: Ring::default(),
            tasks: tasks::Tasks::default(),
            slots: slots::Slots::default(),
            waiting: wait::Waiting::default(),
            outcomes: Mutex::default(),
            told_before: AtomicBool::new(false),
            long: AtomicU64::new(0),
            complete: AtomicU64::new(0),
            duplicates: AtomicU64::new(0),
            unpaired: report::List::default(),
            patience,
        }
    }

    /// Takes note of which hooks have handlers.
    pub(crate) fn listen(&self, handled: impl Fn(&Hook) -> bool) {
        let heard = catalogue::all()
            .filter(|hook| handled(hook))
            .filter_map(|hook| self.fields(hook));
        let heard = heard.fold(0, |heard, fields| {
            let calls = if fields.is_of_call() { CALLS } else { 0 };
            let sessions = if fields.tells_sessions() { SESSIONS } else { 0 };
            heard | calls | sessions
        });
        self.heard.store(heard, Ordering::Relaxed);
    }

    /// What matters of a hook's events; `None` when nothing does.
    #[inline]
    pub(crate) fn fields(&self, hook: &Hook) -> Option<Fields> {
        *self.fields.get(hook.number as usize)?
    }

    /// What matters of an event that this chain handles, or nobody does.
    #[inline]
    pub(crate) fn matters(&self, hook: &Hook, chain: Option<&Chain>) -> Option<Fields> {
        if chain.is_some() {
            self.fields(hook)
        } else {
            self.overhears(hook)
        }
    }

    #[inline]
    fn overhears(&self, hook: &Hook) -> Option<Fields> {
        let heard = self.heard.load(Ordering::Relaxed);
        if heard == 0 {
            return None;
        }
        self.fields(hook).filter(|fields| {
            let of_calls = fields.moment != Moment::Other && heard & CALLS != 0;
            of_calls || fields.tells_sessions() && heard & SESSIONS != 0
        })
    }

    /// The session of an event that has a task and does not say it; learns from events that have both.
    #[inline]
    pub(crate) fn session(&self, fields: Fields, record: &Record<'_>) -> Option<Arc<str>> {
        if !fields.tells_sessions() {
            return None;
        }
        let task = record.id(fields.task)?;
        match record.id(fields.session) {
            Some(session) => {
                self.tasks.learn(task, session, self.quick.of([session]));
                None
            }
            None => self.tasks.session(task),
        }
    }

    /// Fills the session into a payload. False when there was nothing to do.
    pub(crate) fn fill(
        &self,
        hook: &'static Hook,
        fields: Fields,
        payload: &mut Map<String, Value>,
    ) -> bool {
        let session = self.session(fields, &Record::from_json(Some(hook), payload));
        let field = hook.fields.get(fields.session as usize);
        let (Some(session), Some(field)) = (session, field) else {
            return false;
        };
        payload.insert(field.name.to_owned(), json!({ "$inferred": &*session }));
        true
    }

    /// Closes the calls of a turn that ended: those without a result are told, and what is attached is dropped.
    fn end_turn(&self, fields: Fields, record: &Record<'_>) {
        let session = record.id(fields.session);
        let task = record.id(fields.task);
        let scopes = [
            session.map(|session| self.scope(0, session)),
            task.map(|task| self.scope(1, task)),
        ];
        let close = |marks| (marks & mark::CLOSED == 0).then_some(marks | mark::CLOSED);
        let mut ended: Vec<(u64, bool)> = Vec::new();
        for (number, _, scope) in self.ring.all() {
            if !scopes.contains(&Some(scope)) {
                continue;
            }
            if let Some(Ok(before)) = self.ring.update(number, close) {
                let open = mark::is_open(before);
                if open || self.slots.count() > 0 {
                    ended.push((number, open));
                }
            }
        }
        ended.sort_unstable();
        for (number, _) in ended.iter().filter(|(_, open)| *open) {
            if let Some((tool_call_id, tool_name)) = self.ring.names(*number) {
                self.unpaired.add(Unpaired {
                    tool_call_id,
                    tool_name,
                    session_id: session.map(str::to_owned),
                    why: Why::NoResultSeen,
                });
            }
        }
        self.slots
            .end_calls(ended.iter().map(|(number, _)| *number));
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Attaches something to the call whose handler runs on this thread. It is given back when there is no
    /// such call, or its turn is over.
    pub(crate) fn attach(&self, instance: u64, what: OwnedHandler) -> Result<(), OwnedHandler> {
        let Some(number) = current::of(self.address()) else {
            return Err(what);
        };
        self.slots.put(number, instance, what);
        let marks = self.ring.marks(number);
        if marks == 0 || marks & mark::CLOSED != 0 {
            // Whoever ended the call has dropped it, or nobody will.
            return self.slots.take(number, instance).map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// Takes what an instance attached to the call whose handler runs on this thread; `None` when there is no
    /// such call.
    pub(crate) fn take(&self, instance: u64) -> Option<Option<OwnedHandler>> {
        let number = current::of(self.address())?;
        Some(self.slots.take(number, instance))
    }

    /// Drops everything that an instance attached.
    pub(crate) fn end_instance(&self, instance: u64) {
        self.slots.end_instance(instance);
    }

    /// What became of the calls so far.
    pub(crate) fn report(&self) -> CallsReport {
        let (unpaired, unpaired_total) = self.unpaired.all();
        let open = self
            .ring
            .all()
            .filter(|(_, marks, _)| mark::is_open(*marks));
        CallsReport {
            open: open.count(),
            complete: self.complete.load(Ordering::Relaxed),
            duplicates: self.duplicates.load(Ordering::Relaxed),
            attached: self.slots.count(),
            unpaired_total,
            unpaired,
        }
    }
}

#[cfg(test)]
mod tests;
