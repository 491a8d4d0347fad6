//! Copies a plugin's files, and nothing that is not one.

#[cfg(all(test, unix))]
mod tests;

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// How many files a plugin may have: more is a wrong directory.
const MOST_FILES: usize = 20_000;

/// Why the copy was given up.
#[derive(Debug)]
pub(in crate::plugins) enum CopyError {
    Io { path: PathBuf, source: io::Error },
    Escapes { path: PathBuf, target: PathBuf },
    LinkedDirectory { path: PathBuf },
    Special { path: PathBuf },
    TooMany { path: PathBuf },
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Escapes { path, target } => write!(
                f,
                "{}: leads to {}, outside the plugin's directory",
                path.display(),
                target.display()
            ),
            Self::LinkedDirectory { path } => {
                write!(f, "{}: a symbolic link to a directory", path.display())
            }
            Self::Special { path } => {
                write!(f, "{}: neither a file nor a directory", path.display())
            }
            Self::TooMany { path } => write!(f, "{}: more than {MOST_FILES} files", path.display()),
        }
    }
}

impl From<CopyError> for Problem {
    fn from(error: CopyError) -> Self {
        let cure = match &error {
            CopyError::Io { .. } => "see what the system says, and install again",
            CopyError::Escapes { .. } | CopyError::LinkedDirectory { .. } => {
                "put the files themselves in its place"
            }
            CopyError::Special { .. } => "remove it from the plugin's directory",
            CopyError::TooMany { .. } => "give the plugin's own directory",
        };
        Self::new(format!("{error}; nothing is installed")).cure(cure)
    }
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    move |source| CopyError::Io { path, source }
}

/// Copies a directory. What git and cargo keep in it stays behind, unless the library lies there.
///
/// Gives the names of files that were made from their `.example`.
pub(super) fn tree(
    from: &Path,
    to: &Path,
    library: Option<&Path>,
) -> Result<Vec<String>, CopyError> {
    let root = from.canonicalize().map_err(io_at(from))?;
    let mut walk = Walk {
        root,
        library,
        files: 0,
    };
    walk.directory(from, to, Path::new(""))?;
    examples(to)
}

/// Makes a checkout fit to be a plugin where it is: no link leads out of it, and nobody but its owner may
/// write in it. Git's own directory is git's.
pub(in crate::plugins) fn settle(dir: &Path) -> Result<(), CopyError> {
    let mut walk = Walk {
        root: dir.canonicalize().map_err(io_at(dir))?,
        library: None,
        files: 0,
    };
    open_up(dir).map_err(io_at(dir))?;
    walk.settle(dir, true)
}

struct Walk<'a> {
    root: PathBuf,
    library: Option<&'a Path>,
    files: usize,
}

impl Walk<'_> {
    fn directory(&mut self, from: &Path, to: &Path, relative: &Path) -> Result<(), CopyError> {
        for entry in fs::read_dir(from).map_err(io_at(from))? {
            let entry = entry.map_err(io_at(from))?;
            let (path, target, relative) = (
                entry.path(),
                to.join(entry.file_name()),
                relative.join(entry.file_name()),
            );
            let kind = entry.file_type().map_err(io_at(&path))?;
            if kind.is_dir() {
                if !self.is_left_out(&path, &relative) {
                    fs::create_dir(&target)
                        .and_then(|()| open_up(&target))
                        .map_err(io_at(&target))?;
                    self.directory(&path, &target, &relative)?;
                }
                continue;
            }
            self.count()?;
            if kind.is_symlink() {
                self.check_link(&path)?;
            } else if !kind.is_file() {
                return Err(CopyError::Special { path });
            }
            file(&path, &target)?;
        }
        Ok(())
    }

    fn settle(&mut self, dir: &Path, top: bool) -> Result<(), CopyError> {
        for entry in fs::read_dir(dir).map_err(io_at(dir))? {
            let entry = entry.map_err(io_at(dir))?;
            let path = entry.path();
            let facts = path.symlink_metadata().map_err(io_at(&path))?;
            self.count()?;
            if facts.is_symlink() {
                self.check_link(&path)?;
            } else if facts.is_dir() {
                if !top || entry.file_name() != ".git" {
                    self.settle(&path, false)?;
                }
                open_up(&path).map_err(io_at(&path))?;
            } else if facts.is_file() {
                close(&path, &facts).map_err(io_at(&path))?;
            } else {
                return Err(CopyError::Special { path });
            }
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), CopyError> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(CopyError::TooMany {
                path: self.root.clone(),
            });
        }
        Ok(())
    }

    /// A link may lead to a file inside; the copy then is a file.
    fn check_link(&self, path: &Path) -> Result<(), CopyError> {
        let target = path.canonicalize().map_err(io_at(path))?;
        let path = path.to_owned();
        if !target.starts_with(&self.root) {
            return Err(CopyError::Escapes { path, target });
        }
        match target.metadata() {
            Ok(facts) if facts.is_dir() => Err(CopyError::LinkedDirectory { path }),
            Ok(facts) if facts.is_file() => Ok(()),
            Ok(_) => Err(CopyError::Special { path }),
            Err(source) => Err(CopyError::Io { path, source }),
        }
    }

    fn is_left_out(&self, path: &Path, relative: &Path) -> bool {
        let holds_library = self
            .library
            .is_some_and(|library| library.starts_with(relative));
        !holds_library && (relative == Path::new(".git") || path.join("CACHEDIR.TAG").exists())
    }
}

/// Lets everybody read a directory, and its owner alone write it, whatever the umask.
pub(super) fn open_up(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Takes the right to write away from everybody but the owner.
fn close(path: &Path, facts: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = facts.permissions().mode();
        fs::set_permissions(path, PermissionsExt::from_mode(mode & 0o755 | 0o600))?;
    }
    #[cfg(not(unix))]
    let _ = (path, facts);
    Ok(())
}

/// Copies one file. Nobody but its owner may write the copy, whoever may write the original.
pub(in crate::plugins) fn file(from: &Path, to: &Path) -> Result<(), CopyError> {
    let mut source = fs::File::open(from).map_err(io_at(from))?;
    let facts = source.metadata().map_err(io_at(from))?;
    if !facts.is_file() {
        return Err(CopyError::Special {
            path: from.to_owned(),
        });
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(facts.permissions().mode() & 0o755 | 0o600);
    }
    let mut target = options.open(to).map_err(io_at(to))?;
    io::copy(&mut source, &mut target).map_err(io_at(to))?;
    target.sync_all().map_err(io_at(to))
}

/// `config.yaml.example` becomes `config.yaml`, if there is none.
pub(in crate::plugins) fn examples(dir: &Path) -> Result<Vec<String>, CopyError> {
    let mut made = Vec::new();
    for entry in fs::read_dir(dir).map_err(io_at(dir))? {
        let path = entry.map_err(io_at(dir))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".example"))
            .filter(|name| !name.is_empty());
        let Some(name) = name.map(str::to_owned) else {
            continue;
        };
        let target = dir.join(&name);
        if path.is_file() && target.symlink_metadata().is_err() {
            file(&path, &target)?;
            made.push(name);
        }
    }
    made.sort();
    Ok(made)
}
