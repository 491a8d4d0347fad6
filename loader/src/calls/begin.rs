//! How an event of a call begins: for the first time, or again.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::Instant as Clock;

use hermes_plugin_api::abi::host::Record;
use hermes_plugin_api::catalogue::Hook;
use serde_json::{Map, Value};

use super::entry::{Key, mark};
use super::fields::{Fields, Moment};
use super::judging::{Begun, Busy, Event, Judging};
use super::ring::{Put, Same};
use super::{Ledger, Unpaired, Why};
use crate::outcome::Outcome;

/// An event of a call, as the ledger reads it.
struct Call<'r> {
    key: Key,
    id: &'r str,
    tool: &'r str,
}

impl Ledger {
    /// Begins an event on this thread. One that came twice waits here for what the first comes to.
    #[inline]
    pub(crate) fn begin_now(&self, fields: Fields, record: &Record<'_>, nested: bool) -> Begun<'_> {
        match self.begin(fields, record, nested, true) {
            Ok(begun) => begun,
            Err(busy) => self.wait_now(fields, record, busy),
        }
    }

    #[cold]
    fn wait_now(&self, fields: Fields, record: &Record<'_>, mut busy: Busy) -> Begun<'_> {
        let until = Clock::now() + self.patience;
        loop {
            let over = || self.is_over(busy.0, fields.moment);
            let patient = self.waiting.block(over, until);
            match self.begin(fields, record, false, patient) {
                Ok(begun) => return begun,
                Err(other) => busy = other,
            }
        }
    }

    /// The same without holding a thread.
    pub(crate) async fn begin_later(
        &self,
        hook: &'static Hook,
        fields: Fields,
        payload: &Map<String, Value>,
        nested: bool,
    ) -> Begun<'_> {
        let mut until = None;
        let mut patient = true;
        loop {
            let begun = {
                let record = Record::from_json(Some(hook), payload);
                self.begin(fields, &record, nested, patient)
            };
            let Busy(number) = match begun {
                Ok(begun) => return begun,
                Err(busy) => busy,
            };
            let until = *until.get_or_insert_with(|| Clock::now() + self.patience);
            let over = || self.is_over(number, fields.moment);
            patient = self.waiting.over(over, until).await;
        }
    }

    fn is_over(&self, number: u64, moment: Moment) -> bool {
        self.ring.marks(number) & mark::busy(moment) == 0
    }

    #[inline]
    fn begin(
        &self,
        fields: Fields,
        record: &Record<'_>,
        nested: bool,
        patient: bool,
    ) -> Result<Begun<'_>, Busy> {
        if fields.moment == Moment::TurnEnd {
            self.end_turn(fields, record);
        }
        let event = Event {
            moment: fields.moment,
            nested,
        };
        let Some(call) = self.call(fields, record) else {
            return Ok(self.judge(event, 0));
        };
        if fields.moment == Moment::Post {
            Ok(self.result(&call, fields, record, event))
        } else {
            self.before(&call, patient && !nested, event)
        }
    }

