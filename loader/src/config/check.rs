//! Takes typed values out of the configuration, and notes what does not fit.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::yaml::{Document, describe};
use super::{Place, Problem, Severity};

/// How many problems of one file are worth a mention; each costs a search for its place.
const LIMIT: usize = 100;

/// Collects problems while values are read.
pub(super) struct Checker<'d> {
    file: &'d Path,
    document: &'d Document,
    problems: Vec<Problem>,
}

impl<'d> Checker<'d> {
    pub(super) fn new(file: &'d Path, document: &'d Document) -> Self {
        Self {
            file,
            document,
            problems: Vec::new(),
        }
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Notes a problem at a key.
    pub(super) fn note(
        &mut self,
        severity: Severity,
        code: &'static str,
        path: &[&str],
        message: String,
        cure: &str,
    ) {
        if self.problems.len() >= LIMIT {
            return;
        }
        let place = Place {
            file: self.file.to_owned(),
            position: self.document.position_of(path),
            key: Some(path.join(".")),
        };
        self.problems
            .push(Problem::new(severity, code, place, message).cure(cure));
    }

    /// Notes that a value is not what its key takes; the value is not used.
    pub(super) fn misfit(&mut self, path: &[&str], expected: &str, found: &Value, cure: &str) {
        let key = path.join(".");
        let found = describe(found);
        let message = format!("`{key}`: expected {expected}, found {found}; the value is not used");
        self.note(Severity::Error, "config_value", path, message, cure);
    }

    /// Notes the keys that a file gives twice.
    pub(super) fn duplicates(&mut self) {
        for duplicate in &self.document.duplicates {
            let key = duplicate.path.join(".");
            let place = Place {
                file: self.file.to_owned(),
                position: Some(duplicate.at),
                key: Some(key.clone()),
            };
            let message = format!("`{key}` is given twice; the later one counts");
            let problem = Problem::new(Severity::Warning, "duplicate_key", place, message);
            self.problems.push(problem.cure("remove one of the two"));
        }
    }

    /// Notes keys that mean nothing here.
    pub(super) fn known_keys(&mut self, map: &Map<String, Value>, path: &[&str], known: &[&str]) {
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            let mut path = path.to_vec();
            path.push(key);
            let message = format!("`{}` is not known; it is ignored", path.join("."));
            let cure = format!("known here: {}", known.join(", "));
            self.note(Severity::Warning, "unknown_key", &path, message, &cure);
        }
    }

    /// A mapping; empty for nothing.
    pub(super) fn mapping<'v>(
        &mut self,
        value: Option<&'v Value>,
        path: &[&str],
    ) -> Option<&'v Map<String, Value>> {
        match value? {
            Value::Null => None,
            Value::Object(map) => Some(map),
            other => {
                self.misfit(path, "a mapping", other, "write keys below it, one a line");
                None
            }
        }
    }

    /// A list of names. What is not a list counts as empty; what is not a name is left out.
    pub(super) fn names(&mut self, value: Option<&Value>, path: &[&str]) -> BTreeSet<String> {
        self.words(value, path).into_iter().flatten().collect()
    }

    /// A list of words in the order of the file; `None` when there is no list.
    pub(super) fn words(&mut self, value: Option<&Value>, path: &[&str]) -> Option<Vec<String>> {
        let items = match value? {
            Value::Null => return None,
            Value::Array(items) => items,
            other => {
                let cure = format!("write a list: `{}: [name]`", last(path));
                self.misfit(path, "a list of names", other, &cure);
                return None;
            }
        };
        let mut words = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Value::String(word) if !word.trim().is_empty() => words.push(word.clone()),
                other => {
                    let index = index.to_string();
                    let mut path = path.to_vec();
                    path.push(&index);
                    self.misfit(&path, "a name", other, "put the name in quotes");
                }
            }
        }
        Some(words)
    }

    /// A truth value; only true and false will do.
    pub(super) fn flag(&mut self, value: Option<&Value>, path: &[&str]) -> Option<bool> {
        match value? {
            Value::Null => None,
            Value::Bool(flag) => Some(*flag),
            other => {
                self.misfit(
                    path,
                    "true or false",
                    other,
                    "write true or false, without quotes",
                );
                None
            }
        }
    }

    /// A whole number within bounds. A fraction of zero is none (`5.0` is 5).
    pub(super) fn whole(
        &mut self,
        value: Option<&Value>,
        path: &[&str],
        low: i64,
        high: i64,
    ) -> Option<i64> {
        let value = value?;
        let whole = value.as_i64().or_else(|| {
            let float = value.as_f64().filter(|f| f.fract() == 0.0)?;
            (float.abs() < 1e15).then_some(float as i64)
        });
        let whole = whole.filter(|number| (low..=high).contains(number));
        if whole.is_none() {
            let expected = format!("a whole number from {low} to {high}");
            let cure = format!(
                "write a whole number: `{}: {}`",
                last(path),
                low.max(1000).min(high)
            );
            self.misfit(path, &expected, value, &cure);
        }
        whole
    }

    /// One of a few words.
    pub(super) fn word<T>(
        &mut self,
        value: Option<&Value>,
        path: &[&str],
        known: &[&str],
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = value.filter(|value| !value.is_null())?;
        let word = value.as_str().and_then(parse);
        if word.is_none() {
            let expected = format!("one of {}", known.join(", "));
            let cure = format!("write one of {}", known.join(", "));
            self.misfit(path, &expected, value, &cure);
        }
        word
    }

    /// A release, written as text or as the number that YAML makes of it.
    pub(super) fn release<T: Copy + Default>(
        &mut self,
        value: Option<&Value>,
        path: &[&str],
        known: &[(&str, T)],
    ) -> T {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return T::default();
        };
        let written = match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        match known.iter().find(|(word, _)| *word == written) {
            Some((_, release)) => *release,
            None => {
                let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
                let words = words.join(", ");
                let cure = format!("write one of {words}, in quotes");
                self.misfit(path, &format!("one of {words}"), value, &cure);
                T::default()
            }
        }
    }
}

fn last<'p>(path: &[&'p str]) -> &'p str {
    path.last().copied().unwrap_or_default()
}
