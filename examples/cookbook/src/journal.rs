//! A file of JSON lines that is only appended to, and turned over before it grows too large.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use hermes_plugin_api::Error;
use serde::Serialize;
use serde_json::{Map, Value};

/// A file of JSON lines, `<name>.jsonl`; when it is full it becomes `<name>.jsonl.1`, and the one of that
/// name before it is gone. So it never takes more than twice its limit.
///
/// Only its owner may read it: what agents do is nobody else's business.
///
/// # Threads
/// Any thread may append, several at once. Several processes may too, since a line is one write at the end
/// of the file; when two of them find it full in the same moment, the older half may go early.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    limit: u64,
    file: Mutex<Option<File>>,
}

impl Journal {
    /// A journal in a directory. The file is made with the first line.
    #[must_use]
    pub fn new(dir: &Path, name: &str, limit: u64) -> Self {
        Self {
            path: dir.join(name).with_extension("jsonl"),
            limit,
            file: Mutex::new(None),
        }
    }

    /// Appends one line: `at_ms`, then the members of `entry`.
    ///
    /// # Errors
    /// When `entry` is no object, or the file system refuses; the text names the file.
    pub fn append(&self, entry: &impl Serialize) -> Result<(), Error> {
        let Value::Object(members) = serde_json::to_value(entry)? else {
            return Err(Error::new("a line of a journal is an object"));
        };
        let mut line = Map::from_iter([("at_ms".to_owned(), now_ms().into())]);
        line.extend(members);
        let mut line = serde_json::to_vec(&line)?;
        line.push(b'\n');
        self.write(&line)
            .map_err(|error| Error::new(format!("{}: {error}", self.path.display())))
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut slot = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match slot.take() {
            Some(file) if file.metadata()?.len() < self.limit => file,
            Some(_) => {
                // Another process may have turned the page already.
                if fs::metadata(&self.path).is_ok_and(|facts| facts.len() >= self.limit) {
                    fs::rename(&self.path, self.path.with_extension("jsonl.1"))?;
                }
                open(&self.path)?
            }
            None => open(&self.path)?,
        };
        slot.insert(file).write_all(line)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Milliseconds since 1970, as the wall clock has it.
fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::Journal;

    #[test]
    fn lines_are_whole_and_the_page_turns() {
        let dir = tempfile::tempdir().expect("the system has a temporary directory");
        let journal = Journal::new(dir.path(), "lines", 1 << 20);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for n in 0..50 {
                        journal
                            .append(&json!({"thread": thread, "n": n}))
                            .expect("it is written");
                    }
                });
            }
        });
        let text = fs::read_to_string(dir.path().join("lines.jsonl")).expect("the file");
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("a whole line"))
            .collect();
        assert_eq!(lines.len(), 200);
        assert!(lines.iter().all(|line| line["at_ms"].is_u64()));

        let small = Journal::new(dir.path(), "small", 10);
        for n in 0..3 {
            small.append(&json!({"n": n})).expect("it is written");
        }
        let n = |file: &str| {
            let text = fs::read_to_string(dir.path().join(file)).expect("the file");
            let line: Value = serde_json::from_str(&text).expect("one line");
            line["n"].clone()
        };
        assert_eq!((n("small.jsonl"), n("small.jsonl.1")), (json!(2), json!(1)));
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let dir = tempfile::tempdir().expect("the system has a temporary directory");
        let gone = Journal::new(&dir.path().join("gone"), "lines", 10);
        let error = gone.append(&json!({})).expect_err("there is no directory");
        assert!(error.text().contains("lines.jsonl"), "{error}");
        assert!(gone.append(&7).is_err(), "a number is no line");
    }
}
