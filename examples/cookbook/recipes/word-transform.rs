//! Puts words in place of others in the model's answers, while an environment variable says so.
//!
//! **Hook**: `transform_llm_output`, once per turn before delivery. An empty text would be passed over here,
//! unlike in the other transforms; this plugin never makes one.
//!
//! **Why**: a house style, or names that must not be said, without a word to the model. The conversation keeps
//! the original; only what is delivered changes.
//!
//! **Switch on**: `hermes plugins install … --enable`, and `HERMES_WORD_TRANSFORM=1` in the agent's environment.
//! It is looked at with each answer.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     word-transform:
//!       config:
//!         variable: HERMES_WORD_TRANSFORM
//!         words: {utilize: use, leverage: use}    # whole words, whatever their case
//! ```

use std::{collections::BTreeMap, env};

use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    variable: String,
    words: BTreeMap<String, String>,
}

impl Default for Config {
    fn default() -> Self {
        let words = [
            ("utilize", "use"),
            ("leverage", "use"),
            ("commence", "begin"),
        ];
        Self {
            variable: "HERMES_WORD_TRANSFORM".to_owned(),
            words: words
                .map(|(old, new)| (old.to_owned(), new.to_owned()))
                .into(),
        }
    }
}

/// What Hermes takes for yes.
fn is_on(variable: &str) -> bool {
    let value = env::var(variable).unwrap_or_default();
    matches!(
        value.trim().to_lowercase().as_str(),
        "1" | "true" | "yes" | "on"
    )
}

/// The new word as the old one was written: in capitals, with a capital, or as it stands.
fn dressed(new: &str, old: &str) -> String {
    let capital = old.starts_with(char::is_uppercase);
    if capital && old.chars().nth(1).is_some() && !old.contains(char::is_lowercase) {
        return new.to_uppercase();
    }
    let mut letters = new.chars();
    match letters.next() {
        Some(first) if capital => first.to_uppercase().chain(letters).collect(),
        _ => new.to_owned(),
    }
}

/// Replaces words outside of code; none when there is nothing to replace.
fn replaced(text: &str, words: &BTreeMap<String, String>) -> Option<String> {
    let mut out = String::new();
    let mut changed = false;
    // Every second part between back ticks is code, fenced or not.
    for (n, part) in text.split('`').enumerate() {
        if n > 0 {
            out.push('`');
        }
        if n % 2 == 1 {
            out.push_str(part);
            continue;
        }
        let ends = |c: char| !c.is_alphanumeric();
        for piece in part.split_inclusive(ends) {
            let word = piece.trim_end_matches(ends);
            let new = words.get(&word.to_lowercase()).filter(|_| !word.is_empty());
            match new {
                Some(new) => {
                    changed = true;
                    out.push_str(&dressed(new, word));
                }
                None => out.push_str(word),
            }
            out.push_str(piece.strip_prefix(word).unwrap_or_default());
        }
    }
    // An empty answer would not count, and would not be one.
    (changed && !out.trim().is_empty()).then_some(out)
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let Config { variable, words } = ctx.config()?;
    let words = words
        .into_iter()
        .map(|(old, new)| (old.to_lowercase(), new))
        .collect();
    ctx.on(TransformLlmOutput, move |answer| {
        is_on(&variable)
            .then(|| replaced(answer.response_text(), &words))
            .flatten()
    })
    .chain();
    Ok(())
}

hermes_plugin!(
    register,
    name = "word-transform",
    description = "Replaces words in answers while an environment variable says so.",
    role = "transform",
    hooks = ["transform_llm_output"]
);
