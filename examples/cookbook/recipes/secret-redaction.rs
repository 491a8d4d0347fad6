//! Masks what looks like a secret in the results of tools, before the model reads them.
//!
//! **Hook**: `transform_tool_result`. The plugin's role is `transform`, so it chains: it works on the text as
//! the transforms before it left it, and those after it see what it made of the text. Two redactors therefore
//! both apply, where plain transforms would let the first text win.
//!
//! **Why**: what the model has read is in the provider's logs. When the plugin fails, the result is withheld
//! (`fail_closed`), not let through. `plugins/redact-secrets` also knows the *values* of `.env` files, and
//! looks at terminal output and answers too. A result that is no text, such as a picture, is not looked at.
//!
//! **Switch on**: `hermes plugins install … --enable`.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     secret-redaction:
//!       config:
//!         own:                        # more forms; one with a known name replaces that form
//!           ticket: 'TCK-[0-9]{12}'
//!         off: [bearer]               # forms that do not count
//! ```

use std::{borrow::Cow, collections::BTreeMap};

use hermes_plugin_api::prelude::*;
use regex::{NoExpand, Regex};
use serde::Deserialize;

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Config {
    own: BTreeMap<String, String>,
    off: Vec<String>,
}

/// Name and form.
const FORMS: [(&str, &str); 6] = [
    ("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("github-token", r"\bgh[oprsu]_[0-9A-Za-z]{36,}\b"),
    ("slack-token", r"\bxox[abprs]-[0-9A-Za-z-]{10,}"),
    (
        "jwt",
        r"\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    ),
    ("bearer", r"(?i)\bbearer\s+[0-9a-z._~+/=-]{16,}"),
    (
        "private-key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    ),
];

struct Form {
    pattern: Regex,
    mask: String,
}

fn forms(config: &Config) -> Result<Vec<Form>, Error> {
    let mut patterns: BTreeMap<&str, &str> = FORMS.into_iter().collect();
    patterns.extend(
        config
            .own
            .iter()
            .map(|(name, pattern)| (name.as_str(), pattern.as_str())),
    );
    patterns.retain(|name, _| !config.off.iter().any(|off| off == name));
    let compiled = patterns.into_iter().map(|(name, pattern)| {
        let pattern = Regex::new(pattern).map_err(|error| {
            Error::new(format!("the pattern of form `{name}` is none: {error}"))
        })?;
        if pattern.is_match("") {
            let why = format!("the pattern of form `{name}` finds a secret in nothing");
            return Err(Error::new(why));
        }
        let mask = format!("[redacted: {name}]");
        Ok(Form { pattern, mask })
    });
    compiled.collect()
}

/// The text without its secrets; none when there are none, and then nothing was copied.
fn redact(text: &str, forms: &[Form]) -> Option<String> {
    let mut text = Cow::Borrowed(text);
    for Form { pattern, mask } in forms {
        if let Cow::Owned(masked) = pattern.replace_all(&text, NoExpand(mask)) {
            text = Cow::Owned(masked);
        }
    }
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let forms = forms(&ctx.config()?)?;
    ctx.on(TransformToolResult, move |result| {
        redact(result.result(), &forms)
    })
    .chain()
    .fail_closed();
    Ok(())
}

hermes_plugin!(
    register,
    name = "secret-redaction",
    description = "Masks secrets in tool results.",
    role = "transform",
    hooks = ["transform_tool_result"]
);
