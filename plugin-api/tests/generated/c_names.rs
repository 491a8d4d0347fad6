//! What the things of the boundary and of the catalogue are called in C.

use hermes_plugin_api::catalogue::{Field, Hook};

/// `HandlerSpec` → `hermes_handler_spec`.
pub(crate) fn type_name(rust: &str) -> String {
    format!("hermes_{}", snake(rust))
}

/// A member's name, unless C has taken the word.
pub(crate) fn member(rust: &str) -> String {
    match rust {
        "register" => format!("{rust}_"),
        _ => rust.to_owned(),
    }
}

/// The constant of a set: `Tag::STR` → `HERMES_TAG_STR`.
pub(crate) fn constant(set: &str, name: &str) -> String {
    let set = match set {
        "AnswerCode" => "ANSWER".to_owned(),
        "CallFlags" => "CALL".to_owned(),
        "CreateFlags" => "CREATE".to_owned(),
        "FailureKind" => "FAILURE".to_owned(),
        "HandlerFlags" => "HANDLER".to_owned(),
        "RootFlags" => "ROOT".to_owned(),
        "ServiceCode" => "SERVICE".to_owned(),
        "TreeFlags" => "TREE_FLAG".to_owned(),
        "TreeKind" => "TREE".to_owned(),
        "ValueFlags" => "VALUE".to_owned(),
        other => snake(other).to_uppercase(),
    };
    format!("HERMES_{set}_{name}")
}

/// `pre_tool_call` → `HERMES_PRE_TOOL_CALL`.
pub(crate) fn hook(hook: &Hook) -> String {
    format!("HERMES_{}", scream(hook.name))
}

/// A field of an event: `HERMES_PRE_TOOL_CALL_TOOL_NAME`.
pub(crate) fn field(of: &Hook, field: &Field) -> String {
    format!("{}_{}", hook(of), scream(field.name))
}

/// A field of an answer: `HERMES_PRE_TOOL_CALL_ANSWER_ACTION`.
pub(crate) fn answer(of: &Hook, field: &Field) -> String {
    format!("{}_ANSWER_{}", hook(of), scream(field.name))
}

/// `HandlerSpec` → `handler_spec`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// `toolName` → `TOOL_NAME`, `tool_name` → `TOOL_NAME`; anything else than letters and digits is `_`.
fn scream(name: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            out.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        });
    }
    out
}

#[test]
fn names_are_made_by_rule() {
    assert_eq!(type_name("HandlerSpec"), "hermes_handler_spec");
    assert_eq!(type_name("Str"), "hermes_str");
    assert_eq!(constant("OnFailure", "CLOSED"), "HERMES_ON_FAILURE_CLOSED");
    assert_eq!(constant("Level", "WARN"), "HERMES_LEVEL_WARN");
    assert_eq!(scream("toolCallId"), "TOOL_CALL_ID");
    assert_eq!(scream("tool_call_id"), "TOOL_CALL_ID");
    assert_eq!(scream("mediaURLs"), "MEDIA_URLS");
    assert_eq!(scream("agent:start"), "AGENT_START");
}
