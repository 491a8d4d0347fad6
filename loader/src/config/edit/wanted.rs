//! Works out what the configuration is to be after a change.

use serde_json::{Map, Value};

use super::{Change, EditError, List};
use crate::config::yaml::describe;
use crate::config::yaml::quote::scalar;

/// The key that says whether a plugin may replace a built-in tool.
pub(super) const TOOL_OVERRIDE: &str = "allow_tool_override";

/// The goal of an edit.
pub(super) struct Wanted {
    /// The whole configuration afterwards.
    pub(super) value: Value,
    /// The items of the list afterwards, for a change to a list.
    pub(super) items: Vec<Value>,
    /// The key that changes, by its path.
    pub(super) key: String,
    /// The lines to write if the edit cannot be made.
    pub(super) by_hand: String,
}

/// The goal, or `None` when it is reached already.
pub(super) fn wanted(old: &Value, change: &Change) -> Result<Option<Wanted>, EditError> {
    match change {
        Change::Add(which, name) => list(old, *which, |items| {
            let missing = !items.iter().any(|item| item == name);
            missing.then(|| items.push(Value::String(name.clone())))
        }),
        Change::Remove(which, name) => list(old, *which, |items| {
            let before = items.len();
            items.retain(|item| item != name);
            (items.len() < before).then_some(())
        }),
        Change::RemoveEntry(name) => Ok(entry(old, name)),
        Change::AllowToolOverride(name, allowed) => flag(old, name, *allowed),
    }
}

fn list(
    old: &Value,
    which: List,
    change: impl FnOnce(&mut Vec<Value>) -> Option<()>,
) -> Result<Option<Wanted>, EditError> {
    let key = format!("plugins.{}", which.key());
    let slot = |value: &Value| {
        value
            .get("plugins")
            .and_then(|p| p.get(which.key()))
            .cloned()
    };
    let mut items = match slot(old) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    if change(&mut items).is_none() {
        return Ok(None);
    }
    items.sort_by_key(sort_key);
    items.dedup();
    let by_hand = by_hand(which, &items);
    let shape = |key: &str, expected, found: &Value| EditError::Shape {
        key: key.to_owned(),
        expected,
        found: describe(found),
        by_hand: by_hand.clone(),
    };
    let mut value = old.clone();
    let root = mapping(&mut value).map_err(|found| shape("top level", "a mapping", &found))?;
    let plugins = root.entry("plugins").or_insert(Value::Null);
    let plugins = mapping(plugins).map_err(|found| shape("plugins", "a mapping", &found))?;
    match plugins.insert(which.key().to_owned(), Value::Array(items.clone())) {
        None | Some(Value::Null | Value::Array(_)) => {}
        Some(other) => return Err(shape(&key, "a list of names", &other)),
    }
    Ok(Some(Wanted {
        value,
        items,
        key,
        by_hand,
    }))
}

fn entry(old: &Value, name: &str) -> Option<Wanted> {
    let mut value = old.clone();
    let entries = value.get_mut("plugins")?.get_mut("entries")?;
    entries.as_object_mut()?.remove(name)?;
    Some(Wanted {
        value,
        items: Vec::new(),
        key: format!("plugins.entries.{name}"),
        by_hand: format!(
            "remove `{}` under `plugins: entries:` in config.yaml, with all that is below it",
            scalar(name)
        ),
    })
}

fn flag(old: &Value, name: &str, allowed: bool) -> Result<Option<Wanted>, EditError> {
    let key = format!("plugins.entries.{name}.{TOOL_OVERRIDE}");
    let by_hand = format!(
        "write this in config.yaml:\nplugins:\n  entries:\n    {}:\n      {TOOL_OVERRIDE}: {allowed}",
        scalar(name)
    );
    let shape = |key: String, expected, found: &Value| EditError::Shape {
        key,
        expected,
        found: describe(found),
        by_hand: by_hand.clone(),
    };
    let mut value = old.clone();
    let mut map =
        mapping(&mut value).map_err(|found| shape("top level".to_owned(), "a mapping", &found))?;
    let mut path = String::new();
    for step in ["plugins", "entries", name] {
        path = if path.is_empty() {
            step.to_owned()
        } else {
            format!("{path}.{step}")
        };
        let next = map.entry(step).or_insert(Value::Null);
        map = mapping(next).map_err(|found| shape(path.clone(), "a mapping", &found))?;
    }
    match map.insert(TOOL_OVERRIDE.to_owned(), Value::Bool(allowed)) {
        Some(Value::Bool(before)) if before == allowed => return Ok(None),
        None | Some(Value::Null | Value::Bool(_)) => {}
        Some(other) => return Err(shape(key, "true or false", &other)),
    }
    Ok(Some(Wanted {
        value,
        items: Vec::new(),
        key,
        by_hand,
    }))
}

/// The mapping in `value`, made when there is nothing; else what is there.
fn mapping(value: &mut Value) -> Result<&mut Map<String, Value>, Value> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => Ok(map),
        other => Err(other.clone()),
    }
}

fn by_hand(which: List, items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(written).collect();
    format!(
        "write this in config.yaml:\nplugins:\n  {}: [{}]",
        which.key(),
        items.join(", ")
    )
}

/// How an item is written when it is new.
pub(super) fn written(item: &Value) -> String {
    match item {
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// Names by codepoint; what is no name by its JSON.
fn sort_key(item: &Value) -> String {
    match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
