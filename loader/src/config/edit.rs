//! Changes config.yaml and leaves everything else in it as it was written.
//!
//! An edit finds its place by the parser's byte ranges, splices text there, and then reads the
//! new text again: unless its value is the old value with exactly the wanted change, the edit is
//! given up and the operator is told what to write.

mod apply;
mod entry;
mod error;
mod insert;
mod list;
mod text;
mod wanted;

use serde_json::Value;

pub use self::apply::apply;
pub use self::error::EditError;

use self::wanted::Wanted;
use super::yaml::{self, Document};

/// One of the two lists of plugin names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// `plugins.enabled`.
    Enabled,
    /// `plugins.disabled`.
    Disabled,
}

impl List {
    /// The key under `plugins`.
    pub fn key(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }
}

/// A change to config.yaml.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Puts a name into a list, and the list in order.
    Add(List, String),
    /// Takes a name out of a list, and puts the list in order.
    Remove(List, String),
    /// Takes `plugins.entries.<name>` out, with all that is below it.
    RemoveEntry(String),
    /// Writes `plugins.entries.<name>.allow_tool_override`.
    AllowToolOverride(String, bool),
}

impl Change {
    /// What `plugins enable` does.
    pub fn enable(name: &str) -> [Self; 2] {
        [
            Self::Add(List::Enabled, name.to_owned()),
            Self::Remove(List::Disabled, name.to_owned()),
        ]
    }

    /// What `plugins disable` does.
    pub fn disable(name: &str) -> [Self; 2] {
        [
            Self::Remove(List::Enabled, name.to_owned()),
            Self::Add(List::Disabled, name.to_owned()),
        ]
    }

    /// Takes out every mention of a plugin.
    pub fn forget(name: &str) -> [Self; 3] {
        [
            Self::Remove(List::Enabled, name.to_owned()),
            Self::Remove(List::Disabled, name.to_owned()),
            Self::RemoveEntry(name.to_owned()),
        ]
    }
}

/// The text with the change made; the same text when it already is so.
///
/// # Errors
///
/// A text that is not YAML, a key that holds something the change cannot go into, and a layout
/// in which the place cannot be found. The error says what to write by hand.
///
/// # Examples
///
/// ```
/// # use hermes_loader::config::edit::{Change, List, edit};
/// let text = "plugins:\n  enabled:\n  - b # mine\n";
/// let edited = edit(text, &Change::Add(List::Enabled, "a".to_owned()))?;
/// assert_eq!(edited, "plugins:\n  enabled:\n  - a\n  - b # mine\n");
/// # Ok::<(), hermes_loader::config::edit::EditError>(())
/// ```
pub fn edit(text: &str, change: &Change) -> Result<String, EditError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let document = yaml::parse(body).map_err(|error| EditError::Syntax {
        line: error.at.line,
        column: error.at.column,
        detail: error.detail,
    })?;
    let Some(wanted) = wanted::wanted(&document.value, change)? else {
        return Ok(text.to_owned());
    };
    let edited = splice(body, &document, change, &wanted)
        .filter(|edited| reads_as(edited, &document, &wanted.value))
        .ok_or_else(|| EditError::Layout {
            key: wanted.key.clone(),
            by_hand: wanted.by_hand.clone(),
        })?;
    Ok(format!("{mark}{edited}"))
}

/// Whether the text now stands for `wanted`, and gives no more keys twice than before.
fn reads_as(text: &str, before: &Document, wanted: &Value) -> bool {
    yaml::parse(text).is_ok_and(|after| {
        after.value == *wanted && after.duplicates.len() <= before.duplicates.len()
    })
}

/// The edited text, or `None` in a layout this does not know.
fn splice(text: &str, document: &Document, change: &Change, wanted: &Wanted) -> Option<String> {
    match change {
        Change::Add(which, _) | Change::Remove(which, _) => {
            insert::set_list(text, document, *which, &wanted.items)
        }
        Change::AllowToolOverride(name, allowed) => {
            let path = ["plugins", "entries", name, wanted::TOOL_OVERRIDE];
            entry::set(text, document, &path, &allowed.to_string())
        }
        Change::RemoveEntry(name) => {
            let (_, plugins) = document.root.as_ref()?.pair("plugins")?;
            let (key, entries) = plugins.pair("entries")?;
            list::remove_pair(text, key, entries, name)
        }
    }
}
