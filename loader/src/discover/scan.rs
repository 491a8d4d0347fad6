//! Walks the plugin roots and reads the manifests in them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LibraryNaming, Source, Surroundings, library, segment};
use crate::config::{Place, Problem, Severity, read};
use crate::home::Home;
use crate::manifest::{Manifest, ManifestError};

/// What a manifest may be called; the first one that is there counts.
const MANIFESTS: [&str; 2] = ["plugin.yaml", "plugin.yml"];

/// Bundled directories that other parts of Hermes look after.
const SKIPPED_BUNDLED: [&str; 4] = ["memory", "context_engine", "platforms", "model-providers"];

/// A plugin as the walk met it.
pub(super) struct Seen {
    pub(super) key: String,
    pub(super) dir: PathBuf,
    pub(super) source: Source,
    pub(super) manifest_file: PathBuf,
    pub(super) manifest: Manifest,
}

/// All plugins of all roots, in the order of the walk.
pub(super) fn roots(home: &Home, around: &Surroundings, problems: &mut Vec<Problem>) -> Vec<Seen> {
    let mut walk = Walk {
        seen: Vec::new(),
        problems,
    };
    if let Some(bundled) = &around.bundled {
        walk.root(bundled, Source::Bundled, &SKIPPED_BUNDLED);
        walk.root(&bundled.join("platforms"), Source::Bundled, &[]);
    }
    walk.root(&home.plugins_dir(), Source::User, &[]);
    if let (true, Some(cwd)) = (around.project_enabled, &around.cwd) {
        walk.root(&cwd.join(".hermes").join("plugins"), Source::Project, &[]);
    }
    walk.seen
}

struct Walk<'p> {
    seen: Vec<Seen>,
    problems: &'p mut Vec<Problem>,
}

impl Walk<'_> {
    fn root(&mut self, root: &Path, source: Source, skip: &[&str]) {
        for (name, dir) in self.children(root) {
            if skip.contains(&name.as_str()) {
                continue;
            }
            match manifest_file(&dir) {
                Some(file) => self.plugin(None, name, dir, file, source),
                None => self.category(&name, &dir, source),
            }
        }
    }

    /// A directory without a manifest: its children are plugins, theirs are not looked at.
    fn category(&mut self, category: &str, dir: &Path, source: Source) {
        let mut any = false;
        for (name, dir) in self.children(dir) {
            if let Some(file) = manifest_file(&dir) {
                any = true;
                self.plugin(Some(category), name, dir, file, source);
            } else {
                tracing::debug!(
                    "{}: no plugin.yaml, and plugins are not looked for this deep",
                    dir.display()
                );
            }
        }
        if !any && !library::libraries(dir, LibraryNaming::native()).is_empty() {
            let message = "a library without a plugin.yaml beside it; the directory is ignored";
            let place = Place::file(dir);
            let problem = Problem::new(Severity::Warning, "no_manifest", place, message);
            let cure = format!(
                "write {} with `name: {category}`",
                dir.join(MANIFESTS[0]).display()
            );
            self.problems.push(problem.cure(cure));
        }
    }

    fn plugin(
        &mut self,
        category: Option<&str>,
        directory: String,
        dir: PathBuf,
        manifest_file: PathBuf,
        source: Source,
    ) {
        match manifest(&manifest_file, &directory) {
            Ok(manifest) => self.seen.push(Seen {
                key: match category {
                    Some(category) => format!("{category}/{directory}"),
                    None => manifest.name.clone(),
                },
                dir,
                source,
                manifest_file,
                manifest,
            }),
            Err(error) => {
                let message = format!("{error}; the plugin is ignored");
                let problem = Problem::new(Severity::Warning, error.code(), error.place(), message);
                self.problems.push(problem.cure(error.cure()));
            }
        }
    }

    /// The directories in `dir` by codepoint of their names; links to directories count.
    fn children(&mut self, dir: &Path) -> Vec<(String, PathBuf)> {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                self.unreadable(dir, &error.to_string());
                return Vec::new();
            }
        };
        let mut children = Vec::new();
        for entry in entries {
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => {
                    self.unreadable(dir, &error.to_string());
                    continue;
                }
            };
            match segment(&path) {
                _ if !path.is_dir() => {}
                Some(name) => children.push((name.to_owned(), path)),
                None => self.unreadable(&path, "its name is not UTF-8"),
            }
        }
        children.sort();
        children
    }

    fn unreadable(&mut self, path: &Path, detail: &str) {
        let message = format!(
            "{}: cannot be searched for plugins: {detail}",
            path.display()
        );
        let place = Place::file(path);
        let problem = Problem::new(Severity::Warning, "directory_unreadable", place, message);
        let cure = "make it a readable directory with a plain name";
        self.problems.push(problem.cure(cure));
    }
}

/// Reads the manifest of a plugin's directory.
///
/// # Errors
/// When there is none, or it is not one.
pub fn read_manifest(dir: &Path) -> Result<Manifest, ManifestError> {
    let missing = || ManifestError::Unreadable {
        path: dir.join(MANIFESTS[0]),
        detail: "there is none".to_owned(),
    };
    let file = manifest_file(dir).ok_or_else(missing)?;
    manifest(&file, super::segment(dir).unwrap_or_default())
}

fn manifest_file(dir: &Path) -> Option<PathBuf> {
    let files = MANIFESTS.iter().map(|name| dir.join(name));
    // Whatever it is: a directory of that name is a broken manifest, not a category.
    files.into_iter().find(|file| file.exists())
}

fn manifest(file: &Path, directory: &str) -> Result<Manifest, ManifestError> {
    let unreadable = |detail| ManifestError::Unreadable {
        path: file.to_owned(),
        detail,
    };
    match read::text(file) {
        Ok(Some(text)) => Manifest::parse(&text, file, directory),
        Ok(None) => Err(unreadable("it is gone".to_owned())),
        Err(error) => Err(unreadable(error.describe())),
    }
}
