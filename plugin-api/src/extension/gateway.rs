//! `hermes.gateway/1`: the live objects of `pre_gateway_dispatch`, for sending and for transcripts.

mod memory;
mod port;

use serde::{Deserialize, Serialize};

use super::live::LiveError;
use crate::abi::{
    CallRef, Datum, HandleKind,
    live::{self, Deed},
};

pub use self::{
    memory::MemoryGateway,
    port::{GatewayPort, LiveGateway},
};
pub use crate::abi::host::NotDone;

/// The name of the interface.
pub const NAME: &str = live::GATEWAY;

/// A message to send.
///
/// ```
/// use hermes_plugin_api::extension::gateway::Outgoing;
///
/// let message = Outgoing::new("telegram", "chat-1", "not here, please").thread_id("7").reply_to("m-3");
/// assert_eq!(message.thread_id.as_deref(), Some("7"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outgoing {
    /// Where the chat is: `telegram`, `discord`, …
    pub platform: String,
    /// Which chat.
    pub chat_id: String,
    /// What is sent.
    pub text: String,
    /// Which thread of the chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The message it replies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

impl Outgoing {
    /// A message into a chat.
    #[must_use]
    pub fn new(
        platform: impl Into<String>,
        chat_id: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            platform: platform.into(),
            chat_id: chat_id.into(),
            text: text.into(),
            ..Self::default()
        }
    }

    /// Into a thread of the chat.
    #[must_use]
    pub fn thread_id(mut self, thread_id: impl Into<String>) -> Self {
        self.thread_id = Some(thread_id.into());
        self
    }

    /// In reply to a message.
    #[must_use]
    pub fn reply_to(mut self, message_id: impl Into<String>) -> Self {
        self.reply_to = Some(message_id.into());
        self
    }
}

/// What the gateway says of a message it took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SendReceipt {
    /// The platform's id of the message, where it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

impl SendReceipt {
    /// A receipt without an id.
    #[must_use]
    pub const fn new() -> Self {
        Self { message_id: None }
    }

    /// The platform's id of the message.
    #[must_use]
    pub fn message_id(mut self, message_id: impl Into<String>) -> Self {
        self.message_id = Some(message_id.into());
        self
    }
}

/// One entry for a session's transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TranscriptEntry {
    /// Which session.
    pub session_key: String,
    /// Who says it: `user`, `assistant`, `system`.
    pub role: String,
    /// What is said.
    pub content: String,
}

impl TranscriptEntry {
    /// An entry for a session.
    #[must_use]
    pub fn new(
        session_key: impl Into<String>,
        role: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self {
            session_key: session_key.into(),
            role: role.into(),
            content: content.into(),
        }
    }
}

/// The gateway of one message, until the handler returns.
///
/// It cannot be kept: it borrows the call, and a call that was retained has none that works.
#[derive(Clone, Copy, Debug)]
pub struct Gateway<'a>(Live<'a>);

/// The session store of one message, until the handler returns.
#[derive(Clone, Copy, Debug)]
pub struct SessionStore<'a>(Live<'a>);

#[derive(Clone, Copy, Debug)]
struct Live<'a> {
    call: CallRef<'a>,
    /// Kind and number; `None` where the host sent no live object.
    handle: Option<(u64, u64)>,
}

impl<'a> Live<'a> {
    fn of(call: CallRef<'a>, field: u32) -> Self {
        let handle = match call.field(field) {
            Datum::Handle { kind, number } => Some((kind, number)),
            _ => None,
        };
        Self { call, handle }
    }

    fn act<T: Serialize>(&self, deed: Deed, what: &T) -> Result<String, LiveError> {
        let (kind, number) = self.handle.ok_or(LiveError::Unsupported)?;
        let json =
            serde_json::to_string(what).map_err(|error| LiveError::Failed(error.to_string()))?;
        Ok(self.call.act(deed, HandleKind(kind), number, &json)?)
    }
}

impl<'a> Gateway<'a> {
    pub(crate) fn of(call: CallRef<'a>, field: u32) -> Self {
        Self(Live::of(call, field))
    }

    /// Whether the host lent one with this event.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.0.handle.is_some()
    }

    /// Sends a message, on this thread.
    ///
    /// # Errors
    /// When the handler has returned, the host has no gateway, or the gateway could not send.
    pub fn send(&self, message: &Outgoing) -> Result<SendReceipt, LiveError> {
        let receipt = self.0.act(Deed::Send, message)?;
        serde_json::from_str(&receipt).map_err(|error| {
            LiveError::Failed(format!("sent, but the receipt is unreadable: {error}"))
        })
    }
}

impl<'a> SessionStore<'a> {
    pub(crate) fn of(call: CallRef<'a>, field: u32) -> Self {
        Self(Live::of(call, field))
    }

    /// Whether the host lent one with this event.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.0.handle.is_some()
    }

    /// Appends an entry to the transcript of a session, on this thread.
    ///
    /// # Errors
    /// When the handler has returned, the host has no session store, or the store could not append.
    pub fn append_to_transcript(&self, entry: &TranscriptEntry) -> Result<(), LiveError> {
        self.0.act(Deed::AppendToTranscript, entry).map(drop)
    }
}
