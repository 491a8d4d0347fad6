//! A tool call inside the middleware of plugins: what they make of its arguments, and around its run.

use std::borrow::Cow;
use std::cell::Cell;
use std::time::Duration;

use hermes_plugin_api::catalogue::payload;
use serde_json::Value;

use super::{ToolCall, ToolFailure, ToolRun, ToolRunner};
use crate::guard;
use crate::middleware::{ExecutionError, Refused};
use crate::moments::ground::Moments;
use crate::moments::{NOTHING, SCHEMA};

impl ToolCall {
    /// The arguments as middleware wants them, before anybody judges them; nothing when they stay.
    pub(super) fn requested(
        &mut self,
        moments: &Moments,
        args: &Value,
    ) -> Result<Option<Value>, Refused> {
        let event = payload::ToolRequest::new()
            .tool_name(&self.tool_name)
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .tool_call_id(self.tool_call_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .telemetry_schema_version(SCHEMA);
        let asked = moments.host().tool_request(&event, args)?;
        if !asked.trace.is_empty() {
            let earlier = self.middleware_trace.take();
            let mut trace = earlier.as_ref().and_then(Value::as_array).cloned();
            trace.get_or_insert_default().extend(asked.trace);
            self.middleware_trace = trace.map(Value::Array);
        }
        Ok(match asked.value {
            Cow::Borrowed(_) => None,
            Cow::Owned(args) => Some(args),
        })
    }

    /// Runs the tool, and measures it and nothing else: neither hooks nor middleware.
    pub(super) fn executed(
        &self,
        moments: &Moments,
        args: &Value,
        runner: &dyn ToolRunner,
    ) -> Result<(Result<String, ToolFailure>, Duration), Refused> {
        let event = payload::ToolExecution::new()
            .tool_name(&self.tool_name)
            .task_id(self.scope.task_id())
            .session_id(self.scope.session_id())
            .tool_call_id(self.tool_call_id())
            .turn_id(self.scope.turn_id())
            .api_request_id(self.scope.api_request_id())
            .middleware_trace(self.middleware_trace.as_ref().unwrap_or(&NOTHING))
            .telemetry_schema_version(SCHEMA);
        let took = Cell::new(Duration::ZERO);
        let run = |args: &Value| {
            let run = ToolRun {
                tool_name: &self.tool_name,
                args,
                tool_call_id: self.tool_call_id(),
                scope: &self.scope,
            };
            let start = moments.time().now();
            let ran = guard::caught(|| runner.run(&run));
            took.set(moments.time().now().saturating_sub(start));
            ran.unwrap_or_else(|panic| Err(ToolFailure::Error(panic)))
        };
        let ran = match moments.host().tool_execution(&event, args, run) {
            Ok(text) => Ok(text),
            Err(ExecutionError::Downstream(failure)) => Err(failure),
            Err(ExecutionError::Refused(refused)) => return Err(refused),
        };
        Ok((ran, took.get()))
    }
}
