//! What a tool call came to.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::runner::ToolFailure;

/// What a tool call came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[must_use = "the model waits for it"]
pub struct ToolResult {
    /// The tool.
    pub tool_name: String,
    /// The provider's id of the call.
    pub tool_call_id: Option<String>,
    /// The arguments it ran with, or would have.
    pub args: Value,
    /// What the model is given.
    pub text: String,
    /// How it went.
    pub status: ToolStatus,
    /// How long the tool itself took.
    pub took: Duration,
    /// The plugin that blocked it.
    pub blocked_by: Option<Arc<str>>,
}

impl ToolResult {
    /// The message that goes into the conversation.
    #[must_use]
    pub fn message(&self) -> Value {
        json!({
            "role": "tool",
            "tool_call_id": self.tool_call_id,
            "name": self.tool_name,
            "content": self.text,
        })
    }
}

/// How a tool call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolStatus {
    /// It ran.
    Ok,
    /// It ran and failed, or says so.
    Error,
    /// It did not run: a plugin said no, or a person did.
    Blocked,
    /// It was interrupted.
    Cancelled,
    /// It took too long.
    TimedOut,
}

impl ToolStatus {
    /// The word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timeout",
        }
    }
}

/// A result before any transform.
pub(super) struct Came {
    pub(super) text: String,
    pub(super) status: ToolStatus,
    pub(super) error_type: Option<&'static str>,
    pub(super) error_message: Option<String>,
    pub(super) took: Duration,
    blocked_by: Option<Arc<str>>,
}

/// As the model is told of an error. Not ASCII only: a model reads text.
fn error_text(message: &str) -> String {
    json!({ "error": message }).to_string()
}

impl Came {
    pub(super) fn of(tool: &str, ran: Result<String, ToolFailure>, took: Duration) -> Self {
        let (status, error_type, message) = match ran {
            Ok(text) => return Self::returned(text, took),
            Err(ToolFailure::Error(text)) => {
                let message = format!("Error executing {tool}: {text}");
                (ToolStatus::Error, "tool_error", message)
            }
            Err(ToolFailure::Cancelled(text)) => {
                (ToolStatus::Cancelled, "keyboard_interrupt", text)
            }
            Err(ToolFailure::TimedOut(text)) => (ToolStatus::TimedOut, "tool_timeout", text),
        };
        Self {
            text: error_text(&message),
            status,
            error_type: Some(error_type),
            error_message: Some(message),
            took,
            blocked_by: None,
        }
    }

    fn returned(text: String, took: Duration) -> Self {
        let error_message = own_error(&text);
        let failed = error_message.is_some();
        Self {
            status: if failed {
                ToolStatus::Error
            } else {
                ToolStatus::Ok
            },
            error_type: failed.then_some("tool_error"),
            error_message,
            text,
            took,
            blocked_by: None,
        }
    }

    pub(super) fn blocked(message: String, by: Arc<str>) -> Self {
        Self {
            text: error_text(&message),
            status: ToolStatus::Blocked,
            error_type: Some("plugin_block"),
            error_message: Some(message),
            took: Duration::ZERO,
            blocked_by: Some(by),
        }
    }

    pub(super) fn unasked(message: String) -> Self {
        Self {
            text: error_text(&message),
            status: ToolStatus::Error,
            error_type: Some("tool_error"),
            error_message: Some(message),
            took: Duration::ZERO,
            blocked_by: None,
        }
    }

    pub(super) fn into_result(
        self,
        tool_name: String,
        tool_call_id: Option<String>,
        args: Value,
        shown: Option<String>,
    ) -> ToolResult {
        ToolResult {
            tool_name,
            tool_call_id,
            args,
            text: shown.unwrap_or(self.text),
            status: self.status,
            took: self.took,
            blocked_by: self.blocked_by,
        }
    }
}

/// The error that a result speaks of: an object whose `error` is truthy.
fn own_error(text: &str) -> Option<String> {
    // Most results are no such object, and some are long.
    let may =
        text.trim_start().starts_with('{') && (text.contains("\"error\"") || text.contains("\\u"));
    let result: Value = if may {
        serde_json::from_str(text).ok()?
    } else {
        return None;
    };
    match result.get("error")? {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Array(elements) if elements.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::own_error;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(own_error(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn what_counts_as_an_error() {
        check(r#"{"error":"no such file"}"#, Some("no such file"));
        check(r#" {"\u0065rror":"x"}"#, Some("x"));
        check(r#"{"output":"","error":null}"#, None);
        check(r#"{"error":""}"#, None);
        check(r#"{"error":false}"#, None);
        check(r#"{"error":0}"#, None);
        check(r#"{"error":[]}"#, None);
        check(r#"{"error":{"code":1}}"#, Some(r#"{"code":1}"#));
        check(r#"{"deep":{"error":"x"}}"#, None);
        check(r#"[{"error":"x"}]"#, None);
        check(r#"{"error":"cut o"#, None);
        check("plain", None);
    }
}
