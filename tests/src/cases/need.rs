//! What a case needs of the product, and what the product does not have.

use std::fmt;

use serde_json::Value;

use super::read::Case;

/// Something that the product would have to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Need {
    /// Commands of `config.yaml` that are run for events.
    ShellHooks,
    /// Handlers of gateway events.
    GatewayHooks,
    /// A handler that takes too long is given up.
    Budgets,
    /// A handler that faults again and again is no longer called.
    Quarantine,
    /// What was being called when the process ended is known at the next start.
    Breadcrumb,
    /// A plugin in a process of its own.
    ProcessIsolation,
    /// Replacing plugins while the host runs.
    Reload,
}

impl Need {
    /// Whether the product has it. The line to change when it does.
    #[must_use]
    pub const fn is_there(self) -> bool {
        match self {
            Self::ShellHooks
            | Self::GatewayHooks
            | Self::Budgets
            | Self::Quarantine
            | Self::Breadcrumb
            | Self::ProcessIsolation => false,
            Self::Reload => true,
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ShellHooks => "shell hooks",
            Self::GatewayHooks => "gateway hooks",
            Self::Budgets => "time budgets",
            Self::Quarantine => "quarantine",
            Self::Breadcrumb => "the crash breadcrumb",
            Self::ProcessIsolation => "plugins in processes of their own",
            Self::Reload => "reloading",
        })
    }
}

/// What the case cannot be played without, and where it says so.
pub(super) fn of(case: &Case) -> Vec<(String, Need)> {
    let mut needs = Vec::new();
    let mut need = |key: &str, need: Need, wanted: bool| {
        if wanted && !need.is_there() {
            needs.push((key.to_owned(), need));
        }
    };
    let has_hooks = case.configs().any(|(_, config)| {
        let hooks = config.get("hooks").and_then(Value::as_object);
        hooks.is_some_and(|hooks| hooks.values().any(Value::is_array))
    });
    need("config.yaml", Need::ShellHooks, has_hooks);
    let gateway = case.files("hooks") || case.events().any(|event| event.gateway);
    need("events.jsonl", Need::GatewayHooks, gateway);
    need("events.jsonl", Need::Reload, case.has_control());
    let plays = case.plugins.iter().filter(|plugin| plugin.enabled);
    let rules = || plays.clone().flat_map(|plugin| plugin.rules());
    let ends =
        rules().any(|rule| rule.contains_key("process_exit") || rule.contains_key("raise_signal"));
    need("plugins.json", Need::Breadcrumb, ends);
    let late = plays.clone().any(|plugin| {
        let sleeps = |rule: &serde_json::Map<String, Value>| {
            rule.get("sleep_ms")
                .and_then(Value::as_u64)
                .unwrap_or_default()
        };
        plugin.deadline_ms > 0 && plugin.rules().any(|rule| sleeps(rule) > plugin.deadline_ms)
    });
    need("plugins.json", Need::Budgets, late);
    let expected = |key: &str| case.expected.get(key).is_some();
    need(
        "out_of_process",
        Need::ProcessIsolation,
        expected("out_of_process"),
    );
    needs
}
