//! Plays cases: folders with events, stand-in plugins and what is expected, through compiled plugins.
//!
//! A case is copied to a place of its own, its plugins are put there as an operator would put them, and the
//! events are fired through the loader's public API at the moments, and on the threads, that the case says.
//! What came of it is compared with the machine-checkable part of `expected.md`, key by key. A key, a rule or
//! a feature that is not understood is a failure, never a pass.

mod control;
mod decision;
mod event_rules;
mod expect;
mod need;
mod observed;
mod play;
mod read;
mod script;
mod stage;
mod standing;
mod text_rules;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use self::need::Need;
pub use self::read::{Case, Event, Unreadable, env_of, is_case};
pub use self::script::Plugin;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key of the expected block, or the file, that it is about.
    pub key: String,
    /// How it went.
    pub went: Went,
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Went {
    /// As expected.
    Held,
    /// Otherwise; the text says how.
    Differs(String),
    /// It could not be looked at, because the product does not have this.
    Needs(Need),
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The case's directory name.
    pub case: String,
    /// Everything that was looked at, in the order of the expected block.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether everything held, and there was something to hold.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.findings.is_empty() && self.findings.iter().all(|one| one.went == Went::Held)
    }

    /// What did not hold.
    pub fn failures(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|one| one.went != Went::Held)
    }

    /// The first difference; none for a pass.
    #[must_use]
    pub fn first(&self) -> Option<String> {
        match self.failures().next() {
            Some(failure) => Some(failure.to_string()),
            None if self.findings.is_empty() => Some("expected.md: nothing is expected".to_owned()),
            None => None,
        }
    }

    /// One line: the word, the case, and the first difference.
    #[must_use]
    pub fn line(&self) -> String {
        match self.first() {
            None => format!("pass {}", self.case),
            Some(first) => format!("fail {}: {first}", self.case),
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.went {
            Went::Held => write!(f, "{}: as expected", self.key),
            Went::Differs(how) => write!(f, "{}: {how}", self.key),
            Went::Needs(need) => write!(
                f,
                "{}: needs {need}, which this build does not have",
                self.key
            ),
        }
    }
}

/// Plays one case. `slack` multiplies its time limits, which are for two idle cores.
#[must_use]
pub fn run(dir: &Path, slack: f64) -> Verdict {
    let name = dir.file_name().unwrap_or(dir.as_os_str());
    let case = name.to_string_lossy().into_owned();
    let findings = match findings(dir, slack) {
        Ok(findings) => findings,
        Err(Unreadable { what, why }) => vec![Finding {
            key: what,
            went: Went::Differs(why),
        }],
    };
    Verdict { case, findings }
}

fn findings(dir: &Path, slack: f64) -> Result<Vec<Finding>, Unreadable> {
    let case = Case::read(dir)?;
    let missing = need::of(&case);
    if !missing.is_empty() {
        let needs = missing.into_iter().map(|(key, need)| Finding {
            key,
            went: Went::Needs(need),
        });
        return Ok(needs.collect());
    }
    let outcome = play::play(&case, false)?;
    let mut findings = expect::check(&case, &outcome, slack);
    if any(&case.expected, "order_independent") {
        let case = Case::read(dir)?;
        let again = expect::check(&case, &play::play(&case, true)?, slack);
        findings.extend(again.into_iter().map(|mut finding| {
            finding.key.push_str(" (the other way round)");
            finding
        }));
    }
    Ok(findings)
}

/// Whether a key stands true anywhere.
fn any(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(map) => {
            map.get(key) == Some(&Value::Bool(true)) || map.values().any(|value| any(value, key))
        }
        _ => false,
    }
}

/// The cases at a path: itself, or those in it, by name.
///
/// # Errors
/// When there is none; with what is wrong.
pub fn at(path: &Path) -> Result<Vec<PathBuf>, String> {
    if is_case(path) {
        return Ok(vec![path.to_owned()]);
    }
    let entries =
        std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut cases: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| is_case(path))
        .collect();
    cases.sort();
    if cases.is_empty() {
        return Err(format!(
            "{}: no case here: a case has an expected.md",
            path.display()
        ));
    }
    Ok(cases)
}
