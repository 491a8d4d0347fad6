//! Decides which values count as yes.

use serde_json::Value;

/// Whether a text means yes: `1`, `true`, `yes` or `on`, in any case, with white space around it.
pub fn truthy(text: &str) -> bool {
    matches!(
        text.trim().to_lowercase().as_str(),
        "1" | "true" | "yes" | "on"
    )
}

/// Whether a configuration value means yes: `true`, or a text that does. Numbers do not.
pub fn truthy_value(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => truthy(text),
        _ => false,
    }
}
