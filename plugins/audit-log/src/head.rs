//! The last record of a log, as a text that can be kept elsewhere.

use std::fmt;

use crate::chain::GENESIS;

/// A record's number and hash, written `SEQ:HASH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The number.
    pub seq: u64,
    /// The hash.
    pub hash: String,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

/// A text is no `SEQ:HASH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadError {
    /// The text.
    pub text: String,
}

impl fmt::Display for HeadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text } = self;
        write!(
            f,
            "`{text}` is no head\nhint: write SEQ:HASH, as the check prints it"
        )
    }
}

impl std::error::Error for HeadError {}

impl std::str::FromStr for Head {
    type Err = HeadError;

    fn from_str(text: &str) -> Result<Self, HeadError> {
        let error = || HeadError {
            text: text.to_owned(),
        };
        let (seq, hash) = text.split_once(':').ok_or_else(error)?;
        let seq = seq.parse().map_err(|_| error())?;
        let hex = hash.len() == GENESIS.len()
            && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        match hex {
            true => Ok(Self {
                seq,
                hash: hash.to_owned(),
            }),
            false => Err(error()),
        }
    }
}
