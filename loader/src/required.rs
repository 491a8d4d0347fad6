//! Says which plugins that the operator requires are not active, and what stays closed for it.

use std::sync::Arc;

use hermes_plugin_api::catalogue::{self, Hook};
use serde::Serialize;

use crate::config::PluginRules;
use crate::registry::Absent;
use crate::report::{PluginReport, State};

/// A plugin that is required and not active. What it covers is refused, until it is loaded or no longer
/// required.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Missing {
    /// Its key or name, as the operator wrote it.
    pub plugin: String,
    /// Why it is not active.
    pub why: String,
    /// What to do about it.
    pub cure: String,
    /// The hooks whose events are refused.
    pub hooks: Vec<&'static str>,
    /// The tools whose calls are refused; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            plugin,
            why,
            hooks,
            tools,
            ..
        } = self;
        let of = tools.as_ref().map_or_else(
            || "every event".to_owned(),
            |tools| format!("every event of {}", tools.join(", ")),
        );
        let hooks = hooks.join(", ");
        write!(
            f,
            "required plugin `{plugin}` is not active ({why}): {of} of {hooks} is refused"
        )
    }
}

/// Which required plugins did not load. `only` are the plugins that the embedder asked for, if it did.
pub(crate) fn missing(
    rules: &PluginRules,
    plugins: &[PluginReport],
    only: Option<&[String]>,
    safe: bool,
) -> Vec<Missing> {
    let entries = rules.entries.iter();
    let in_entries = entries.filter(|(_, entry)| entry.required == Some(true));
    let mut names: Vec<&String> = rules.required.iter().collect();
    names.extend(in_entries.map(|(name, _)| name));
    names.sort_unstable();
    names.dedup();
    names
        .into_iter()
        .filter(|name| only.is_none_or(|only| only.contains(name)))
        .filter_map(|name| {
            let line = plugins
                .iter()
                .find(|plugin| plugin.key == *name || *plugin.name == **name);
            let (why, cure) = match line.map(|line| &line.state) {
                Some(State::Loaded) => return None,
                _ if safe => (
                    "safe mode loads no plugin".to_owned(),
                    "start without safe mode".to_owned(),
                ),
                Some(State::Refused(refusal)) => (refusal.to_string(), refusal.cure()),
                Some(State::Off(decision)) => (
                    decision.reason(name).unwrap_or_default(),
                    decision
                        .cure(name)
                        .unwrap_or_else(|| "its category selects it".to_owned()),
                ),
                Some(State::Python) => (
                    "it is a Python plugin".to_owned(),
                    "install it as a native plugin".to_owned(),
                ),
                None => (
                    "it is not installed".to_owned(),
                    "install it with `hermes plugins install`".to_owned(),
                ),
            };
            let key = line.map_or(name.as_str(), |line| line.key.as_str());
            Some(Missing {
                plugin: name.clone(),
                cure: format!("{cure}; to do without it, take it out of `plugins.required`"),
                why,
                hooks: covered(line).map(|hook| hook.name).collect(),
                tools: rules.entry_for(key, name).tools.clone(),
            })
        })
        .collect()
}

/// What the plugin is known to judge; every tool call, where nothing is known.
fn covered(line: Option<&PluginReport>) -> impl Iterator<Item = &'static Hook> {
    let declared: Vec<&'static Hook> = line
        .and_then(|line| line.metadata.as_ref())
        .into_iter()
        .flat_map(|metadata| &metadata.hooks)
        .filter_map(|name| catalogue::by_name(name))
        .filter(|hook| hook.decides())
        .collect();
    let gates = ["pre_tool_call", "before_tool_call"];
    let gates = gates.into_iter().filter_map(catalogue::by_name);
    let gates = gates.filter({
        let unknown = declared.is_empty();
        move |_| unknown
    });
    declared.into_iter().chain(gates)
}

/// The same for the chains.
pub(crate) fn absent(missing: &[Missing]) -> Vec<Absent> {
    let absent = |missing: &Missing| Absent {
        plugin: Arc::from(missing.plugin.as_str()),
        hooks: missing
            .hooks
            .iter()
            .filter_map(|name| catalogue::by_name(name))
            .collect(),
        tools: missing.tools.clone(),
    };
    missing.iter().map(absent).collect()
}
