//! From a directory to a library that may be opened: every check that needs none of its code to run.

use std::path::{Path, PathBuf};

use hermes_plugin_api::abi::{ABI_MAJOR, ABI_MINOR};
use hermes_plugin_api::catalogue::{self, CATALOGUE_REVISION};

use crate::boundary::EXTENSIONS;
use crate::discover::Content;
use crate::inspect::{AbiVersion, Check, HostFacts, Inspection, Metadata, inspect};
use crate::manifest::Manifest;
use crate::permissions::{LibraryBytes, read_file, read_library};
use crate::refusal::{LoadError, Refusal};
use crate::staging::{self, ContentHash, Staged};

/// A directory that may hold a plugin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) manifest: &'a Manifest,
    pub(crate) content: &'a Content,
}

/// A library that passed every check. Only the checks make one.
#[derive(Debug)]
pub struct Checked {
    /// What the library says of itself, and what was looked at.
    pub inspection: Inspection,
    /// The hash of its contents.
    pub sha256: ContentHash,
    /// Where it was read from.
    pub path: PathBuf,
    /// What was checked about the file.
    pub file_checks: Vec<Check>,
    bytes: Vec<u8>,
}

/// What this host is, as far as a library's bytes can fit it or not.
#[must_use]
pub fn host_facts() -> HostFacts {
    HostFacts::current(
        AbiVersion {
            major: ABI_MAJOR,
            minor: ABI_MINOR,
        },
        CATALOGUE_REVISION,
        crate::library::glibc(),
    )
}

impl Candidate<'_> {
    /// Checks the file, its bytes, and what it says it needs. Runs none of its code.
    pub(crate) fn check(self) -> Result<Checked, Refusal> {
        let library = self.library()?;
        let checked = check_library(self.dir, &library)?;
        let named = &checked.inspection.metadata.name;
        if *named != self.manifest.name {
            return Err(LoadError::NameMismatch {
                manifest: self.manifest.name.clone(),
                library: named.clone(),
            }
            .into());
        }
        Ok(checked)
    }

    /// The library, relative to the directory.
    fn library(self) -> Result<PathBuf, LoadError> {
        let dir = self.dir.to_owned();
        match self.content {
            Content::Native(path) => Ok(path
                .strip_prefix(self.dir)
                .map_or_else(|_| path.clone(), Path::to_owned)),
            Content::Ambiguous(found) => Err(LoadError::SeveralLibraries {
                dir,
                found: found.clone(),
            }),
            Content::Missing(wanted) => Err(LoadError::NoLibrary {
                dir,
                wanted: wanted.clone(),
            }),
            _ => Err(LoadError::NoLibrary {
                dir,
                wanted: Vec::new(),
            }),
        }
    }
}

/// Checks a library in a directory, whatever its manifest says.
///
/// # Errors
/// The first check that fails.
pub fn check_library(dir: &Path, relative: &Path) -> Result<Checked, Refusal> {
    check_bytes(read_library(dir, relative)?)
}

/// Checks a library that is not in a plugin directory: its bytes and what it needs, not where it lies.
///
/// # Errors
/// The first check that fails.
pub fn check_file(path: &Path) -> Result<Checked, Refusal> {
    check_bytes(read_file(path)?)
}

fn check_bytes(library: LibraryBytes) -> Result<Checked, Refusal> {
    let inspection = inspect(&library.bytes, &host_facts())?;
    requirements(&inspection.metadata)?;
    Ok(Checked {
        inspection,
        sha256: library.sha256,
        path: library.path,
        file_checks: library.checks,
        bytes: library.bytes,
    })
}

/// What the plugin says it cannot do without, against the catalogue.
pub(crate) fn requirements(metadata: &Metadata) -> Result<(), LoadError> {
    let known = |needed: &str| match needed.split_once('.') {
        None => catalogue::by_name(needed).is_some(),
        Some((hook, field)) => {
            catalogue::by_name(hook).is_some_and(|hook| hook.field(field).is_some())
        }
    };
    if let Some(needed) = metadata.requires.hooks.iter().find(|needed| !known(needed)) {
        return Err(LoadError::RequiresHook {
            needed: needed.clone(),
            revision: CATALOGUE_REVISION,
        });
    }
    let missing = metadata
        .requires
        .extensions
        .iter()
        .find(|needed| !EXTENSIONS.contains(&needed.as_str()));
    match missing {
        Some(needed) => Err(LoadError::RequiresExtension {
            needed: needed.clone(),
            why: "this host does not have it".to_owned(),
        }),
        None => Ok(()),
    }
}

impl Checked {
    /// Makes the private copy that is opened.
    pub(crate) fn stage(&self, cache: &Path) -> Result<Staged, Refusal> {
        Ok(staging::stage(
            cache,
            &self.bytes,
            self.sha256,
            &self.inspection.metadata.name,
        )?)
    }
}
