//! What loading came to: one line per plugin, and what is wrong.

mod likeness;
mod liveness;
mod session;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::config::{Problem, Severity};
use crate::discover::{Decision, Shadowed, Source};
use crate::inspect::Metadata;
use crate::manifest::Kind;
use crate::refusal::Refusal;
use crate::required::Missing;

pub use self::likeness::suggest;
pub(crate) use self::liveness::hermes_hooks;
pub use self::liveness::{Liveness, advice, liveness, liveness_for};
pub use self::session::Record;

/// What became of one plugin.
#[derive(Debug)]
#[non_exhaustive]
pub enum State {
    /// It is loaded, and its handlers are called.
    Loaded,
    /// It was to load, and does not.
    Refused(Refusal),
    /// It is not to load.
    Off(Decision),
    /// It is one of Hermes' own plugins, in Python: not ours to load.
    Python,
}

impl State {
    /// The stable word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Refused(_) => "refused",
            Self::Off(_) => "off",
            Self::Python => "python",
        }
    }
}

/// One registration, as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookReport {
    /// Its name.
    pub name: String,
    /// Whether it is ever fired.
    pub liveness: Liveness,
    /// The hook that was probably meant, for unknown names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<&'static str>,
    /// Its priority.
    pub priority: f64,
    /// Whether it stands with the guards.
    pub guard: bool,
    /// Whether a fault of its refuses the event.
    pub fails_closed: bool,
    /// The tools it is called for; absent for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The budget it asked for, in milliseconds; 0 for none.
    pub budget_ms: u64,
}

impl HookReport {
    /// What its author or operator can do when it is not fired here; `None` for a live one.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        self.liveness.advice(&self.name, self.suggestion)
    }
}

/// One plugin.
#[derive(Debug)]
#[non_exhaustive]
pub struct PluginReport {
    /// Its key: the name, or `category/name`.
    pub key: String,
    /// Its name.
    pub name: Arc<str>,
    /// What sort of plugin it is.
    pub kind: Kind,
    /// The version its manifest, or else its library, states.
    pub version: String,
    /// One line about it.
    pub description: String,
    /// Where it was found; absent for plugins that are linked in.
    pub source: Option<Source>,
    /// Its directory; absent for plugins that are linked in.
    pub dir: Option<PathBuf>,
    /// Whether its role is `guard`.
    pub guard: bool,
    /// What became of it.
    pub state: State,
    /// What its library says of itself, as far as it was read.
    pub metadata: Option<Metadata>,
    /// The hash of its library.
    pub sha256: Option<String>,
    /// What it registered.
    pub hooks: Vec<HookReport>,
    /// The tools it offers.
    pub tools: Vec<String>,
    /// The slash commands it brings.
    pub commands: Vec<String>,
    /// Why its tools as trait objects are off, if they are.
    pub tools_off: Option<String>,
}

/// What loading came to.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The plugins, in load order.
    pub plugins: Vec<PluginReport>,
    /// Plugins that another one with the same key replaced.
    pub shadowed: Vec<Shadowed>,
    /// Names in `plugins.enabled` that no plugin has.
    pub unmatched: Vec<String>,
    /// Plugins that are required and not active.
    pub missing: Vec<Missing>,
    /// What is wrong with configuration and manifests.
    pub problems: Vec<Problem>,
}

impl Report {
    /// The plugin with this key, else with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&PluginReport> {
        let keyed = self.plugins.iter().find(|plugin| plugin.key == name);
        keyed.or_else(|| self.plugins.iter().find(|plugin| &*plugin.name == name))
    }

    /// Guards that were to load and are not active. What they guard is not guarded, unless they are
    /// required.
    pub fn inactive_guards(&self) -> impl Iterator<Item = &PluginReport> {
        self.plugins
            .iter()
            .filter(|plugin| plugin.guard && matches!(plugin.state, State::Refused(_)))
    }

    /// Whether anything needs the operator's attention.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        let refused = self
            .plugins
            .iter()
            .any(|plugin| matches!(plugin.state, State::Refused(_)));
        let wrong = self
            .problems
            .iter()
            .any(|problem| problem.severity == Severity::Error);
        !refused && !wrong && self.unmatched.is_empty() && self.missing.is_empty()
    }
}

impl fmt::Display for Report {
    /// One line for the whole, then one per plugin that does not load and per guard that is not active.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loaded = self
            .plugins
            .iter()
            .filter(|plugin| matches!(plugin.state, State::Loaded));
        let (mut plugins, mut guards) = (0, 0);
        for plugin in loaded {
            plugins += 1;
            guards += usize::from(plugin.guard);
        }
        write!(
            f,
            "{plugins} native plugins loaded, {guards} of them guards"
        )?;
        for plugin in &self.plugins {
            if let State::Refused(refusal) = &plugin.state {
                write!(
                    f,
                    "\nplugin `{}`: {refusal}\nhint: {}",
                    plugin.key,
                    refusal.cure()
                )?;
            }
        }
        let required = |guard: &&PluginReport| {
            let names = [guard.key.as_str(), &guard.name];
            self.missing
                .iter()
                .any(|missing| names.contains(&missing.plugin.as_str()))
        };
        for guard in self.inactive_guards().filter(|guard| !required(guard)) {
            write!(
                f,
                "\nguard `{}` is not active: what it guards is not guarded",
                guard.key
            )?;
        }
        for missing in &self.missing {
            write!(f, "\n{missing}\nhint: {}", missing.cure)?;
        }
        Ok(())
    }
}
