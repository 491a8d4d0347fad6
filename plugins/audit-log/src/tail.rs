//! Finds the last whole record of a file, from its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::chain::{self, Line, Link};

/// How much is read first; most records are shorter than this.
const FIRST_STEP: u64 = 8 * 1024;

/// The end of a file.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    pub(crate) len: u64,
    pub(crate) last: Option<Link>,
    /// What stands after the last record and is none, without its last line feed.
    pub(crate) torn: Option<Vec<u8>>,
    /// Whether a line feed is missing at the very end.
    pub(crate) unended: bool,
}

pub(crate) fn read(file: &mut File) -> io::Result<Tail> {
    let len = file.seek(SeekFrom::End(0))?;
    let mut step = FIRST_STEP.min(len);
    loop {
        file.seek(SeekFrom::Start(len - step))?;
        let mut bytes = Vec::new();
        Read::by_ref(file).take(step).read_to_end(&mut bytes)?;
        let (found, after) = last_record(&bytes, step == len);
        if found.is_some() || step == len {
            let unended = bytes.last().is_some_and(|byte| *byte != b'\n');
            let torn = bytes.get(after..).unwrap_or_default();
            let torn = torn.strip_suffix(b"\n").unwrap_or(torn);
            let torn = (after < bytes.len()).then(|| torn.to_vec());
            return Ok(Tail {
                len,
                last: found,
                torn,
                unended,
            });
        }
        step = step.saturating_mul(2).min(len);
    }
}

/// The last record in `bytes` and where it ends. Unless `complete`, the first line may be cut.
fn last_record(bytes: &[u8], complete: bool) -> (Option<Link>, usize) {
    let mut end = bytes.len();
    loop {
        let line = bytes.get(..end).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let start = line
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map(|at| at + 1);
        if start.is_none() && !complete {
            return (None, 0);
        }
        let from = start.unwrap_or(0);
        if let Line::Whole(link) = chain::read(line.get(from..).unwrap_or_default()) {
            return (Some(link), end);
        }
        if from == 0 {
            return (None, 0);
        }
        end = from;
    }
}
