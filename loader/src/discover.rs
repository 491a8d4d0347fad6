//! Finds the plugins of a home, and decides which of them may load.

mod gate;
mod library;
mod scan;

use std::path::{Path, PathBuf};

pub use self::gate::{Decision, decide};
pub use self::library::{Content, LibraryNaming};
pub use self::scan::read_manifest;

use self::scan::Seen;
use crate::config::{Config, Place, Problem, Severity};
use crate::home::Home;
use crate::manifest::Manifest;

/// What discovery knows of the process around it.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The plugins shipped with the program (`HERMES_BUNDLED_PLUGINS`), where there are any.
    pub bundled: Option<PathBuf>,
    /// Whether plugins of the project may be looked at (`HERMES_ENABLE_PROJECT_PLUGINS`).
    pub project_enabled: bool,
    /// The directory whose `.hermes/plugins` holds the project's plugins.
    pub cwd: Option<PathBuf>,
}

impl Surroundings {
    /// Reads both variables through `env`; `cwd` is the project's directory.
    pub fn read(env: &crate::config::Lookup<'_>, cwd: Option<PathBuf>) -> Self {
        let named = env("HERMES_BUNDLED_PLUGINS").filter(|path| !path.trim().is_empty());
        let project = env("HERMES_ENABLE_PROJECT_PLUGINS");
        Self {
            bundled: named.map(PathBuf::from),
            project_enabled: project.is_some_and(|value| crate::config::truthy(&value)),
            cwd,
        }
    }
}

/// Which root a plugin was found under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// Shipped with the program.
    Bundled,
    /// `<home>/plugins`.
    User,
    /// `<project>/.hermes/plugins`.
    Project,
}

impl Source {
    /// The word that lists show.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A plugin that was found, and what is to become of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// What the plugin is known by: its name, or `category/directory`.
    pub key: String,
    /// Its directory.
    pub dir: PathBuf,
    /// The root it was found under.
    pub source: Source,
    /// The manifest's file.
    pub manifest_file: PathBuf,
    /// What its manifest says.
    pub manifest: Manifest,
    /// What code it holds.
    pub content: Content,
    /// Whether it loads, and if not, why.
    pub decision: Decision,
}

impl Found {
    /// The display name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }
}

/// A plugin that another one with the same key replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shadowed {
    /// The key that both have.
    pub key: String,
    /// The directory that is not used.
    pub dir: PathBuf,
    /// The root it was found under.
    pub source: Source,
    /// The directory that is used.
    pub by: PathBuf,
}

/// Everything that was found.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Discovery {
    /// The plugins, in the order in which they load.
    pub found: Vec<Found>,
    /// The ones that lost to another with the same key.
    pub shadowed: Vec<Shadowed>,
    /// Names in `plugins.enabled` that no plugin has.
    pub unmatched: Vec<String>,
    /// What is wrong, one plugin at a time; none of it stops the others.
    pub problems: Vec<Problem>,
}

impl Discovery {
    /// The plugin with this key, else the only one with this name.
    pub fn get(&self, key: &str) -> Option<&Found> {
        let keyed = self.found.iter().find(|found| found.key == key);
        keyed.or_else(|| {
            let mut named = self.found.iter().filter(|found| found.name() == key);
            named.next().filter(|_| named.next().is_none())
        })
    }

    /// The plugins to load, in order.
    pub fn to_load(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.decision.loads())
    }
}

/// Looks through the roots in order, settles collisions, and decides about each plugin.
///
/// Reads directories and manifests; opens no library and runs nothing.
pub fn discover(home: &Home, around: &Surroundings, config: &Config) -> Discovery {
    let mut discovery = Discovery::default();
    let mut winners: Vec<Seen> = Vec::new();
    for seen in scan::roots(home, around, &mut discovery.problems) {
        match winners.iter_mut().find(|winner| winner.key == seen.key) {
            // The later one wins, in the place of the first: the place decides the order of hooks.
            Some(winner) => {
                let loser = std::mem::replace(winner, seen);
                discovery.shadowed.push(Shadowed {
                    key: loser.key,
                    dir: loser.dir,
                    source: loser.source,
                    by: PathBuf::new(),
                });
            }
            None => winners.push(seen),
        }
    }
    for shadowed in &mut discovery.shadowed {
        if let Some(winner) = winners.iter().find(|winner| winner.key == shadowed.key) {
            shadowed.by.clone_from(&winner.dir);
        }
    }
    for seen in winners {
        let found = settle(seen, config);
        discovery.problems.extend(found.manifest.problems.clone());
        discovery.problems.extend(content_problem(&found));
        discovery.found.push(found);
    }
    let known = |name: &&String| {
        let mut found = discovery.found.iter();
        !found.any(|found| found.key == **name || found.name() == name.as_str())
    };
    discovery.unmatched = config
        .plugins()
        .enabled
        .iter()
        .filter(known)
        .cloned()
        .collect();
    discovery
}

fn settle(seen: Seen, config: &Config) -> Found {
    let manifest = seen.manifest;
    let decision = decide(
        &seen.key,
        &manifest.name,
        manifest.kind,
        seen.source,
        config.plugins(),
    );
    let content = Content::of(&seen.dir, &manifest, LibraryNaming::native());
    Found {
        key: seen.key,
        dir: seen.dir,
        source: seen.source,
        manifest_file: seen.manifest_file,
        manifest,
        content,
        decision,
    }
}

/// A plugin that is to load needs something to load.
fn content_problem(found: &Found) -> Option<Problem> {
    if !found.decision.loads() {
        return None;
    }
    let (code, message, cure) = found.content.problem()?;
    let message = format!("plugin `{}`: {message}", found.key);
    let place = Place::file(&found.dir);
    Some(Problem::new(Severity::Error, code, place, message).cure(cure))
}

/// The last segment of a path, as text; `None` when it is none or not UTF-8.
fn segment(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}
