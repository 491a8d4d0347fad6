//! Asking a person, and remembering what was said.

mod answer;
mod flagged;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_plugin_api::catalogue::payload;
use serde_json::Value;

pub use self::answer::{Approval, Choice, Grant, Refused, Ruling};
pub use self::flagged::{Flagged, Prompt};
use super::SCHEMA;
use super::ground::Moments;
use super::scope::Scope;
use crate::guard;
use crate::outcome::Ask;

/// Reaches people.
///
/// # Threads
/// Called from several threads at once; each call may wait for a person.
pub trait Approver: Send + Sync {
    /// Whether anybody can be asked in this session. Where nobody can, a command that needs a person does
    /// not run.
    fn reachable(&self, _session_key: &str) -> bool {
        true
    }

    /// Tells the person that there is a question, where that is a step of its own: a message in a chat.
    ///
    /// # Errors
    /// When the person cannot be told; the command does not run then.
    fn notify(&self, _prompt: &Prompt) -> Result<(), String> {
        Ok(())
    }

    /// Waits for the answer, at most [`Prompt::timeout`].
    fn answer(&self, prompt: &Prompt) -> Choice;
}

/// Keeps what people allowed for good.
pub trait ApprovalStore: Send + Sync {
    /// Whether this rule was allowed for good.
    fn is_allowed(&self, pattern_key: &str) -> bool;

    /// Allows a rule for good.
    ///
    /// # Errors
    /// When it cannot be kept; it is then remembered for the session.
    fn allow(&self, pattern_key: &str) -> Result<(), String>;
}

/// A model that judges commands before a person is asked.
pub trait Judge: Send + Sync {
    /// What it makes of a command. Secrets are taken out of what it sees.
    fn judge(&self, prompt: &Prompt) -> Ruling;
}

/// When a person is asked.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ApprovalMode {
    /// Whenever a command is flagged.
    #[default]
    Ask,
    /// When this judge does not know.
    Smart(Arc<dyn Judge>),
    /// Never: everything runs but what is blocked without asking.
    Off,
}

impl fmt::Debug for ApprovalMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ask => "Ask",
            Self::Smart(_) => "Smart",
            Self::Off => "Off",
        })
    }
}

/// Decides whether a flagged command may run, and asks a person where somebody has to.
///
/// `pre_approval_request` fires before a real prompt, and `post_approval_response` after its answer;
/// neither fires where nobody is asked. What plugins answer to them is ignored.
pub struct Approvals {
    moments: Moments,
    approver: Arc<dyn Approver>,
    store: Arc<dyn ApprovalStore>,
    mode: ApprovalMode,
    timeout: Duration,
    sessions: Mutex<BTreeMap<String, Remembered>>,
}

/// What was said in a session.
#[derive(Default)]
struct Remembered {
    allowed: BTreeSet<String>,
    yolo: bool,
}

