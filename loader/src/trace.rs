//! What each handler did with an event, and how long it took: for people, not for speed.

use std::sync::Arc;
use std::time::{Duration, Instant as Clock};

use serde::Serialize;
use serde_json::Value;

use crate::dispatch::{Ended, Probe};
use crate::fault::FaultKind;
use crate::outcome::Outcome;
use crate::registry::Entry;

/// What an event came to, and how.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Traced {
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What each handler did, in the order of the calls.
    pub calls: Vec<TracedCall>,
    /// How long the whole took.
    #[serde(rename = "total_ns", serialize_with = "nanoseconds")]
    pub total: Duration,
}

/// What one handler did.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct TracedCall {
    /// Whose.
    pub plugin: Arc<str>,
    /// Whether it stands with the guards.
    pub guard: bool,
    /// Its priority.
    pub priority: f64,
    /// Its answer, if it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// Its fault, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FaultKind>,
    /// How long it took.
    #[serde(rename = "ns", serialize_with = "nanoseconds")]
    pub took: Duration,
}

fn nanoseconds<S: serde::Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// Reads the clock before and after each call.
#[derive(Default)]
pub(crate) struct Stopwatch {
    started: Option<Clock>,
    pub(crate) calls: Vec<TracedCall>,
}

impl Probe for Stopwatch {
    fn before(&mut self, _: &Entry) {
        self.started = Some(Clock::now());
    }

    fn after(&mut self, entry: &Entry, ended: &Ended) {
        let took = self
            .started
            .take()
            .map(|started| started.elapsed())
            .unwrap_or_default();
        let (answer, fault) = match ended {
            Ended::Quiet => (None, None),
            Ended::Answered(answer) => (Some(answer.clone()), None),
            Ended::Faulted(kind) => (None, Some(*kind)),
        };
        let plugin = Arc::clone(&entry.plugin);
        self.calls.push(TracedCall {
            plugin,
            guard: entry.guard,
            priority: entry.priority,
            answer,
            fault,
            took,
        });
    }
}
