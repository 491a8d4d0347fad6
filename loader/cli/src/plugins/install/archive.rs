//! Unpacks an archive into a directory of its own, and nothing outside it.

mod error;
mod land;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use hermes_loader::discover::LibraryNaming;
use tar::EntryType;
use zip::ZipArchive;

pub(super) use self::error::ArchiveError;
use self::land::Land;
use super::identifier::ARCHIVES;

/// How much may come out of an archive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) files: usize,
    pub(super) bytes: u64,
}

impl Default for Limits {
    /// Far more than a plugin has, and less than a disk.
    fn default() -> Self {
        Self {
            files: 20_000,
            bytes: 1 << 30,
        }
    }
}

/// What a file is called without the ending of an archive; `None` when it has none.
pub(super) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let stem = ARCHIVES
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))?;
    (!stem.is_empty()).then_some(stem)
}

/// Unpacks `archive` into the empty directory `into`.
pub(super) fn unpack(archive: &Path, into: &Path, limits: Limits) -> Result<(), ArchiveError> {
    let file = File::open(archive)
        .and_then(|file| {
            // A directory opens like a file, and fails when it is read.
            if file.metadata()?.is_file() {
                Ok(file)
            } else {
                Err(io::Error::other("not a regular file"))
            }
        })
        .map_err(ArchiveError::io(archive))?;
    let mut land = Land::at(into, limits);
    let name = archive
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name.ends_with(".zip") {
        unzip(file, &mut land)?;
    } else if name.ends_with(".tar") {
        untar(BufReader::new(file), &mut land, limits)?;
    } else {
        untar(MultiGzDecoder::new(BufReader::new(file)), &mut land, limits)?;
    }
    land.finish()
}

/// What may stand between two files of a tar: headers, long names, padding. The reader keeps it in memory.
const BETWEEN: u64 = 1 << 20;

fn untar(stream: impl Read, land: &mut Land, limits: Limits) -> Result<(), ArchiveError> {
    let allowed = Rc::new(Cell::new(0));
    let metered = Metered {
        stream,
        left: Rc::clone(&allowed),
    };
    let read = |error: io::Error| ArchiveError::reading(&error, limits);
    let mut archive = tar::Archive::new(metered);
    let mut entries = archive.entries().map_err(read)?;
    loop {
        allowed.set(BETWEEN);
        let Some(entry) = entries.next() else {
            return Ok(());
        };
        let mut entry = entry.map_err(read)?;
        if entry.size() > limits.bytes {
            return Err(ArchiveError::TooMuch {
                limit: limits.bytes,
            });
        }
        allowed.set(entry.size() + BETWEEN);
        let bytes = entry.path_bytes().into_owned();
        let Ok(name) = String::from_utf8(bytes) else {
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            return Err(ArchiveError::Name {
                name,
                why: "not UTF-8",
            });
        };
        let target = entry
            .link_name_bytes()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous if name.ends_with('/') => {
                // How tars of old write a directory.
                land.directory(&name)?;
            }
            EntryType::Regular | EntryType::Continuous => {
                let executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
                land.file(&name, executable, &mut entry)?;
            }
            EntryType::Directory => land.directory(&name)?,
            EntryType::Symlink => land.symlink(&name, &target.unwrap_or_default())?,
            EntryType::Link => land.hard_link(&name, &target.unwrap_or_default())?,
            // What holds for all entries: nothing that matters here.
            EntryType::XGlobalHeader => {}
            other => {
                let what = special(other);
                return Err(ArchiveError::Special { name, what });
            }
        }
    }
}

fn special(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a pipe",
        EntryType::GNUSparse => "a file with holes",
        _ => "of a kind that is not known",
    }
}

fn unzip(file: File, land: &mut Land) -> Result<(), ArchiveError> {
    const KIND: u32 = 0o170_000;
    const FILE: u32 = 0o100_000;
    const LINK: u32 = 0o120_000;
    const DIRECTORY: u32 = 0o040_000;
    let limits = land.limits();
    let bad = |error: zip::result::ZipError| ArchiveError::Unreadable {
        detail: error.to_string(),
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
    if archive.len() > limits.files {
        return Err(ArchiveError::TooMany {
            limit: limits.files,
        });
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(bad)?;
        let name = entry.name().map_err(bad)?.into_owned();
        let mode = entry.unix_mode().unwrap_or(0);
        match mode & KIND {
            LINK => {
                let mut target = String::new();
                (&mut entry)
                    .take(4096)
                    .read_to_string(&mut target)
                    .map_err(|error| ArchiveError::reading(&error, limits))?;
                land.symlink(&name, &target)?;
            }
            _ if entry.is_dir() => land.directory(&name)?,
            DIRECTORY => land.directory(&name)?,
            0 | FILE => land.file(&name, mode & 0o100 != 0, &mut entry)?,
            _ => {
                return Err(ArchiveError::Special {
                    name,
                    what: "neither a file nor a directory",
                });
            }
        }
    }
    Ok(())
}

/// A stream that ends with an error when more comes out of it than was bargained for.
struct Metered<R> {
    stream: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        self.left.set(left.ok_or(io::ErrorKind::FileTooLarge)?);
        Ok(read)
    }
}

/// Where the plugin is in what was unpacked: where the manifest is, below directories that hold nothing else;
/// else the only library.
pub(super) fn plugin_in(unpacked: &Path) -> PathBuf {
    let mut dir = unpacked.to_owned();
    for _ in 0..3 {
        if dir.join("plugin.yaml").exists() || dir.join("plugin.yml").exists() {
            return dir;
        }
        let children = children(&dir);
        let libraries: Vec<&PathBuf> = children
            .iter()
            .filter(|path| {
                let suffix = LibraryNaming::native().suffix;
                path.is_file() && path.to_string_lossy().ends_with(suffix)
            })
            .collect();
        match (libraries.as_slice(), children.as_slice()) {
            ([library], _) => return (*library).clone(),
            (_, [only]) if only.is_dir() => dir.clone_from(only),
            _ => return dir,
        }
    }
    dir
}

/// What is in a directory, without what macOS puts into archives.
fn children(dir: &Path) -> Vec<PathBuf> {
    let noise = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name == "__MACOSX" || name == ".DS_Store")
    };
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| !noise(path))
        .collect()
}
