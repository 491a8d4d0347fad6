//! Why something could not be done with a live object.

use std::fmt;

use crate::abi::{ServiceCode, live::Refused};

/// Why something could not be done with a live object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveError {
    /// The handler it was lent to has returned, or it was used on another thread.
    Gone,
    /// This host has no such object, or the object cannot do this.
    Unsupported,
    /// It was tried and failed, or was asked for in the wrong way; the text says why.
    Failed(String),
}

impl From<Refused> for LiveError {
    fn from((code, text): Refused) -> Self {
        match code {
            ServiceCode::GONE => Self::Gone,
            ServiceCode::UNSUPPORTED => Self::Unsupported,
            ServiceCode(code) if text.is_empty() => Self::Failed(format!(
                "the host answers with code {code}, and does not say why"
            )),
            _ => Self::Failed(text),
        }
    }
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gone => {
                "a live object is only good on the handler's thread, until the handler returns"
            }
            Self::Unsupported => "this host cannot do that",
            Self::Failed(text) => text,
        })
    }
}

impl std::error::Error for LiveError {}
