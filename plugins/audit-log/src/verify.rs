//! Checks a log from its first record to its last.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::chain::{self, GENESIS, Line, Link};
use crate::error::AuditError;
use crate::head::Head;
use crate::lock::{self, LOCK};
use crate::report::{Bad, OpenCall, Recovery, Report, Why};
use crate::store::{self, CURRENT};

/// How long a check waits for a writer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of a log from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The last record before the first file, if older files were removed on purpose.
    pub start: Option<Head>,
    /// A record that must be in the log, such as the head at an earlier check.
    pub head: Option<Head>,
}

/// Checks the log in `dir`.
///
/// It finds any record that was edited, removed, added or moved. It cannot find that records were
/// cut off the end, nor that all of the log was written anew; see [`verify_with`].
///
/// # Errors
///
/// The files could not be read. A log that was tampered with is no error but a [`Report`].
pub fn verify(dir: &Path) -> Result<Report, AuditError> {
    verify_with(dir, &Anchor::default())
}

/// As [`verify`], against what is known from elsewhere.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_with(dir: &Path, anchor: &Anchor) -> Result<Report, AuditError> {
    let mut check = Check::new(anchor);
    for (path, file) in snapshot(dir)? {
        let file = match file {
            Some(file) => file,
            None => File::open(&path)
                .map_err(|error| failed(&path, error))?
                .take(u64::MAX),
        };
        check.report.files += 1;
        if check.file(&path, file)?.is_err() {
            break;
        }
    }
    Ok(check.finish())
}

type Files = Vec<(PathBuf, Option<Take<File>>)>;

/// The files as they are at one moment. Only the current one is opened, up to its present end: the
/// others do not change any more, and there may be many.
fn snapshot(dir: &Path) -> Result<Files, AuditError> {
    let lock_path = dir.join(LOCK);
    loop {
        // Stays locked until the end of the round.
        let lock = File::open(&lock_path).ok();
        if let Some(lock) = &lock {
            lock::wait(lock, &lock_path, PATIENCE, File::try_lock_shared)?;
        }
        let files = listed(dir)?;
        // No lock meant that nobody was writing. A first writer may have come since, and have
        // rotated between two looks at the directory.
        if lock.is_some() || !lock_path.exists() {
            return Ok(files);
        }
    }
}

fn listed(dir: &Path) -> Result<Files, AuditError> {
    let rotated = store::rotated(dir).map_err(|error| failed(dir, error))?;
    let mut files: Files = rotated.into_iter().map(|(_, path)| (path, None)).collect();
    let current = dir.join(CURRENT);
    match File::open(&current) {
        Ok(file) => {
            let len = file
                .metadata()
                .map_err(|error| failed(&current, error))?
                .len();
            files.push((current, Some(file.take(len))));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(&current, error)),
    }
    Ok(files)
}

struct Check<'a> {
    anchor: &'a Anchor,
    report: Report,
    last: Head,
    open: BTreeMap<u64, OpenCall>,
    torn: Option<Torn>,
    head_seen: bool,
    place: (PathBuf, u64),
}

/// Lines that are no records, until a record accounts for them.
struct Torn {
    file: PathBuf,
    line: u64,
    bytes: Vec<u8>,
    ended: bool,
}

/// The walk is over: the report says where and why.
struct Stop;

impl<'a> Check<'a> {
    fn new(anchor: &'a Anchor) -> Self {
        let genesis = || Head {
            seq: 0,
            hash: GENESIS.to_owned(),
        };
        let last = anchor.start.clone().unwrap_or_else(genesis);
        Self {
            anchor,
            report: Report::default(),
            last,
            open: BTreeMap::new(),
            torn: None,
            head_seen: false,
            place: Default::default(),
        }
    }

