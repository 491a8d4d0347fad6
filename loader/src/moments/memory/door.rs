//! A door with a list of guests.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::moments::inbound::{Door, Source};

/// A door with a list of guests, by user id. Strangers are told a pairing code, always the same.
#[derive(Debug, Default)]
pub struct GuestList {
    guests: BTreeSet<String>,
    sent: Mutex<Vec<(String, String)>>,
}

impl GuestList {
    /// These users may come in.
    #[must_use]
    pub fn of<S: Into<String>>(guests: impl IntoIterator<Item = S>) -> Self {
        Self {
            guests: guests.into_iter().map(Into::into).collect(),
            sent: Mutex::default(),
        }
    }

    /// What was sent so far: chat and text.
    #[must_use]
    pub fn sent(&self) -> Vec<(String, String)> {
        let sent = self.sent.lock();
        sent.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Door for GuestList {
    fn is_authorised(&self, source: &Source) -> bool {
        let user = source.user_id.as_ref();
        user.is_some_and(|user| self.guests.contains(user))
    }

    fn pairing(&self, _source: &Source) -> Option<String> {
        Some("this agent does not know you; your pairing code is 0000".to_owned())
    }

    fn send(&self, source: &Source, text: &str) -> Result<(), String> {
        let sent = self.sent.lock();
        let message = (source.chat_id.clone(), text.to_owned());
        sent.unwrap_or_else(PoisonError::into_inner).push(message);
        Ok(())
    }
}
