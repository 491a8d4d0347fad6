//! What a case does, and what it looks at: each kind of step, with what may be said in it.

use std::{path::Path, process::Command};

use hermes_loader::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    compare::{part_of, same},
    scene::Scene,
};
use crate::fixture;

/// One step. A moment of the agent's life would be one more kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Fires an event, and compares the outcome: all of it, but for the replies and the times.
    Fire(Fire),
    /// What the scripted plugin recorded under a label.
    Seen(Seen),
    /// What the log says of a plugin, in warnings and errors.
    Warned(Warned),
    /// What the host's report says of a plugin.
    Report(Reported),
    /// The plugins that are loaded, in their order.
    Loaded(Vec<String>),
    /// Which of several plugins of one name was taken.
    Source(Taken),
    /// What is wrong with a file.
    Problem(Wrong),
    /// Nothing is wrong with it.
    NoProblem(String),
    /// Has the host look again.
    Reload,
    /// Runs the program `hermes` over the home.
    Hermes(Ran),
    /// What a file of the home says, as JSON where it is a configuration.
    Config(Value),
    /// Files and directories that are there.
    There(Vec<String>),
    /// Those that are not.
    Gone(Vec<String>),
}

/// An event.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fire {
    pub(super) hook: String,
    pub(super) payload: Value,
    pub(super) outcome: Value,
    /// The plugins whose handlers are called, in order.
    #[serde(default)]
    pub(super) called: Option<Vec<String>>,
}

/// What was recorded.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    pub(super) by: String,
    pub(super) label: String,
    /// How often.
    #[serde(default)]
    pub(super) times: Option<usize>,
    /// What the last one holds, among other things.
    #[serde(default)]
    pub(super) last: Option<Value>,
}

/// What was logged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warned {
    pub(super) of: String,
    /// How many lines hold all the words.
    pub(super) lines: usize,
    pub(super) words: Vec<String>,
}

/// What became of a plugin.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reported {
    /// Its key or name.
    pub(super) of: String,
    /// `loaded`, `refused`, `off`, `python`, or `absent`.
    pub(super) is: String,
    /// Parts of the reason.
    #[serde(default)]
    pub(super) words: Vec<String>,
    /// Its key.
    #[serde(default)]
    pub(super) key: Option<String>,
    /// The names of its hooks.
    #[serde(default)]
    pub(super) hooks: Option<Vec<String>>,
}

/// Where a plugin came from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taken {
    pub(super) of: String,
    /// `bundled`, `user` or `project`.
    pub(super) is: String,
    pub(super) version: String,
}

/// Something in the report's problems.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    /// The end of the file's path.
    pub(super) about: String,
    #[serde(default)]
    pub(super) words: Vec<String>,
}

/// A run of the program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    pub(super) args: Vec<String>,
    pub(super) exit: i32,
    /// Parts of what it prints, on either stream.
    #[serde(default)]
    pub(super) says: Vec<String>,
}

impl Step {
    pub(super) fn take(&self, scene: &mut Scene) -> Result<(), String> {
        match self {
            Self::Fire(fire) => fire.take(scene),
            Self::Seen(seen) => seen.take(scene),
            Self::Warned(warned) => warned.take(scene),
            Self::Report(report) => report.take(scene),
            Self::Loaded(names) => {
                let report = scene.host().report();
                let loaded = report.plugins.iter();
                let loaded = loaded.filter(|plugin| matches!(plugin.state, State::Loaded));
                let loaded: Vec<_> = loaded.map(|plugin| plugin.key.clone()).collect();
                same("loaded", &json!(names), &json!(loaded))
            }
            Self::Source(taken) => {
                let report = scene.host().report();
                let line = report.get(&taken.of).ok_or("it is not in the report")?;
                let source = line.source.map(hermes_loader::discover::Source::as_str);
                same("source", &json!(taken.is), &json!(source))?;
                same("version", &json!(taken.version), &json!(line.version))
            }
            Self::Problem(wrong) => {
                let about = problems(scene, &wrong.about);
                let all =
                    |text: &&String| wrong.words.iter().all(|word| text.contains(word.as_str()));
                match about.iter().find(all) {
                    Some(_) => Ok(()),
                    None => Err(format!(
                        "no problem of {} with {:?}: {about:#?}",
                        wrong.about, wrong.words
                    )),
                }
            }
            Self::NoProblem(about) => match problems(scene, about) {
                problems if problems.is_empty() => Ok(()),
                problems => Err(format!("{problems:#?}")),
            },
            Self::Reload => match scene.host().reload() {
                true => Ok(()),
                false => Err("an old plugin did not end in time".to_owned()),
            },
            Self::Hermes(ran) => ran.take(scene),
            Self::Config(wanted) => {
                let file = scene.path().join("config.yaml");
                let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
                let config = hermes_loader::config::Config::parse(&text, &file, &|_| None);
                part_of("config.yaml", wanted, config.value())
            }
            Self::There(paths) => paths.iter().try_for_each(|path| match exists(scene, path) {
                true => Ok(()),
                false => Err(format!("`{path}` is not there")),
            }),
            Self::Gone(paths) => paths.iter().try_for_each(|path| match exists(scene, path) {
                true => Err(format!("`{path}` is still there")),
                false => Ok(()),
            }),
        }
    }
}

