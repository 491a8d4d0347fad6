//! What a session's `/plugins` command shows of a report.

use std::fmt::Write;

use serde::Serialize;

use super::{PluginReport, Report, State};

/// One plugin as Hermes' introspection shows it: what it is, and how much it registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its key: the name, or `category/name`.
    pub key: String,
    /// What sort of plugin it is.
    pub kind: &'static str,
    /// Its version; empty when it states none.
    pub version: String,
    /// One line about it; empty when there is none.
    pub description: String,
    /// Where it was found: `bundled`, `user`, `project`, or `linked` for one that is part of the program.
    pub source: &'static str,
    /// Whether it is loaded, or at work elsewhere (model providers are).
    pub enabled: bool,
    /// How many tools it offers.
    pub tools: usize,
    /// How many handlers it registered.
    pub hooks: usize,
    /// How many slash commands it brings.
    pub commands: usize,
    /// Why it is not loaded.
    pub error: Option<String>,
}

impl PluginReport {
    /// The plugin as Hermes' introspection shows it.
    #[must_use]
    pub fn record(&self) -> Record {
        let error = match &self.state {
            State::Loaded => None,
            State::Refused(refusal) => Some(refusal.to_string()),
            State::Off(decision) => decision.reason(&self.key),
            State::Python => Some("written in Python: only Hermes Agent loads it".to_owned()),
        };
        let elsewhere = matches!(&self.state, State::Off(decision) if *decision == crate::discover::Decision::ModelProvider);
        Record {
            name: self.name.to_string(),
            key: self.key.clone(),
            kind: self.kind.as_str(),
            version: self.version.clone(),
            description: self.description.clone(),
            source: self
                .source
                .map_or("linked", crate::discover::Source::as_str),
            enabled: matches!(self.state, State::Loaded) || elsewhere,
            tools: self.tools.len(),
            hooks: self.hooks.len(),
            commands: self.commands.len(),
            error: error.filter(|_| !elsewhere),
        }
    }
}

impl Report {
    /// Every plugin as Hermes' introspection shows it, sorted by key.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = self.plugins.iter().map(PluginReport::record).collect();
        records.sort_by(|a, b| a.key.cmp(&b.key));
        records
    }

    /// What the session command `/plugins` prints: how many there are, then a line for each, sorted by key.
    ///
    /// The text has no line end behind it, and no control characters of a plugin in it.
    #[must_use]
    pub fn session_text(&self) -> String {
        let records = self.records();
        if records.is_empty() {
            return "No plugins installed.".to_owned();
        }
        let mut text = format!("Plugins ({}):", records.len());
        for record in &records {
            let mark = if record.enabled { '✓' } else { '✗' };
            // Writing to a text cannot fail.
            let _ = write!(text, "\n  {mark} {}", one_line(&record.name));
            if !record.version.is_empty() {
                let _ = write!(text, " v{}", one_line(&record.version));
            }
            let (tools, hooks, commands) = (record.tools, record.hooks, record.commands);
            let _ = write!(text, " ({tools} tools, {hooks} hooks, {commands} commands)");
            if let Some(error) = &record.error {
                let _ = write!(text, " — {}", one_line(error));
            }
        }
        text
    }
}

/// The text on one line: what a plugin says of itself must not look like lines of ours.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
