//! What must not be shown.

use std::borrow::Cow;

/// Knows secrets, and takes them out of texts.
pub trait Redact: Send + Sync {
    /// The text without secrets; the text itself where it has none.
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str>;
}

/// Keeps every text as it is: for an agent that leaves secrets to a plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingSecret;

impl Redact for NothingSecret {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}
