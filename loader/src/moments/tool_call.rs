//! A tool call, from what the model asked for to what it is given.

mod batch;
mod result;
mod runner;
mod wrapped;

use std::sync::Arc;

use hermes_plugin_api::catalogue::payload;
use serde_json::{Map, Value, json};

use self::result::Came;
pub use self::result::{ToolResult, ToolStatus};
pub use self::runner::{ToolFailure, ToolRun, ToolRunner};
use super::approvals::{Approval, Approvals};
use super::clock::milliseconds;
use super::ground::Moments;
use super::scope::Scope;
use super::{NOTHING, SCHEMA};
use crate::config::Compat;
use crate::outcome::{Rewrite, ToolOutcome};

/// A tool call that the model asked for.
///
/// [`ToolCall::run`] does everything that belongs to it, in this order: `pre_tool_call`; a block, or an
/// approval that is not given, ends it there; the tool runs with the arguments as handlers left them;
/// `post_tool_call` sees the result as it is; `transform_tool_result` may replace it.
#[derive(Clone, Debug)]
#[must_use = "a call does nothing until it is run"]
pub struct ToolCall {
    tool_name: String,
    args: Result<Value, String>,
    tool_call_id: Option<String>,
    scope: Scope,
    middleware_trace: Option<Value>,
}

/// With what tool calls are run.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Who is asked when a plugin wants a person to agree; it knows the agent.
    pub approvals: &'a Approvals,
    /// What runs the tools.
    pub runner: &'a dyn ToolRunner,
}

impl std::fmt::Debug for Tools<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools").finish_non_exhaustive()
    }
}

impl ToolCall {
    /// A call of a tool. Arguments that are no object count as none.
    pub fn new(tool_name: impl Into<String>, args: Value) -> Self {
        let args = match args {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        Self {
            tool_name: tool_name.into(),
            args: Ok(Value::Object(args)),
            tool_call_id: None,
            scope: Scope::default(),
            middleware_trace: None,
        }
    }

    /// A call as a model's message has it: `{"id", "function": {"name", "arguments": "<JSON>"}}`.
    ///
    /// Arguments that are no JSON make a call that fails without asking any plugin: the model is told.
    pub fn from_message(call: &Value) -> Self {
        let function = call.get("function").unwrap_or(call);
        let name = function.get("name").and_then(Value::as_str);
        let args = match function.get("arguments") {
            Some(Value::String(text)) if !text.trim().is_empty() => {
                serde_json::from_str(text).map_err(|error| error.to_string())
            }
            Some(args @ Value::Object(_)) => Ok(args.clone()),
            _ => Ok(Value::Null),
        };
        let mut made = Self::new(name.unwrap_or_default(), Value::Null);
        made.args = args.map(|args| if args.is_object() { args } else { json!({}) });
        match call.get("id").and_then(Value::as_str) {
            Some(id) => made.id(id),
            None => made,
        }
    }

    /// With the provider's id of the call. A call without one is never taken for another.
    pub fn id(mut self, tool_call_id: impl Into<String>) -> Self {
        self.tool_call_id = Some(tool_call_id.into()).filter(|id| !id.is_empty());
        self
    }

    /// Where it happens.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// What request middleware did, a list.
    pub fn middleware_trace(mut self, trace: Value) -> Self {
        self.middleware_trace = Some(trace);
        self
    }

    /// The tool.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The arguments, as the model gave them; nothing when they are no JSON.
    #[must_use]
    pub fn args(&self) -> Option<&Map<String, Value>> {
        self.args.as_ref().ok()?.as_object()
    }

    /// The provider's id of the call.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<&str> {
        self.tool_call_id.as_deref()
    }

    /// Runs it, on this thread, and gives what the model is given.
    pub fn run(self, tools: &Tools<'_>) -> ToolResult {
        let judged = self.judge(tools);
        judged.carry_out(tools)
    }

    /// Runs calls that the model asked for at once. Every `pre_tool_call` is fired, one after the other on
    /// this thread, before anything runs; then up to eight run at the same time. Results are in the order
    /// of the calls.
    ///
    /// # Threads
    /// `post_tool_call` and `transform_tool_result` fire on the threads that ran the tools.
    pub fn batch(calls: impl IntoIterator<Item = Self>, tools: &Tools<'_>) -> Vec<ToolResult> {
        let judged = calls.into_iter().map(|call| call.judge(tools)).collect();
        batch::carry_out(judged, tools)
    }

