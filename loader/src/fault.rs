//! What went wrong inside plugins: said once, then counted.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use hermes_plugin_api::abi::host::Failed;
use serde::Serialize;

pub use hermes_plugin_api::abi::host::FaultKind;

/// One sort of fault of one handler, and how often it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fault {
    /// Whose.
    pub plugin: String,
    /// In which hook, or in `create`, `register`, `destroy`, a tool's name.
    pub hook: String,
    /// What sort.
    pub kind: FaultKind,
    /// The first one's text: one line, at most 500 characters.
    pub text: String,
    /// The first one's place, e.g. `src/lib.rs:41`; empty when unknown.
    pub place: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            plugin,
            hook,
            kind,
            text,
            place,
            ..
        } = self;
        let kind = kind.as_str();
        write!(f, "plugin `{plugin}`: {kind} in {hook}: {text}")?;
        if place.is_empty() {
            Ok(())
        } else {
            write!(f, " (at {place})")
        }
    }
}

/// All faults of a host.
#[derive(Debug, Default)]
pub(crate) struct FaultLog {
    faults: Mutex<BTreeMap<(String, String, FaultKind), Fault>>,
}

impl FaultLog {
    /// Counts a fault; the first of its sort is logged.
    pub(crate) fn note(&self, plugin: &str, hook: &str, kind: FaultKind, failed: &Failed) {
        let key = (plugin.to_owned(), hook.to_owned(), kind);
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = faults.get_mut(&key) {
            fault.count += 1;
            return;
        }
        let place = place(failed);
        let text = one_line(&failed.text);
        let fault = Fault {
            plugin: plugin.to_owned(),
            hook: hook.to_owned(),
            kind,
            text: text.clone(),
            place: place.clone(),
            count: 1,
        };
        faults.insert(key, fault);
        drop(faults);
        tracing::warn!(
            plugin,
            hook,
            kind = kind.as_str(),
            place,
            "plugin fault: {text}"
        );
    }

    /// Everything so far.
    pub(crate) fn all(&self) -> Vec<Fault> {
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }
}

/// `file:line`, or nothing.
pub(crate) fn place(failed: &Failed) -> String {
    match (failed.file.as_str(), failed.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

/// Plugin text made safe for a log: one line, no control characters, at most 500 characters.
pub(crate) fn one_line(text: &str) -> String {
    const LIMIT: usize = 500;
    let words = text
        .split(|c: char| c.is_control() || c.is_whitespace())
        .filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * LIMIT {
            break;
        }
    }
    if line.is_empty() {
        return "unknown error".to_owned();
    }
    match line.char_indices().nth(LIMIT) {
        Some((end, _)) => {
            line.truncate(end);
            line.push('…');
            line
        }
        None => line,
    }
}
