//! Decides whether a plugin may load.

use super::Source;
use crate::config::PluginRules;
use crate::manifest::Kind;

/// Whether a plugin loads, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// It loads.
    Load,
    /// No plugin loads (`plugins.enabled: false`).
    AllOff,
    /// It is in `plugins.disabled`.
    Disabled,
    /// It is in `plugins.deny`.
    Denied,
    /// Its entry says `enabled: false`.
    EntryOff,
    /// There is a `plugins.allow`, and it is not in it.
    NotAllowed,
    /// Its category selects one plugin by other means.
    Exclusive,
    /// A model provider; it counts as enabled, but is not loaded here.
    ModelProvider,
    /// It is not in `plugins.enabled`.
    NotEnabled,
}

impl Decision {
    /// Whether the plugin loads.
    pub fn loads(self) -> bool {
        self == Self::Load
    }

    /// A stable name for this decision.
    pub fn code(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::AllOff => "all_off",
            Self::Disabled => "disabled",
            Self::Denied => "denied",
            Self::EntryOff => "entry_off",
            Self::NotAllowed => "not_allowed",
            Self::Exclusive => "exclusive",
            Self::ModelProvider => "model_provider",
            Self::NotEnabled => "not_enabled",
        }
    }

    /// Why the plugin with this key does not load; `None` when it does.
    pub fn reason(self, key: &str) -> Option<String> {
        let reason = match self {
            Self::Load => return None,
            Self::AllOff => "`plugins.enabled` is false: all plugins are off".to_owned(),
            Self::Disabled => "disabled via config".to_owned(),
            Self::Denied => "denied via config (`plugins.deny`)".to_owned(),
            Self::EntryOff => format!("switched off by `plugins.entries.{key}.enabled`"),
            Self::NotAllowed => "not in `plugins.allow`".to_owned(),
            Self::Exclusive => "exclusive: its category selects one plugin itself".to_owned(),
            Self::ModelProvider => "model provider: not loaded by the plugin loader".to_owned(),
            Self::NotEnabled => {
                format!(
                    "not enabled in config (run `hermes plugins enable {}`)",
                    word(key)
                )
            }
        };
        Some(reason)
    }

    /// What would make it load, where something in config.yaml would.
    pub fn cure(self, key: &str) -> Option<String> {
        match self {
            Self::Load | Self::Exclusive | Self::ModelProvider => None,
            Self::AllOff => Some("name the plugins to load: `enabled: [name]`".to_owned()),
            Self::Disabled | Self::NotEnabled => {
                Some(format!("run `hermes plugins enable {}`", word(key)))
            }
            Self::Denied => Some(format!("take `{key}` out of `plugins.deny`")),
            Self::EntryOff => Some(format!(
                "take `enabled: false` out of `plugins.entries.{key}`"
            )),
            Self::NotAllowed => Some(format!("add `{key}` to `plugins.allow`")),
        }
    }
}

/// The rule: what is switched off is off, some kinds are not for this loader, some bundled kinds
/// need no opt-in, and everything else needs one.
pub fn decide(key: &str, name: &str, kind: Kind, source: Source, rules: &PluginRules) -> Decision {
    let listed =
        |list: &std::collections::BTreeSet<String>| list.contains(key) || list.contains(name);
    let off = |entry: &str| rules.entry(entry).enabled == Some(false);
    if rules.all_off {
        Decision::AllOff
    } else if listed(&rules.disabled) {
        Decision::Disabled
    } else if listed(&rules.denied) {
        Decision::Denied
    } else if off(key) || off(name) {
        Decision::EntryOff
    } else if !rules.allowed.is_empty() && !listed(&rules.allowed) {
        Decision::NotAllowed
    } else if kind == Kind::Exclusive {
        Decision::Exclusive
    } else if kind == Kind::ModelProvider {
        Decision::ModelProvider
    } else if source == Source::Bundled && matches!(kind, Kind::Backend | Kind::Platform)
        || listed(&rules.enabled)
    {
        Decision::Load
    } else {
        Decision::NotEnabled
    }
}

/// A key as one word of a shell's command line.
fn word(key: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if key.chars().all(plain) {
        key.to_owned()
    } else {
        format!("'{}'", key.replace('\'', r"'\''"))
    }
}
