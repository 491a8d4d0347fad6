//! A log file that is put aside when it has grown, by whichever process comes first.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{MAX_BYTES, OLD_FILES};

/// Appends whole records. `agent.log` becomes `agent.log.1`, that `agent.log.2`, and the oldest goes.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    failed: AtomicBool,
}

impl RotatingFile {
    /// A file at this path; it is made when there is something to write.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self {
            path,
            max_bytes: MAX_BYTES,
            failed: AtomicBool::new(false),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this is the first time somebody asks; so that one is told once.
    pub fn is_first_failure(&self) -> bool {
        !self.failed.swap(true, Ordering::Relaxed)
    }

    /// Appends one record. The file is opened anew each time: another process may have put it aside meanwhile.
    ///
    /// # Errors
    /// In the system's own words.
    pub fn append(&self, record: &str) -> io::Result<()> {
        let mut file = self.open()?;
        if self.is_full(&file, record)? {
            self.rotate(record)?;
            file = self.open()?;
        }
        file.write_all(record.as_bytes())
    }

    fn is_full(&self, file: &File, record: &str) -> io::Result<bool> {
        let size = file.metadata()?.len();
        Ok(size > 0 && size + record.len() as u64 > self.max_bytes)
    }

    fn open(&self) -> io::Result<File> {
        let mut options = options();
        options.append(true).create(true);
        match options.open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if let Some(dir) = self.path.parent() {
                    make_private(dir)?;
                }
                options.open(&self.path)
            }
            opened => opened,
        }
    }

    /// Puts the file aside, unless another process just did.
    fn rotate(&self, record: &str) -> io::Result<()> {
        let lock = options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.path.with_extension("log.lock"))?;
        lock.lock()?;
        if self.is_full(&self.open()?, record)? {
            for number in (1..OLD_FILES).rev() {
                rename(&old(&self.path, number), &old(&self.path, number + 1))?;
            }
            rename(&self.path, &old(&self.path, 1))?;
        }
        Ok(())
    }
}

/// The name of the file after `number` rotations.
#[must_use]
pub fn old(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

/// Logs may hold what the agent was told: they are for their owner.
fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a directory for its owner only, with those above it.
///
/// # Errors
/// In the system's own words.
pub fn make_private(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_put_aside_and_the_oldest_goes() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("logs").join("agent.log");
        let file = RotatingFile {
            max_bytes: 8,
            ..RotatingFile::new(path.clone())
        };
        for record in [
            "one\n",
            "two\n",
            "three\n",
            "four\n",
            "five\n",
            "much too long\n",
            "six\n",
        ] {
            file.append(record).expect("written");
        }
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        assert_eq!(read(&path), "six\n");
        assert_eq!(
            [1, 2, 3, 4].map(|n| read(&old(&path, n))),
            ["much too long\n", "five\n", "four\n", ""]
        );
    }
}
