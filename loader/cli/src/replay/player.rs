//! Plays one event after the other, and leaves out what would not have come about.

use hermes_loader::{Host, Traced};
use serde_json::Value;

use super::calls::{Calls, asks};
use super::recording::Event;

/// A host with a recording in it.
pub(crate) struct Player<'h> {
    host: &'h Host,
    calls: Calls,
}

/// What became of one event.
#[derive(Debug)]
pub(crate) enum Step {
    /// It was fired.
    Fired(Box<Traced>),
    /// Its call is blocked, so it would not have come about.
    Withheld,
}

impl<'h> Player<'h> {
    pub(crate) fn new(host: &'h Host) -> Self {
        Self {
            host,
            calls: Calls::default(),
        }
    }

    pub(crate) fn step(&mut self, event: &Event) -> anyhow::Result<Step> {
        if self.calls.withholds(event) {
            return Ok(Step::Withheld);
        }
        let traced = self
            .host
            .trace_json(&event.hook, &Value::Object(event.kwargs.clone()))?;
        if asks(&event.hook) {
            self.calls.begin(event, traced.outcome.is_refused());
        }
        Ok(Step::Fired(Box::new(traced)))
    }
}