/// How long a person has, unless said otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Approvals {
    /// Approvals of an agent: these people are asked, and this keeps what they allow for good.
    pub fn new(
        moments: &Moments,
        approver: Arc<dyn Approver>,
        store: Arc<dyn ApprovalStore>,
    ) -> Self {
        Self {
            moments: moments.clone(),
            approver,
            store,
            mode: ApprovalMode::default(),
            timeout: TIMEOUT,
            sessions: Mutex::default(),
        }
    }

    /// When a person is asked.
    #[must_use]
    pub fn mode(mut self, mode: ApprovalMode) -> Self {
        self.mode = mode;
        self
    }

    /// How long a person has; 60 seconds unless said.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Lets everything run in a session but what is blocked without asking, or ends that.
    pub fn set_yolo(&self, session_key: &str, on: bool) {
        self.sessions()
            .entry(session_key.to_owned())
            .or_default()
            .yolo = on;
    }

    /// Forgets what was said in a session that is over.
    pub fn forget(&self, session_key: &str) {
        self.sessions().remove(session_key);
    }

    /// Whether a flagged command may run; asks, where somebody has to be asked.
    pub fn decide(&self, flagged: &Flagged) -> Approval {
        if let Some(reason) = &flagged.hard_blocked {
            return Approval::Refused(Refused::HardBlocked(reason.clone()));
        }
        let prompt = match self.unsettled(flagged) {
            ControlFlow::Break(grant) => return Approval::Granted(grant),
            ControlFlow::Continue(prompt) => prompt,
        };
        if let ApprovalMode::Smart(judge) = &self.mode
            && let Some(settled) = self.judged(&**judge, &prompt)
        {
            return settled;
        }
        self.ask(&prompt)
    }

    /// Asks a person because a plugin wants one: under the key `plugin_rule:<rule key or tool>`.
    pub(super) fn escalate(
        &self,
        tool: &str,
        args: &Value,
        ask: &Ask,
        scope: &Scope,
        tool_call_id: Option<&str>,
    ) -> Approval {
        let key = format!("plugin_rule:{}", ask.rule_key.as_deref().unwrap_or(tool));
        let description = match &ask.message {
            Some(message) => message.clone(),
            None => format!("plugin `{}` wants a person to agree to `{tool}`", ask.by),
        };
        let mut flagged = Flagged::command(format!("{tool} (plugin approval rule)"))
            .because(key, description)
            .args(args.clone())
            .scope(scope.clone());
        if let Some(id) = tool_call_id {
            flagged = flagged.tool_call(id);
        }
        // A plugin asked for a person, so no model stands in for one.
        match self.unsettled(&flagged) {
            ControlFlow::Break(grant) => Approval::Granted(grant),
            ControlFlow::Continue(prompt) => self.ask(&prompt),
        }
    }

    pub(super) const fn moments(&self) -> &Moments {
        &self.moments
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Remembered>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What remains to be asked, or why nothing does.
    fn unsettled(&self, flagged: &Flagged) -> ControlFlow<Grant, Prompt> {
        if flagged.reasons.is_empty() {
            return ControlFlow::Break(Grant::NotFlagged);
        }
        if matches!(self.mode, ApprovalMode::Off) {
            return ControlFlow::Break(Grant::Off);
        }
        let here: BTreeSet<String> = {
            let sessions = self.sessions();
            match sessions.get(flagged.scope.session_key()) {
                Some(session) if session.yolo => return ControlFlow::Break(Grant::Yolo),
                Some(session) => session.allowed.clone(),
                None => BTreeSet::new(),
            }
        };
        let asked: Vec<&(String, String)> = flagged
            .reasons
            .iter()
            .filter(|(key, _)| !here.contains(key) && !self.store.is_allowed(key))
            .collect();
        if asked.is_empty() {
            return ControlFlow::Break(Grant::Remembered);
        }
        ControlFlow::Continue(Prompt::new(flagged, &asked, self.timeout))
    }

    /// What the judge makes of it, unless it leaves it to a person.
    fn judged(&self, judge: &dyn Judge, prompt: &Prompt) -> Option<Approval> {
        let prompt = prompt.redacted(self.moments.secrets());
        self.before(&prompt, "smart");
        match guard::caught(|| judge.judge(&prompt)) {
            Ok(Ruling::Approve) => {
                self.after(&prompt, "smart", "smart_approve", Some("aux_llm"));
                Some(Approval::Granted(Grant::Smart))
            }
            Ok(Ruling::Deny) => {
                self.after(&prompt, "smart", "smart_deny", Some("aux_llm"));
                Some(Approval::Refused(Refused::Smart))
            }
            Ok(Ruling::Escalate) => None,
            Err(panic) => {
                tracing::warn!("the judge of commands panicked, so a person is asked: {panic}");
                None
            }
        }
    }

    fn ask(&self, prompt: &Prompt) -> Approval {
        let reachable = guard::caught(|| self.approver.reachable(&prompt.session_key));
        if reachable != Ok(true) {
            return Approval::Refused(Refused::NoPerson);
        }
        let surface = self.moments.surface().as_str();
        self.before(prompt, surface);
        let told = guard::caught(|| self.approver.notify(prompt)).unwrap_or_else(Err);
        if let Err(why) = told {
            tracing::warn!(
                "a person could not be asked, so `{}` does not run: {why}",
                prompt.command
            );
            return Approval::Refused(Refused::NotTold(why));
        }
        let choice = match guard::caught(|| self.approver.answer(prompt)) {
            Ok(choice) => choice,
            Err(panic) => {
                tracing::warn!(
                    "asking a person panicked, so `{}` does not run: {panic}",
                    prompt.command
                );
                self.after(prompt, surface, Choice::Deny.as_str(), None);
                return Approval::Refused(Refused::Failed(panic));
            }
        };
        self.remember(prompt, choice);
        self.after(prompt, surface, choice.as_str(), None);
        match choice {
            Choice::Once | Choice::Session | Choice::Always => {
                Approval::Granted(Grant::Person(choice))
            }
            Choice::Deny => Approval::Refused(Refused::Denied),
            Choice::Timeout => Approval::Refused(Refused::TimedOut),
        }
    }

    fn remember(&self, prompt: &Prompt, choice: Choice) {
        if choice == Choice::Always {
            for key in &prompt.pattern_keys {
                if let Err(why) = self.store.allow(key) {
                    tracing::warn!("`{key}` is allowed for this session only: {why}");
                }
            }
        }
        if matches!(choice, Choice::Session | Choice::Always) {
            let mut sessions = self.sessions();
            let session = sessions.entry(prompt.session_key.clone()).or_default();
            session.allowed.extend(prompt.pattern_keys.iter().cloned());
        }
    }

    fn before(&self, prompt: &Prompt, surface: &str) {
        let keys = prompt.keys();
        let event = payload::PreApprovalRequest::new()
            .command(&prompt.command)
            .description(&prompt.description)
            .pattern_key(prompt.pattern_key())
            .pattern_keys(&keys)
            .session_key(&prompt.session_key)
            .surface(surface)
            .turn_id(prompt.turn_id.as_deref())
            .tool_call_id(prompt.tool_call_id.as_deref())
            .telemetry_schema_version(SCHEMA);
        self.moments.host().fire(&event);
    }

    fn after(&self, prompt: &Prompt, surface: &str, choice: &str, decided_by: Option<&str>) {
        let keys = prompt.keys();
        let event = payload::PostApprovalResponse::new()
            .command(&prompt.command)
            .description(&prompt.description)
            .pattern_key(prompt.pattern_key())
            .pattern_keys(&keys)
            .session_key(&prompt.session_key)
            .surface(surface)
            .choice(choice)
            .turn_id(prompt.turn_id.as_deref())
            .tool_call_id(prompt.tool_call_id.as_deref())
            .telemetry_schema_version(SCHEMA);
        let event = match decided_by {
            Some(by) => event.decided_by(by),
            None => event,
        };
        self.moments.host().fire(&event);
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals")
            .field("mode", &self.mode)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