    /// Asks everybody who may say no.
    fn judge(mut self, tools: &Tools<'_>) -> Judged {
        let args = match std::mem::replace(&mut self.args, Ok(Value::Null)) {
            Ok(args) => args,
            Err(error) => {
                let text = format!("the arguments of `{}` are no JSON: {error}", self.tool_name);
                return self.decided(Fate::Unasked(text), json!({}));
            }
        };
        if !tools.runner.in_scope(&self.tool_name) {
            let text = format!("the tool `{}` is not available here", self.tool_name);
            return self.decided(Fate::Unasked(text), args);
        }
        let moments = tools.approvals.moments();
        let args = match self.requested(moments, &args) {
            Ok(rewritten) => rewritten.unwrap_or(args),
            Err(refused) => {
                let fate = Fate::Blocked(refused.to_string(), refused.by);
                return self.decided(fate, args);
            }
        };
        let event = payload::PreToolCall::new()
            .tool_name(&self.tool_name)
            .args(&args)
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .tool_call_id(self.tool_call_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .middleware_trace(self.middleware_trace.as_ref().unwrap_or(&NOTHING))
            .telemetry_schema_version(SCHEMA);
        match moments.host().fire(&event) {
            ToolOutcome::Proceed { rewrite } => {
                let args = over(&rewrite, args);
                self.decided(Fate::Runs, args)
            }
            ToolOutcome::Block { message, by } => self.decided(Fate::Blocked(message, by), args),
            ToolOutcome::Approve { ask, rewrite } => {
                let args = over(&rewrite, args);
                let id = self.tool_call_id();
                let answer =
                    tools
                        .approvals
                        .escalate(&self.tool_name, &args, &ask, &self.scope, id);
                let fate = match answer {
                    Approval::Granted(_) => Fate::Runs,
                    Approval::Refused(why) => {
                        Fate::Blocked(why.told(&self.tool_name, &ask), ask.by)
                    }
                };
                self.decided(fate, args)
            }
        }
    }

    const fn decided(self, fate: Fate, args: Value) -> Judged {
        Judged {
            call: self,
            args,
            fate,
        }
    }
}

fn over(rewrite: &Rewrite, args: Value) -> Value {
    match args {
        Value::Object(args) if !rewrite.is_empty() => {
            Value::Object(rewrite.over(&args).into_owned())
        }
        args => args,
    }
}

/// What was decided about a call.
enum Fate {
    Runs,
    /// The message, and the plugin whose word it is.
    Blocked(String, Arc<str>),
    /// It fails before plugins are asked.
    Unasked(String),
}

/// A call that everybody had their say about.
struct Judged {
    call: ToolCall,
    /// As they are to be.
    args: Value,
    fate: Fate,
}

impl Judged {
    const fn runs(&self) -> bool {
        matches!(self.fate, Fate::Runs)
    }

    fn carry_out(self, tools: &Tools<'_>) -> ToolResult {
        let Self { call, args, fate } = self;
        let moments = tools.approvals.moments();
        let ran = match fate {
            Fate::Runs => call.executed(moments, &args, tools.runner),
            Fate::Blocked(message, by) => {
                return call.blocked(moments, args, Came::blocked(message, by));
            }
            Fate::Unasked(message) => {
                let came = Came::unasked(message);
                return came.into_result(call.tool_name, call.tool_call_id, args, None);
            }
        };
        let came = match ran {
            Ok((ran, took)) => Came::of(&call.tool_name, ran, took),
            Err(refused) => {
                let came = Came::blocked(refused.to_string(), refused.by);
                return call.blocked(moments, args, came);
            }
        };
        call.post(&args, &came, moments);
        let shown = call.transform(&args, &came, moments);
        came.into_result(call.tool_name, call.tool_call_id, args, shown)
    }
}

impl ToolCall {
    /// A call that did not run is told to observers, unless Hermes 0.13 is to be followed.
    fn blocked(self, moments: &Moments, args: Value, came: Came) -> ToolResult {
        if moments.follows() != Compat::V13 {
            self.post(&args, &came, moments);
        }
        came.into_result(self.tool_name, self.tool_call_id, args, None)
    }

    fn post(&self, args: &Value, came: &Came, moments: &Moments) {
        let event = payload::PostToolCall::new()
            .tool_name(&self.tool_name)
            .args(args)
            .task_id(self.scope.task_id())
            .result(&came.text)
            .duration_ms(milliseconds(came.took))
            .session_id(self.scope.session_id())
            .tool_call_id(self.tool_call_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .status(came.status.as_str())
            .error_type(came.error_type)
            .error_message(came.error_message.as_deref())
            .middleware_trace(self.middleware_trace.as_ref().unwrap_or(&NOTHING))
            .telemetry_schema_version(SCHEMA);
        moments.host().fire(&event);
    }

    fn transform(&self, args: &Value, came: &Came, moments: &Moments) -> Option<String> {
        let event = payload::TransformToolResult::new()
            .tool_name(&self.tool_name)
            .args(args)
            .arguments(args)
            .result(&came.text)
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .tool_call_id(self.tool_call_id())
            .duration_ms(milliseconds(came.took))
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .status(came.status.as_str())
            .error_type(came.error_type)
            .error_message(came.error_message.as_deref())
            .telemetry_schema_version(SCHEMA);
        match moments.host().fire(&event) {
            crate::outcome::TextOutcome::Keep => None,
            crate::outcome::TextOutcome::Replace { text, .. } => Some(text),
        }
    }
}
