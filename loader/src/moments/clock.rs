//! Time, as moments measure it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What time it is. Injected, so that tests need not wait.
pub trait Clock: Send + Sync {
    /// Time since some moment that stays the same. Never goes back.
    fn now(&self) -> Duration;

    /// Seconds since 1970, as events carry them.
    fn epoch(&self) -> f64;
}

/// The clock of this machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn epoch(&self) -> f64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0.0, |since| since.as_secs_f64())
    }
}

/// Whole milliseconds, what is over is cut off.
pub(super) fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
