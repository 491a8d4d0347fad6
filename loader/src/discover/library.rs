//! Finds the library in a plugin's directory.

use std::fs;
use std::path::{Path, PathBuf};

use super::segment;
use crate::manifest::Manifest;

/// The entry file of one of Hermes' own plugins.
const PYTHON_ENTRY: &str = "__init__.py";

/// How a system names its libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LibraryNaming {
    /// What stands before the name (`lib`).
    pub prefix: &'static str,
    /// What stands behind it (`.so`).
    pub suffix: &'static str,
}

impl LibraryNaming {
    /// The naming of the system this was built for.
    pub fn native() -> Self {
        Self {
            prefix: std::env::consts::DLL_PREFIX,
            suffix: std::env::consts::DLL_SUFFIX,
        }
    }

    fn file(self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }
}

/// What code a plugin's directory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// A native library. Nothing has been checked but that something of its name is there.
    Native(PathBuf),
    /// One of Hermes' own plugins, in Python; listed, and left alone.
    Python,
    /// No library; these were looked for.
    Missing(Vec<PathBuf>),
    /// Several libraries, none of them named after the plugin.
    Ambiguous(Vec<PathBuf>),
}

/// Whether something of that name is there, of whatever kind: what it is, the permissions say.
fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

impl Content {
    /// Looks into the directory of a plugin.
    ///
    /// In this order: the manifest's `library`, the file named after the plugin, a Python entry
    /// file, the only library there is. Python comes before the last, since a Python plugin may
    /// ship compiled modules that look like plugin libraries.
    pub fn of(dir: &Path, manifest: &Manifest, naming: LibraryNaming) -> Self {
        if let Some(library) = &manifest.library {
            let path = dir.join(library);
            return if is_there(&path) {
                Self::Native(path)
            } else {
                Self::Missing(vec![path])
            };
        }
        let mut wanted = vec![dir.join(naming.file(&manifest.name))];
        if manifest.name.contains('-') {
            wanted.push(dir.join(naming.file(&manifest.name.replace('-', "_"))));
        }
        if let Some(path) = wanted.iter().find(|path| is_there(path)) {
            return Self::Native(path.clone());
        }
        if dir.join(PYTHON_ENTRY).is_file() {
            return Self::Python;
        }
        let mut libraries = libraries(dir, naming);
        match (libraries.pop(), libraries.is_empty()) {
            (None, _) => Self::Missing(wanted),
            (Some(only), true) => Self::Native(only),
            (Some(last), false) => {
                libraries.push(last);
                Self::Ambiguous(libraries)
            }
        }
    }

    /// The library, where there is exactly one to open.
    pub fn library(&self) -> Option<&Path> {
        match self {
            Self::Native(path) => Some(path),
            _ => None,
        }
    }

    /// Code, message and cure when there is nothing to load.
    pub(super) fn problem(&self) -> Option<(&'static str, String, String)> {
        let names = |paths: &[PathBuf]| {
            let names: Vec<String> = paths
                .iter()
                .map(|path| {
                    format!(
                        "`{}`",
                        segment(path).map_or_else(|| path.display().to_string(), str::to_owned)
                    )
                })
                .collect();
            names.join(", ")
        };
        match self {
            Self::Native(_) | Self::Python => None,
            Self::Missing(wanted) => Some((
                "no_library",
                format!("no library: expected {}, found none", names(wanted)),
                "build the plugin and copy its library into this directory, or name it with \
                 `library:` in plugin.yaml"
                    .to_owned(),
            )),
            Self::Ambiguous(found) => Some((
                "several_libraries",
                format!("expected one library, found {}", names(found)),
                "name one with `library:` in plugin.yaml".to_owned(),
            )),
        }
    }
}

/// The library files of a directory, by name.
pub(super) fn libraries(dir: &Path, naming: LibraryNaming) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| segment(path).is_some_and(|name| name.ends_with(naming.suffix)))
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
}
