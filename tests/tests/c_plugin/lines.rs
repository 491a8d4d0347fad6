//! Keeps what is logged on a thread.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span;

/// A subscriber that keeps what it is told.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<String>>);

impl Lines {
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl tracing::Subscriber for Lines {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Line<'a>(&'a mut String);
        impl Visit for Line<'_> {
            fn record_str(&mut self, field: &Field, value: &str) {
                let _ = write!(self.0, "{}={value} ", field.name());
            }
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                let _ = write!(self.0, "{}={value:?} ", field.name());
            }
        }
        event.record(&mut Line(
            &mut self.0.lock().unwrap_or_else(PoisonError::into_inner),
        ));
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}
