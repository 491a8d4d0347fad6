//! What an operator may set, and what is wrong with it.

use serde::Deserialize;

use crate::paths::AllowList;
use crate::rules::{RULES, Rule};

/// Directories that a recursive delete may take unless the configuration says otherwise.
pub const DEFAULT_ALLOW_DELETE: &[&str] = &[
    "node_modules",
    "target",
    "build",
    "dist",
    "out",
    "coverage",
    "htmlcov",
    "__pycache__",
    ".cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".gradle",
    "*.egg-info",
    "/tmp/*",
    "/var/tmp/*",
];

/// The plugin's configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Ids of built-in rules to switch off.
    pub disable: Vec<String>,
    /// What `rm -rf` may take. Replaces [`DEFAULT_ALLOW_DELETE`]. An entry is a name (`node_modules`: a
    /// relative path with that component), an ending (`*.egg-info`), or a directory with `/*` at its
    /// end (`/tmp/*`: what is below it).
    pub allow_delete: Vec<String>,
    /// More commands to refuse.
    pub extra_rules: Vec<ExtraRule>,
}

impl Default for Config {
    fn default() -> Self {
        let owned = DEFAULT_ALLOW_DELETE.iter().map(|&entry| entry.to_owned());
        Self {
            disable: Vec::new(),
            allow_delete: owned.collect(),
            extra_rules: Vec::new(),
        }
    }
}

/// A command to refuse, by its words.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraRule {
    /// What the message names it by; letters, digits, `.` and `-`.
    pub id: String,
    /// The program, then words that must all be among its arguments, in this order.
    pub words: Vec<String>,
    /// Why it is refused.
    pub reason: String,
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// `disable` names no rule.
    UnknownRule {
        /// The id given.
        id: String,
    },
    /// An entry of `allow_delete` has none of the lawful forms.
    AllowDelete {
        /// The entry given.
        entry: String,
    },
    /// An extra rule's id is empty, has other characters, or is taken.
    ExtraRuleId {
        /// The id given.
        id: String,
    },
    /// An extra rule names no program, or an empty one.
    ExtraRuleWords {
        /// The id of the rule.
        id: String,
    },
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownRule { id } => {
                write!(f, "disable: there is no rule `{id}`, expected one of ")?;
                for (index, rule) in RULES.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", rule.id())?;
                }
                Ok(())
            }
            Self::AllowDelete { entry } => write!(
                f,
                "allow_delete: found `{entry}`, expected a name such as `node_modules`, an ending such as \
                 `*.egg-info`, or all below a directory such as `/tmp/*`"
            ),
            Self::ExtraRuleId { id } => write!(
                f,
                "extra_rules: found id `{id}`, expected letters, digits, `.` and `-`, and no id of another rule"
            ),
            Self::ExtraRuleWords { id } => write!(
                f,
                "extra_rules: rule `{id}`: expected words, the first of them the name of a program"
            ),
        }
    }
}

impl std::error::Error for ConfigError {}

/// An extra rule that was checked.
#[derive(Debug, Clone)]
pub(crate) struct Extra {
    pub(crate) rule: Rule,
    pub(crate) program: String,
    pub(crate) words: Vec<String>,
}

impl Config {
    pub(crate) fn check_disable(&self) -> Result<(), ConfigError> {
        let known = |id: &&String| !RULES.iter().any(|rule| rule.id() == id.as_str());
        match self.disable.iter().find(known) {
            Some(id) => Err(ConfigError::UnknownRule { id: id.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn allow_list(&self) -> Result<AllowList, ConfigError> {
        let mut list = AllowList::default();
        for entry in &self.allow_delete {
            list.add(entry).ok_or_else(|| ConfigError::AllowDelete {
                entry: entry.clone(),
            })?;
        }
        Ok(list)
    }

    pub(crate) fn extras(&self) -> Result<Vec<Extra>, ConfigError> {
        let mut extras: Vec<Extra> = Vec::new();
        for extra in &self.extra_rules {
            let ExtraRule { id, words, reason } = extra;
            let lawful = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
            let taken = RULES.iter().any(|rule| rule.id() == id)
                || extras.iter().any(|other| other.rule.id() == id);
            if id.is_empty() || !id.chars().all(lawful) || taken {
                return Err(ConfigError::ExtraRuleId { id: id.clone() });
            }
            let Some((program, words)) = words.split_first().filter(|(p, _)| !p.is_empty()) else {
                return Err(ConfigError::ExtraRuleWords { id: id.clone() });
            };
            extras.push(Extra {
                rule: Rule::configured(id.clone(), reason.clone()),
                program: program.clone(),
                words: words.to_vec(),
            });
        }
        Ok(extras)
    }
}

impl Extra {
    /// The rule's words are all among `args`, in order.
    pub(crate) fn matches(&self, program: &str, args: &[crate::shell::Word]) -> bool {
        let mut args = args.iter();
        self.program == program
            && self
                .words
                .iter()
                .all(|word| args.any(|arg| arg.text == *word))
    }
}
