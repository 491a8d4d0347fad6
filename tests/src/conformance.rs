//! Runs the numbered cases of the behavioural specification: data files of plugins, steps and what is
//! expected, through compiled plugins.
//!
//! `tests/conformance/*.json` holds the cases, a file for each group of the specification. Each case has a
//! home of its own. What one case does is in its steps; see [`step`] for the kinds.

mod alter;
mod compare;
mod page;
mod proofs;
mod scene;
pub mod step;

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

pub use self::alter::alterations;
pub use self::page::{Row, page};
pub use self::proofs::Proofs;
pub use self::step::Step;

/// One numbered case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its number, `62a` among them.
    pub number: String,
    /// What is the case.
    pub title: String,
    /// Where the rule stands: the section, then who says so (the seed, 0.13, 0.19, a recommendation).
    pub source: String,
    /// What has to come of it, for the table.
    pub expected: String,
    /// What the whole of it waits for, unless a test in code proves it.
    #[serde(default)]
    pub not_run: Option<String>,
    /// What a part of it waits for, unless a test in code proves it.
    #[serde(default)]
    pub waits: Option<String>,
    /// What of it is not run in any case.
    #[serde(default)]
    pub not_in_it: Option<String>,
    /// The plugins, as in `plugins.json` of a case; see `scene.rs` for further keys.
    #[serde(default)]
    pub plugins: Vec<Value>,
    /// `config.yaml`; without it, all plugins are enabled.
    #[serde(default)]
    pub config: Option<Value>,
    /// Further files of the home, with their text.
    #[serde(default)]
    pub files: std::collections::BTreeMap<String, String>,
    /// Whether plugins of the project, in `project/` of the home, may load.
    #[serde(default)]
    pub project: bool,
    /// What is done and looked at, in this order.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// One group of cases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// As the specification calls it.
    pub group: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// Reads all groups, in the order of their files.
///
/// # Panics
/// When a file is not what it should be.
#[must_use]
pub fn groups() -> Vec<Group> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).expect("it can be read");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

/// Runs one case.
///
/// # Errors
/// The first difference, with the step.
pub fn run(case: &Case) -> Result<(), String> {
    if case.steps.is_empty() {
        return Err("it has no steps".to_owned());
    }
    let mut scene = scene::Scene::set(case)?;
    for (number, step) in case.steps.iter().enumerate() {
        step.take(&mut scene)
            .map_err(|why| format!("step {}: {why}", number + 1))?;
    }
    Ok(())
}
