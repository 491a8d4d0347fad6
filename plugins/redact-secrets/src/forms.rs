//! The well-known forms of keys, and the search for them.

mod assigned;
mod private_key;
mod token;

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::span::{Label, Span};

/// One key form. The part to mask is the group `v`, or `w`.
struct Form {
    id: &'static str,
    pattern: &'static str,
    /// Whether a match is no placeholder, identifier or word of prose.
    real: fn(&Match<'_>) -> bool,
}

/// What a pattern found, for the checks that a pattern cannot express.
struct Match<'t> {
    text: &'t str,
    end: usize,
    value: &'t str,
}

/// Ahead of a form: no letter or digit, unless it is the last of an escape such as `\n` or `%3D`.
const AHEAD: &str = r"(?:\b|\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2})";

/// All forms; where two overlap the earlier one names the mask.
static FORMS: [Form; 17] = [
    private_key::FORM,
    token::ANTHROPIC,
    token::OPENAI,
    token::AWS_ID,
    assigned::AWS_SECRET,
    token::GITHUB,
    token::GITHUB_FINE,
    token::GOOGLE,
    token::SLACK,
    token::STRIPE,
    token::NPM,
    token::PYPI,
    token::JWT,
    assigned::URL_PASSWORD,
    assigned::AUTH_HEADER,
    assigned::ENV_STYLE,
    assigned::QUOTED,
];

/// The compiled patterns, shared by all redactors of the process.
struct Compiled {
    any: RegexSet,
    each: Vec<Regex>,
}

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let patterns = FORMS
        .iter()
        .map(|form| match form.pattern.contains("-----") {
            true => form.pattern.to_owned(),
            false => format!("{AHEAD}{}", form.pattern),
        });
    let each = patterns.clone().map(|pattern| {
        let built = RegexBuilder::new(&pattern).unicode(false).build();
        built.expect("the patterns are constants, and a test compiles them")
    });
    let any = RegexSetBuilder::new(patterns).unicode(false).build();
    Compiled {
        each: each.collect(),
        any: any.expect("the patterns are constants, and a test compiles them"),
    }
});

/// The ids of all forms.
pub(crate) fn ids() -> impl Iterator<Item = &'static str> {
    let mut seen = Vec::new();
    let ids = FORMS.iter().map(|form| form.id);
    ids.filter(move |id| {
        let new = !seen.contains(id);
        seen.push(*id);
        new
    })
}

pub(crate) fn is_known(id: &str) -> bool {
    ids().any(|known| known == id)
}

/// The id of the form with this index.
pub(crate) fn id(index: usize) -> &'static str {
    FORMS.get(index).map_or("secret", |form| form.id)
}

/// Adds what `text` holds of key forms.
pub(crate) fn find(text: &str, disabled: &[String], allow: &[String], spans: &mut Vec<Span>) {
    let compiled = &*COMPILED;
    if !compiled.any.is_match(text.as_bytes()) {
        return;
    }
    let matches = compiled.any.matches(text.as_bytes());
    for index in matches.iter() {
        let (Some(form), Some(regex)) = (FORMS.get(index), compiled.each.get(index)) else {
            continue;
        };
        if disabled.iter().any(|id| id == form.id) {
            continue;
        }
        if form.id == private_key::FORM.id {
            private_key::find(text, regex, Label::Form(index), spans);
            continue;
        }
        for found in regex.captures_iter(text.as_bytes()) {
            let Some(range) = found
                .name("v")
                .or(found.name("w"))
                .map(|value| value.range())
            else {
                continue;
            };
            let Some(value) = text.get(range.clone()) else {
                continue;
            };
            let found = Match {
                text,
                end: range.end,
                value,
            };
            if (form.real)(&found) && !allow.iter().any(|allowed| allowed == value) {
                let label = Label::Form(index);
                spans.push(Span {
                    start: range.start,
                    end: range.end,
                    label,
                });
            }
        }
    }
}

/// For forms whose pattern says it all.
const fn always(_: &Match<'_>) -> bool {
    true
}

/// Words of prose and kebab-case names have no digit; generated keys nearly always do.
fn has_digit(found: &Match<'_>) -> bool {
    found.value.bytes().any(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests;
