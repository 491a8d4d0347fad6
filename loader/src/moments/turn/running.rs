//! A turn that has not ended, for those who may have to end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_plugin_api::catalogue::payload;

use crate::moments::SCHEMA;
use crate::moments::ground::Moments;
use crate::moments::sessions::Session;

/// A turn that has not ended. It ends once, whoever ends it.
pub(in crate::moments) struct Running {
    pub(super) moments: Moments,
    pub(super) session: Session,
    pub(super) model: String,
    pub(super) turn_id: String,
    interrupted: AtomicBool,
    ended: AtomicBool,
}

impl Running {
    pub(super) const fn new(
        moments: Moments,
        session: Session,
        model: String,
        turn_id: String,
    ) -> Self {
        Self {
            moments,
            session,
            model,
            turn_id,
            interrupted: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    pub(in crate::moments) fn session_id(&self) -> &str {
        self.session.id()
    }

    pub(in crate::moments) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Acquire)
    }

    /// Tells the observers that the turn is over, unless they know.
    pub(in crate::moments) fn end(&self, completed: bool, reason: Option<&str>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        let event = payload::OnSessionEnd::new()
            .session_id(self.session.id())
            .model(self.model.as_str())
            .platform(self.session.platform())
            .completed(completed)
            .interrupted(self.is_interrupted())
            .task_id(self.session.task_id())
            .turn_id(self.turn_id.as_str())
            .telemetry_schema_version(SCHEMA);
        let event = match reason {
            Some(reason) => event.reason(reason),
            None => event,
        };
        self.moments.host().fire(&event);
    }
}

/// Interrupts a turn, from any thread.
#[derive(Clone)]
pub struct Interrupter(pub(super) Arc<Running>);

impl Interrupter {
    /// The turn stops at its next step, and counts as interrupted.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl std::fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interrupter").finish_non_exhaustive()
    }
}
