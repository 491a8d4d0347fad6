//! Reads a small text file without waiting on what is no file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The most that a configuration file or a manifest may hold.
const LIMIT: u64 = 1024 * 1024;

/// Why a file could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// A directory, a pipe, a socket or a device.
    NotAFile(&'static str),
    /// Larger than [`LIMIT`].
    TooBig(u64),
    /// Not UTF-8.
    NotText,
    /// The system refused.
    Io(io::Error),
}

impl ReadError {
    /// The reason, in words for a message.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::NotAFile(found) => format!("expected a regular file, found {found}"),
            Self::TooBig(size) => format!("expected at most {LIMIT} bytes, found {size}"),
            Self::NotText => "expected UTF-8 text, found other bytes".to_owned(),
            Self::Io(error) => error.to_string(),
        }
    }
}

/// The text of the file, or `None` when there is nothing at `path`. Links are followed.
pub(crate) fn text(path: &Path) -> Result<Option<String>, ReadError> {
    let about = match fs::metadata(path) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ReadError::Io(error)),
    };
    // Asked before opening: opening a pipe waits for its other end.
    if !about.is_file() {
        let directory = about.is_dir();
        return Err(ReadError::NotAFile(if directory {
            "a directory"
        } else {
            "a pipe, socket or device"
        }));
    }
    if about.len() > LIMIT {
        return Err(ReadError::TooBig(about.len()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LIMIT + 1).read_to_end(&mut bytes))
        .map_err(ReadError::Io)?;
    if bytes.len() as u64 > LIMIT {
        return Err(ReadError::TooBig(bytes.len() as u64));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| ReadError::NotText)
}
