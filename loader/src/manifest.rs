//! Reads what a plugin's directory says of it: `plugin.yaml`.

mod error;
mod fields;
mod words;
mod write;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use self::error::ManifestError;
pub use self::fields::{EnvNeed, check_name};
pub use self::words::{Isolation, Kind, OnFailure, Role};

use crate::config::Problem;
use crate::config::yaml;

/// The highest `manifest_version` that an install accepts.
pub const MANIFEST_VERSION: i64 = 1;

/// A plugin's manifest.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Manifest {
    /// The display name; also the key of a plugin that lies in no category.
    pub name: String,
    /// What sort of plugin it is.
    pub kind: Kind,
    /// The version as written, for display; empty when absent.
    pub version: String,
    /// One line about it; empty when absent.
    pub description: String,
    /// Who wrote it; empty when absent.
    pub author: String,
    /// A friendlier name than [`Manifest::name`], where given.
    pub label: Option<String>,
    /// Environment variables the installer asks for; not enforced at load.
    pub requires_env: Vec<EnvNeed>,
    /// Hook points it says it uses (`provides_hooks`); what it registers is what counts.
    pub provides_hooks: Vec<String>,
    /// Tools it says it brings.
    pub provides_tools: Vec<String>,
    /// The list that bundled manifests keep under `hooks`; for display only.
    pub hooks: Vec<String>,
    /// `manifest_version` as written; see [`Manifest::check_install`].
    pub manifest_version: Option<Value>,
    /// The library, relative to the plugin's directory.
    pub library: Option<PathBuf>,
    /// What the plugin is for; a guard's handlers fail closed.
    pub role: Option<Role>,
    /// What happens to a decision when a handler of this plugin faults.
    pub on_failure: Option<OnFailure>,
    /// Where its code runs.
    pub isolation: Option<Isolation>,
    /// What is odd about the manifest, but does not stop the plugin.
    pub problems: Vec<Problem>,
}

impl Manifest {
    /// A manifest that says nothing but a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Standalone,
            version: String::new(),
            description: String::new(),
            author: String::new(),
            label: None,
            requires_env: Vec::new(),
            provides_hooks: Vec::new(),
            provides_tools: Vec::new(),
            hooks: Vec::new(),
            manifest_version: None,
            library: None,
            role: None,
            on_failure: None,
            isolation: None,
            problems: Vec::new(),
        }
    }

    /// Reads the text of the manifest at `file`, which lies in a directory called `directory`.
    ///
    /// An empty text is a manifest without fields. Unknown fields are ignored.
    ///
    /// # Errors
    ///
    /// Bad YAML, a top level that is no mapping, a name that cannot name a plugin, a library
    /// outside the plugin's directory, and a `role`, `on_failure` or `isolation` that is none of
    /// the known words: a guard whose role is misspelt must not load as something less.
    pub fn parse(text: &str, file: &Path, directory: &str) -> Result<Self, ManifestError> {
        let document = yaml::parse(text).map_err(|error| ManifestError::Syntax {
            path: file.to_owned(),
            line: error.at.line,
            column: error.at.column,
            detail: error.detail,
        })?;
        fields::read(&document, file, directory)
    }

    /// Whether `plugins install` may take this manifest.
    ///
    /// # Errors
    ///
    /// [`ManifestError::Version`] when `manifest_version` is no whole number, or newer than
    /// [`MANIFEST_VERSION`]. Loading does not ask.
    pub fn check_install(&self, file: &Path) -> Result<(), ManifestError> {
        match &self.manifest_version {
            None => Ok(()),
            Some(version) if version.as_i64().is_some_and(|v| v <= MANIFEST_VERSION) => Ok(()),
            Some(version) => Err(ManifestError::Version {
                path: file.to_owned(),
                found: yaml::describe(version),
            }),
        }
    }
}
