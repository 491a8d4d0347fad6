//! What a plugin may be told about itself, and what the operator lets it ask for.

use std::path::PathBuf;

use hermes_plugin_api::agent::LlmRights;
use serde_json::{Value, json};

use crate::config::Entry;
use crate::discover::{Found, Source};

/// One plugin as its instance is told of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// What its entry in `plugins.entries` is called.
    pub(crate) key: String,
    /// Its directory; absent when it is linked in.
    pub(crate) dir: Option<PathBuf>,
    /// Its manifest as JSON.
    pub(crate) manifest: Value,
    /// Which models it may choose.
    pub(crate) llm: LlmRights,
    /// Whether it may put its tools in the place of others.
    pub(crate) may_override: bool,
}

impl About {
    /// A plugin that was found in a directory.
    pub(crate) fn found(found: &Found, settings: &Entry) -> Self {
        let manifest = &found.manifest;
        Self {
            key: found.key.clone(),
            dir: Some(found.dir.clone()),
            manifest: json!({
                "key": found.key, "name": manifest.name, "version": manifest.version,
                "description": manifest.description, "source": found.source.as_str(),
                "path": found.dir,
            }),
            llm: settings.llm.clone(),
            may_override: found.source == Source::Bundled
                || settings.allow_tool_override == Some(true),
        }
    }

    /// A plugin that is linked into the program, which thereby vouches for it.
    pub(crate) fn linked(name: &str, version: &str, settings: &Entry) -> Self {
        Self {
            key: name.to_owned(),
            dir: None,
            manifest: json!({ "key": name, "name": name, "version": version, "description": "" }),
            llm: settings.llm.clone(),
            may_override: settings.allow_tool_override != Some(false),
        }
    }
}
