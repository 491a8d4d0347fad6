//! Brings what is to be installed to a place where it can be looked at.

use std::fs;
use std::path::{Path, PathBuf};

use super::archive::{self, Limits};
use super::identifier::Repository;
use super::origin::Origin;
use super::place::Stage;
use super::{examples, settle_checkout};
use crate::plugins::git;
use crate::problem::Problem;

/// A plugin that can be looked at.
pub(super) struct Fetched {
    /// Its directory, or its library.
    pub(super) path: PathBuf,
    /// Where it comes from, as it may be shown.
    pub(super) shown: String,
    /// What messages would name, and what they are to name instead.
    told_as: Option<(PathBuf, String)>,
    /// A whole checkout, which stays one.
    checkout: bool,
}

impl Fetched {
    /// It lies there already.
    pub(super) fn in_place(path: PathBuf) -> Self {
        Self {
            shown: path.display().to_string(),
            path,
            told_as: None,
            checkout: false,
        }
    }

    pub(super) fn unpacked(archive: &Path, stage: &Stage) -> Result<Self, Problem> {
        let name = archive::stem(archive)
            .unwrap_or("plugin")
            .trim_start_matches('.');
        let into = stage.fetched(if name.is_empty() { "plugin" } else { name })?;
        archive::unpack(archive, &into, Limits::default()).map_err(|error| error.of(archive))?;
        let shown = archive.display().to_string();
        Ok(Self {
            path: archive::plugin_in(&into),
            told_as: Some((into, shown.clone())),
            shown,
            checkout: false,
        })
    }

    pub(super) fn cloned(repository: &Repository, stage: &Stage) -> Result<Self, Problem> {
        let into = stage.fetched(repository.name())?;
        let shown = repository.shown();
        let told = |problem: Problem| problem.relocated(&into.display().to_string(), &shown);
        git::clone(&repository.url, repository.branch.as_deref(), &into).map_err(told)?;
        settle_checkout(&into).map_err(|error| told(Problem::from(error)))?;
        let path = match &repository.directory {
            Some(directory) => into.join(directory),
            None => into.clone(),
        };
        if !path.is_dir() {
            let directory = repository.directory.as_deref().unwrap_or_default();
            return Err(Problem::new(format!(
                "{shown}: there is no directory `{directory}` in it; nothing is installed"
            ))
            .cure("look at the repository, and give the directory that has the plugin.yaml"));
        }
        let checkout = repository.directory.is_none();
        Ok(Self {
            path,
            told_as: Some((into, shown.clone())),
            shown,
            checkout,
        })
    }

    /// Fills the directory that becomes the plugin. Gives the files that were made from their examples.
    pub(super) fn fill(&self, origin: &Origin, dir: &Path) -> Result<Vec<String>, Problem> {
        if !self.checkout {
            return origin.copy_to(dir);
        }
        // A rename keeps the checkout as git made it.
        fs::remove_dir(dir)
            .and_then(|()| fs::rename(&self.path, dir))
            .map_err(|error| {
                Problem::new(format!("{}: cannot be moved: {error}", self.path.display()))
            })?;
        examples(dir).map_err(Problem::from)
    }

    /// The problem as somebody can read it who never sees the place it was fetched to.
    pub(super) fn told(&self, problem: Problem) -> Problem {
        match &self.told_as {
            Some((place, shown)) => problem.relocated(&place.display().to_string(), shown),
            None => problem,
        }
    }
}