    fn file(&mut self, path: &Path, file: Take<File>) -> Result<Result<(), Stop>, AuditError> {
        let mut file = BufReader::new(file);
        self.place = (path.to_owned(), 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = file.read_until(b'\n', &mut line);
            if read.map_err(|error| failed(path, error))? == 0 {
                return Ok(Ok(()));
            }
            self.place.1 += 1;
            if self.line(&line).is_err() {
                return Ok(Err(Stop));
            }
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Stop> {
        let ended = line.ends_with(b"\n");
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        match chain::read(bare) {
            Line::Whole(link) => self.record(link),
            Line::Edited => self.bad(Why::Edited),
            Line::Torn => {
                let (file, number) = self.place.clone();
                let torn = self.torn.get_or_insert(Torn {
                    file,
                    line: number,
                    bytes: Vec::new(),
                    ended,
                });
                torn.bytes.extend_from_slice(line);
                torn.ended = ended;
                Ok(())
            }
        }
    }

    fn record(&mut self, link: Link) -> Result<(), Stop> {
        let accounts = link.event == "recovered";
        if self.torn.is_some() && !accounts {
            return self.unaccounted();
        }
        let expected = self.last.seq.saturating_add(1);
        if link.seq != expected || link.prev != self.last.hash {
            let found = link.seq;
            return self.bad(Why::Unlinked { expected, found });
        }
        if accounts {
            self.recovery(&link)?;
        }
        let call_seq = link.pair.as_ref().and_then(|pair| pair.call_seq);
        if let Some(call_seq) = call_seq {
            self.open.remove(&call_seq);
        }
        self.last = Head {
            seq: link.seq,
            hash: link.hash,
        };
        self.head_seen |= self.anchor.head.as_ref() == Some(&self.last);
        self.report.records += 1;
        self.report.missed = self.report.missed.saturating_add(link.missed);
        if link.event == "tool_call" {
            let Link {
                seq,
                tool_call_id,
                tool_name,
                ..
            } = link;
            self.open.insert(
                seq,
                OpenCall {
                    seq,
                    tool_call_id,
                    tool_name,
                },
            );
        }
        Ok(())
    }

    fn recovery(&mut self, link: &Link) -> Result<(), Stop> {
        let torn = self.torn.take().map(|torn| torn.bytes);
        let torn = torn
            .as_deref()
            .map(|bytes| bytes.strip_suffix(b"\n").unwrap_or(bytes));
        let noted = torn.is_some_and(|bytes| {
            link.recovered_bytes == Some(bytes.len() as u64)
                && link.recovered_sha256.as_deref() == Some(&chain::digest(bytes))
        });
        if !noted {
            return self.bad(Why::Recovery);
        }
        let bytes = link.recovered_bytes.unwrap_or(0);
        self.report.recovered.push(Recovery {
            seq: link.seq,
            bytes,
        });
        Ok(())
    }

    fn bad(&mut self, why: Why) -> Result<(), Stop> {
        let (file, line) = mem::take(&mut self.place);
        self.report.first_bad = Some(Bad { file, line, why });
        Err(Stop)
    }

    fn unaccounted(&mut self) -> Result<(), Stop> {
        if let Some(torn) = self.torn.take() {
            self.place = (torn.file, torn.line);
        }
        self.bad(Why::NoRecord)
    }

    fn finish(mut self) -> Report {
        if self.report.first_bad.is_none() {
            match &self.torn {
                // Nobody has written since: this is what a crash looks like.
                Some(torn) if !torn.ended => self.report.torn_tail = Some(torn.bytes.len() as u64),
                Some(_) => _ = self.unaccounted(),
                None => {}
            }
        }
        if let (None, Some(expected), false) =
            (&self.report.first_bad, &self.anchor.head, self.head_seen)
        {
            let expected = expected.clone();
            _ = self.bad(Why::HeadMissing { expected });
        }
        self.report.head = (self.report.records > 0).then_some(self.last);
        self.report.open_calls = self.open.into_values().collect();
        self.report
    }
}

fn failed(path: &Path, source: io::Error) -> AuditError {
    AuditError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    }
}
