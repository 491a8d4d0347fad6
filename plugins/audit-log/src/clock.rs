//! Where the time of a record comes from.

use std::time::SystemTime;

/// Tells the time of a record; any `Fn() -> SystemTime` will do.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

impl<F: Fn() -> SystemTime + Send + Sync> Clock for F {
    fn now(&self) -> SystemTime {
        self()
    }
}

/// RFC 3339 in UTC with microseconds. A time that a calendar cannot hold becomes the epoch.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{time:.6}")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[track_caller]
    fn check(since_epoch: Duration, expected: &str) {
        assert_eq!(rfc3339(UNIX_EPOCH + since_epoch), expected);
    }

    #[test]
    fn times() {
        check(Duration::ZERO, "1970-01-01T00:00:00.000000Z");
        check(
            Duration::from_micros(1_796_055_233_571_083),
            "2026-11-30T16:13:53.571083Z",
        );
        check(Duration::from_secs(1 << 40), "1970-01-01T00:00:00.000000Z");
    }
}
