//! What an operator may set, checked before it is used.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::forms;

/// The least `min_length` that is accepted: shorter values occur in ordinary text by chance.
pub(crate) const FLOOR: usize = 4;

/// The longest name a mask may carry.
pub(crate) const LONGEST_NAME: usize = 64;

/// The plugin's configuration, from `plugins.entries.redact-secrets.config`.
///
/// Its `Debug` form shows names only, never a value.
///
/// # Examples
///
/// ```
/// let config: redact_secrets::Config = serde_json::from_str(
///     r#"{"env_files": [".env", "~/.config/app/env"], "allow": ["demo-key-0001"]}"#,
/// )?;
/// assert_eq!(config.min_length, 8);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Env files whose values are masked: relative to the working directory, absolute, or `~/…`.
    pub env_files: Vec<String>,
    /// Values that are masked wherever they appear, by the name the mask shows.
    pub values: BTreeMap<String, String>,
    /// Names of environment variables whose values are masked.
    pub value_env: Vec<String>,
    /// The least number of characters of a value that is masked (at least 4).
    pub min_length: usize,
    /// Key forms that are switched off, by id.
    pub disable: Vec<String>,
    /// Exact values that are never masked.
    pub allow: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            env_files: vec![".env".to_owned(), "~/.hermes/.env".to_owned()],
            values: BTreeMap::new(),
            value_env: Vec::new(),
            min_length: 8,
            disable: Vec::new(),
            allow: Vec::new(),
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("env_files", &self.env_files)
            .field("values", &self.values.keys().collect::<Vec<_>>())
            .field("value_env", &self.value_env)
            .field("min_length", &self.min_length)
            .field("disable", &self.disable)
            .field("allow", &self.allow.len())
            .finish()
    }
}

impl Config {
    /// Refuses what could not be honoured; a mask that silently does nothing is worse than an error.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.min_length < FLOOR {
            return Err(ConfigError::MinLength {
                found: self.min_length,
            });
        }
        for (name, value) in &self.values {
            if !is_name(name) {
                return Err(ConfigError::BadName {
                    key: "values",
                    name: name.clone(),
                });
            }
            let found = value.chars().count();
            if found < self.min_length {
                return Err(ConfigError::ShortValue {
                    name: name.clone(),
                    found,
                    least: self.min_length,
                });
            }
        }
        if let Some(name) = self.value_env.iter().find(|name| !is_name(name)) {
            return Err(ConfigError::BadName {
                key: "value_env",
                name: name.clone(),
            });
        }
        match self.disable.iter().find(|id| !forms::is_known(id)) {
            Some(id) => Err(ConfigError::UnknownForm { id: id.clone() }),
            None => Ok(()),
        }
    }
}

/// Whether `name` can stand in a mask without ending it early or breaking JSON.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Why a configuration was refused. No variant holds a secret value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// `min_length` is below the floor of 4.
    MinLength {
        /// What was configured.
        found: usize,
    },
    /// A configured value is shorter than `min_length`, so it would not be masked.
    ShortValue {
        /// The value's name.
        name: String,
        /// Its length in characters.
        found: usize,
        /// The configured `min_length`.
        least: usize,
    },
    /// A name cannot be shown in a mask.
    BadName {
        /// The configuration key it stands under.
        key: &'static str,
        /// The name.
        name: String,
    },
    /// `disable` names a key form that does not exist.
    UnknownForm {
        /// The id that was given.
        id: String,
    },
    /// The values are more than one search automaton can hold.
    TooManyValues {
        /// How many patterns were asked for.
        patterns: usize,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinLength { found } => write!(
                f,
                "`min_length`: {found} is below the least accepted, {FLOOR}\n\
                 hint: set it to {FLOOR} or more; shorter values occur in ordinary text"
            ),
            Self::ShortValue { name, found, least } => write!(
                f,
                "`values.{name}`: {found} characters, `min_length` is {least}\n\
                 hint: lower `min_length`, or remove the value"
            ),
            Self::BadName { key, name } => write!(
                f,
                "`{key}`: `{name}` cannot be shown in a mask\n\
                 hint: use 1 to {LONGEST_NAME} letters, digits, `_`, `-` or `.`"
            ),
            Self::UnknownForm { id } => write!(
                f,
                "`disable`: no key form is called `{id}`\nhint: known forms are {}",
                forms::ids().collect::<Vec<_>>().join(", ")
            ),
            Self::TooManyValues { patterns } => write!(
                f,
                "`values`, `value_env` and `env_files`: {patterns} patterns are too many for one search\n\
                 hint: list fewer env files"
            ),
        }
    }
}

impl std::error::Error for ConfigError {}
