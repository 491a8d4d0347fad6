//! The words of an outcome.

use serde_json::{Map, Value};

/// The fields that hold the text of a transform.
const TEXTS: [&str; 4] = ["result", "output", "response_text", "content"];

/// `allow` when nothing was decided or changed, `modify` when arguments were, else the decision's own word.
pub(super) fn word(outcome: &Value) -> &'static str {
    match outcome["decision"].as_str().unwrap_or_default() {
        "proceed" if outcome["args"].is_object() => "modify",
        "proceed" | "allow" => "allow",
        "block" => "block",
        "approve" => "approve",
        "context" => "context",
        "replace" => "replace",
        "skip" => "skip",
        "rewrite" => "rewrite",
        "continue" => "continue",
        "cancel" => "cancel",
        _ => "unknown",
    }
}

/// The text as it came.
pub(super) fn original(kwargs: &Value) -> Option<&str> {
    TEXTS.iter().find_map(|name| kwargs.get(*name)?.as_str())
}

/// The text that goes on.
pub(super) fn text<'v>(kwargs: &'v Value, outcome: &'v Value) -> Option<&'v str> {
    match word(outcome) {
        "replace" => outcome["text"].as_str(),
        _ => original(kwargs),
    }
}

/// Why, in the words for the model or the log.
pub(super) fn reason(outcome: &Value) -> Option<&str> {
    ["message", "reason"]
        .iter()
        .find_map(|key| outcome[*key].as_str())
}

/// The arguments that the tool is run with.
pub(super) fn args(kwargs: &Value, outcome: &Value) -> Value {
    let empty = Map::new();
    let mut args = kwargs["args"].as_object().unwrap_or(&empty).clone();
    args.extend(outcome["args"].as_object().cloned().unwrap_or_default());
    args.into()
}

/// What sort of reason a refusal has.
pub(super) fn class(outcome: &Value) -> &str {
    let by = &outcome["by"];
    let replies = outcome["replies"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let reply = replies
        .iter()
        .find(|reply| reply["plugin"] == *by && !by.is_null());
    match reply {
        None if word(outcome) == "block" => "guard_not_active",
        Some(reply) if reply["fault"]["kind"] == "inactive" => "guard_not_active",
        Some(reply) if reply["fault"]["kind"] == "timeout" => "timeout",
        Some(reply) if reply["fault"].is_object() => "hook_failed",
        _ => "policy",
    }
}

/// Who changed the text, in order, as the host says.
pub(super) fn changers(outcome: &Value) -> Vec<String> {
    let changes = outcome["changes"].as_array().into_iter().flatten();
    let names = changes.filter_map(|change| change["by"].as_str());
    names.map(str::to_owned).collect()
}
