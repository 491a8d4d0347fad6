//! What plugins ask of the agent around them.

use std::sync::Arc;

use hermes_plugin_api::abi::host::{Depth, error_json};
use hermes_plugin_api::agent::{Agent, AgentError};
use serde_json::{Map, Value};

use super::Inner;
use crate::boundary::AgentPort;

impl AgentPort for Inner {
    fn has_builtin_command(&self, name: &str) -> bool {
        self.embedding.commands.contains(name)
    }

    fn dispatch_tool(&self, name: &str, args: &Map<String, Value>) -> String {
        let Some(_depth) = Depth::enter() else {
            let limit = Depth::LIMIT;
            return error_json(&format!(
                "tools are dispatched from inside tools, {limit} deep"
            ));
        };
        if let Some(text) = self.call_tool(name, &Value::Object(args.clone())) {
            return text;
        }
        let run = match &self.embedding.agent {
            Some(agent) => agent.run_tool(name, args),
            None => Err(AgentError::Unsupported),
        };
        run.unwrap_or_else(|error| match error {
            AgentError::Unsupported => error_json(&format!("Unknown tool: {name}")),
            error => error_json(&error.to_string()),
        })
    }

    fn profile(&self) -> &str {
        &self.embedding.profile
    }

    fn agent(&self) -> Option<&Arc<dyn Agent>> {
        self.embedding.agent.as_ref()
    }
}
