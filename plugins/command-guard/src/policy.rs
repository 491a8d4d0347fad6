//! The policy: which rules hold, and what it says of a command.

use std::ops::ControlFlow;

use crate::config::{Config, ConfigError, Extra};
use crate::judge::{Found, Judge};
use crate::paths::AllowList;
use crate::quick::Quick;
use crate::rules::{self, Rule};

/// Texts longer than this are refused, not judged, if a word in them is of interest.
pub const MAX_INPUT: usize = 1024 * 1024;

/// Characters of the offending command that a message shows.
const SHOWN: usize = 120;

/// Rules ready to judge commands.
///
/// # Threads
///
/// Judging changes nothing: one policy serves any number of threads.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) disabled: Vec<String>,
    pub(crate) allow: AllowList,
    pub(crate) extras: Vec<Extra>,
    quick: Quick,
}

/// Why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'p> {
    /// The rule it meets.
    pub rule: &'p Rule,
    /// The simple command that meets it, at most 120 characters.
    pub command: String,
}

impl std::fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (id, reason) = (self.rule.id(), self.rule.reason());
        write!(f, "refused by command-guard [{id}]: {reason}")?;
        if self.command.is_empty() {
            return Ok(());
        }
        write!(f, " (`{}`)", self.command)
    }
}

/// One simple command of a text, and what the policy says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained<'p> {
    /// The simple command, at most 120 characters.
    pub command: String,
    /// The rule it meets, if any.
    pub rule: Option<&'p Rule>,
}

impl Policy {
    /// Checks `config` and makes a policy of it.
    ///
    /// # Errors
    ///
    /// Names the key, what was found there and what is expected.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        config.check_disable()?;
        let extras = config.extras()?;
        Ok(Self {
            disabled: config.disable.clone(),
            allow: config.allow_list()?,
            quick: Quick::new(extras.iter().map(|extra| extra.program.as_str())),
            extras,
        })
    }

    /// The first reason to refuse `command`, a text as a shell would be given it.
    ///
    /// A text in which no word is of interest is let through without being parsed.
    ///
    /// # Examples
    ///
    /// ```
    /// let policy = command_guard::Policy::default();
    /// assert!(policy.judge("git push --force-with-lease").is_none());
    /// let refusal = policy.judge("cd app && git push -f").expect("a forced push");
    /// assert_eq!(refusal.rule.id(), "git.push-force");
    /// ```
    #[must_use]
    pub fn judge(&self, command: &str) -> Option<Refusal<'_>> {
        if !self.quick.interesting(command) {
            return None;
        }
        let mut refusal = None;
        let _stopped = self.visit(command, &mut |found| match found.rule {
            Some(rule) => {
                let command = shown(found.command);
                refusal = Some(Refusal { rule, command });
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        });
        refusal
    }

    /// Every simple command found in `command`, also in scripts it hands to other shells, and the rule
    /// each one meets.
    #[must_use]
    pub fn explain(&self, command: &str) -> Vec<Explained<'_>> {
        let mut all = Vec::new();
        let _finished = self.visit(command, &mut |found| {
            let command = shown(found.command);
            all.push(Explained {
                command,
                rule: found.rule,
            });
            ControlFlow::Continue(())
        });
        all
    }

    fn visit<'p>(
        &'p self,
        command: &str,
        visit: &mut dyn FnMut(Found<'_, 'p>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if command.len() > MAX_INPUT {
            let mut hits = crate::call::Hits::new(&self.disabled);
            hits.add(&rules::INPUT_TOO_LONG);
            let rule = hits.first();
            return visit(Found { command, rule });
        }
        Judge::new(self, command).script(command, 0, visit)
    }

    /// The quick reject alone: false if `command` is let through unparsed.
    #[must_use]
    pub fn is_interesting(&self, command: &str) -> bool {
        self.quick.interesting(command)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(&Config::default()).expect("the default configuration is lawful, as a test shows")
    }
}

/// `text` on one line, cut to [`SHOWN`] characters.
fn shown(text: &str) -> String {
    let mut line = String::new();
    let mut count = 0;
    for c in text.trim().chars() {
        if count + 1 == SHOWN {
            line.push('…');
            break;
        }
        let blank = c.is_whitespace() || c.is_control();
        if blank && line.ends_with(' ') {
            continue;
        }
        // A backtick would end the quotation in the message.
        line.push(match c {
            _ if blank => ' ',
            '`' => '\'',
            _ => c,
        });
        count += 1;
    }
    line
}
