//! What is installed and what config.yaml says of it, without running any of it.

use std::path::{Path, PathBuf};

use hermes_loader::config::{Config, PluginRules, Problem as Trouble};
use hermes_loader::discover::{Content, Decision, Discovery, Found, Source};
use hermes_loader::{Home, check_directory, manifest};

use crate::plugins::declared;
use crate::problem::Problem;

/// What config.yaml says of a plugin, in Hermes' three words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Enabled,
    Disabled,
    NotEnabled,
}

impl Status {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::NotEnabled => "not enabled",
        }
    }

    fn of(key: &str, name: &str, rules: &PluginRules) -> Self {
        let listed =
            |list: &std::collections::BTreeSet<String>| list.contains(key) || list.contains(name);
        let off = rules.entry_for(key, name).enabled == Some(false);
        if rules.all_off || off || listed(&rules.disabled) || listed(&rules.denied) {
            Self::Disabled
        } else if listed(&rules.enabled) {
            Self::Enabled
        } else {
            Self::NotEnabled
        }
    }
}

/// One plugin that is installed, or a directory whose manifest cannot be read.
#[derive(Debug)]
pub(crate) struct Installed {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) dir: PathBuf,
    pub(crate) status: Status,
    /// Absent when the manifest is broken and the place alone does not tell.
    pub(crate) source: Option<Source>,
    /// Absent when the manifest is broken.
    found: Option<Found>,
    /// What is wrong with the manifest.
    broken: Option<Trouble>,
}

/// Why a check would refuse a plugin.
#[derive(Clone, Debug)]
pub(crate) struct Fate {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) cure: Option<String>,
}

impl Installed {
    /// `bundled`, `user`, `project`, or `git` for a user's directory under version control.
    pub(crate) fn source(&self) -> &'static str {
        match self.source {
            Some(Source::User) | None if self.dir.join(".git").exists() => "git",
            Some(source) => source.as_str(),
            None => "user",
        }
    }

    /// `native`, `python`, or `none` where there is nothing to load.
    pub(crate) fn form(&self) -> &'static str {
        match self.found.as_ref().map(|found| &found.content) {
            Some(Content::Native(_) | Content::Ambiguous(_)) => "native",
            Some(Content::Python) => "python",
            _ => "none",
        }
    }

    pub(crate) fn is_python(&self) -> bool {
        self.form() == "python"
    }

    pub(crate) fn manifest_of(&self) -> Option<&manifest::Manifest> {
        self.found.as_ref().map(|found| &found.manifest)
    }

    /// Whether it is to load.
    pub(crate) fn loads(&self) -> bool {
        self.found
            .as_ref()
            .is_some_and(|found| found.decision.loads())
    }

    /// Why it is not to load, and what would change that.
    pub(crate) fn off(&self) -> Option<(String, Option<String>)> {
        let Some(found) = &self.found else {
            let broken = self.broken.as_ref()?;
            return Some((broken.message.clone(), broken.cure.clone()));
        };
        Some((
            found.decision.reason(&self.key)?,
            found.decision.cure(&self.key),
        ))
    }

    /// What keeps it from loading besides the two lists that `enable` writes.
    pub(crate) fn held_back(&self) -> Option<(String, Option<String>)> {
        let listed = matches!(
            self.found.as_ref()?.decision,
            Decision::Load | Decision::Disabled | Decision::NotEnabled
        );
        if listed { None } else { self.off() }
    }

    /// Why a check would refuse it. Reads its library, and runs none of its code.
    pub(crate) fn fate(&self) -> Option<Fate> {
        self.look().0
    }

    /// Why a check would refuse it, and the hooks it says it uses, by its library or its manifest.
    pub(crate) fn look(&self) -> (Option<Fate>, Vec<String>) {
        if let Some(broken) = &self.broken {
            let fate = Fate {
                code: broken.code,
                message: broken.message.clone(),
                cure: broken.cure.clone(),
            };
            return (Some(fate), Vec::new());
        }
        if self.is_python() {
            return (None, declared(None, self.manifest_of()).to_vec());
        }
        match check_directory(&self.dir) {
            Ok((manifest, checked)) => (None, declared(Some(&checked), Some(&manifest)).to_vec()),
            Err(refusal) => {
                let fate = Fate {
                    code: refusal.code(),
                    message: refusal.to_string(),
                    cure: Some(refusal.cure()),
                };
                (Some(fate), declared(None, self.manifest_of()).to_vec())
            }
        }
    }
}

