//! Masks the secrets of one configuration in any text.

use std::collections::BTreeMap;
use std::fmt;

use crate::config::{Config, ConfigError, is_name};
use crate::exact::Exact;
use crate::json_fit::{self, Cut};
use crate::span::{Label, Span, join, subtract};
use crate::values::{Skipped, Values};
use crate::{forms, mask};

/// How often a masked text is searched again. A mask can put a boundary in front of a token that
/// had none, so one pass is not always the last.
const PASSES: usize = 4;

/// What a mask shows when the variable's name itself holds a secret value.
const NAMELESS: &str = "value";

/// Masks configured values, values of env files, and well-known key forms.
///
/// It is immutable: a changed env file takes a new one. Its `Debug` form shows no value.
///
/// # Examples
///
/// ```
/// use redact_secrets::{Config, Redactor};
///
/// let env = (".env".to_owned(), "TVX_KEY=tvx-7Qm2pLw9Rz4K\nHOST=localhost".to_owned());
/// let redactor = Redactor::new(&Config::default(), &[env])?;
/// let masked = redactor.redact("key tvx-7Qm2pLw9Rz4K on localhost");
/// assert_eq!(masked.as_deref(), Some("key [redacted:TVX_KEY] on localhost"));
/// assert_eq!(redactor.redact("nothing to hide"), None);
/// # Ok::<(), redact_secrets::ConfigError>(())
/// ```
pub struct Redactor {
    exact: Exact,
    names: Vec<String>,
    skipped: Vec<Skipped>,
    disabled: Vec<String>,
    allow: Vec<String>,
}

/// A masked text and what was masked in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The text with masks.
    pub text: String,
    /// How many masks each name got.
    pub counts: BTreeMap<String, usize>,
}

impl Redactor {
    /// A redactor for `config` and the texts of the env files, each with its name.
    ///
    /// Variables of `value_env` are read from the process environment, once.
    ///
    /// # Errors
    ///
    /// A configuration that could not be honoured is refused; see [`ConfigError`].
    pub fn new(config: &Config, env_files: &[(String, String)]) -> Result<Self, ConfigError> {
        Self::with_variables(config, env_files, &|name| std::env::var(name).ok())
    }

    /// As [`Redactor::new`], with `variable` in place of the process environment.
    ///
    /// # Errors
    ///
    /// As [`Redactor::new`].
    pub fn with_variables(
        config: &Config,
        env_files: &[(String, String)],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let values = Values::collect(config, env_files, variable);
        let exact = Exact::new(&values.texts)?;
        let mut names = values.names;
        for name in &mut names {
            if exact.is_in(name) || !is_name(name) {
                NAMELESS.clone_into(name);
            }
        }
        Ok(Self {
            exact,
            names,
            skipped: values.skipped,
            disabled: config.disable.clone(),
            allow: config.allow.clone(),
        })
    }

    /// The text with every secret masked, or `None` if there is nothing to mask.
    pub fn redact(&self, text: &str) -> Option<String> {
        self.redact_with_report(text)
            .map(|redaction| redaction.text)
    }

    /// As [`Redactor::redact`], with the number of masks for each name.
    pub fn redact_with_report(&self, text: &str) -> Option<Redaction> {
        let mut counts = BTreeMap::new();
        let mut masked = self.pass(text, &mut counts)?;
        for _ in 1..PASSES {
            match self.pass(&masked, &mut counts) {
                Some(next) => masked = next,
                None => break,
            }
        }
        Some(Redaction {
            text: masked,
            counts,
        })
    }

    /// The values that were found but are not masked, by name and reason.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    fn pass(&self, text: &str, counts: &mut BTreeMap<String, usize>) -> Option<String> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return None;
        }
        if !json_fit::is_json(text) {
            return Some(self.write(text, &json_fit::plain(spans), counts));
        }
        let mut tried = BTreeMap::new();
        let masked = self.write(text, &json_fit::fit(text, &spans, false), &mut tried);
        let masked = match json_fit::is_json(&masked) {
            true => masked,
            // Half a surrogate pair was left: give the rest of such strings up.
            false => {
                tried.clear();
                self.write(text, &json_fit::fit(text, &spans, true), &mut tried)
            }
        };
        for (name, count) in tried {
            *counts.entry(name).or_default() += count;
        }
        (masked != text).then_some(masked)
    }

    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        self.exact.find(text, &mut spans);
        forms::find(text, &self.disabled, &self.allow, &mut spans);
        if spans.is_empty() {
            return spans;
        }
        let kept = mask::existing(text, |name| {
            forms::is_known(name)
                || name == NAMELESS
                || self.names.iter().any(|known| known == name)
        });
        let mut spans = join(spans);
        for span in &mut spans {
            mask::whole_escapes(text, span);
        }
        subtract(&join(spans), &kept)
    }

    fn write(&self, text: &str, cuts: &[Cut], counts: &mut BTreeMap<String, usize>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for Cut { span, quoted } in cuts {
            let name = match span.label {
                Label::Value(index) => self.names.get(index).map_or(NAMELESS, String::as_str),
                Label::Form(index) => forms::id(index),
            };
            out.push_str(text.get(done..span.start).unwrap_or_default());
            let quote = if *quoted { "\"" } else { "" };
            out.push_str(quote);
            mask::push(&mut out, name);
            out.push_str(quote);
            done = span.end;
            *counts.entry(name.to_owned()).or_default() += 1;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("names", &self.names)
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}
