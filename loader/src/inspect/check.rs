//! What was checked of a plugin, for display.

use std::fmt;

/// One check that was considered, with how it went.
///
/// A check that failed is an error and never gets here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// What was checked, in a few lower-case words.
    pub name: &'static str,
    /// How it went.
    pub outcome: Outcome,
}

/// How a check went that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The check was made and passed.
    Passed,
    /// The check could not be made, and why. It says nothing about the plugin.
    NotCheckedHere(&'static str),
}

impl Check {
    /// A check that was made and passed.
    pub const fn passed(name: &'static str) -> Self {
        Self {
            name,
            outcome: Outcome::Passed,
        }
    }

    /// A check that could not be made, for the reason `why`.
    pub const fn not_checked_here(name: &'static str, why: &'static str) -> Self {
        Self {
            name,
            outcome: Outcome::NotCheckedHere(why),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.outcome {
            Outcome::Passed => write!(f, "{}: passed", self.name),
            Outcome::NotCheckedHere(why) => write!(f, "{}: not checked here ({why})", self.name),
        }
    }
}
