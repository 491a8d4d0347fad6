//! A gateway in memory: it takes everything, and remembers it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{GatewayPort, NotDone, Outgoing, SendReceipt, TranscriptEntry};

/// A gateway in memory: it takes everything, and remembers it.
///
/// For hosts without platforms, and for tests.
#[derive(Debug, Default)]
pub struct MemoryGateway {
    sent: Mutex<Vec<Outgoing>>,
    transcript: Mutex<Vec<TranscriptEntry>>,
}

/// A panic while a lock is held leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MemoryGateway {
    /// A gateway that has sent nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything that was sent, in order.
    #[must_use]
    pub fn sent(&self) -> Vec<Outgoing> {
        lock(&self.sent).clone()
    }

    /// Everything that was appended to transcripts, in order.
    #[must_use]
    pub fn transcript(&self) -> Vec<TranscriptEntry> {
        lock(&self.transcript).clone()
    }
}

impl GatewayPort for MemoryGateway {
    fn send(&self, message: &Outgoing) -> Result<SendReceipt, NotDone> {
        let mut sent = lock(&self.sent);
        sent.push(message.clone());
        Ok(SendReceipt::new().message_id(format!("memory-{}", sent.len())))
    }

    fn append_to_transcript(&self, entry: &TranscriptEntry) -> Result<(), NotDone> {
        lock(&self.transcript).push(entry.clone());
        Ok(())
    }
}
