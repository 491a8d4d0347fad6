//! What can come of asking.

use crate::outcome::Ask;

/// Whether a flagged command may run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Approval {
    /// It may.
    Granted(Grant),
    /// It may not.
    Refused(Refused),
}

impl Approval {
    /// Whether it may run.
    #[must_use]
    pub const fn is_granted(&self) -> bool {
        matches!(self, Self::Granted(_))
    }
}

/// Why a command may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// Nothing was wrong with it.
    NotFlagged,
    /// Approvals are off.
    Off,
    /// The session asks nothing.
    Yolo,
    /// A person allowed it before, in this session or for good.
    Remembered,
    /// A person was asked now.
    Person(Choice),
    /// A model judged it harmless.
    Smart,
}

/// Why a command may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// It never runs.
    HardBlocked(String),
    /// Nobody can be asked here.
    NoPerson,
    /// A person said no.
    Denied,
    /// A person did not answer in time.
    TimedOut,
    /// A person could not be told.
    NotTold(String),
    /// Asking failed.
    Failed(String),
    /// A model judged it dangerous.
    Smart,
}

impl Refused {
    /// What the model is told of a call that a plugin wanted approved.
    pub(in crate::moments) fn told(&self, tool: &str, ask: &Ask) -> String {
        let why = match self {
            Self::HardBlocked(reason) => reason.as_str(),
            Self::NoPerson => "nobody can be asked here",
            Self::Denied => "the user said no; do not try it again another way",
            Self::TimedOut => "the user did not answer in time",
            Self::NotTold(_) => "the user could not be asked",
            Self::Failed(_) => "asking the user failed",
            Self::Smart => "it was judged dangerous",
        };
        let by = &ask.by;
        match &ask.message {
            Some(message) => {
                format!("`{tool}` needs approval, and {why} (plugin `{by}`: {message})")
            }
            None => format!("`{tool}` needs approval, and {why} (plugin `{by}`)"),
        }
    }
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// This time.
    Once,
    /// For the rest of the session.
    Session,
    /// For good.
    Always,
    /// No.
    Deny,
    /// Nothing, in the time there was.
    Timeout,
}

impl Choice {
    /// The word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::Deny => "deny",
            Self::Timeout => "timeout",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Once,
            Self::Session,
            Self::Always,
            Self::Deny,
            Self::Timeout,
        ]
        .into_iter()
        .find(|choice| choice.as_str() == word)
    }
}

/// What a model makes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ruling {
    /// Harmless.
    Approve,
    /// Dangerous.
    Deny,
    /// A person should decide.
    Escalate,
}
