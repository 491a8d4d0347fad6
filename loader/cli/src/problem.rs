//! What went wrong, as the person at the terminal is told it: one sentence, and the one thing to do.

use std::fmt;
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Fine,
    /// A problem was found, or the command could not do its job.
    Problem,
    /// The arguments make no sense.
    Usage,
    /// What a plugin's sub-command ends with.
    Code(u8),
}

impl Exit {
    /// `Problem` if there is one.
    pub(crate) const fn problem_if(found: bool) -> Self {
        if found { Self::Problem } else { Self::Fine }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Problem => 1,
            Exit::Usage => 2,
            Exit::Code(code) => code,
        })
    }
}

/// An error with a cure.
#[derive(Debug)]
pub(crate) struct Problem {
    what: String,
    cure: Option<String>,
    exit: Exit,
}

impl Problem {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            cure: None,
            exit: Exit::Problem,
        }
    }

    /// An error of the command line.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(what)
        }
    }

    /// Adds the one thing to do.
    pub(crate) fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }

    /// Adds the one thing to do, where there is one.
    pub(crate) fn perhaps(mut self, cure: Option<String>) -> Self {
        self.cure = cure.or(self.cure);
        self
    }

    /// The same, told of another place: what was looked at lies where it will not be found again.
    pub(crate) fn relocated(mut self, from: &str, to: &str) -> Self {
        self.what = self.what.replace(from, to);
        self.cure = self.cure.map(|cure| cure.replace(from, to));
        self
    }

    pub(crate) fn hint(&self) -> Option<&str> {
        self.cure.as_deref()
    }

    pub(crate) const fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Problem {}

impl From<hermes_loader::Refusal> for Problem {
    fn from(refusal: hermes_loader::Refusal) -> Self {
        Self::new(format!("{refusal} [{}]", refusal.code())).cure(refusal.cure())
    }
}

impl From<hermes_loader::config::edit::EditError> for Problem {
    fn from(error: hermes_loader::config::edit::EditError) -> Self {
        let source = std::error::Error::source(&error)
            .map(|source| format!(": {source}"))
            .unwrap_or_default();
        Self::new(format!("{error}{source}; the file is as it was")).cure(error.cure())
    }
}
