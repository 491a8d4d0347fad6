//! The gateway as a host has it, and how it is lent to handlers.

use std::fmt;

use serde::de::DeserializeOwned;

use super::{Outgoing, SendReceipt, TranscriptEntry};
use crate::{
    abi::{
        HandleKind,
        host::{Lent, LiveAct, LiveObject, NotDone, Parent, Record, lend},
    },
    catalogue::{HookPoint as _, PreGatewayDispatch},
};

/// What a host does for the handlers of a message that arrives: send, and append to transcripts.
///
/// What an implementation leaves out answers "unsupported". It is called on the thread of the handler, with
/// no lock of the host held; a panic of it is told to the plugin as a failure.
pub trait GatewayPort {
    /// Sends a message.
    ///
    /// # Errors
    /// Why it was not sent.
    fn send(&self, message: &Outgoing) -> Result<SendReceipt, NotDone> {
        let _ = message;
        Err(NotDone::Unsupported)
    }

    /// Appends an entry to the transcript of a session.
    ///
    /// # Errors
    /// Why it was not appended.
    fn append_to_transcript(&self, entry: &TranscriptEntry) -> Result<(), NotDone> {
        let _ = entry;
        Err(NotDone::Unsupported)
    }
}

/// A port as it is lent with one event.
pub struct LiveGateway<'p>(pub &'p dyn GatewayPort);

impl fmt::Debug for LiveGateway<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveGateway").finish_non_exhaustive()
    }
}

impl LiveGateway<'_> {
    /// Lends the port while `fire` runs, which is given the event with both live objects in it.
    pub fn lend<R>(
        &self,
        mut event: Record<'_>,
        parent: Parent,
        fire: impl FnOnce(&Record<'_>) -> R,
    ) -> R {
        lend(self, parent, None, |number| {
            for (name, kind) in [
                ("gateway", HandleKind::GATEWAY),
                ("session_store", HandleKind::SESSION_STORE),
            ] {
                if let Some(field) = PreGatewayDispatch::HOOK.field(name) {
                    event.set(field.number, Lent::handle(kind, number));
                }
            }
            fire(&event)
        })
    }
}

impl LiveObject for LiveGateway<'_> {
    fn act(&self, act: LiveAct, json: &str) -> Result<String, NotDone> {
        match act {
            LiveAct::Send => {
                let receipt = self.0.send(&read::<Outgoing>("a message", json)?)?;
                serde_json::to_string(&receipt).map_err(|error| NotDone::Failed(error.to_string()))
            }
            LiveAct::AppendToTranscript => {
                let entry = read::<TranscriptEntry>("an entry of a transcript", json)?;
                self.0.append_to_transcript(&entry)?;
                Ok(String::new())
            }
            LiveAct::Next => Err(NotDone::Unsupported),
        }
    }
}

fn read<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, NotDone> {
    serde_json::from_str(json)
        .map_err(|error| NotDone::Invalid(format!("this is not {what}: {error}")))
}
