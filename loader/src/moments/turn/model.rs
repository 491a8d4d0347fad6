//! What an agent asks a model, and what comes back.

use serde_json::Value;

use crate::moments::NOTHING;
use crate::moments::tool_call::ToolCall;

/// Calls a model.
pub trait Model {
    /// What is known of it before it is called.
    fn facts(&self) -> ModelFacts;

    /// One attempt. A panic counts as a failure.
    ///
    /// # Errors
    /// When it gave no usable answer.
    fn ask(&self, request: &Request<'_>) -> Result<Reply, ModelError>;
}

/// What is known of a model before it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// Its name.
    pub model: String,
    /// Who runs it.
    pub provider: Option<String>,
    /// Where.
    pub base_url: Option<String>,
    /// `chat_completions`, `anthropic_messages`, `codex_responses`, …
    pub api_mode: Option<String>,
}

/// One request, in the shape of chat completions.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The messages as they are to be sent, the system prompt first: a list.
    pub messages: &'a Value,
    /// The tools that the model may call: a list.
    pub tools: &'a Value,
    /// The most tokens of the answer.
    pub max_tokens: Option<i64>,
    /// Which call of the turn it is, from 1.
    pub number: u32,
}

impl<'a> Request<'a> {
    /// The same request as a body has it, which middleware may have changed.
    pub(super) fn over<'b>(&self, body: &'b Value) -> Request<'b>
    where
        'a: 'b,
    {
        Request {
            model: body
                .get("model")
                .and_then(Value::as_str)
                .unwrap_or(self.model),
            messages: body.get("messages").unwrap_or(self.messages),
            tools: body.get("tools").unwrap_or(&NOTHING),
            max_tokens: body.get("max_tokens").and_then(Value::as_i64),
            number: self.number,
        }
    }

    /// The request as the body of a POST.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut body = serde_json::json!({"model": self.model, "messages": self.messages});
        if self.tools.as_array().is_some_and(|tools| !tools.is_empty()) {
            body["tools"] = self.tools.clone();
        }
        if let Some(limit) = self.max_tokens {
            body["max_tokens"] = limit.into();
        }
        body
    }

    /// The content of the last message of the user, as it is sent.
    #[must_use]
    pub fn user_content(&self) -> Option<&Value> {
        let messages = self.messages.as_array()?;
        let of_user = messages.iter().rfind(|message| message["role"] == "user")?;
        of_user.get("content")
    }
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// Its message, in the shape of chat completions: `role`, `content`, `tool_calls`.
    pub message: Value,
    /// Why it stopped.
    pub finish_reason: Option<String>,
    /// The model that answered, where the provider says so.
    pub model: Option<String>,
    /// What it cost: `input_tokens`, `output_tokens`, …
    pub usage: Option<Value>,
}

impl Reply {
    /// A reply that is text, and ends the turn.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let message = serde_json::json!({"role": "assistant", "content": text.into()});
        let reason = Some("stop".to_owned());
        Self {
            message,
            finish_reason: reason,
            ..Self::default()
        }
    }

    /// A reply that asks for tools, each with its id, name and arguments.
    #[must_use]
    pub fn calls<'c>(calls: impl IntoIterator<Item = (&'c str, &'c str, Value)>) -> Self {
        let calls: Vec<Value> = calls
            .into_iter()
            .map(|(id, name, args)| {
                let function = serde_json::json!({"name": name, "arguments": args.to_string()});
                serde_json::json!({"id": id, "type": "function", "function": function})
            })
            .collect();
        let message =
            serde_json::json!({"role": "assistant", "content": null, "tool_calls": calls});
        Self {
            message,
            finish_reason: Some("tool_calls".to_owned()),
            ..Self::default()
        }
    }

    /// A reply as a provider gives it.
    #[must_use]
    pub fn of_message(message: Value) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// What it cost.
    #[must_use]
    pub fn usage(mut self, usage: Value) -> Self {
        self.usage = Some(usage);
        self
    }

    /// As middleware around the call sees it: `message`, `finish_reason`, `model`, `usage`.
    pub(super) fn to_json(&self) -> Value {
        serde_json::json!({
            "message": self.message,
            "finish_reason": self.finish_reason,
            "model": self.model,
            "usage": self.usage,
        })
    }

    /// What middleware made of it; a message alone will do.
    pub(super) fn of_json(mut reply: Value) -> Self {
        let text = |reply: &Value, name| reply.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(message) = reply.get_mut("message").map(Value::take) else {
            return Self::of_message(reply);
        };
        Self {
            message,
            finish_reason: text(&reply, "finish_reason"),
            model: text(&reply, "model"),
            usage: reply
                .get_mut("usage")
                .map(Value::take)
                .filter(|usage| !usage.is_null()),
        }
    }

    /// The text it holds.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.message.get("content")?.as_str()
    }

    /// The tools it asks for.
    pub fn tool_calls(&self) -> Vec<ToolCall> {
        let calls = self.message.get("tool_calls").and_then(Value::as_array);
        let calls = calls.map(Vec::as_slice).unwrap_or_default();
        calls.iter().map(ToolCall::from_message).collect()
    }
}

/// Why a model gave no usable answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("the model failed ({kind}): {message}")]
pub struct ModelError {
    /// What sort of failure it was, in one word.
    pub kind: String,
    /// What went wrong.
    pub message: String,
    /// The HTTP status.
    pub status_code: Option<i64>,
    /// Whether trying again makes sense.
    pub retryable: Option<bool>,
    /// What the agent makes of it.
    pub reason: Option<String>,
}

impl ModelError {
    /// A failure of a sort, in words.
    #[must_use]
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            ..Self::default()
        }
    }

    /// It may work another time.
    #[must_use]
    pub const fn retryable(mut self) -> Self {
        self.retryable = Some(true);
        self
    }
}
