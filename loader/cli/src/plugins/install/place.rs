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
        self.put_by(target, exchange)
    }

    /// `exchange` lets two directories change places at once, where the system can do that.
    fn put_by(
        self,
        target: &Path,
        exchange: impl Fn(&Path, &Path) -> io::Result<()>,
    ) -> Result<bool, Problem> {
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
        // At no moment is there no plugin: it may be a guard, and an agent may start just now.
        if exchange(&self.dir, target).is_ok() {
            return Ok(true);
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

#[cfg(target_os = "linux")]
fn exchange(new: &Path, old: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("{}: cannot be written: {error}", path.display()))
        .cure("make it writable for yourself")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(exchange: impl Fn(&Path, &Path) -> io::Result<()>) {
        let plugins = tempfile::tempdir().expect("a directory");
        let target = plugins.path().join("p");
        for (content, replaced) in [("one", false), ("two", true)] {
            let mut stage = Stage::beside(plugins.path()).expect("a stage");
            let dir = stage.dir("p").expect("a directory");
            fs::write(dir.join(content), content).expect("written");
            let put = stage.put_by(&target, &exchange);
            assert_eq!(put.map_err(|problem| problem.to_string()), Ok(replaced));
            let found: Vec<_> = fs::read_dir(&target)
                .expect("readable")
                .map(|entry| entry.expect("an entry").file_name())
                .collect();
            assert_eq!(found, [content]);
        }
        let left = fs::read_dir(plugins.path()).expect("readable").count();
        assert_eq!(left, 1, "only the plugin is there");
    }

    #[test]
    fn the_old_one_goes_when_the_new_one_comes() {
        check(exchange);
        check(|_, _| Err(io::ErrorKind::Unsupported.into()));
    }
}
