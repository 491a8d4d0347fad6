//! Puts changes into the config.yaml of a home, whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Change, EditError, edit};
use crate::config::read;
use crate::home::Home;

/// How often an edit starts anew when another program writes the file meanwhile.
const ATTEMPTS: u32 = 5;

/// Makes all `changes` in the home's config.yaml, and says whether the file is different now.
///
/// The file is replaced as a whole: a new file is written beside it and renamed over it. A
/// symbolic link stays, and what it points to is replaced. The mode stays; a new file is for its
/// owner only.
///
/// # Errors
///
/// Those of [`edit`](edit()), and what the file system refuses. The file is then as it was.
pub fn apply(home: &Home, changes: &[Change]) -> Result<bool, EditError> {
    let path = home.config_file();
    for _ in 0..ATTEMPTS {
        let before = current(&path)?;
        let mut text = before.clone().unwrap_or_default();
        for change in changes {
            text = edit(&text, change)?;
        }
        if text == before.as_deref().unwrap_or_default() {
            return Ok(false);
        }
        let write = |source| EditError::Write {
            path: path.clone(),
            source,
        };
        let staged = Staged::write(&path, &text).map_err(write)?;
        // Not a lock, but it narrows the time in which another program's change could be lost.
        if current(&path)? == before {
            staged.commit().map_err(write)?;
            return Ok(true);
        }
    }
    Err(EditError::Busy { path })
}

fn current(path: &Path) -> Result<Option<String>, EditError> {
    read::text(path).map_err(|error| EditError::Unreadable {
        path: path.to_owned(),
        detail: error.describe(),
    })
}

/// A written file that waits to be renamed; removed unless it is.
struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    committed: bool,
}

impl Staged {
    fn write(path: &Path, text: &str) -> io::Result<Self> {
        let target = behind_links(path);
        let directory = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let (temporary, mut file) = (0..100)
            .map(|n| directory.join(format!(".config.yaml.{}-{n}.tmp", std::process::id())))
            .find_map(|path| match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                opened => Some(opened.map(|file| (path, file))),
            })
            .unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()))?;
        let staged = Self {
            temporary,
            target,
            committed: false,
        };
        if let Ok(about) = fs::metadata(&staged.target) {
            file.set_permissions(about.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(staged)
    }

    fn commit(mut self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.target)?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing is lost when this fails: the file has a name that nobody reads.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// The file that a symbolic link at `path` leads to, whether or not it is there yet.
fn behind_links(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new(".")).join(target),
        Err(_) => path.to_owned(),
    }
}
