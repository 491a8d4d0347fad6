//! A tool of a plugin as lists show it.

use serde::Serialize;
use serde_json::{Map, Value};

/// A tool that a plugin offers to the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ToolInfo {
    /// Whose.
    pub plugin: String,
    /// Its name.
    pub name: String,
    /// The toolset it is switched on and off with.
    pub toolset: String,
    /// What the model is told of it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub parameters: Value,
    /// What it is shown with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// Environment variables it cannot do without.
    pub requires_env: Vec<String>,
    /// Those of them that are not set. While there are any, the model should not be offered the tool.
    pub missing_env: Vec<String>,
    /// Whether its own check, if it has one, says that it can be used just now.
    pub usable: bool,
}

impl ToolInfo {
    /// Whether the model can be offered it: everything it needs is there, and it says so itself.
    #[must_use]
    pub const fn is_available(&self) -> bool {
        self.usable && self.missing_env.is_empty()
    }

    /// Reads what a plugin says of its tool; `is_set` knows the environment.
    pub(crate) fn read(
        plugin: &str,
        json: &Map<String, Value>,
        usable: bool,
        is_set: impl Fn(&str) -> bool,
    ) -> Self {
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let names = json.get("requires_env").and_then(Value::as_array);
        let requires_env: Vec<String> = names
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let missing = requires_env.iter().filter(|name| !is_set(name));
        Self {
            plugin: plugin.to_owned(),
            name: text("name").unwrap_or_default(),
            toolset: toolset(json).to_owned(),
            description: text("description").unwrap_or_default(),
            parameters: json.get("parameters").cloned().unwrap_or_default(),
            emoji: text("emoji"),
            missing_env: missing.cloned().collect(),
            requires_env,
            usable,
        }
    }
}

/// The toolset that a description names, or the one for tools that name none.
pub(crate) fn toolset(json: &Map<String, Value>) -> &str {
    json.get("toolset")
        .and_then(Value::as_str)
        .unwrap_or("plugins")
}
