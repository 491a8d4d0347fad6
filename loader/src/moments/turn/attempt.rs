//! One attempt to get an answer from the model, and the events around it.

use std::time::Duration;

use hermes_plugin_api::catalogue::{HookPoint as _, LlmExecution, LlmRequest, payload};
use serde_json::{Value, json};

use super::model::{Model, ModelError, ModelFacts, Reply, Request};
use super::sanitise::sanitised;
use crate::guard;
use crate::middleware::ExecutionError;
use crate::moments::ground::Moments;
use crate::moments::scope::Scope;
use crate::moments::{NOTHING, SCHEMA};

/// What the events of one attempt share.
pub(super) struct Attempt<'a> {
    pub(super) moments: &'a Moments,
    pub(super) facts: &'a ModelFacts,
    pub(super) scope: &'a Scope,
    pub(super) platform: Option<&'a str>,
    pub(super) user_message: &'a Value,
    pub(super) conversation: &'a Value,
    pub(super) request: Request<'a>,
    pub(super) retries: u32,
    pub(super) max_retries: u32,
}

/// What sort of failure it is when a guard in the middleware could not judge.
const REFUSED: &str = "refused";

fn count(list: &Value) -> i64 {
    let length = list.as_array().map_or(0, Vec::len);
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn characters(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

impl Attempt<'_> {
    /// Asks the model what middleware makes of the request, inside the middleware around it.
    pub(super) fn make(&self, model: &dyn Model) -> Result<Reply, ModelError> {
        let host = self.moments.host();
        if !host.has(LlmRequest::HOOK.name) {
            return self.observed(model, &self.request, &NOTHING);
        }
        let body = self.request.body();
        let event = payload::LlmRequest::new()
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .telemetry_schema_version(SCHEMA);
        match host.llm_request(&event, &body) {
            Ok(asked) => {
                let trace = Value::Array(asked.trace);
                self.observed(model, &self.request.over(&asked.value), &trace)
            }
            Err(refused) => Err(ModelError::new(REFUSED, refused.to_string())),
        }
    }

    fn observed(
        &self,
        model: &dyn Model,
        request: &Request<'_>,
        trace: &Value,
    ) -> Result<Reply, ModelError> {
        let clock = self.moments.time();
        let (start, started_at) = (clock.now(), clock.epoch());
        self.before(request, trace, started_at);
        let reply = guard::caught(|| self.ask(model, request, trace))
            .unwrap_or_else(|panic| Err(ModelError::new("panic", panic)));
        let took = clock.now().saturating_sub(start);
        match &reply {
            Ok(reply) => self.after(request, trace, reply, started_at, took),
            Err(error) => self.failed(request, error, started_at, took),
        }
        reply
    }

    fn ask(
        &self,
        model: &dyn Model,
        request: &Request<'_>,
        trace: &Value,
    ) -> Result<Reply, ModelError> {
        let host = self.moments.host();
        if !host.has(LlmExecution::HOOK.name) {
            return model.ask(request);
        }
        let event = payload::LlmExecution::new()
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .middleware_trace(trace)
            .telemetry_schema_version(SCHEMA);
        let run = |body: &Value| Ok(model.ask(&request.over(body))?.to_json());
        let reply = host.llm_execution(&event, &request.body(), run);
        reply.map(Reply::of_json).map_err(|error| match error {
            ExecutionError::Downstream(error) => error,
            ExecutionError::Refused(refused) => ModelError::new(REFUSED, refused.to_string()),
        })
    }

    /// The request as it may be shown. Made only where somebody looks.
    fn shown(&self, body: &Value) -> Value {
        let body = sanitised(body, self.moments.payload_characters());
        json!({"method": "POST", "body": body})
    }

    fn before(&self, request: &Request<'_>, trace: &Value, started_at: f64) {
        let host = self.moments.host();
        if !host.has("pre_api_request") {
            return;
        }
        let body = request.body();
        let size = characters(&body.to_string());
        let shown = self.shown(&body);
        let event = payload::PreApiRequest::new()
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .platform(self.platform)
            .model(&self.facts.model)
            .provider(self.facts.provider.as_deref())
            .base_url(self.facts.base_url.as_deref())
            .api_mode(self.facts.api_mode.as_deref())
            .api_call_count(i64::from(request.number))
            .message_count(count(request.messages))
            .tool_count(count(request.tools))
            .approx_input_tokens(size / 4)
            .request_char_count(size)
            .max_tokens(request.max_tokens)
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .started_at(started_at)
            .user_message(self.user_message)
            .conversation_history(self.conversation)
            .request_messages(request.messages)
            .middleware_trace(trace)
            .request(&shown)
            .telemetry_schema_version(SCHEMA);
        host.fire(&event);
    }

    fn after(
        &self,
        request: &Request<'_>,
        trace: &Value,
        reply: &Reply,
        started_at: f64,
        took: Duration,
    ) {
        let host = self.moments.host();
        if !host.has("post_api_request") {
            return;
        }
        let response = json!({
            "model": reply.model,
            "finish_reason": reply.finish_reason,
            "usage": reply.usage,
            "assistant_message": reply.message,
        });
        let response = sanitised(&response, self.moments.payload_characters());
        let calls = reply.message.get("tool_calls").unwrap_or(&NOTHING);
        let event = payload::PostApiRequest::new()
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .platform(self.platform)
            .model(&self.facts.model)
            .provider(self.facts.provider.as_deref())
            .base_url(self.facts.base_url.as_deref())
            .api_mode(self.facts.api_mode.as_deref())
            .api_call_count(i64::from(request.number))
            .message_count(count(request.messages))
            .api_duration(took.as_secs_f64())
            .finish_reason(reply.finish_reason.as_deref().unwrap_or("stop"))
            .response_model(reply.model.as_deref())
            .assistant_content_chars(characters(reply.content().unwrap_or_default()))
            .assistant_tool_call_count(count(calls))
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .started_at(started_at)
            .ended_at(self.moments.time().epoch())
            .response(&response)
            .assistant_message(&reply.message)
            .middleware_trace(trace)
            .telemetry_schema_version(SCHEMA);
        let event = match &reply.usage {
            Some(usage) => event.usage(usage),
            None => event.usage(&Value::Null),
        };
        host.fire(&event);
    }

    fn failed(&self, request: &Request<'_>, error: &ModelError, started_at: f64, took: Duration) {
        let host = self.moments.host();
        if !host.has("api_request_error") {
            return;
        }
        let shown = self.shown(&request.body());
        let what = json!({"type": error.kind, "message": error.message});
        let event = payload::ApiRequestError::new()
            .task_id(self.scope.task_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .session_id(self.scope.session_id())
            .platform(self.platform)
            .model(&self.facts.model)
            .provider(self.facts.provider.as_deref())
            .base_url(self.facts.base_url.as_deref())
            .api_mode(self.facts.api_mode.as_deref())
            .api_call_count(i64::from(request.number))
            .api_duration(took.as_secs_f64())
            .started_at(started_at)
            .ended_at(self.moments.time().epoch())
            .status_code(error.status_code)
            .retry_count(i64::from(self.retries))
            .max_retries(i64::from(self.max_retries))
            .retryable(error.retryable)
            .reason(error.reason.as_deref())
            .error(&what)
            .request(&shown)
            .telemetry_schema_version(SCHEMA);
        host.fire(&event);
    }
}
