//! What came of the events: kept as the JSON that `hermes hooks fire --json` shows.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{decision, read::Event};

/// What a case came to.
pub(super) struct Played {
    /// One for each event, in the order of the file.
    pub(super) events: Vec<Observed>,
    /// How each plugin of each profile stands in the end.
    pub(super) plugins: Vec<Standing>,
    /// What the hosts say of the calls: one report for each home.
    pub(super) calls: Vec<Value>,
    /// Warnings and errors that name a plugin, in the order they were said.
    pub(super) warnings: Vec<String>,
    /// What `hermes plugins check` ended with, if that was asked.
    pub(super) check_code: Option<i32>,
}

/// One event, and what came of it.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    pub(super) event: Event,
    /// Which events arrived at the same moment.
    pub(super) moment: usize,
    pub(super) outcome: Value,
    /// How many handlers its hook has.
    pub(super) handlers: usize,
    pub(super) began: Instant,
    pub(super) ended: Instant,
}

/// One plugin of one home, in the end.
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) loaded: bool,
    /// Why it is not loaded.
    pub(super) why: String,
    /// Its hooks: name, the word for whether it is fired, and what was probably meant.
    pub(super) hooks: Vec<(String, String, Option<String>)>,
    /// How often each of its hooks was called, by its own count.
    pub(super) calls: BTreeMap<String, u64>,
    /// What it recorded.
    pub(super) records: Vec<Value>,
}

impl Observed {
    /// The word for what was decided.
    pub(super) fn word(&self) -> &'static str {
        decision::word(&self.outcome)
    }

    /// The text that goes on: the handlers', else the event's own.
    pub(super) fn text(&self) -> Option<&str> {
        decision::text(&self.event.kwargs, &self.outcome)
    }

    /// The text as it came.
    pub(super) fn original(&self) -> Option<&str> {
        decision::original(&self.event.kwargs)
    }

    pub(super) fn took(&self) -> Duration {
        self.ended.saturating_duration_since(self.began)
    }

    /// A field of the event that is text.
    pub(super) fn field(&self, name: &str) -> &str {
        self.event.kwargs[name].as_str().unwrap_or_default()
    }
}
