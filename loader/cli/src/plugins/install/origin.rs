//! What is to be installed: a directory with a manifest, or a bare library.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_loader::discover::{Content, LibraryNaming, read_manifest};
use hermes_loader::manifest::{EnvNeed, Manifest, Role};
use hermes_loader::staging::ContentHash;
use hermes_loader::{Checked, LoadError, Refusal, check_directory, check_file};

use super::copy;
use crate::problem::Problem;

/// A plugin that passed the checks where it lies.
#[derive(Debug)]
pub(in crate::plugins) struct Origin {
    path: PathBuf,
    manifest: Manifest,
    version: String,
    /// The library that was checked; absent for a plugin in Python.
    library: Option<(PathBuf, ContentHash)>,
    bare: bool,
}

impl Origin {
    /// Checks what lies at the path, and runs none of it.
    pub(in crate::plugins) fn check(path: &Path) -> Result<Self, Problem> {
        if !path.exists() {
            return Err(missing(path));
        }
        let origin = if path.is_dir() {
            Self::directory(path)
        } else {
            Self::bare(path)
        }?;
        let name = origin.name();
        if name.contains("..") || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(Problem::new(format!("the plugin calls itself `{name}`; a directory for it needs a name without `/`, `\\`, `..` and a dot in front"))
                .cure("change `name` in plugin.yaml, and in the plugin if it is native"));
        }
        Ok(origin)
    }

    fn directory(dir: &Path) -> Result<Self, Problem> {
        let manifest =
            read_manifest(dir).map_err(|error| no_manifest(dir, Refusal::from(error)))?;
        manifest
            .check_install(&dir.join("plugin.yaml"))
            .map_err(|error| refused(dir, Refusal::from(error)))?;
        let content = Content::of(dir, &manifest, LibraryNaming::native());
        let version = manifest.version.clone();
        let library = match content {
            Content::Python => None,
            Content::Native(library) => {
                let checked = check_file(&library).map_err(|refusal| refused(&library, refusal))?;
                agree(&manifest, &checked).map_err(|refusal| refused(dir, refusal))?;
                Some((library, checked.sha256))
            }
            // What is missing is said as it would be when it loads.
            _ => {
                return Err(check_directory(dir)
                    .err()
                    .map_or_else(|| unreadable(dir), |refusal| unbuilt(dir, refusal)));
            }
        };
        Ok(Self {
            path: dir.to_owned(),
            manifest,
            version,
            library,
            bare: false,
        })
    }

    fn bare(path: &Path) -> Result<Self, Problem> {
        let checked = check_file(path).map_err(|refusal| refused(path, refusal))?;
        let about = &checked.inspection.metadata;
        let mut manifest = Manifest::named(&about.name);
        manifest.description = about.description.clone().unwrap_or_default();
        manifest.version.clone_from(&about.version);
        manifest.role = about.role.as_deref().and_then(Role::parse);
        manifest.provides_hooks.clone_from(&about.hooks);
        manifest.library = path.file_name().map(PathBuf::from);
        let library = Some((path.to_owned(), checked.sha256));
        Ok(Self {
            path: path.to_owned(),
            version: about.version.clone(),
            manifest,
            library,
            bare: true,
        })
    }

    pub(in crate::plugins) fn name(&self) -> &str {
        &self.manifest.name
    }

    pub(in crate::plugins) fn version(&self) -> &str {
        &self.version
    }

    pub(in crate::plugins) const fn is_python(&self) -> bool {
        self.library.is_none()
    }

    pub(in crate::plugins) fn needs(&self) -> &[EnvNeed] {
        &self.manifest.requires_env
    }

    /// Copies the plugin; gives the files that were made from their examples.
    pub(in crate::plugins) fn copy_to(&self, target: &Path) -> Result<Vec<String>, Problem> {
        match &self.library {
            Some((library, _)) if self.bare => {
                let name = library.file_name().unwrap_or_default();
                copy::file(library, &target.join(name)).map_err(Problem::from)?;
                let manifest = target.join("plugin.yaml");
                fs::write(&manifest, self.manifest.to_yaml()).map_err(|error| {
                    Problem::new(format!(
                        "{}: cannot be written: {error}",
                        manifest.display()
                    ))
                })?;
                Ok(Vec::new())
            }
            library => {
                let wanted = library
                    .as_ref()
                    .and_then(|(library, _)| library.strip_prefix(&self.path).ok());
                copy::tree(&self.path, target, wanted).map_err(Problem::from)
            }
        }
    }

    /// Checks the copy as it will be checked when it loads, and that it is what was checked before.
    pub(in crate::plugins) fn check_copy(&self, dir: &Path) -> Result<(), Problem> {
        let Some((_, sha256)) = &self.library else {
            return Ok(());
        };
        let (_, checked) = check_directory(dir).map_err(|refusal| refused(&self.path, refusal))?;
        if checked.sha256 != *sha256 {
            return Err(Problem::new(format!(
                "{}: changed while it was installed; nothing is installed",
                self.path.display()
            ))
            .cure("wait until the build has finished, and install again"));
        }
        Ok(())
    }
}

pub(super) fn missing(path: &Path) -> Problem {
    Problem::new(format!(
        "{}: there is no such file or directory",
        path.display()
    ))
    .cure("give a library file, an archive, a directory with a plugin.yaml, or a git repository")
}

fn agree(manifest: &Manifest, checked: &Checked) -> Result<(), Refusal> {
    let library = &checked.inspection.metadata.name;
    if *library == manifest.name {
        return Ok(());
    }
    Err(LoadError::NameMismatch {
        manifest: manifest.name.clone(),
        library: library.clone(),
    }
    .into())
}

fn refused(path: &Path, refusal: Refusal) -> Problem {
    let shown = path.display().to_string();
    let text = refusal.to_string();
    let place = if text.contains(&shown) {
        String::new()
    } else {
        format!("{shown}: ")
    };
    Problem::new(format!(
        "{place}{text} [{}]; nothing is installed",
        refusal.code()
    ))
    .cure(refusal.cure())
}

/// A directory without a library is mostly the source of one.
fn unbuilt(dir: &Path, refusal: Refusal) -> Problem {
    if dir.join("Cargo.toml").is_file() {
        return refused(dir, refusal).cure("it is a crate: clone it unless you have, `cargo build --release` in it, then install the library from target/release");
    }
    refused(dir, refusal)
}

fn no_manifest(dir: &Path, refusal: Refusal) -> Problem {
    if dir.join("plugin.yaml").exists() || dir.join("plugin.yml").exists() {
        return refused(dir, refusal);
    }
    if dir.join("Cargo.toml").is_file() {
        return unbuilt(dir, refusal);
    }
    refused(dir, refusal)
        .cure("give the library file itself, or write a plugin.yaml with `name:` beside it")
}

fn unreadable(dir: &Path) -> Problem {
    Problem::new(format!(
        "{}: changed while it was looked at; nothing is installed",
        dir.display()
    ))
    .cure("install it again")
}