/// What the report has against a file.
fn problems(scene: &mut Scene, about: &str) -> Vec<String> {
    let report = scene.host().report();
    let problems = report.problems.iter();
    let problems = problems.map(|problem| format!("{}: {problem}", problem.place.file.display()));
    problems.filter(|text| text.contains(about)).collect()
}

fn exists(scene: &Scene, path: &str) -> bool {
    scene.path().join(Path::new(path)).exists()
}

impl Fire {
    fn take(&self, scene: &mut Scene) -> Result<(), String> {
        let traced = scene
            .host()
            .trace_json(&self.hook, &self.payload)
            .map_err(|error| error.to_string())?;
        let mut outcome = serde_json::to_value(traced).map_err(|error| error.to_string())?;
        let called = outcome["calls"].as_array().cloned().unwrap_or_default();
        if let Some(map) = outcome.as_object_mut() {
            ["calls", "replies", "total_ns"].iter().for_each(|key| {
                map.remove(*key);
            });
        }
        same("outcome", &self.outcome, &outcome)?;
        match &self.called {
            None => Ok(()),
            Some(wanted) => {
                let called: Vec<_> = called.iter().map(|call| &call["plugin"]).collect();
                same("called", &json!(wanted), &json!(called))
            }
        }
    }
}

impl Seen {
    fn take(&self, scene: &mut Scene) -> Result<(), String> {
        let asked = json!({"label": self.label});
        let outcome = scene
            .host()
            .fire_json("scripted.recorded", &asked)
            .map_err(|error| error.to_string())?;
        let replies = serde_json::to_value(outcome.replies).map_err(|error| error.to_string())?;
        let replies = replies.as_array().cloned().unwrap_or_default();
        let own = replies
            .iter()
            .find(|reply| reply["plugin"] == self.by.as_str());
        let records = own.and_then(|reply| reply["answer"].as_array().cloned());
        let records = records.ok_or_else(|| format!("`{}` has no records", self.by))?;
        if let Some(times) = self.times {
            same("times", &json!(times), &json!(records.len()))?;
        }
        match (&self.last, records.last()) {
            (None, _) => Ok(()),
            (Some(wanted), Some(found)) => part_of("last", wanted, found),
            (Some(_), None) => Err("nothing was recorded".to_owned()),
        }
    }
}

impl Warned {
    fn take(&self, scene: &mut Scene) -> Result<(), String> {
        // What loading says is said by now.
        scene.host();
        let loud = scene.records.loud();
        let own = loud.iter().filter(|record| {
            let of = |field: &str| {
                record
                    .fields
                    .get(field)
                    .is_some_and(|name| *name == self.of)
            };
            of("plugin") || record.message.contains(&self.of)
        });
        let lines: Vec<String> = own
            .map(|record| format!("{} {:?}", record.message, record.fields))
            .collect();
        let found = lines
            .iter()
            .filter(|line| self.words.iter().all(|word| line.contains(word.as_str())))
            .count();
        match found == self.lines {
            true => Ok(()),
            false => Err(format!(
                "expected {} warnings with {:?}, found {found} among {lines:#?}",
                self.lines, self.words
            )),
        }
    }
}

impl Reported {
    fn take(&self, scene: &mut Scene) -> Result<(), String> {
        let report = scene.host().report();
        let line = report.get(&self.of);
        let word = line.map_or("absent", |line| line.state.word());
        let why = match line.map(|line| (&line.state, &line.key)) {
            Some((State::Refused(refusal), _)) => format!("{refusal} {}", refusal.cure()),
            Some((State::Off(decision), key)) => decision.reason(key).unwrap_or_default(),
            _ => String::new(),
        };
        let shown = format!("{} ({why})", self.of);
        same(&shown, &json!(self.is), &json!(word))?;
        if let Some(missing) = self.words.iter().find(|word| !why.contains(word.as_str())) {
            return Err(format!("{shown}: expected {missing:?} in the reason"));
        }
        if let Some(key) = &self.key {
            same("key", &json!(key), &json!(line.map(|line| &line.key)))?;
        }
        match &self.hooks {
            None => Ok(()),
            Some(hooks) => {
                let own = line.map(|line| line.hooks.as_slice()).unwrap_or_default();
                let names = own.iter().map(|hook| hook.name.as_str());
                let names: Vec<_> = names.filter(|name| *name != "scripted.recorded").collect();
                same("hooks", &json!(hooks), &json!(names))
            }
        }
    }
}

impl Ran {
    fn take(&self, scene: &Scene) -> Result<(), String> {
        let mut hermes = Command::new(fixture::program());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HERMES_") {
                hermes.env_remove(name);
            }
        }
        hermes.arg("--home").arg(scene.path()).args(&self.args);
        let ran = hermes
            .current_dir(scene.path())
            .stdin(std::process::Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let said =
            [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let said = said.join("\n");
        if ran.status.code() != Some(self.exit) {
            return Err(format!(
                "expected exit code {}, found {}: {said}",
                self.exit, ran.status
            ));
        }
        match self.says.iter().find(|part| !said.contains(part.as_str())) {
            Some(missing) => Err(format!("expected {missing:?} in {said}")),
            None => Ok(()),
        }
    }
}
