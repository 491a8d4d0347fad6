//! A message that arrives at the gateway, from the wire to the agent.

use std::sync::Arc;

use hermes_plugin_api::catalogue::payload;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::SCHEMA;
use super::ground::Moments;
use crate::gateway_port::GatewayPort;
use crate::guard;
use crate::outcome::FlowOutcome;

/// The gateway's door: who may come in, and how one is answered.
///
/// # Threads
/// Called on the thread that received the message.
pub trait Door: Send + Sync {
    /// Whether the sender may speak to the agent.
    fn is_authorised(&self, source: &Source) -> bool;

    /// What a stranger is told who may ask to be let in: a text with a pairing code. Nothing when strangers
    /// get no answer. Only asked for direct messages.
    fn pairing(&self, _source: &Source) -> Option<String> {
        None
    }

    /// Sends a text to where a message came from.
    ///
    /// # Errors
    /// When it cannot be sent; the log says so.
    fn send(&self, source: &Source, text: &str) -> Result<(), String>;

    /// What plugins may send and append to transcripts with while they look at a message. Nothing, unless
    /// this gives something.
    fn gateway(&self) -> &dyn GatewayPort {
        &Nothing
    }
}

/// A gateway that offers plugins nothing.
struct Nothing;

impl GatewayPort for Nothing {}

/// Where a message came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// `telegram`, `discord`, …
    pub platform: String,
    /// The chat.
    pub chat_id: String,
    /// `dm`, `group`, `channel` or `thread`.
    pub chat_type: String,
    /// The sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The sender's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_name: Option<String>,
    /// The thread in the chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Whether the sender is a program.
    pub is_bot: bool,
}

/// A message that arrived.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a message that is not received is lost"]
pub struct Inbound {
    /// An object, in the shape of Hermes' message events.
    event: Value,
    source: Source,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use]
pub enum Received {
    /// A plugin dropped it. Nobody is answered.
    Skipped {
        /// Why.
        reason: Option<String>,
        /// The plugin whose word it is.
        by: Arc<str>,
    },
    /// The sender may not speak to the agent.
    Unauthorised {
        /// Whether the sender was told how to be let in.
        pairing_offered: bool,
    },
    /// It is a command: `/name arguments`.
    Command {
        /// The name, without the slash.
        name: String,
        /// What stands behind it.
        args: String,
        /// The message.
        message: Inbound,
    },
    /// It is for the agent.
    Message(Inbound),
}

impl Inbound {
    /// A text from somewhere.
    pub fn new(source: Source, text: impl Into<String>) -> Self {
        let event = json!({
            "text": text.into(),
            "message_type": "text",
            "source": source,
            "media_urls": [],
            "media_types": [],
            "internal": false,
        });
        Self { event, source }
    }

    /// A message event in Hermes' shape: `text`, `message_type`, `source`, … What is not known is kept. What
    /// is missing of its source counts as empty, so that such a sender is no one's friend.
    pub fn from_event(event: Map<String, Value>) -> Self {
        let source = event.get("source").cloned().unwrap_or_default();
        Self {
            source: serde_json::from_value(source).unwrap_or_default(),
            event: Value::Object(event),
        }
    }

    /// One more member of the event: `message_id`, `reply_to_text`, …
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Value::Object(event) = &mut self.event {
            event.insert(name.to_owned(), value.into());
        }
        self
    }

    /// A message that the agent made itself: plugins are not asked, and nobody has to be let in.
    pub fn internal(self) -> Self {
        self.member("internal", true)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.event
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Where it came from.
    #[must_use]
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &Value {
        &self.event
    }

    /// Whether the agent made it itself.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        self.event.get("internal") == Some(&Value::Bool(true))
    }

    /// Does all that comes before the agent: `pre_gateway_dispatch`, then authorisation and pairing, then
    /// commands are told apart.
    pub fn receive(self, moments: &Moments, door: &dyn Door) -> Received {
        if self.is_internal() {
            return self.told_apart();
        }
        let message = match self.dispatch(moments, door) {
            FlowOutcome::Skip { reason, by } => {
                tracing::info!(
                    plugin = &*by,
                    reason = reason.as_deref().unwrap_or_default(),
                    platform = self.source.platform,
                    chat = self.source.chat_id,
                    "a message is skipped"
                );
                return Received::Skipped { reason, by };
            }
            FlowOutcome::Rewrite { text, .. } => self.member("text", text),
            FlowOutcome::Pass | FlowOutcome::Allow { .. } => self,
        };
        // A door that breaks stays shut.
        let source = &message.source;
        if guard::caught(|| door.is_authorised(source)) != Ok(true) {
            let pairing_offered = message.offer_pairing(door);
            return Received::Unauthorised { pairing_offered };
        }
        message.told_apart()
    }

    fn dispatch(&self, moments: &Moments, door: &dyn Door) -> FlowOutcome {
        let event = payload::PreGatewayDispatch::new()
            .event(&self.event)
            .telemetry_schema_version(SCHEMA);
        moments.host().fire_inbound(&event, door.gateway())
    }

    fn offer_pairing(&self, door: &dyn Door) -> bool {
        let source = &self.source;
        if source.chat_type != "dm" {
            return false;
        }
        let offered = guard::caught(|| match door.pairing(source) {
            Some(text) => door.send(source, &text).map(|()| true),
            None => Ok(false),
        });
        match offered.unwrap_or_else(Err) {
            Ok(offered) => offered,
            Err(why) => {
                tracing::warn!(
                    platform = source.platform,
                    chat = source.chat_id,
                    "a pairing code could not be sent: {why}"
                );
                false
            }
        }
    }

    fn told_apart(self) -> Received {
        let command = self.text().trim().strip_prefix('/').and_then(|rest| {
            let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let is_name = !name.is_empty() && !name.contains('/');
            is_name.then(|| (name.to_owned(), args.trim().to_owned()))
        });
        match command {
            Some((name, args)) => Received::Command {
                name,
                args,
                message: self,
            },
            None => Received::Message(self),
        }
    }
}
