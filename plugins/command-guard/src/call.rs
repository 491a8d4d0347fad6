//! One program with its arguments as the rules see it, and what they say of it.

use crate::paths::AllowList;
use crate::rules::Rule;
use crate::shell::Word;

/// A program about to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Its name, without the directory.
    pub(crate) program: &'a str,
    pub(crate) args: &'a [Word],
    pub(crate) allow: &'a AllowList,
}

/// The first rule met that is switched on.
#[derive(Debug)]
pub(crate) struct Hits<'p> {
    disabled: &'p [String],
    first: Option<&'p Rule>,
}

impl<'p> Hits<'p> {
    pub(crate) fn new(disabled: &'p [String]) -> Self {
        Self {
            disabled,
            first: None,
        }
    }

    pub(crate) fn add(&mut self, rule: &'p Rule) {
        if self.first.is_none() && !self.disabled.iter().any(|id| id == rule.id()) {
            self.first = Some(rule);
        }
    }

    pub(crate) fn add_if(&mut self, met: bool, rule: &'p Rule) {
        if met {
            self.add(rule);
        }
    }

    pub(crate) fn first(&self) -> Option<&'p Rule> {
        self.first
    }
}

/// The name of a program without its directory, and without expansions that are usually empty:
/// `r$@m` and ``` ``rm ``` run `rm`.
pub(crate) fn program_name(word: &Word) -> String {
    let mut text = word.text.as_str();
    if let Some((_, name)) = text.rsplit_once('/') {
        text = name;
    }
    let text = text.strip_suffix(".exe").unwrap_or(text);
    if !word.dynamic {
        return text.to_owned();
    }
    let text = text.replace("$()", "");
    let mut name = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let empty = |next: &char| next.is_ascii_digit() || matches!(next, '@' | '*');
        if c == '$' && chars.next_if(empty).is_some() {
            continue;
        }
        name.push(c);
    }
    name
}
