//! The end of a turn: who may want more, what the user is shown.

use hermes_plugin_api::catalogue::payload;
use serde_json::{Value, json};

use super::Turn;
use super::finished::Finished;
use crate::moments::SCHEMA;
use crate::outcome::VerifyOutcome;

impl Turn<'_> {
    /// Whether the agent may finish, having changed these files. Where a plugin wants it to go on, what it
    /// wants stands in the conversation as a message of the user, and the model is to be asked again.
    ///
    /// Plugins are asked only where files were changed, and at most `max_verify_nudges` times a turn.
    #[must_use]
    pub fn may_finish<P: Into<String>>(
        &mut self,
        changed_paths: impl IntoIterator<Item = P>,
    ) -> bool {
        let mut paths: Vec<String> = changed_paths.into_iter().map(Into::into).collect();
        let answer = self.answer.as_deref().unwrap_or_default();
        if paths.is_empty()
            || self.nudges >= self.setup.max_verify_nudges
            || self.running.is_interrupted()
        {
            return true;
        }
        paths.sort();
        paths.dedup();
        let paths = Value::from(paths);
        let session = self.session();
        let event = payload::PreVerify::new()
            .session_id(session.id())
            .platform(session.platform())
            .model(&self.facts.model)
            .coding(self.setup.coding)
            .attempt(i64::from(self.nudges))
            .final_response(answer)
            .changed_paths(&paths)
            .telemetry_schema_version(SCHEMA);
        match self.moments().host().fire(&event) {
            VerifyOutcome::Finish => true,
            VerifyOutcome::Continue { message, .. } => {
                self.nudges += 1;
                self.answer = None;
                self.conversation
                    .push(json!({"role": "user", "content": message}));
                false
            }
        }
    }

    /// Ends the turn with what the model said last.
    ///
    /// An answer that is not empty and was not interrupted goes through `transform_llm_output`, and
    /// `post_llm_call` sees what became of it; the history keeps the original.
    pub fn finish(mut self) -> Finished {
        let interrupted = self.running.is_interrupted();
        let original = self.answer.take().filter(|text| !text.is_empty());
        let text = match &original {
            Some(original) if !interrupted => Some(self.deliver(original)),
            _ => None,
        };
        let completed = text.is_some();
        self.running.end(completed, None);
        Finished {
            text,
            original,
            completed,
            interrupted,
        }
    }

    fn deliver(&self, original: &str) -> String {
        let (host, session) = (self.moments().host(), self.session());
        let event = payload::TransformLlmOutput::new()
            .response_text(original)
            .session_id(session.id())
            .model(&self.facts.model)
            .platform(session.platform())
            .telemetry_schema_version(SCHEMA);
        let outcome = host.fire(&event);
        let shown = outcome.shown(original);
        let event = payload::PostLlmCall::new()
            .session_id(session.id())
            .user_message(&self.user_message)
            .assistant_response(shown)
            .conversation_history(self.conversation.list())
            .model(&self.facts.model)
            .platform(session.platform())
            .task_id(session.task_id())
            .turn_id(self.scope.turn_id())
            .telemetry_schema_version(SCHEMA);
        host.fire(&event);
        shown.to_owned()
    }
}
