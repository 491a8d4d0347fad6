//! Says which plugins the operator switched on or off (`plugins` in config.yaml).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::check::Checker;
use super::{Entry, Severity};

/// What `plugins` holds that has a meaning here.
const KEYS: &[&str] = &[
    "enabled", "disabled", "required", "allow", "deny", "entries",
];

/// What OpenClaw keeps there and this loader does not use.
const FOREIGN_KEYS: &[&str] = &["load", "slots"];

/// Which plugins may load.
///
/// The list `enabled` is an opt-in. Everything else here only takes away, and wins over it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PluginRules {
    /// No plugin at all (`plugins.enabled: false`).
    pub all_off: bool,
    /// Keys or names that may load.
    pub enabled: BTreeSet<String>,
    /// Keys or names that may not.
    pub disabled: BTreeSet<String>,
    /// Keys or names that may not, in OpenClaw's word (`plugins.deny`).
    pub denied: BTreeSet<String>,
    /// When not empty, the only keys or names that may (`plugins.allow`).
    pub allowed: BTreeSet<String>,
    /// Keys or names that must be loaded (`plugins.required`); see [`PluginRules::is_required`].
    pub required: BTreeSet<String>,
    /// What is configured for single plugins (`plugins.entries`).
    pub entries: BTreeMap<String, Entry>,
    /// What holds for plugins without an entry.
    none: Entry,
}

impl PluginRules {
    /// The entry of the plugin with this key; an empty one when there is none.
    pub fn entry(&self, key: &str) -> &Entry {
        self.entries.get(key).unwrap_or(&self.none)
    }

    /// The entry under the plugin's key, else the one under its name.
    pub fn entry_for(&self, key: &str, name: &str) -> &Entry {
        let named = || self.entries.get(name).unwrap_or(&self.none);
        self.entries.get(key).unwrap_or_else(named)
    }

    /// Whether the agent must not do without the plugin: it is in `plugins.required`, or its entry says
    /// `required: true`.
    pub fn is_required(&self, key: &str, name: &str) -> bool {
        self.required.contains(key)
            || self.required.contains(name)
            || self.entry_for(key, name).required == Some(true)
    }

    pub(super) fn read(value: Option<&Value>, check: &mut Checker<'_>) -> Self {
        let mut rules = Self::default();
        let Some(map) = check.mapping(value, &["plugins"]) else {
            return rules;
        };
        let known: Vec<&str> = KEYS.iter().chain(FOREIGN_KEYS).copied().collect();
        check.known_keys(map, &["plugins"], &known);
        for key in FOREIGN_KEYS.iter().filter(|key| map.contains_key(**key)) {
            let message = format!("`plugins.{key}` has no effect here");
            let cure = "remove it, or keep it for openclaw";
            check.note(
                Severity::Warning,
                "unused_key",
                &["plugins", key],
                message,
                cure,
            );
        }
        match map.get("enabled") {
            Some(Value::Bool(true)) => check.note(
                Severity::Error,
                "enabled_is_true",
                &["plugins", "enabled"],
                "`plugins.enabled`: expected a list of names, found `true`; nothing is enabled"
                    .to_owned(),
                "name each plugin: `enabled: [command-guard, audit-log]`",
            ),
            Some(Value::Bool(false)) => rules.all_off = true,
            list => rules.enabled = check.names(list, &["plugins", "enabled"]),
        }
        rules.disabled = check.names(map.get("disabled"), &["plugins", "disabled"]);
        rules.required = check.names(map.get("required"), &["plugins", "required"]);
        rules.denied = check.names(map.get("deny"), &["plugins", "deny"]);
        rules.allowed = check.names(map.get("allow"), &["plugins", "allow"]);
        let entries = check.mapping(map.get("entries"), &["plugins", "entries"]);
        for (name, value) in entries.into_iter().flatten() {
            let entry = Entry::read(value, name, check);
            rules.entries.insert(name.clone(), entry);
        }
        rules
    }
}
