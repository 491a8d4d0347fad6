//! What is done to the system between events.

use serde_json::{Map, Value};

/// One deed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// The library of a plugin is replaced by that of another version.
    ReplaceLibrary { plugin: String, to: String },
    /// A library that is still being written is there.
    HalfWrittenFile { plugin: String },
    /// A plugin's directory goes.
    RemoveDirectory { plugin: String },
}

impl Control {
    /// `"control": "replace_library", "plugin": …`, or `"control": {"replace_library": {"plugin": …}}`.
    pub(super) fn read(control: &Value, line: &Map<String, Value>) -> Result<Self, String> {
        let (word, details) = match control {
            Value::String(word) => (word.as_str(), line.clone()),
            Value::Object(map) => match map.iter().next() {
                Some((word, Value::Object(details))) if map.len() == 1 => {
                    (word.as_str(), details.clone())
                }
                Some((word, Value::String(plugin))) if map.len() == 1 => {
                    let details = [("plugin".to_owned(), plugin.clone().into())];
                    (word.as_str(), details.into_iter().collect())
                }
                _ => return Err(format!("`control`: {control} is not understood")),
            },
            other => return Err(format!("`control`: {other} is not understood")),
        };
        let text = |key: &str| match details.get(key) {
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err(format!("`control`: `{word}` needs `{key}`")),
        };
        match word {
            "replace_library" => Ok(Self::ReplaceLibrary {
                plugin: text("plugin")?,
                to: text("to")?,
            }),
            "half_written_file" => Ok(Self::HalfWrittenFile {
                plugin: text("plugin").unwrap_or_else(|_| "half-written".to_owned()),
            }),
            "remove_directory" => Ok(Self::RemoveDirectory {
                plugin: text("plugin")?,
            }),
            _ => Err(format!("`control`: `{word}` is not understood")),
        }
    }
}
