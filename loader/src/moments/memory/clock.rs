//! A clock that stands still until it is moved.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::moments::clock::Clock;

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock(Mutex<Duration>);

impl ManualClock {
    /// A clock at its beginning.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its seconds since its beginning: it began in 1970.
    fn epoch(&self) -> f64 {
        self.now().as_secs_f64()
    }
}
