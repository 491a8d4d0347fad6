//! The event that is fired when nobody gives one: made up from what the catalogue says of the hook.

use hermes_loader::catalogue::{self, Dialect, Field, FieldType};
use serde_json::{Map, Value, json};

/// A plausible event of a hook; of one in no catalogue, only a session.
pub(super) fn payload(hook: &str) -> Map<String, Value> {
    let Some(known) = catalogue::by_name(hook) else {
        return [("session_id".to_owned(), json!("test-session"))]
            .into_iter()
            .collect();
    };
    let fields = known.fields.iter().filter(|field| field.alias.is_none());
    let mut payload: Map<String, Value> = fields
        .filter_map(|field| Some((field.name.to_owned(), value(field)?)))
        .collect();
    if known.dialect == Dialect::Hermes && known.fields.is_empty() {
        payload.insert("session_id".to_owned(), json!("test-session"));
    }
    payload
}

/// What a field holds: by its name where that has a meaning, else by its type. Nothing where it may be absent.
fn value(field: &Field) -> Option<Value> {
    let by_name = match field.name {
        "tool_name" | "toolName" => json!("terminal"),
        "args" | "params" | "tool_input" => json!({"command": "echo hello"}),
        "session_id" | "sessionId" | "sessionKey" => json!("test-session"),
        "task_id" => json!("test-task"),
        "tool_call_id" | "toolCallId" => json!("test-call"),
        "turn_id" => json!("test-turn"),
        "command" => json!("echo hello"),
        "output" => json!("hello\n"),
        "result" => json!("{\"output\": \"hello\", \"exit_code\": 0, \"error\": null}"),
        "response_text" | "user_message" | "content" | "text" => json!("hello"),
        "model" => json!("test-model"),
        "platform" => json!("cli"),
        "status" => json!("ok"),
        "is_first_turn" | "completed" => json!(true),
        _ => return by_type(field),
    };
    Some(by_name)
}

fn by_type(field: &Field) -> Option<Value> {
    Some(match field.ty {
        FieldType::Str => json!(""),
        FieldType::Int => json!(0),
        FieldType::Float => json!(0.0),
        FieldType::Bool => json!(false),
        FieldType::Object => json!({}),
        FieldType::List => json!([]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_hermes() {
        let event = payload("pre_tool_call");
        assert_eq!(event["tool_name"], "terminal");
        assert_eq!(event["args"], json!({"command": "echo hello"}));
        assert_eq!(event["session_id"], "test-session");
        assert_eq!(
            Value::Object(payload("no_such_hook")),
            json!({"session_id": "test-session"})
        );
    }

    #[test]
    fn every_hook_has_what_it_always_carries() {
        for hook in catalogue::all() {
            let event = payload(hook.name);
            let required = hook
                .fields
                .iter()
                .filter(|field| field.ty == FieldType::Str && field.alias.is_none());
            for field in required {
                assert!(
                    event.get(field.name).is_some_and(Value::is_string),
                    "{} {}",
                    hook.name,
                    field.name
                );
            }
        }
    }
}
