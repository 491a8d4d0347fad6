//! Children of a turn: a `delegate_task` call.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hermes_plugin_api::catalogue::payload;

use super::SCHEMA;
use super::clock::milliseconds;
use super::ground::Moments;
use super::scope::Scope;
use crate::guard;

/// One call of `delegate_task`.
///
/// `subagent_start` fires for each child before any runs; `subagent_stop` after all are done, in the order of
/// the tasks, on the thread of the parent.
#[derive(Clone, Debug, Default)]
#[must_use = "no child runs yet"]
pub struct Delegation {
    parent: Scope,
    parent_subagent_id: Option<String>,
}

/// What a child is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The child.
    pub subagent_id: String,
    /// Its session.
    pub session_id: Option<String>,
    /// `leaf` or `orchestrator`.
    pub role: Option<String>,
    /// What it is to do.
    pub goal: String,
}

/// What came of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildEnd {
    /// How it went.
    pub status: ChildStatus,
    /// Its final answer.
    pub summary: Option<String>,
}

impl ChildEnd {
    /// It is done, and says this.
    #[must_use]
    pub fn completed(summary: impl Into<String>) -> Self {
        Self {
            status: ChildStatus::Completed,
            summary: Some(summary.into()),
        }
    }

    /// It ended otherwise, and says nothing.
    #[must_use]
    pub const fn without_answer(status: ChildStatus) -> Self {
        Self {
            status,
            summary: None,
        }
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildStatus {
    /// With an answer.
    Completed,
    /// Without one.
    Failed,
    /// Somebody interrupted.
    Interrupted,
    /// With an error.
    Error,
    /// It took too long.
    TimedOut,
    /// Nobody waited for it: reported as interrupted, after no time at all.
    Abandoned,
}

impl ChildStatus {
    /// The word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Interrupted | Self::Abandoned => "interrupted",
            Self::Error => "error",
            Self::TimedOut => "timeout",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Completed,
            Self::Failed,
            Self::Interrupted,
            Self::Error,
            Self::TimedOut,
        ]
        .into_iter()
        .find(|status| status.as_str() == word)
    }
}

/// A child that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Child {
    /// What it was to do.
    pub task: Task,
    /// What came of it.
    pub end: ChildEnd,
    /// How long it took.
    pub took: Duration,
}

/// How many children run at once, unless said otherwise.
const CHILDREN: usize = 8;

impl Delegation {
    /// By this turn.
    pub fn of(parent: Scope) -> Self {
        Self {
            parent,
            parent_subagent_id: None,
        }
    }

    /// By a parent that is a child itself.
    pub fn by_subagent(mut self, id: impl Into<String>) -> Self {
        self.parent_subagent_id = Some(id.into());
        self
    }

    /// Runs the children, up to eight at once, and gives what came of them in the order of the tasks. A child
    /// that panics ends with an error.
    ///
    /// # Threads
    /// `run` is called on threads of its own.
    pub fn run(
        &self,
        moments: &Moments,
        tasks: Vec<Task>,
        run: impl Fn(&Task) -> ChildEnd + Sync,
    ) -> Vec<Child> {
        tasks.iter().for_each(|task| self.start(moments, task));
        let places: Vec<OnceLock<(ChildEnd, Duration)>> =
            tasks.iter().map(|_| OnceLock::new()).collect();
        let queue = Mutex::new(tasks.iter().zip(&places));
        let work = || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((task, place)) = next else { return };
                let start = moments.time().now();
                let end = guard::caught(|| run(task)).unwrap_or_else(|panic| {
                    tracing::warn!(child = task.subagent_id, "a child panicked: {panic}");
                    ChildEnd::without_answer(ChildStatus::Error)
                });
                let took = moments.time().now().saturating_sub(start);
                // Each place is filled once, so it is never taken.
                let _ = place.set((end, took));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..tasks.len().min(CHILDREN) {
                let child = std::thread::Builder::new().name("hermes-child".to_owned());
                if child.spawn_scoped(scope, work).is_err() {
                    // No thread to be had: the parent's own does what is left.
                    work();
                    break;
                }
            }
        });
        let ends = places.into_iter().map(OnceLock::into_inner);
        let children: Vec<Child> = tasks
            .into_iter()
            .zip(ends)
            .map(|(task, end)| {
                let (end, took) = end.unwrap_or((
                    ChildEnd::without_answer(ChildStatus::Abandoned),
                    Duration::ZERO,
                ));
                Child { task, end, took }
            })
            .collect();
        children.iter().for_each(|child| self.stop(moments, child));
        children
    }

    fn start(&self, moments: &Moments, task: &Task) {
        let event = payload::SubagentStart::new()
            .parent_session_id(self.parent.session_id())
            .parent_turn_id(self.parent.turn_id())
            .parent_subagent_id(self.parent_subagent_id.as_deref())
            .child_session_id(task.session_id.as_deref())
            .child_subagent_id(task.subagent_id.as_str())
            .child_role(task.role.as_deref())
            .child_goal(task.goal.as_str())
            .telemetry_schema_version(SCHEMA);
        moments.host().fire(&event);
    }

    fn stop(&self, moments: &Moments, child: &Child) {
        let took = match child.end.status {
            ChildStatus::Abandoned => Duration::ZERO,
            _ => child.took,
        };
        let event = payload::SubagentStop::new()
            .parent_session_id(self.parent.session_id())
            .child_role(child.task.role.as_deref())
            .child_summary(child.end.summary.as_deref())
            .child_status(child.end.status.as_str())
            .duration_ms(milliseconds(took))
            .parent_turn_id(self.parent.turn_id())
            .child_session_id(child.task.session_id.as_deref())
            .telemetry_schema_version(SCHEMA);
        moments.host().fire(&event);
    }
}
