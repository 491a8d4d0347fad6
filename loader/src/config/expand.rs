//! Puts environment variables into string values.

use serde_json::Value;

/// Looks a variable up; `None` when it is not set.
pub type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Replaces `${NAME}` in every string value below `value`; keys are left alone.
///
/// A name that is not set stays as written, and so does `$NAME`. What a variable holds is not
/// expanded again.
pub fn expand(value: &mut Value, env: &Lookup<'_>) {
    match value {
        Value::String(text) => {
            if let Some(expanded) = expand_text(text, env) {
                *text = expanded;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, env)),
        Value::Object(map) => map.values_mut().for_each(|item| expand(item, env)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The expanded text, or `None` when nothing was replaced.
fn expand_text(text: &str, env: &Lookup<'_>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut changed = false;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        match (!name.is_empty()).then(|| env(name)).flatten() {
            Some(value) => {
                out.push_str(&value);
                changed = true;
            }
            None => {
                out.push_str("${");
                out.push_str(name);
                out.push('}');
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    changed.then_some(out)
}