    #[inline]
    const fn judge(&self, event: Event, number: u64) -> Begun<'_> {
        Begun::Judge(Judging {
            ledger: self,
            event,
            number,
            owns: false,
        })
    }

    #[inline]
    const fn judge_first(&self, event: Event, number: u64) -> Begun<'_> {
        Begun::Judge(Judging {
            ledger: self,
            event,
            number,
            owns: true,
        })
    }

    #[inline]
    fn call<'r>(&self, fields: Fields, record: &Record<'r>) -> Option<Call<'r>> {
        if !fields.is_of_call() {
            return None;
        }
        let id = record.id(fields.call)?;
        let scope = match record.id(fields.session) {
            Some(session) => self.scope(0, session),
            None => record.id(fields.task).map_or(0, |task| self.scope(1, task)),
        };
        let tool = record.str(fields.tool).unwrap_or_default();
        let turn = record.str(fields.turn).unwrap_or_default();
        let request = record.str(fields.request).unwrap_or_default();
        let key = Key {
            hash: self.hash(scope, id),
            what: self.quick.of([tool, turn, request]),
            args: self.arguments(fields, record),
            scope,
        };
        Some(Call { key, id, tool })
    }

    /// Of arguments that are too long to be looked at, no two are the same: one event too many is harmless,
    /// a call that nobody judged is not.
    #[inline]
    fn arguments(&self, fields: Fields, record: &Record<'_>) -> u64 {
        let Some(args) = record.json(fields.args) else {
            // An object that stands for a value JSON cannot hold is text by now.
            return record
                .str(fields.args)
                .map_or(0, |text| self.quick.of([text]));
        };
        self.quick
            .arguments(args)
            .unwrap_or_else(|| self.long.fetch_add(1, Ordering::Relaxed))
    }

    /// Sessions and tasks of one name are two scopes.
    #[inline]
    pub(super) fn scope(&self, kind: u64, name: &str) -> u64 {
        self.quick.of([name]).rotate_left(1) ^ kind
    }

    #[inline]
    fn hash(&self, scope: u64, id: &str) -> u64 {
        let mut hasher = self.keys.build_hasher();
        hasher.write_u64(scope);
        hasher.write(id.as_bytes());
        hasher.finish()
    }

    /// An event before the call runs. Whoever is not patient does not wait for another.
    #[inline]
    fn before(&self, call: &Call<'_>, patient: bool, event: Event) -> Result<Begun<'_>, Busy> {
        let (seen, busy) = (mark::seen(event.moment), mark::busy(event.moment));
        loop {
            match self.ring.put(&call.key, call.id, call.tool, seen | busy) {
                Put::New(number) => {
                    self.came(true);
                    return Ok(self.judge_first(event, number));
                }
                Put::Unnoted => return Ok(self.judge(event, 0)),
                Put::Known(number) => {
                    let first = |marks| (marks & seen == 0).then_some(marks | seen | busy);
                    match self.ring.update(number, first) {
                        Some(Ok(_)) => return Ok(self.judge_first(event, number)),
                        Some(Err(marks)) if marks & busy == 0 => {
                            return Ok(self.again(number, marks, event));
                        }
                        Some(Err(_)) if patient => return Err(Busy(number)),
                        Some(Err(_)) => return Ok(self.judge(event, number)),
                        // It was overtaken at this very moment.
                        None => {}
                    }
                }
            }
        }
    }

    /// An event after the call ran.
    #[inline]
    fn result(
        &self,
        call: &Call<'_>,
        fields: Fields,
        record: &Record<'_>,
        event: Event,
    ) -> Begun<'_> {
        let seen = mark::seen(Moment::Post);
        let first = |marks| (marks & seen == 0).then_some(marks | seen);
        // With other arguments than it was told with when a handler rewrote them.
        let of_call = || {
            let open = self.ring.find_without(&call.key, Same::Call, seen);
            open.or_else(|| self.ring.find(&call.key, Same::Call))
        };
        let mut known = self.ring.find(&call.key, Same::Event).or_else(of_call);
        if known.is_none()
            && let Some(number) = self.other_half(call, fields, record)
            && let Some(Ok(before)) = self.ring.update(number, first)
        {
            return self.paired(event, number, before);
        }
        loop {
            let number = match known {
                Some(number) => number,
                None => match self.ring.put(&call.key, call.id, call.tool, seen) {
                    Put::New(number) => {
                        self.came(false);
                        self.note_alone(call, fields, record);
                        return self.judge(event, number);
                    }
                    Put::Known(number) => number,
                    Put::Unnoted => return self.judge(event, 0),
                },
            };
            match self.ring.update(number, first) {
                Some(Ok(before)) => return self.paired(event, number, before),
                Some(Err(marks)) => return self.again(number, marks, event),
                None => known = None,
            }
        }
    }

    #[inline]
    fn paired(&self, event: Event, number: u64, before: u64) -> Begun<'_> {
        let told = mark::seen(Moment::Pre) | mark::seen(Moment::Before);
        if before & told != 0 && before & mark::CLOSED == 0 {
            self.complete.fetch_add(1, Ordering::Relaxed);
        }
        self.judge(event, number)
    }

    /// The call of a result that is not told in the same words: without turn and request, or by its task.
    #[cold]
    fn other_half(&self, call: &Call<'_>, fields: Fields, record: &Record<'_>) -> Option<u64> {
        self.ring.find(&call.key, Same::Id).or_else(|| {
            record.id(fields.session)?;
            let scope = self.scope(1, record.id(fields.task)?);
            let key = Key {
                hash: self.hash(scope, call.id),
                scope,
                ..call.key
            };
            self.ring.find(&key, Same::Id)
        })
    }

    /// A new call came: the oldest one makes room.
    #[inline]
    fn came(&self, before: bool) {
        if before && !self.told_before.load(Ordering::Relaxed) {
            self.told_before.store(true, Ordering::Relaxed);
        }
        self.slots.end_before(self.ring.oldest());
    }

    #[cold]
    fn note_alone(&self, call: &Call<'_>, fields: Fields, record: &Record<'_>) {
        if !self.told_before.load(Ordering::Relaxed) {
            return;
        }
        self.unpaired.add(Unpaired {
            tool_call_id: call.id.to_owned(),
            tool_name: call.tool.to_owned(),
            session_id: record.id(fields.session).map(str::to_owned),
            why: Why::NoPreSeen,
        });
    }

    /// An event that came before.
    #[cold]
    fn again(&self, number: u64, marks: u64, event: Event) -> Begun<'_> {
        let outcome = if marks & mark::kept(event.moment) == 0 {
            Some(Outcome::default())
        } else {
            self.outcomes().get(&(number, event.moment)).cloned()
        };
        match outcome {
            Some(outcome) => {
                self.duplicates.fetch_add(1, Ordering::Relaxed);
                Begun::Duplicate(Box::new(outcome))
            }
            // It was overtaken at this very moment, and nothing may pass unjudged.
            None => self.judge(event, number),
        }
    }

    fn outcomes(&self) -> MutexGuard<'_, BTreeMap<(u64, Moment), Outcome>> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    pub(super) fn keep(&self, number: u64, moment: Moment, outcome: &Outcome) {
        let mut outcomes = self.outcomes();
        *outcomes = outcomes.split_off(&(self.ring.oldest(), Moment::Pre));
        outcomes.insert((number, moment), outcome.clone());
    }
}
