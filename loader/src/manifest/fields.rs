//! Takes the fields of a manifest out of its YAML.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Isolation, Kind, Manifest, ManifestError, OnFailure, Role};
use crate::config::yaml::{self, Document};
use crate::config::{Place, Problem, Severity};

/// An environment variable that a plugin wants (`requires_env`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvNeed {
    /// The variable.
    pub name: String,
    /// What it is for; empty when not said.
    pub description: String,
    /// Where to get a value; empty when not said.
    pub url: String,
    /// Whether the value must not be shown while it is typed.
    pub secret: bool,
}

/// Whether `name` can name a plugin: not blank, and one path segment on every system.
///
/// Also the check for names that come from a command line (`plugins remove ../x`).
///
/// # Errors
///
/// What a name has to be, in words.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() {
        return Err("text that is not blank");
    }
    let unsafe_char = |c: char| c.is_control() || matches!(c, '/' | '\\');
    if matches!(name, "." | "..") || name.chars().any(unsafe_char) {
        return Err("a name without `/`, `\\` and control characters, other than `.` and `..`");
    }
    Ok(())
}

pub(super) fn read(
    document: &Document,
    file: &Path,
    directory: &str,
) -> Result<Manifest, ManifestError> {
    let empty = Map::new();
    let map = match &document.value {
        Value::Object(map) => map,
        Value::Null => &empty,
        other => {
            return Err(ManifestError::NotAMapping {
                path: file.to_owned(),
                found: yaml::describe(other),
            });
        }
    };
    let text = |key: &str| shown(document, map, key);
    let words = |key: &str| strings(map.get(key));
    let mut manifest = Manifest::named(name(map, file, directory)?);
    manifest.kind = kind(document, map, file, &mut manifest.problems);
    manifest.version = text("version");
    manifest.description = text("description");
    manifest.author = text("author");
    manifest.label = Some(text("label")).filter(|label| !label.is_empty());
    manifest.requires_env = env_needs(map.get("requires_env"));
    manifest.provides_hooks = words("provides_hooks");
    manifest.provides_tools = words("provides_tools");
    manifest.hooks = words("hooks");
    manifest.manifest_version = map.get("manifest_version").cloned();
    manifest.library = library(map.get("library"), file)?;
    manifest.role = word(map, file, "role", Role::WORDS, Role::parse)?;
    manifest.on_failure = word(map, file, "on_failure", OnFailure::WORDS, OnFailure::parse)?;
    manifest.isolation = word(map, file, "isolation", Isolation::WORDS, Isolation::parse)?;
    for duplicate in &document.duplicates {
        let key = duplicate.path.join(".");
        let place = Place {
            file: file.to_owned(),
            position: Some(duplicate.at),
            key: Some(key.clone()),
        };
        let message = format!("`{key}` is given twice; the later one counts");
        let problem = Problem::new(Severity::Warning, "duplicate_key", place, message);
        manifest
            .problems
            .push(problem.cure("remove one of the two"));
    }
    Ok(manifest)
}

fn name(map: &Map<String, Value>, file: &Path, directory: &str) -> Result<String, ManifestError> {
    let (name, found) = match map.get("name") {
        None => (directory, format!("the directory name {directory:?}")),
        Some(Value::String(name)) => (name.as_str(), format!("{name:?}")),
        Some(other) => {
            return Err(ManifestError::Name {
                path: file.to_owned(),
                found: yaml::describe(other),
                expected: "text",
            });
        }
    };
    match check_name(name) {
        Ok(()) => Ok(name.to_owned()),
        Err(expected) => Err(ManifestError::Name {
            path: file.to_owned(),
            found,
            expected,
        }),
    }
}

fn kind(
    document: &Document,
    map: &Map<String, Value>,
    file: &Path,
    problems: &mut Vec<Problem>,
) -> Kind {
    let Some(Value::String(word)) = map.get("kind") else {
        return Kind::Standalone;
    };
    Kind::parse(word).unwrap_or_else(|| {
        let place = Place {
            file: file.to_owned(),
            position: document.position_of(&["kind"]),
            key: Some("kind".to_owned()),
        };
        let known = Kind::WORDS.join(", ");
        let message =
            format!("`kind`: expected one of {known}, found {word:?}; read as standalone");
        problems.push(
            Problem::new(Severity::Warning, "unknown_kind", place, message)
                .cure("write `kind: standalone`, or drop the line"),
        );
        Kind::Standalone
    })
}

/// A scalar as the author wrote it, so that version 1.10 does not become 1.1.
fn shown(document: &Document, map: &Map<String, Value>, key: &str) -> String {
    match map.get(key) {
        None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => document
            .root
            .as_ref()
            .and_then(|root| root.pair(key))
            .and_then(|(_, node)| match &node.kind {
                yaml::Kind::Scalar { text, .. } => Some(text.clone()),
                _ => None,
            })
            .unwrap_or_else(|| other.to_string()),
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn env_needs(value: Option<&Value>) -> Vec<EnvNeed> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    let need = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = item.as_str().unwrap_or_else(|| text("name"));
        (!name.is_empty()).then(|| EnvNeed {
            name: name.to_owned(),
            description: text("description").to_owned(),
            url: text("url").to_owned(),
            secret: item.get("secret").is_some_and(|v| v == &Value::Bool(true)),
        })
    };
    items.filter_map(need).collect()
}

fn library(value: Option<&Value>, file: &Path) -> Result<Option<PathBuf>, ManifestError> {
    let refused = |found: String| ManifestError::Library {
        path: file.to_owned(),
        found,
    };
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if stays_inside(text) => Ok(Some(PathBuf::from(text))),
        Some(other) => Err(refused(yaml::describe(other))),
    }
}

/// Whether the path is relative and never steps up, by the rules of every system at once.
fn stays_inside(path: &str) -> bool {
    let mut segments = path.split(['/', '\\']);
    let drive = path.chars().nth(1) == Some(':');
    !path.starts_with(['/', '\\'])
        && !drive
        && !path.contains('\0')
        && segments.clone().all(|segment| segment != "..")
        && segments.any(|segment| !matches!(segment, "" | "."))
}

fn word<T>(
    map: &Map<String, Value>,
    file: &Path,
    key: &'static str,
    expected: &'static [&'static str],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ManifestError> {
    let found = match map.get(key) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => match parse(text) {
            Some(word) => return Ok(Some(word)),
            None => format!("{text:?}"),
        },
        Some(other) => yaml::describe(other),
    };
    Err(ManifestError::Word {
        path: file.to_owned(),
        key,
        found,
        expected,
    })
}
