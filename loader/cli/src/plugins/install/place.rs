//! Puts a finished directory in its place with one rename, and keeps the old one until then.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::copy;
use crate::log::make_private;
use crate::problem::Problem;

/// A directory that is being filled, on the same file system as its place. Deleted unless it is put there.
pub(in crate::plugins) struct Stage {
    base: TempDir,
    dir: PathBuf,
}

impl Stage {
    /// Two levels down, where discovery does not look: an agent that starts meanwhile must not find it.
    pub(in crate::plugins) fn beside(plugins: &Path) -> Result<Self, Problem> {
        make_private(plugins).map_err(|error| {
            Problem::new(format!("{}: cannot be made: {error}", plugins.display()))
                .cure("give --home a directory that you may write to")
        })?;
        let base = tempfile::Builder::new()
            .prefix(".installing-")
            .tempdir_in(plugins)
            .map_err(|error| unwritable(plugins, &error))?;
        let dir = base.path().join("new").join("plugin");
        Ok(Self { base, dir })
    }

    /// A place to fetch something to that is not the plugin yet.
    pub(in crate::plugins) fn fetched(&self, name: &str) -> Result<PathBuf, Problem> {
        let dir = self.base.path().join("fetched").join(name);
        make_private(&dir).map_err(|error| unwritable(&dir, &error))?;
        Ok(dir)
    }

    /// The directory that becomes the plugin, empty.
    pub(in crate::plugins) fn dir(&mut self, name: &str) -> Result<&Path, Problem> {
        // A manifest without a name takes the directory's.
        self.dir = self.base.path().join("new").join(name);
        make_private(&self.dir)
            .and_then(|()| copy::open_up(&self.dir))
            .map_err(|error| unwritable(&self.dir, &error))?;
        Ok(&self.dir)
    }

    /// Moves the directory to its place. True when it replaced another one.
    pub(in crate::plugins) fn put(self, target: &Path) -> Result<bool, Problem> {
        let failed = |error: io::Error| {
            Problem::new(format!(
                "{}: cannot be put in place: {error}; what was there is still there",
                target.display()
            ))
        };
        if target.symlink_metadata().is_err() {
            fs::rename(&self.dir, target).map_err(failed)?;
            return Ok(false);
        }
        let old = self.base.path().join("old");
        fs::create_dir(&old).map_err(failed)?;
        let old = old.join("plugin");
        fs::rename(target, &old).map_err(failed)?;
        if let Err(error) = fs::rename(&self.dir, target) {
            return match fs::rename(&old, target) {
                Ok(()) => Err(failed(error)),
                Err(second) => {
                    let kept = self.base.keep();
                    Err(Problem::new(format!(
                        "{}: cannot be put in place: {error}",
                        target.display()
                    ))
                    .cure(format!(
                        "the old plugin is in {} ({second}): move it back by hand",
                        kept.join("old/plugin").display()
                    )))
                }
            };
        }
        Ok(true)
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{}: cannot be written: {error}", path.display()))
        .cure("make it writable for yourself")
}
