//! What a plugin returns when it cannot do its job.

use std::fmt;

use crate::guard::Panic;

/// A failure with one line of text. Any error converts into it with `?`.
///
/// The host logs it with the plugin's name and the hook, once, and counts it from then on.
pub struct Error {
    text: String,
    panic: Option<Box<Panic>>,
}

impl Error {
    /// A failure with a text of its own.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            panic: None,
        }
    }

    /// A panic that was caught on another thread and is on its way to the host.
    #[cfg(feature = "tokio")]
    pub(crate) fn panicked(panic: Panic) -> Self {
        Self {
            text: panic.text.clone(),
            panic: Some(Box::new(panic)),
        }
    }

    /// The panic behind the failure, if there is one.
    pub(crate) fn panic(&self) -> Option<&Panic> {
        self.panic.as_deref()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

// `Error` itself is no `std::error::Error`, or this would overlap with `From<T> for T`.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        use fmt::Write as _;
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            // Writing into a `String` has no way to fail.
            let _ = write!(text, ": {cause}");
            source = cause.source();
        }
        Self { text, panic: None }
    }
}
