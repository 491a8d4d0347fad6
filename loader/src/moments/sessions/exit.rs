//! The end of all sessions, bounded.

use std::sync::{Arc, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::{Inner, end_all};
use crate::moments::ground::Surface;

/// How an agent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// How long turns that still run may go on.
    pub turns: Duration,
    /// How long plugins have for what they do at the end.
    pub plugins: Duration,
    /// Why.
    pub reason: ExitReason,
}

/// Why an agent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitReason {
    /// It was told to.
    Shutdown,
    /// A person at the keyboard ended it.
    KeyboardInterrupt,
}

impl ExitReason {
    /// The word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shutdown => "shutdown",
            Self::KeyboardInterrupt => "keyboard_interrupt",
        }
    }
}

impl Exit {
    /// It was told to: turns are ended at once, plugins have ten seconds.
    #[must_use]
    pub const fn shutdown() -> Self {
        Self {
            turns: Duration::ZERO,
            plugins: Duration::from_secs(10),
            reason: ExitReason::Shutdown,
        }
    }

    /// A person at the keyboard ended it; otherwise the same.
    #[must_use]
    pub const fn keyboard_interrupt() -> Self {
        Self {
            reason: ExitReason::KeyboardInterrupt,
            ..Self::shutdown()
        }
    }
}

/// Ends everything once; false when plugins took too long.
pub(super) fn carry_out(inner: &Arc<Inner>, exit: Exit) -> bool {
    {
        let mut book = inner.book();
        if std::mem::replace(&mut book.over, true) {
            return true;
        }
        let turns = book.open.values().flat_map(|open| &open.running);
        turns.for_each(|turn| turn.interrupt());
    }
    wait_for_turns(inner, exit.turns);
    let (done, waiting) = mpsc::channel();
    let work = {
        let inner = Arc::clone(inner);
        move || {
            end_everything(&inner, exit);
            // Nobody waits any more when it took too long.
            let _ = done.send(());
        }
    };
    let thread = std::thread::Builder::new().name("hermes-exit".to_owned());
    if thread.spawn(work).is_err() {
        end_everything(inner, exit);
        return true;
    }
    let in_time = waiting.recv_timeout(exit.plugins) != Err(mpsc::RecvTimeoutError::Timeout);
    if !in_time {
        tracing::warn!(
            "plugins took longer than {:?} for the end of the sessions",
            exit.plugins
        );
    }
    in_time
}

fn wait_for_turns(inner: &Inner, patience: Duration) {
    let until = Instant::now() + patience;
    let mut book = inner.book();
    while book.open.values().any(|open| !open.running.is_empty()) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let waited = inner.ended.wait_timeout(book, left);
        (book, _) = waited.unwrap_or_else(PoisonError::into_inner);
    }
}

fn end_everything(inner: &Inner, exit: Exit) {
    let (open, used) = {
        let mut book = inner.book();
        (std::mem::take(&mut book.open), book.used)
    };
    let platform = inner.own_platform();
    for open in open.into_values() {
        end_all(&open.running, Some(exit.reason.as_str()));
        // One that is being reset is finalized by whoever resets it.
        if !open.closing {
            inner.finalize(Some(open.session.id()), Some(platform), "shutdown", None);
        }
    }
    if !used && inner.moments.surface() == Surface::Cli {
        inner.finalize(None, Some(platform), "shutdown", None);
    }
}
