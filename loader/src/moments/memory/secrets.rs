//! Secrets that are known by their value.

use std::borrow::Cow;

use crate::moments::redact::Redact;

/// Secrets that are known by their value. Longer ones go first, so that none leaves a piece of another.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// These values; empty ones are no secrets.
    pub fn of<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        let values = values.into_iter().map(Into::into);
        let mut values: Vec<String> = values.filter(|value| !value.is_empty()).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self(values)
    }
}

impl Redact for Secrets {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), "[redacted]"));
            }
        }
        text
    }
}
