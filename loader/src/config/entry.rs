//! Says what the operator configured for one plugin (`plugins.entries.<key>`).

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_plugin_api::agent::LlmRights;
use serde_json::{Map, Value};

use super::check::Checker;
use crate::manifest::{Isolation, OnFailure, Role};

/// The longest time budget that can be configured, in milliseconds.
pub const MAX_BUDGET_MS: u32 = 600_000;

const KEYS: &[&str] = &[
    "enabled",
    "required",
    "config",
    "role",
    "on_failure",
    "isolation",
    "priority",
    "tools",
    "hooks",
    "allow_tool_override",
    "llm",
    "subagent",
];

const LLM_KEYS: &[&str] = &[
    "allow_model_override",
    "allow_provider_override",
    "allowed_models",
    "allowed_providers",
];

const HOOK_KEYS: &[&str] = &[
    "timeoutMs",
    "timeouts",
    "allowPromptInjection",
    "allowConversationAccess",
];

/// What is configured for one plugin. Absent means that the plugin's own word stands.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// `false` switches the plugin off; `true` does not switch it on.
    pub enabled: Option<bool>,
    /// `true` when the agent must not do without the plugin, as a place in `plugins.required` says.
    pub required: Option<bool>,
    /// The plugin's own configuration.
    pub config: Map<String, Value>,
    /// What the plugin is for, in place of its manifest's word.
    pub role: Option<Role>,
    /// What its faults mean, in place of its manifest's word.
    pub on_failure: Option<OnFailure>,
    /// Where its code runs, in place of its manifest's word.
    pub isolation: Option<Isolation>,
    /// The priority of its handlers, in place of their own.
    pub priority: Option<i32>,
    /// The tools its handlers are called for, in place of their own filter.
    pub tools: Option<Vec<String>>,
    /// Whether it may replace a built-in tool.
    pub allow_tool_override: Option<bool>,
    /// Which models it may choose when it asks the agent's.
    pub llm: LlmRights,
    /// Budgets and permissions of its hooks.
    pub hooks: HookSettings,
}

/// Budgets and permissions for the hooks of one plugin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookSettings {
    /// The time budget of every hook point, in milliseconds.
    pub timeout_ms: Option<u32>,
    /// The time budget by hook point, in milliseconds. Names are not checked.
    pub timeouts: BTreeMap<String, u32>,
    /// Whether it may put text into prompts.
    pub allow_prompt_injection: Option<bool>,
    /// Whether it may see conversations.
    pub allow_conversation_access: Option<bool>,
}

impl HookSettings {
    /// The configured budget for a hook point: its own, else the one for all.
    pub fn budget(&self, hook: &str) -> Option<Duration> {
        let ms = self.timeouts.get(hook).copied().or(self.timeout_ms)?;
        Some(Duration::from_millis(ms.into()))
    }
}

impl Entry {
    pub(super) fn read(value: &Value, name: &str, check: &mut Checker<'_>) -> Self {
        let mut entry = Self::default();
        let root = ["plugins", "entries", name];
        let Some(map) = check.mapping(Some(value), &root) else {
            return entry;
        };
        check.known_keys(map, &root, KEYS);
        let path = |key| [root[0], root[1], root[2], key];
        let get = |key: &str| map.get(key);
        entry.enabled = check.flag(get("enabled"), &path("enabled"));
        entry.required = check.flag(get("required"), &path("required"));
        entry.config = check
            .mapping(get("config"), &path("config"))
            .cloned()
            .unwrap_or_default();
        entry.role = check.word(get("role"), &path("role"), Role::WORDS, Role::parse);
        entry.on_failure = check.word(
            get("on_failure"),
            &path("on_failure"),
            OnFailure::WORDS,
            OnFailure::parse,
        );
        entry.isolation = check.word(
            get("isolation"),
            &path("isolation"),
            Isolation::WORDS,
            Isolation::parse,
        );
        let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
        entry.priority = check
            .whole(get("priority"), &path("priority"), low, high)
            .and_then(|number| i32::try_from(number).ok());
        entry.tools = check.words(get("tools"), &path("tools"));
        let key = "allow_tool_override";
        entry.allow_tool_override = check.flag(get(key), &path(key));
        entry.llm = llm(get("llm"), name, check);
        entry.hooks = HookSettings::read(get("hooks"), name, check);
        entry
    }
}

impl HookSettings {
    fn read(value: Option<&Value>, name: &str, check: &mut Checker<'_>) -> Self {
        let mut settings = Self::default();
        let root = ["plugins", "entries", name, "hooks"];
        let Some(map) = check.mapping(value, &root) else {
            return settings;
        };
        check.known_keys(map, &root, HOOK_KEYS);
        let path = |key| [root[0], root[1], root[2], root[3], key];
        settings.timeout_ms = budget(map.get("timeoutMs"), &path("timeoutMs"), check);
        let timeouts = check.mapping(map.get("timeouts"), &path("timeouts"));
        for (hook, value) in timeouts.into_iter().flatten() {
            let path = [root[0], root[1], root[2], root[3], "timeouts", hook];
            if let Some(ms) = budget(Some(value), &path, check) {
                settings.timeouts.insert(hook.clone(), ms);
            }
        }
        let key = "allowPromptInjection";
        settings.allow_prompt_injection = check.flag(map.get(key), &path(key));
        let key = "allowConversationAccess";
        settings.allow_conversation_access = check.flag(map.get(key), &path(key));
        settings
    }
}

fn llm(value: Option<&Value>, name: &str, check: &mut Checker<'_>) -> LlmRights {
    let mut rights = LlmRights::default();
    let root = ["plugins", "entries", name, "llm"];
    let Some(map) = check.mapping(value, &root) else {
        return rights;
    };
    check.known_keys(map, &root, LLM_KEYS);
    let path = |key| [root[0], root[1], root[2], root[3], key];
    let key = "allow_model_override";
    let allowed = check.flag(map.get(key), &path(key));
    rights.allow_model_override = allowed.unwrap_or_default();
    let key = "allow_provider_override";
    let allowed = check.flag(map.get(key), &path(key));
    rights.allow_provider_override = allowed.unwrap_or_default();
    // A list that cannot be read allows nothing: it was to narrow what is allowed.
    let mut list = |key| {
        let value = map.get(key).filter(|value| !value.is_null());
        value.map(|value| check.words(Some(value), &path(key)).unwrap_or_default())
    };
    rights.allowed_models = list("allowed_models");
    rights.allowed_providers = list("allowed_providers");
    rights
}

fn budget(value: Option<&Value>, path: &[&str], check: &mut Checker<'_>) -> Option<u32> {
    let ms = check.whole(value, path, 1, i64::from(MAX_BUDGET_MS))?;
    u32::try_from(ms).ok()
}
