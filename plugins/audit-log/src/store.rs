//! Appends records to the files of a log, safely against other processes and crashes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chain::{self, GENESIS};
use crate::config::{Config, Fsync};
use crate::error::AuditError;
use crate::lock::{self, LOCK};
use crate::record::{Draft, Placed};
use crate::tail::{self, Tail};

pub(crate) const CURRENT: &str = "audit-log.jsonl";

/// The files of one log. Nothing is kept open: another process may rotate them at any time.
pub(crate) struct Store {
    dir: PathBuf,
    max_bytes: u64,
    fsync: Fsync,
    lock_timeout: Duration,
    /// How many records could not be written since the last one that was.
    missed: u64,
}

/// The chain as it stands while the lock is held.
struct Writing {
    file: File,
    len: u64,
    seq: u64,
    prev: String,
}

impl Store {
    pub(crate) fn new(dir: &Path, config: &Config) -> Self {
        Self {
            dir: dir.to_owned(),
            max_bytes: config.max_bytes,
            fsync: config.fsync,
            lock_timeout: Duration::from_millis(config.lock_timeout_ms),
            missed: 0,
        }
    }

    /// Appends the drafts in order, and returns the number of each.
    pub(crate) fn append(&mut self, drafts: &[Draft]) -> Result<Vec<u64>, AuditError> {
        let mut seqs = Vec::with_capacity(drafts.len());
        let result = self.append_locked(drafts, &mut seqs);
        let unwritten = drafts.len().saturating_sub(seqs.len()) as u64;
        self.missed = self.missed.saturating_add(unwritten);
        result.map(|()| seqs)
    }

    fn append_locked(&mut self, drafts: &[Draft], seqs: &mut Vec<u64>) -> Result<(), AuditError> {
        let Some(first) = drafts.first() else {
            return Ok(());
        };
        // Held until the end of this function; closing the file lets go of it.
        let _lock = self.lock()?;
        let mut writing = self.resume(&first.time)?;
        for draft in drafts {
            let seq = self.write(&mut writing, draft, self.missed)?;
            self.missed = 0;
            seqs.push(seq);
        }
        Ok(())
    }

    fn lock(&self) -> Result<File, AuditError> {
        create_dir(&self.dir).map_err(at("create the directory", &self.dir))?;
        let path = self.dir.join(LOCK);
        let file = open(&path).map_err(at("open", &path))?;
        lock::wait(&file, &path, self.lock_timeout, File::try_lock)?;
        Ok(file)
    }

    /// Finds the end of the chain, and notes there what a crash has left behind.
    fn resume(&self, time: &str) -> Result<Writing, AuditError> {
        let path = self.current();
        let mut file = open(&path).map_err(at("open", &path))?;
        let tail = tail::read(&mut file).map_err(at("read", &path))?;
        let Tail {
            len,
            last,
            torn,
            unended,
        } = tail;
        let last = match last {
            Some(last) => Some(last),
            None => self.last_of_rotated()?,
        };
        let (seq, prev) = last.map_or((0, GENESIS.to_owned()), |last| (last.seq, last.hash));
        let mut writing = Writing {
            file,
            len,
            seq,
            prev,
        };
        if unended {
            writing
                .file
                .write_all(b"\n")
                .map_err(at("write to", &path))?;
            writing.len += 1;
        }
        if let Some(torn) = torn {
            let note = Draft {
                time: time.to_owned(),
                event: "recovered",
                recovered: Some(true),
                recovered_bytes: Some(torn.len() as u64),
                recovered_sha256: Some(chain::digest(&torn)),
                ..Draft::default()
            };
            // Into this very file, whatever its size: it speaks of the bytes before it.
            self.put(&mut writing, &note, 0)?;
        }
        Ok(writing)
    }

    fn write(&self, writing: &mut Writing, draft: &Draft, missed: u64) -> Result<u64, AuditError> {
        // The exact size is not known before the line is made, and the limit is no exact promise.
        if writing.len >= self.max_bytes {
            self.rotate(writing)?;
        }
        self.put(writing, draft, missed)
    }

    fn put(&self, writing: &mut Writing, draft: &Draft, missed: u64) -> Result<u64, AuditError> {
        let seq = writing.seq.saturating_add(1);
        let prev = &writing.prev;
        let pid = std::process::id();
        let placed = Placed {
            seq,
            pid,
            draft,
            missed,
            prev,
        };
        let body = serde_json::to_string(&placed).map_err(AuditError::Encode)?;
        let (mut line, hash) = chain::seal(&body, prev);
        line.push('\n');
        let path = self.current();
        writing
            .file
            .write_all(line.as_bytes())
            .map_err(at("write to", &path))?;
        if self.fsync == Fsync::Every {
            writing.file.sync_data().map_err(at("sync", &path))?;
        }
        writing.len += line.len() as u64;
        writing.seq = seq;
        writing.prev = hash;
        Ok(seq)
    }

    fn rotate(&self, writing: &mut Writing) -> Result<(), AuditError> {
        let path = self.current();
        let number = self.rotated()?.last().map_or(1, |(number, _)| number + 1);
        let aside = self.dir.join(format!("audit-log.{number}.jsonl"));
        fs::rename(&path, &aside).map_err(at("rename", &path))?;
        writing.file = open(&path).map_err(at("open", &path))?;
        writing.len = 0;
        Ok(())
    }

    fn last_of_rotated(&self) -> Result<Option<chain::Link>, AuditError> {
        for (_, path) in self.rotated()?.into_iter().rev() {
            let mut file = File::open(&path).map_err(at("open", &path))?;
            let tail = tail::read(&mut file).map_err(at("read", &path))?;
            if tail.last.is_some() {
                return Ok(tail.last);
            }
        }
        Ok(None)
    }

    fn rotated(&self) -> Result<Vec<(u64, PathBuf)>, AuditError> {
        rotated(&self.dir).map_err(at("list", &self.dir))
    }

    fn current(&self) -> PathBuf {
        self.dir.join(CURRENT)
    }
}

/// The files that were put aside, oldest first.
pub(crate) fn rotated(dir: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| {
            let number = name.strip_prefix("audit-log.")?.strip_suffix(".jsonl")?;
            number.parse().ok()
        });
        if let Some(number) = number {
            files.push((number, entry.path()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> AuditError {
    let path = path.to_owned();
    move |source| AuditError::Io {
        action,
        path,
        source,
    }
}

/// Readable by the owner only: arguments of calls may hold secrets.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn create_dir(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}
