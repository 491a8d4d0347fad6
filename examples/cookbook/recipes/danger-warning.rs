//! Asks a person, or only warns, before a dangerous command runs.
//!
//! **Hook**: `pre_tool_call`, for the tool `terminal` only. `approve` makes the host ask; agreeing is
//! remembered under the rule's name, so one agreement does not cover other dangers.
//!
//! **Why**: a second look where a mistake cannot be undone. It searches texts, which is easy to get around;
//! `plugins/command-guard` reads commands as a shell does, and refuses.
//!
//! **Switch on**: `hermes plugins install … --enable`.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     danger-warning:
//!       config:
//!         mode: ask              # or `warn`: a line in the log, and the command runs
//!         own:                   # more rules; one with a known name replaces that rule
//!           deploy: '\bkubectl\s+apply\b'
//!         off: [sudo]            # rules that do not count
//! ```

use std::collections::BTreeMap;

use hermes_cookbook::cut;
use hermes_plugin_api::prelude::*;
use regex::Regex;
use serde::Deserialize;

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Ask,
    Warn,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Config {
    mode: Mode,
    own: BTreeMap<String, String>,
    off: Vec<String>,
}

/// Name and pattern; patterns match anywhere in the command, in time that grows with its length only.
const RULES: [(&str, &str); 7] = [
    (
        "delete",
        r"\brm\s+(?:-[\w-]+\s+)*(?:-\w*[rR]|--recursive\b)",
    ),
    (
        "disk",
        r"\b(?:mkfs(?:\.\w+)?|fdisk|parted|shred)\s|\bdd\s.*\bof=/dev/",
    ),
    ("sudo", r"\bsudo\s"),
    (
        "pipe-to-shell",
        r"\b(?:curl|wget)\b[^|;]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
    ),
    ("force-push", r"\bgit\s+push\b.*(?:--force\b|\s-f\b|\s\+\w)"),
    (
        "discard",
        r"\bgit\s+(?:reset\s+--hard|clean\s+-\w*f|checkout\s+--\s)",
    ),
    ("open-to-all", r"\bchmod\s+(?:-\w+\s+)*0?777\b"),
];

struct Rule {
    name: String,
    pattern: Regex,
}

fn rules(config: &Config) -> Result<Vec<Rule>, Error> {
    let mut patterns: BTreeMap<&str, &str> = RULES.into_iter().collect();
    patterns.extend(
        config
            .own
            .iter()
            .map(|(name, pattern)| (name.as_str(), pattern.as_str())),
    );
    patterns.retain(|name, _| !config.off.iter().any(|off| off == name));
    let compiled = patterns.into_iter().map(|(name, pattern)| {
        let pattern = Regex::new(pattern).map_err(|error| {
            Error::new(format!("the pattern of rule `{name}` is none: {error}"))
        })?;
        let name = name.to_owned();
        Ok(Rule { name, pattern })
    });
    compiled.collect()
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let rules = rules(&config)?;
    let mode = config.mode;
    ctx.on(PreToolCall, move |call| {
        let command = call.args().str("command").unwrap_or_default();
        let Some(rule) = rules.iter().find(|rule| rule.pattern.is_match(command)) else {
            return Verdict::pass();
        };
        let (name, (shown, _)) = (&rule.name, cut(command, 200));
        if mode == Mode::Warn {
            let session = call.session_id();
            tracing::warn!(rule = %name, command = shown, session, "a dangerous command runs");
            return Verdict::pass();
        }
        Verdict::approve(format!("This looks dangerous ({name}): {shown}"))
            .rule_key(format!("danger-warning:{name}"))
    })
    .tools(["terminal"]);
    Ok(())
}

hermes_plugin!(
    register,
    name = "danger-warning",
    description = "Asks a person before dangerous terminal commands, or only warns.",
    hooks = ["pre_tool_call"]
);
