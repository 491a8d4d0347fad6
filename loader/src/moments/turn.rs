//! A turn: from what the user said to what the user is shown.

mod attempt;
mod finish;
mod finished;
mod history;
mod model;
mod running;
mod sanitise;
mod setup;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use hermes_plugin_api::catalogue::payload;
use serde_json::{Value, json};

use self::attempt::Attempt;
pub use self::finished::{Finished, TurnError};
use self::history::Conversation;
pub use self::history::History;
pub use self::model::{Model, ModelError, ModelFacts, Reply, Request};
pub use self::running::Interrupter;
pub(super) use self::running::Running;
pub use self::setup::{TurnSetup, UserMessage};
use super::SCHEMA;
use super::ground::Moments;
use super::scope::Scope;
use super::sessions::{Session, Sessions};
use super::tool_call::{ToolCall, ToolResult, Tools};
use crate::outcome::UserContext;

/// A turn that has begun, and ends exactly once: by [`Turn::finish`], or by being dropped, whatever the
/// reason. `on_session_end` fires then.
///
/// ```no_run
/// # use hermes_loader::moments::{Sessions, Tools, Turn, TurnError, TurnSetup};
/// # fn f(sessions: &Sessions, setup: TurnSetup<'_>, tools: &Tools<'_>) -> Result<(), TurnError> {
/// let mut turn = Turn::begin(sessions, "s1", setup, "hello")?;
/// loop {
///     let reply = turn.ask()?;
///     let calls = reply.tool_calls();
///     if !calls.is_empty() {
///         turn.run_tools(tools, calls)?;
///     } else if turn.may_finish(["src/main.rs"]) {
///         break;
///     }
/// }
/// println!("{}", turn.finish().text.unwrap_or_default());
/// # Ok(()) }
/// ```
#[must_use = "a turn that is dropped has failed"]
pub struct Turn<'a> {
    sessions: &'a Sessions,
    setup: TurnSetup<'a>,
    facts: ModelFacts,
    running: Arc<Running>,
    scope: Scope,
    conversation: Conversation<'a>,
    /// Where this turn's user message stands.
    user_at: usize,
    user_message: Value,
    context: UserContext,
    requests: u32,
    nudges: u32,
    /// What the model said last, where that was no call of a tool.
    answer: Option<String>,
}

impl<'a> Turn<'a> {
    /// Begins a turn in the session that is open under a key.
    ///
    /// Fires `on_session_start` if the session is brand-new, then `pre_llm_call`.
    ///
    /// # Errors
    /// When no session is open under the key, or its history cannot be read. Nothing has fired then.
    pub fn begin(
        sessions: &'a Sessions,
        key: &str,
        setup: TurnSetup<'a>,
        message: impl Into<UserMessage>,
    ) -> Result<Self, TurnError> {
        let not_open = || TurnError::NotOpen {
            key: key.to_owned(),
        };
        let session = sessions.open_under(key).ok_or_else(not_open)?;
        let conversation =
            Conversation::load(setup.history, session.id()).map_err(|why| TurnError::History {
                session: session.id().to_owned(),
                why,
            })?;
        let facts = setup.model.facts();
        let hex = u32::try_from(RandomState::new().build_hasher().finish() >> 32);
        let turn_id = format!(
            "{}:{}:{:08x}",
            session.id(),
            session.task_id(),
            hex.unwrap_or_default()
        );
        let scope = Scope::session(session.id())
            .key(session.key())
            .task(session.task_id())
            .turn(&turn_id);
        let moments = sessions.moments().clone();
        let running = Arc::new(Running::new(moments, session, facts.model.clone(), turn_id));
        let first = conversation.count() == 0;
        let brand_new = sessions.begin(key, &running, first).ok_or_else(not_open)?;
        let mut turn = Self {
            sessions,
            setup,
            facts,
            running,
            scope,
            user_at: conversation.count(),
            conversation,
            user_message: message.into().0,
            context: UserContext::default(),
            requests: 0,
            nudges: 0,
            answer: None,
        };
        // From here on, dropping the turn ends it.
        let said = json!({"role": "user", "content": turn.user_message});
        turn.conversation.push(said);
        if brand_new {
            turn.start();
        }
        turn.context = turn.contexts(first);
        Ok(turn)
    }

    fn session(&self) -> &Session {
        &self.running.session
    }

    fn moments(&self) -> &Moments {
        &self.running.moments
    }

