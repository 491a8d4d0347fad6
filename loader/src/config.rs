//! Knows what the operator configured: `config.yaml`, read with tolerance.

mod check;
pub mod edit;
mod entry;
mod expand;
mod load;
mod merge;
mod problem;
pub(crate) mod read;
mod rules;
mod truthy;
pub(crate) mod yaml;

use std::path::Path;

use serde_json::{Value, json};

pub use self::entry::{Entry, HookSettings, MAX_BUDGET_MS};
pub use self::expand::{Lookup, expand};
pub use self::merge::deep_merge;
pub use self::problem::{Place, Problem, Severity};
pub use self::rules::PluginRules;
pub use self::truthy::{truthy, truthy_value};
pub use self::yaml::Position;

use self::check::Checker;

/// The Hermes release whose behaviour applies where releases differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compat {
    /// 0.13 (`compat: "0.13"`).
    V13,
    /// What this host does where nothing is said: the documented rules, and 0.19 where they are silent.
    #[default]
    Current,
}

/// The OpenClaw release whose default time budgets apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HookDefaults {
    /// 2026.5.12; the default.
    #[default]
    V2026_5_12,
    /// 2026.9.6.
    V2026_9_6,
}

/// The configuration of one home: defaults, what the file says over them, variables expanded.
#[derive(Debug, Clone)]
pub struct Config {
    value: Value,
    plugins: PluginRules,
    compat: Compat,
    hook_defaults: HookDefaults,
    problems: Vec<Problem>,
}

impl Config {
    /// The configuration of a home without a file.
    pub fn defaults() -> Self {
        Self {
            value: default_value(),
            plugins: PluginRules::default(),
            compat: Compat::default(),
            hook_defaults: HookDefaults::default(),
            problems: Vec::new(),
        }
    }

    /// Reads the text of the configuration file `file`; `env` looks environment variables up.
    ///
    /// This never fails: a text that cannot be read is a problem and otherwise counts as empty.
    pub fn parse(text: &str, file: &Path, env: &Lookup<'_>) -> Self {
        let document = match yaml::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let place = Place {
                    file: file.to_owned(),
                    position: Some(error.at),
                    key: None,
                };
                return Self::unreadable(place, &format!("not valid YAML: {}", error.detail));
            }
        };
        if !matches!(document.value, Value::Object(_) | Value::Null) {
            let found = yaml::describe(&document.value);
            let detail = format!("expected a mapping at the top level, found {found}");
            return Self::unreadable(Place::file(file), &detail);
        }
        let mut value = default_value();
        if !document.value.is_null() {
            deep_merge(&mut value, document.value.clone());
        }
        expand(&mut value, env);
        let mut check = Checker::new(file, &document);
        check.duplicates();
        let plugins = PluginRules::read(value.get("plugins"), &mut check);
        let compat = compat(&value, &mut check);
        let hook_defaults = hook_defaults(&value, &mut check);
        Self {
            plugins,
            compat,
            hook_defaults,
            problems: check.into_problems(),
            value,
        }
    }

    /// Defaults, with the reason why the file does not count.
    fn unreadable(place: Place, detail: &str) -> Self {
        let mut config = Self::defaults();
        let message = format!("{detail}; the whole file is ignored, so no plugin is enabled");
        let problem = Problem::new(Severity::Warning, "config_unreadable", place, message);
        let cure = "correct the file, then run `hermes plugins list`";
        config.problems.push(problem.cure(cure));
        config
    }

    /// The whole configuration.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value at a path of keys.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        path.iter()
            .try_fold(&self.value, |value, key| value.get(key))
    }

    /// Which plugins may load, and how.
    pub fn plugins(&self) -> &PluginRules {
        &self.plugins
    }

    /// What is configured for the plugin with this key; see [`PluginRules::entry_for`] for plugins
    /// whose name differs from their key.
    pub fn entry(&self, key: &str) -> &Entry {
        self.plugins.entry(key)
    }

    /// Which Hermes release to follow where releases differ (`compat`).
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// Which default time budgets apply (`hooks.defaults`).
    pub fn hook_defaults(&self) -> HookDefaults {
        self.hook_defaults
    }

    /// Whether shell hooks count as approved (`hooks_auto_accept`).
    pub fn hooks_auto_accept(&self) -> bool {
        self.value
            .get("hooks_auto_accept")
            .is_some_and(truthy_value)
    }

    /// Everything that is wrong with the file, in its order of reading.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

fn default_value() -> Value {
    json!({"hooks": {}, "hooks_auto_accept": false})
}

fn compat(value: &Value, check: &mut Checker<'_>) -> Compat {
    let known = &[
        ("0.13", Compat::V13),
        ("current", Compat::Current),
        ("0.19", Compat::Current),
    ];
    check.release(value.get("compat"), &["compat"], known)
}

fn hook_defaults(value: &Value, check: &mut Checker<'_>) -> HookDefaults {
    let known = &[
        ("2026.5.12", HookDefaults::V2026_5_12),
        ("2026.9.6", HookDefaults::V2026_9_6),
        ("5.12", HookDefaults::V2026_5_12),
        ("9.6", HookDefaults::V2026_9_6),
    ];
    let defaults = value.get("hooks").and_then(|hooks| hooks.get("defaults"));
    check.release(defaults, &["hooks", "defaults"], known)
}
