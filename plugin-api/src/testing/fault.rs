//! What went wrong inside a plugin.

use std::fmt;

use crate::abi::host::Failed;

pub use crate::abi::host::FaultKind;

/// What went wrong inside a plugin, where, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Whose.
    pub plugin: String,
    /// In which hook, or in `create`, `register`, `drop`, `destroy`, or a tool's name.
    pub hook: String,
    /// What sort.
    pub kind: FaultKind,
    /// What happened.
    pub text: String,
    /// Source file, where it is known.
    pub file: String,
    /// Line, from 1; 0 when it is not known.
    pub line: u32,
    /// Whether a host refuses the event for it, unless its operator says otherwise.
    pub closed: bool,
}

impl Fault {
    pub(super) fn told(plugin: &str, hook: &str, kind: FaultKind, text: String) -> Self {
        let (plugin, hook) = (plugin.to_owned(), hook.to_owned());
        Self {
            plugin,
            hook,
            kind,
            text,
            file: String::new(),
            line: 0,
            closed: false,
        }
    }

    pub(super) fn failed(plugin: &str, hook: &str, failed: Failed) -> Self {
        let panicked = failed.kind == crate::abi::FailureKind::PANIC;
        let kind = if panicked {
            FaultKind::Panic
        } else {
            FaultKind::Error
        };
        Self {
            file: failed.file,
            line: failed.line,
            ..Self::told(plugin, hook, kind, failed.text)
        }
    }
}

/// A fault of a call that ended this way.
pub(super) fn said_of(plugin: &str, hook: &str, (kind, failed): (FaultKind, Failed)) -> Fault {
    Fault {
        kind,
        ..Fault::failed(plugin, hook, failed)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            plugin,
            hook,
            kind,
            text,
            file,
            line,
            ..
        } = self;
        write!(f, "plugin `{plugin}`: {} in {hook}: {text}", kind.as_str())?;
        if file.is_empty() {
            Ok(())
        } else {
            write!(f, " (at {file}:{line})")
        }
    }
}

impl std::error::Error for Fault {}
