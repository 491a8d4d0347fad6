//! How a host serves what plugins offer and ask for: results, errors, and a bound.

use std::{cell::Cell, sync::Arc};

use serde_json::{Value as Json, json};

use super::{
    ServiceCode,
    enter::{Entered, FaultKind},
    frame::Failed,
};
use crate::{
    agent::{Agent, AgentError, LlmRequest, LlmRights},
    extension::commands::CliOutput,
};

/// What a slash command said; no text and an empty one are the same.
///
/// # Errors
/// What went wrong.
pub fn said(entered: Entered) -> Result<Option<String>, (FaultKind, Failed)> {
    let text = match entered {
        Entered::Answered(answer) => match answer.json {
            Json::String(text) => text,
            Json::Object(members) => text_of(members.get("text")),
            Json::Null | Json::Bool(false) => String::new(),
            Json::Array(items) if items.is_empty() => String::new(),
            Json::Number(number) if number.as_f64() == Some(0.0) => String::new(),
            other => other.to_string(),
        },
        Entered::Quiet | Entered::Pending(_) => String::new(),
        Entered::Faulted(kind, failed) => return Err((kind, *failed)),
    };
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// What a sub-command printed, and its exit code.
///
/// # Errors
/// What went wrong.
pub fn printed(entered: Entered) -> Result<CliOutput, (FaultKind, Failed)> {
    let code = match &entered {
        Entered::Answered(answer) => answer.json.get("code").and_then(Json::as_i64),
        _ => None,
    };
    let text = said(entered)?.unwrap_or_default();
    let code = i32::try_from(code.unwrap_or_default()).unwrap_or(1);
    Ok(CliOutput::text(text).code(code))
}

/// Whether a tool says that it can be used.
///
/// # Errors
/// What went wrong, which means no.
pub fn usable(entered: Entered) -> Result<bool, (FaultKind, Failed)> {
    match entered {
        Entered::Answered(answer) => Ok(answer.json == true || answer.json["usable"] == true),
        Entered::Quiet | Entered::Pending(_) => Ok(false),
        Entered::Faulted(kind, failed) => Err((kind, *failed)),
    }
}

fn text_of(value: Option<&Json>) -> String {
    value.and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// What a model is told in place of a tool's result.
#[must_use]
pub fn error_json(text: &str) -> String {
    json!({ "error": text }).to_string()
}

/// A message as the agent is handed it: a role that is not the user's stands before the text.
#[must_use]
pub fn injected(content: &str, role: &str) -> String {
    match role.trim() {
        "" | "user" => content.to_owned(),
        role => format!("[{role}] {content}"),
    }
}

/// What a model says to a request of a plugin, as JSON; or why it says nothing, and how that is answered.
///
/// `host` is asked last: the agent of a host that is there, if it has one; nothing when the host is gone.
///
/// # Errors
/// INVALID for a request that cannot be read or may not be made, else GONE, UNSUPPORTED or FAILED.
pub fn completed(
    (plugin, key): (&str, &str),
    rights: &LlmRights,
    request: &str,
    host: impl FnOnce() -> Option<Option<Arc<dyn Agent>>>,
) -> Result<String, (ServiceCode, String)> {
    let request: LlmRequest = serde_json::from_str(request).map_err(|error| {
        let why = format!("the request is not one for a model: {error}");
        (ServiceCode::INVALID, why)
    })?;
    rights
        .check(key, &request)
        .map_err(|why| (ServiceCode::INVALID, why))?;
    let agent = host().ok_or_else(|| (ServiceCode::GONE, String::new()))?;
    let unsupported = || {
        let why = "this agent offers no model";
        (ServiceCode::UNSUPPORTED, why.to_owned())
    };
    match agent.ok_or_else(unsupported)?.complete(plugin, &request) {
        Ok(reply) => {
            serde_json::to_string(&reply).map_err(|error| (ServiceCode::FAILED, error.to_string()))
        }
        Err(AgentError::Unsupported) => Err(unsupported()),
        Err(error) => Err((ServiceCode::FAILED, error.to_string())),
    }
}

thread_local! {
    static DISPATCHED: Cell<u32> = const { Cell::new(0) };
}

/// One tool that a plugin dispatches, as long as it runs: tools that dispatch tools are bounded, or one
/// that dispatches itself would use up the stack.
#[derive(Debug)]
pub struct Depth(());

impl Depth {
    /// How deep tools may be dispatched from inside tools.
    pub const LIMIT: u32 = 8;

    /// One deeper; `None` when that is too deep.
    #[must_use]
    pub fn enter() -> Option<Self> {
        let before = DISPATCHED.try_with(|depth| depth.replace(depth.get().saturating_add(1)));
        let entered = Self(());
        (before.unwrap_or(Self::LIMIT) < Self::LIMIT).then_some(entered)
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        let _ = DISPATCHED.try_with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_not_dispatched_without_end() {
        let kept: Vec<Depth> = std::iter::from_fn(Depth::enter).collect();
        assert_eq!(kept.len(), 8);
        drop(kept);
        assert!(Depth::enter().is_some());
    }

    #[test]
    fn only_foreign_roles_are_told() {
        assert_eq!(injected("hi", "user"), "hi");
        assert_eq!(injected("hi", ""), "hi");
        assert_eq!(injected("hi", "system"), "[system] hi");
    }
}