/// Everything that is installed.
pub(crate) struct Inventory {
    /// In load order; what cannot be read comes last.
    pub(crate) plugins: Vec<Installed>,
}

impl Inventory {
    pub(crate) fn new(config: Config, discovery: Discovery) -> Self {
        let rules = config.plugins();
        let known: Vec<PathBuf> = discovery
            .found
            .iter()
            .map(|found| found.dir.clone())
            .chain(
                discovery
                    .shadowed
                    .iter()
                    .map(|shadowed| shadowed.dir.clone()),
            )
            .collect();
        let broken = discovery
            .problems
            .into_iter()
            .filter_map(|trouble| broken(trouble, &known, rules));
        let broken: Vec<Installed> = broken.collect();
        let mut plugins: Vec<Installed> = discovery
            .found
            .into_iter()
            .map(|found| installed(found, rules))
            .collect();
        plugins.extend(broken);
        Self { plugins }
    }

    /// The plugin with this key, else the only one with this name, else the only one whose key ends in it.
    pub(crate) fn resolve(&self, typed: &str, home: &Home) -> anyhow::Result<&Installed> {
        let leaf = |plugin: &&Installed| {
            plugin.key.rsplit('/').next() == Some(typed) || directory(&plugin.dir) == typed
        };
        let named: Vec<&Installed> = self
            .plugins
            .iter()
            .filter(|plugin| plugin.key == typed)
            .collect();
        let named = if named.is_empty() {
            self.plugins
                .iter()
                .filter(|plugin| plugin.name == typed)
                .collect()
        } else {
            named
        };
        let named = if named.is_empty() {
            self.plugins.iter().filter(leaf).collect()
        } else {
            named
        };
        match named.as_slice() {
            [only] => Ok(only),
            [] => Err(self.unknown(typed, home).into()),
            several => {
                let keys: Vec<&str> = several.iter().map(|plugin| plugin.key.as_str()).collect();
                Err(Problem::new(format!(
                    "`{typed}` can mean several plugins: {}",
                    keys.join(", ")
                ))
                .cure("give the whole key")
                .into())
            }
        }
    }

    fn unknown(&self, typed: &str, home: &Home) -> Problem {
        let keys: Vec<&str> = self
            .plugins
            .iter()
            .map(|plugin| plugin.key.as_str())
            .collect();
        let problem = Problem::new(format!("Plugin '{typed}' is not installed or bundled."));
        if keys.is_empty() {
            return problem.cure(format!(
                "there is no plugin in {}",
                home.plugins_dir().display()
            ));
        }
        problem.cure(format!("installed: {}", keys.join(", ")))
    }
}

fn installed(found: Found, rules: &PluginRules) -> Installed {
    Installed {
        status: Status::of(&found.key, found.name(), rules),
        key: found.key.clone(),
        name: found.manifest.name.clone(),
        version: found.manifest.version.clone(),
        description: found.manifest.description.clone(),
        dir: found.dir.clone(),
        source: Some(found.source),
        found: Some(found),
        broken: None,
    }
}

/// A directory that was left out because of its manifest; it is listed under the directory's name.
fn broken(trouble: Trouble, known: &[PathBuf], rules: &PluginRules) -> Option<Installed> {
    let file = &trouble.place.file;
    if !matches!(directory(file), "plugin.yaml" | "plugin.yml") {
        return None;
    }
    let dir = file
        .parent()
        .filter(|dir| !known.iter().any(|known| known == dir))?
        .to_owned();
    let name = directory(&dir).to_owned();
    Some(Installed {
        status: Status::of(&name, &name, rules),
        key: name.clone(),
        name,
        version: String::new(),
        description: String::new(),
        dir,
        source: None,
        found: None,
        broken: Some(trouble),
    })
}

/// The last part of a path.
fn directory(path: &Path) -> &str {
    path.file_name()
        .and_then(std::ffi::OsStr::to_str)
        .unwrap_or_default()
}
