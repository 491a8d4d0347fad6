//! Waits for an advisory lock, but not for ever.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::AuditError;

/// The file that is locked; the log's own files are renamed, so they cannot serve.
pub(crate) const LOCK: &str = "audit-log.lock";

const PAUSE: Duration = Duration::from_micros(200);

/// Tries until it works; the lock ends when the file is closed, also by a crash.
pub(crate) fn wait(
    file: &File,
    path: &Path,
    timeout: Duration,
    attempt: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(), AuditError> {
    let since = Instant::now();
    loop {
        match attempt(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                let path = path.to_owned();
                return Err(AuditError::Io {
                    action: "lock",
                    path,
                    source,
                });
            }
            Err(TryLockError::WouldBlock) if since.elapsed() >= timeout => {
                let waited_ms = timeout.as_millis().try_into().unwrap_or(u64::MAX);
                return Err(AuditError::Busy {
                    path: path.to_owned(),
                    waited_ms,
                });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}
