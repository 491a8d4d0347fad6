//! An event of a call while it is being delivered, and what it leaves for those that come again.

use super::Ledger;
use super::current::Here;
use super::entry::mark;
use super::fields::Moment;
use crate::outcome::Outcome;

/// How an event of a call begins.
#[derive(Debug)]
pub(crate) enum Begun<'l> {
    /// It is delivered.
    Judge(Judging<'l>),
    /// It was delivered before, and came to this.
    Duplicate(Box<Outcome>),
}

/// The call whose event is being delivered just now.
pub(super) struct Busy(pub(super) u64);

/// One event that is being delivered. Unless it is finished, it counts as never delivered.
#[derive(Debug)]
#[must_use]
pub(crate) struct Judging<'l> {
    pub(super) ledger: &'l Ledger,
    pub(super) event: Event,
    /// The call; 0 for none.
    pub(super) number: u64,
    /// Others wait for what it comes to.
    pub(super) owns: bool,
}

/// What an event is, besides its call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) moment: Moment,
    /// It was fired from inside a handler.
    pub(super) nested: bool,
}

impl Judging<'_> {
    /// Says on this thread, until it is dropped, which call handlers attach to.
    #[inline]
    pub(crate) fn here(&self) -> Option<Here> {
        let of_call = self.number != 0;
        // From inside a handler of another call, even an event of no call must say so.
        (of_call || self.event.nested).then(|| Here::enter(self.ledger.address(), self.number))
    }

    /// Ends it: this is what the event came to, also for those that wait.
    #[inline]
    pub(crate) fn finish(mut self, outcome: &Outcome) {
        let moment = self.event.moment;
        let kept = if outcome.replies.is_empty() {
            0
        } else {
            self.keep(outcome)
        };
        if std::mem::take(&mut self.owns) {
            self.end(kept, mark::busy(moment));
        } else if kept != 0 && moment == Moment::Post {
            self.end(kept, 0);
        }
    }

    /// The marks for an outcome that is kept.
    #[cold]
    fn keep(&self, outcome: &Outcome) -> u64 {
        let moment = self.event.moment;
        if self.number == 0 || !(self.owns || moment == Moment::Post) {
            return 0;
        }
        self.ledger.keep(self.number, moment, outcome);
        let refused = if outcome.is_refused() {
            mark::REFUSED
        } else {
            0
        };
        mark::kept(moment) | refused
    }

    #[inline]
    fn end(&self, set: u64, clear: u64) {
        let change = |marks| Some(marks & !clear | set);
        // Nothing to change when it was overtaken.
        let _ = self.ledger.ring.update(self.number, change);
        self.ledger.waiting.wake();
    }
}

impl Drop for Judging<'_> {
    fn drop(&mut self) {
        if self.owns {
            // Nobody wanted the answer any more, so nothing was decided.
            let moment = self.event.moment;
            self.end(0, mark::busy(moment) | mark::seen(moment));
        }
    }
}
