//! One stand-in plugin of `plugins.json`: what it is told, and which library plays it.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Fixture;

/// Keys of a plugin.
const KEYS: [&str; 13] = [
    "name",
    "version",
    "role",
    "priority",
    "enabled",
    "deadline_ms",
    "on_failure",
    "config",
    "state",
    "wants",
    "limit_bytes",
    "init_fails",
    "on",
];

/// Keys of a rule.
const RULES: [&str; 19] = [
    "when",
    "sleep_ms",
    "panic",
    "process_exit",
    "raise_signal",
    "record",
    "flush",
    "return",
    "set_args",
    "replace",
    "regex_replace",
    "truncate",
    "find_in",
    "regex",
    "count_per",
    "limit",
    "limit_from_config",
    "over_limit_return",
    "builtin",
];

/// What the scripted plugin understands besides, for tests of our own.
const OWN_RULES: [&str; 2] = ["error", "changes_its_copy"];

/// A plugin, as the case describes it.
#[derive(Clone, Debug)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    pub(crate) enabled: bool,
    pub(crate) deadline_ms: u64,
    pub(crate) version: String,
    entry: Map<String, Value>,
    builtin: Option<Builtin>,
}

/// A shipped plugin that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Builtin {
    EnvValues,
    CommandGuard,
}

impl Plugin {
    /// Reads one entry.
    ///
    /// # Errors
    /// When a key of it is not understood.
    pub fn read(entry: Value) -> Result<Self, String> {
        let Value::Object(entry) = entry else {
            return Err("a plugin is an object".to_owned());
        };
        let name = entry
            .get("name")
            .and_then(Value::as_str)
            .ok_or("a plugin has no `name`")?;
        let unknown = |key: &str| format!("plugin `{name}`: `{key}` is not understood");
        if let Some(key) = entry.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(unknown(key));
        }
        let rules: Vec<_> = rules(&entry).collect();
        for key in rules.iter().flat_map(|rule| rule.keys()) {
            if !RULES.contains(&key.as_str()) && !OWN_RULES.contains(&key.as_str()) {
                return Err(unknown(key));
            }
        }
        let builtin = builtin(name, &rules)?;
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        Ok(Self {
            name: name.to_owned(),
            enabled: entry.get("enabled") != Some(&Value::Bool(false)),
            deadline_ms: entry
                .get("deadline_ms")
                .and_then(Value::as_u64)
                .unwrap_or_default(),
            version: text("version").to_owned(),
            builtin,
            entry,
        })
    }

    /// Every rule of every hook.
    pub fn rules(&self) -> impl Iterator<Item = &Map<String, Value>> {
        rules(&self.entry)
    }

    /// Whether its `register` is to fail.
    pub(crate) fn fails(&self) -> bool {
        self.entry.contains_key("init_fails")
    }

    /// Whether a rule for this hook sleeps.
    pub(crate) fn sleeps_over(&self, hook: &str) -> bool {
        let rules = self.entry.get("on").and_then(|on| on.get(hook)?.as_array());
        rules.is_some_and(|rules| rules.iter().any(|rule| rule.get("sleep_ms").is_some()))
    }

    /// Whether a shipped plugin plays it, which keeps no records.
    pub(crate) const fn is_builtin(&self) -> bool {
        self.builtin.is_some()
    }

    /// The compiled library that plays it.
    #[must_use]
    pub fn library(&self) -> Fixture {
        let fixture = match self.builtin {
            None => Fixture::built("scripted"),
            Some(Builtin::EnvValues) => Fixture::shipped("redact-secrets"),
            Some(Builtin::CommandGuard) => Fixture::shipped("command-guard"),
        };
        let named = fixture.named(&self.name);
        let versioned = match self.version.is_empty() {
            true => named,
            false => {
                named.with_metadata(|document| document["version"] = self.version.as_str().into())
            }
        };
        let on = self.entry.get("on").and_then(Value::as_object);
        let hooks: Vec<&String> = on.into_iter().flatten().map(|(hook, _)| hook).collect();
        if self.builtin.is_some() || hooks.is_empty() {
            return versioned;
        }
        // What a library says of its hooks can be read without running it. One of many hooks says nothing.
        let says = versioned.try_metadata(|document| {
            document["hooks"] = json!(hooks);
            document["description"] = "".into();
        });
        says.unwrap_or(versioned)
    }

    /// What its manifest says.
    #[must_use]
    pub fn manifest(&self) -> Map<String, Value> {
        let mut manifest = Map::from_iter([("name".to_owned(), self.name.as_str().into())]);
        for key in ["version", "role", "on_failure"] {
            if let Some(value) = self.entry.get(key) {
                manifest.insert(key.to_owned(), value.clone());
            }
        }
        manifest
    }

    /// `plugins.entries.<name>.config`, with what a profile sets on top of the case's own settings. Paths of
    /// files are below `dir`.
    #[must_use]
    pub fn config(&self, profile: &Map<String, Value>, dir: &Path) -> Value {
        let own = self.entry.get("config").and_then(Value::as_object);
        let mut settings = own.cloned().unwrap_or_default();
        settings.extend(profile.clone());
        match self.builtin {
            None => {
                let passed = [
                    "priority",
                    "deadline_ms",
                    "state",
                    "wants",
                    "limit_bytes",
                    "init_fails",
                    "on",
                ];
                let mut script = Map::new();
                for key in passed {
                    if let Some(value) = self.entry.get(key) {
                        script.insert(key.to_owned(), value.clone());
                    }
                }
                script.insert("config".to_owned(), settings.into());
                script.into()
            }
            Some(Builtin::EnvValues) => env_values(settings, dir),
            Some(Builtin::CommandGuard) => {
                let tool = self
                    .rules()
                    .find_map(|rule| rule.get("when")?.get("tool_name"));
                if let Some(tool) = tool {
                    settings.insert("tools".to_owned(), json!([tool]));
                }
                if let Some(priority) = self.entry.get("priority") {
                    settings.insert("priority".to_owned(), priority.clone());
                }
                settings.into()
            }
        }
    }
}

