//! Payloads of events, as Hermes Agent sends them.
//!
//! ```
//! use hermes_plugin_api::testing::event;
//! use serde_json::{Value, json};
//!
//! let payload = event::tool("terminal").arg("command", "ls").session("ses_1").field("duration_ms", 7);
//! let expected = json!({
//!     "tool_name": "terminal", "args": {"command": "ls"}, "session_id": "ses_1", "duration_ms": 7,
//! });
//! assert_eq!(Value::from(payload), expected);
//! ```

use serde_json::{Map, Value as Json};

/// The payload of an event, as it is being described. What is not said is left out.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Payload {
    fields: Map<String, Json>,
}

/// A payload without fields.
pub fn empty() -> Payload {
    Payload::default()
}

/// A tool call, its result, or the transform of its result.
pub fn tool(name: &str) -> Payload {
    empty().field("tool_name", name).field("args", Map::new())
}

/// The output of a foreground terminal command.
pub fn terminal(command: &str, output: &str) -> Payload {
    empty()
        .field("command", command)
        .field("output", output)
        .field("returncode", 0)
}

/// An answer of the model, before it is delivered.
pub fn answer(text: &str) -> Payload {
    empty().field("response_text", text)
}

/// A session, or one turn of it: start, end, finalize, reset.
pub fn session(id: &str) -> Payload {
    empty().session(id)
}

impl Payload {
    /// Any field.
    pub fn field(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// One argument of a tool.
    pub fn arg(mut self, name: &str, value: impl Into<Json>) -> Self {
        let args = self
            .fields
            .entry("args")
            .or_insert_with(|| Json::Object(Map::new()));
        if let Json::Object(args) = args {
            args.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The session.
    pub fn session(self, id: &str) -> Self {
        self.field("session_id", id)
    }

    /// The task.
    pub fn task(self, id: &str) -> Self {
        self.field("task_id", id)
    }

    /// The provider's id of a tool call.
    pub fn call_id(self, id: &str) -> Self {
        self.field("tool_call_id", id)
    }

    /// The result of a tool.
    pub fn result(self, text: &str) -> Self {
        self.field("result", text)
    }
}

impl From<Payload> for Json {
    fn from(payload: Payload) -> Self {
        Self::Object(payload.fields)
    }
}
