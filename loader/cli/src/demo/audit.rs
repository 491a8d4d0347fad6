//! Checks the audit log in the way its README describes, with nothing of the plugin.

use std::path::{Path, PathBuf};

use hermes_loader::staging::ContentHash;

use crate::problem::Problem;

/// A log whose chain is whole.
#[derive(Debug)]
pub(super) struct Log {
    pub(super) path: PathBuf,
    pub(super) records: usize,
    pub(super) head: String,
    /// How many records are tool calls.
    pub(super) calls: usize,
}

/// Reads the log in a directory and recomputes every hash.
pub(super) fn verify(dir: &Path) -> Result<Log, Problem> {
    let path = dir.join("audit-log.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Problem::new(format!("{}: cannot be read: {error}", path.display()))
            .cure("see whether audit-log is loaded")
    })?;
    let mut previous = "0".repeat(64);
    let (mut records, mut calls) = (0, 0);
    for line in text.lines() {
        records += 1;
        previous = hash(line, &previous).ok_or_else(|| {
            Problem::new(format!("{}:{records}: the record does not fit the one before it: the log was tampered with", path.display()))
        })?;
        calls += usize::from(line.contains("\"event\":\"tool_call\""));
    }
    Ok(Log {
        path,
        records,
        head: previous,
        calls,
    })
}

/// The hash of a record, if it is the one that it states, over the one before.
fn hash(line: &str, previous: &str) -> Option<String> {
    let (head, tail) = line.rsplit_once(",\"hash\":\"")?;
    let stated = tail.strip_suffix("\"}")?;
    head.contains(&format!("\"prev\":\"{previous}\""))
        .then_some(())?;
    let computed = ContentHash::of(format!("{previous}{head}}}").as_bytes()).to_string();
    (computed == stated).then_some(computed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(body: &str, previous: &str) -> (String, String) {
        let body = format!("{{{body},\"prev\":\"{previous}\"}}");
        let hash = ContentHash::of(format!("{previous}{body}").as_bytes()).to_string();
        (
            format!("{},\"hash\":\"{hash}\"}}", body.trim_end_matches('}')),
            hash,
        )
    }

    #[test]
    fn an_edited_record_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let (one, hash) = record("\"seq\":1,\"event\":\"tool_call\"", &"0".repeat(64));
        let (two, head) = record("\"seq\":2", &hash);
        let check = |text: String| {
            std::fs::write(dir.path().join("audit-log.jsonl"), text).expect("written");
            verify(dir.path())
                .map(|log| (log.records, log.calls, log.head))
                .map_err(|error| error.to_string())
        };
        assert_eq!(check(format!("{one}\n{two}\n")), Ok((2, 1, head)));
        assert!(check(format!("{one}\n{}\n", two.replace("2", "3"))).is_err());
        assert!(check(format!("{two}\n{one}\n")).is_err());
    }
}