fn rules(entry: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let on = entry.get("on").and_then(Value::as_object);
    let lists = on
        .into_iter()
        .flatten()
        .filter_map(|(_, rules)| rules.as_array());
    lists.flatten().filter_map(Value::as_object)
}

/// Which shipped plugin plays it: one that does nothing else.
fn builtin(name: &str, rules: &[&Map<String, Value>]) -> Result<Option<Builtin>, String> {
    let words: Vec<_> = rules
        .iter()
        .filter_map(|rule| rule.get("builtin"))
        .collect();
    let Some(first) = words.first() else {
        return Ok(None);
    };
    let builtin = match first.as_str() {
        Some("env_values") => Builtin::EnvValues,
        Some("command_guard") => Builtin::CommandGuard,
        _ => {
            return Err(format!(
                "plugin `{name}`: `builtin`: {first} is not understood"
            ));
        }
    };
    // One tool is a setting of the guard; several would be several.
    let by_tool = |rule: &Map<String, Value>| {
        let when = rule.get("when").and_then(Value::as_object);
        let tool = when
            .filter(|when| when.len() == 1)
            .and_then(|when| when.get("tool_name"));
        builtin == Builtin::CommandGuard && rules.len() == 1 && tool.is_some_and(Value::is_string)
    };
    let alone = |rule: &&&Map<String, Value>| rule.len() == 1 || rule.len() == 2 && by_tool(rule);
    let pure = words.len() == rules.len()
        && words.iter().all(|word| word == first)
        && rules.iter().filter(alone).count() == rules.len();
    match pure {
        true => Ok(Some(builtin)),
        false => Err(format!(
            "plugin `{name}`: `builtin` beside other rules or keys is not understood"
        )),
    }
}

/// The settings of redact-secrets, from the words that cases use.
fn env_values(settings: Map<String, Value>, dir: &Path) -> Value {
    let mut config = Map::new();
    for (key, value) in settings {
        match key.as_str() {
            "min_len" => config.insert("min_length".to_owned(), value),
            "ignore" => config.insert("allow".to_owned(), value),
            "env_files" => {
                let files = value.as_array().cloned().unwrap_or_default();
                let files = files.iter().filter_map(Value::as_str);
                let files: Vec<_> = files
                    .map(|file| dir.join(file).to_string_lossy().into_owned())
                    .collect();
                config.insert(key, json!(files))
            }
            _ => config.insert(key, value),
        };
    }
    config.into()
}
