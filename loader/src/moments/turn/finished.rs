//! What a turn came to, and why one does not go on.

use super::model::ModelError;

/// What a turn came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "the user waits for it"]
pub struct Finished {
    /// What the user is shown. Nothing when the model said nothing, or somebody interrupted.
    pub text: Option<String>,
    /// What the model said, and the history keeps. Not for the user: transforms may have had a reason.
    pub original: Option<String>,
    /// Whether there is an answer.
    pub completed: bool,
    /// Whether somebody interrupted.
    pub interrupted: bool,
}

/// Why a turn does not begin or go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// There is no such session.
    #[error(
        "no session is open under the key `{key}`\nhint: call `Sessions::open` first; a session that is being reset takes no turn"
    )]
    NotOpen {
        /// The key.
        key: String,
    },
    /// The conversation cannot be read.
    #[error("the history of session `{session}` cannot be read: {why}")]
    History {
        /// The session.
        session: String,
        /// What the store says.
        why: String,
    },
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Somebody interrupted.
    #[error("the turn was interrupted")]
    Interrupted,
}
