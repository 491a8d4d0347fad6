//! Reads the env files from disk, again when they change.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The largest env file that is read.
const LARGEST: u64 = 1024 * 1024;

/// The configured env files and what was last seen in them.
///
/// The last seen text stays when a file goes away or cannot be read: its secrets are still secret.
#[derive(Debug)]
pub struct EnvFiles {
    files: Vec<File>,
}

struct File {
    name: String,
    path: PathBuf,
    seen: Seen,
    text: Option<String>,
}

/// What tells one state of a file from another, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    Missing,
    Present {
        modified: Option<SystemTime>,
        len: u64,
    },
    Unreadable,
}

/// What a look at the files found.
#[derive(Debug, Default)]
pub struct Refresh {
    /// Whether [`EnvFiles::texts`] differs from before.
    pub changed: bool,
    /// Files that exist and cannot be read; each is reported when it becomes so.
    pub warnings: Vec<EnvWarning>,
}

/// An env file that exists and could not be read.
#[derive(Debug)]
pub struct EnvWarning {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: io::Error,
}

impl fmt::Display for EnvWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, error } = self;
        write!(
            f,
            "env file `{}`: {error}; its values are not masked\n\
             hint: make it readable, or take it out of `env_files`",
            path.display()
        )
    }
}

impl EnvFiles {
    /// The files `paths`: absolute, relative to `cwd`, or `~/…` under `home`. Nothing is read yet.
    pub fn new(paths: &[String], cwd: &Path, home: Option<&Path>) -> Self {
        let files = paths.iter().map(|name| {
            let path = match (name.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => cwd.join(name),
            };
            File {
                name: name.clone(),
                path,
                seen: Seen::Nothing,
                text: None,
            }
        });
        Self {
            files: files.collect(),
        }
    }

    /// Looks at size and time of each file, and reads those that changed.
    ///
    /// Costs one `stat` a file when nothing did, so it may be called before every text.
    pub fn refresh(&mut self) -> Refresh {
        let mut refresh = Refresh::default();
        for file in &mut self.files {
            match file.refresh() {
                Ok(changed) => refresh.changed |= changed,
                Err(error) => refresh.warnings.push(EnvWarning {
                    path: file.path.clone(),
                    error,
                }),
            }
        }
        refresh
    }

    /// The texts of the files that could be read, each with its configured path.
    pub fn texts(&self) -> Vec<(String, String)> {
        let texts = self.files.iter();
        texts
            .filter_map(|file| Some((file.name.clone(), file.text.clone()?)))
            .collect()
    }
}

impl File {
    /// Whether the text changed. An error is returned once, until the state changes again.
    fn refresh(&mut self) -> io::Result<bool> {
        let metadata = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => {
                self.seen = Seen::Missing;
                return Ok(false);
            }
            Err(error) => return self.unreadable(error),
        };
        let seen = Seen::Present {
            modified: metadata.modified().ok(),
            len: metadata.len(),
        };
        if seen == self.seen {
            return Ok(false);
        }
        // Opening a pipe would wait for a writer.
        if !metadata.is_file() {
            return self.unreadable(io::Error::other("not a regular file"));
        }
        match read(&self.path) {
            Ok(text) => {
                self.seen = seen;
                let changed = self.text.as_ref() != Some(&text);
                self.text = Some(text);
                Ok(changed)
            }
            Err(error) => self.unreadable(error),
        }
    }

    fn unreadable(&mut self, error: io::Error) -> io::Result<bool> {
        match std::mem::replace(&mut self.seen, Seen::Unreadable) {
            Seen::Unreadable => Ok(false),
            _ => Err(error),
        }
    }
}

/// A path through a file that is no directory holds no env file either.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("larger than {LARGEST} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File")
            .field("path", &self.path)
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}
