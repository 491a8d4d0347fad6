//! What is added to a log, also when the file is put aside or cut.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How much of what was read last is looked at again, to see that it is still there.
const REMEMBERED: usize = 256;

/// A place in a log that others write.
pub(super) struct Follower {
    path: PathBuf,
    file: Option<File>,
    position: u64,
    /// The bytes before the position.
    before: Vec<u8>,
    /// A line whose end is not written yet.
    partial: Vec<u8>,
}

impl Follower {
    /// At the end of what is there now.
    pub(super) fn at_end(path: &Path) -> Self {
        let mut follower = Self {
            path: path.to_owned(),
            file: File::open(path).ok(),
            position: 0,
            before: Vec::new(),
            partial: Vec::new(),
        };
        if let Some(file) = &mut follower.file {
            follower.position = file.metadata().map_or(0, |facts| facts.len());
            follower.before = last(file, follower.position, REMEMBERED).unwrap_or_default();
        }
        follower
    }

    /// How far it has read.
    pub(super) const fn position(&self) -> u64 {
        self.position
    }

    /// The whole lines that came since the last time.
    pub(super) fn poll(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        if self.is_cut()? {
            self.begin();
        }
        self.read(&mut lines)?;
        if self.is_put_aside() {
            // The old file was read to its end above; its last line has no end, but nothing more comes.
            if !self.partial.is_empty() {
                take_lines(&mut self.partial, b"\n", &mut lines);
            }
            self.begin();
            self.file = File::open(&self.path).ok();
            self.read(&mut lines)?;
        }
        Ok(lines)
    }

    fn begin(&mut self) {
        self.position = 0;
        self.before.clear();
        self.partial.clear();
    }

    fn read(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.seek(SeekFrom::Start(self.position))?;
        let mut bytes = Vec::new();
        self.position += file.read_to_end(&mut bytes)? as u64;
        take_lines(&mut self.partial, &bytes, lines);
        self.before.extend(&bytes);
        self.before
            .drain(..self.before.len().saturating_sub(REMEMBERED));
        Ok(())
    }

    /// Whether what was read last is no longer there: the file was cut, and perhaps written anew.
    fn is_cut(&mut self) -> io::Result<bool> {
        let Some(file) = &mut self.file else {
            return Ok(false);
        };
        if file.metadata()?.len() < self.position {
            return Ok(true);
        }
        Ok(last(file, self.position, self.before.len())? != self.before)
    }

    /// Whether there is another file under the name than the one that is open.
    fn is_put_aside(&self) -> bool {
        let Ok(now) = fs::metadata(&self.path) else {
            return false;
        };
        let open = self.file.as_ref().and_then(|file| file.metadata().ok());
        open.is_none_or(|open| !same(&open, &now))
    }
}

/// Up to `count` bytes before a place.
fn last(file: &mut File, position: u64, count: usize) -> io::Result<Vec<u8>> {
    let start = position.saturating_sub(count as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(position - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.dev() == b.dev() && a.ino() == b.ino()
}

#[cfg(not(unix))]
fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

fn take_lines(partial: &mut Vec<u8>, bytes: &[u8], lines: &mut Vec<String>) {
    for byte in bytes {
        if *byte == b'\n' {
            lines.push(
                String::from_utf8_lossy(partial)
                    .trim_end_matches('\r')
                    .to_owned(),
            );
            partial.clear();
        } else {
            partial.push(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn append(path: &Path, text: &str) {
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .expect("the log opens");
        file.write_all(text.as_bytes()).expect("the log is written");
    }

    #[test]
    fn rotation_and_truncation_lose_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("agent.log");
        let mut follower = Follower::at_end(&path);
        let mut check =
            |expected: &[&str]| assert_eq!(follower.poll().expect("readable"), expected);
        check(&[]);
        append(&path, "one\ntw");
        check(&["one"]);
        append(&path, "o\n");
        check(&["two"]);
        append(&path, "three\n");
        fs::rename(&path, dir.path().join("agent.log.1")).expect("renamed");
        append(&path, "four\n");
        check(&["three", "four"]);
        fs::write(&path, "5\n").expect("cut");
        check(&["5"]);
        fs::write(&path, "longer than before\n").expect("cut and written anew");
        check(&["longer than before"]);
        fs::remove_file(&path).expect("removed");
        check(&[]);
        append(&path, "six\n");
        check(&["six"]);
    }

    #[test]
    fn it_begins_at_the_end() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("agent.log");
        append(&path, "old\n");
        let mut follower = Follower::at_end(&path);
        append(&path, "new\n");
        assert_eq!(follower.poll().expect("readable"), ["new"]);
    }
}
