//! What needs a person, and what the person is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::moments::redact::Redact;
use crate::moments::scope::Scope;

/// A command that somebody flagged.
#[derive(Clone, Debug)]
#[must_use = "nobody has decided about it yet"]
pub struct Flagged {
    pub(super) command: String,
    /// Rule, and what it says.
    pub(super) reasons: Vec<(String, String)>,
    pub(super) hard_blocked: Option<String>,
    pub(super) scope: Scope,
    pub(super) tool_call_id: Option<String>,
    pub(super) args: Option<Value>,
}

impl Flagged {
    /// A command. Without a reason it may run.
    pub fn command(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            reasons: Vec::new(),
            hard_blocked: None,
            scope: Scope::default(),
            tool_call_id: None,
            args: None,
        }
    }

    /// One more rule that matched: its short id, and what is wrong in words.
    pub fn because(
        mut self,
        pattern_key: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        self.reasons.push((pattern_key.into(), description.into()));
        self
    }

    /// It never runs, and nobody is asked: why.
    pub fn hard_blocked(mut self, reason: impl Into<String>) -> Self {
        self.hard_blocked = Some(reason.into());
        self
    }

    /// Where it happens.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// The provider's id of the tool call it belongs to.
    pub fn tool_call(mut self, id: impl Into<String>) -> Self {
        self.tool_call_id = Some(id.into());
        self
    }

    /// With what the tool would run, for the person to see.
    pub fn args(mut self, args: Value) -> Self {
        self.args = Some(args);
        self
    }
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// Tells this question from every other of this process.
    pub id: u64,
    /// The command.
    pub command: String,
    /// What the rules say, joined with `; `.
    pub description: String,
    /// The rules that matched and were not allowed before.
    pub pattern_keys: Vec<String>,
    /// What an answer for the session is remembered by.
    pub session_key: String,
    /// The turn.
    pub turn_id: Option<String>,
    /// The tool call.
    pub tool_call_id: Option<String>,
    /// With what the tool would run, where a plugin asked.
    pub args: Option<Value>,
    /// How long the person has.
    pub timeout: Duration,
}

impl Prompt {
    pub(super) fn new(flagged: &Flagged, asked: &[&(String, String)], timeout: Duration) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let descriptions: Vec<&str> = asked.iter().map(|(_, text)| text.as_str()).collect();
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            command: flagged.command.clone(),
            description: descriptions.join("; "),
            pattern_keys: asked.iter().map(|(key, _)| key.clone()).collect(),
            session_key: flagged.scope.session_key().to_owned(),
            turn_id: flagged.scope.turn_id().map(str::to_owned),
            tool_call_id: flagged.tool_call_id.clone(),
            args: flagged.args.clone(),
            timeout,
        }
    }

    /// The first rule that matched.
    #[must_use]
    pub fn pattern_key(&self) -> &str {
        self.pattern_keys.first().map_or("", String::as_str)
    }

    pub(super) fn keys(&self) -> Value {
        Value::from(self.pattern_keys.clone())
    }

    /// The same for eyes that are no person's.
    pub(super) fn redacted(&self, secrets: &dyn Redact) -> Self {
        Self {
            command: secrets.redact(&self.command).into_owned(),
            description: secrets.redact(&self.description).into_owned(),
            args: None,
            ..self.clone()
        }
    }
}