    fn start(&self) {
        let event = payload::OnSessionStart::new()
            .session_id(self.session().id())
            .model(self.facts.model.as_str())
            .platform(self.session().platform())
            .telemetry_schema_version(SCHEMA);
        self.moments().host().fire(&event);
    }

    fn contexts(&self, first: bool) -> UserContext {
        let session = self.session();
        let event = payload::PreLlmCall::new()
            .session_id(session.id())
            .user_message(&self.user_message)
            .conversation_history(self.conversation.list())
            .is_first_turn(first)
            .model(&self.facts.model)
            .platform(session.platform())
            .sender_id(session.sender_id())
            .task_id(session.task_id())
            .turn_id(self.scope.turn_id())
            .telemetry_schema_version(SCHEMA);
        self.moments().host().fire(&event)
    }

    /// The ids of this turn, for tool calls and approvals outside [`Turn::run_tools`].
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Interrupts this turn, from another thread.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(Arc::clone(&self.running))
    }

    /// Whether somebody interrupted.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.running.is_interrupted()
    }

    /// Asks the model, and keeps what it says. Every request of the turn carries the same contexts, at the
    /// end of the user's message; none of them is kept.
    ///
    /// # Errors
    /// When the model failed, also after all retries; or when somebody interrupted.
    pub fn ask(&mut self) -> Result<Reply, TurnError> {
        self.requests += 1;
        self.answer = None;
        let request_id = format!(
            "{}:api:{}",
            self.scope.turn_id().unwrap_or_default(),
            self.requests
        );
        self.scope = self.scope.clone().api_request(request_id);
        let messages = self.to_send();
        let mut retries = 0;
        loop {
            if self.running.is_interrupted() {
                return Err(TurnError::Interrupted);
            }
            let attempt = Attempt {
                moments: self.moments(),
                facts: &self.facts,
                scope: &self.scope,
                platform: self.session().platform(),
                user_message: &self.user_message,
                conversation: self.conversation.list(),
                request: Request {
                    model: &self.facts.model,
                    messages: &messages,
                    tools: &self.setup.tools,
                    max_tokens: self.setup.max_tokens,
                    number: self.requests,
                },
                retries,
                max_retries: self.setup.max_retries,
            };
            match attempt.make(self.setup.model) {
                Ok(reply) => {
                    self.conversation.push(reply.message.clone());
                    if reply.tool_calls().is_empty() {
                        self.answer = reply.content().map(str::to_owned);
                    }
                    return Ok(reply);
                }
                Err(error) if error.retryable == Some(true) && retries < self.setup.max_retries => {
                    retries += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The messages as they are sent: the system prompt, and the contexts in the message of the user.
    fn to_send(&self) -> Value {
        let kept = self.conversation.list().as_array();
        let kept = kept.map(Vec::as_slice).unwrap_or_default();
        let mut messages: Vec<Value> = Vec::with_capacity(kept.len() + 1);
        if let Some(system) = &self.setup.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        for (index, message) in kept.iter().enumerate() {
            let mut message = message.clone();
            if index == self.user_at
                && let Value::String(text) = &self.user_message
            {
                message["content"] = self.context.appended_to(text).into();
            }
            messages.push(message);
        }
        Value::Array(messages)
    }

    /// Runs the tools that the model asked for, as one batch, and keeps their results for it.
    ///
    /// # Errors
    /// When somebody interrupted. Nothing runs then, and the model is told so in the history.
    pub fn run_tools(
        &mut self,
        tools: &Tools<'_>,
        calls: Vec<ToolCall>,
    ) -> Result<Vec<ToolResult>, TurnError> {
        if self.running.is_interrupted() {
            for call in calls {
                let text = json!({"error": "the user interrupted"}).to_string();
                self.conversation.push(json!({
                    "role": "tool",
                    "tool_call_id": call.tool_call_id(),
                    "name": call.tool_name(),
                    "content": text,
                }));
            }
            return Err(TurnError::Interrupted);
        }
        let calls = calls.into_iter().map(|call| call.scope(self.scope.clone()));
        let results = ToolCall::batch(calls, tools);
        for result in &results {
            self.conversation.push(result.message());
        }
        Ok(results)
    }
}

impl Drop for Turn<'_> {
    /// The finally position: after a panic, an error, an early return.
    fn drop(&mut self) {
        self.running.end(false, None);
        self.sessions.ended(&self.running);
    }
}

impl std::fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
