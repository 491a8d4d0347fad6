//! The directory that an archive is unpacked into: what may come there, and how much.
//!
//! No link is ever made. A link to a file becomes a copy of it once everything else is there, so that no
//! entry can be written through another one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{ArchiveError, Limits};

/// How deep directories may lie in each other.
const DEEPEST: usize = 64;

pub(super) struct Land {
    root: PathBuf,
    limits: Limits,
    files: usize,
    bytes: u64,
    links: Vec<Link>,
}

struct Link {
    name: String,
    written: String,
    at: PathBuf,
    target: PathBuf,
}

impl Land {
    pub(super) fn at(root: &Path, limits: Limits) -> Self {
        Self {
            root: root.to_owned(),
            limits,
            files: 0,
            bytes: 0,
            links: Vec::new(),
        }
    }

    pub(super) const fn limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn directory(&mut self, name: &str) -> Result<(), ArchiveError> {
        self.count()?;
        let path = self.root.join(inside(name)?);
        fs::create_dir_all(&path).map_err(ArchiveError::io(&path))
    }

    pub(super) fn file(
        &mut self,
        name: &str,
        executable: bool,
        content: &mut impl Read,
    ) -> Result<(), ArchiveError> {
        self.count()?;
        let path = self.place(name)?;
        let mut file = create(&path, name, executable)?;
        let room = self.limits.bytes - self.bytes;
        let copied = io::copy(&mut content.take(room + 1), &mut file)
            .map_err(|error| ArchiveError::reading(&error, self.limits))?;
        self.grow(copied)
    }

    pub(super) fn symlink(&mut self, name: &str, target: &str) -> Result<(), ArchiveError> {
        let at = inside(name)?;
        let beside = at.parent().unwrap_or(Path::new("")).to_owned();
        self.link(name, target, at, beside)
    }

    pub(super) fn hard_link(&mut self, name: &str, target: &str) -> Result<(), ArchiveError> {
        let at = inside(name)?;
        self.link(name, target, at, PathBuf::new())
    }

    fn link(
        &mut self,
        name: &str,
        written: &str,
        at: PathBuf,
        base: PathBuf,
    ) -> Result<(), ArchiveError> {
        self.count()?;
        let leads_out = || ArchiveError::Link {
            name: name.to_owned(),
            target: written.to_owned(),
        };
        if written.is_empty() || is_absolute(written) || written.contains(['\\', '\0']) {
            return Err(leads_out());
        }
        let mut target = base;
        for part in written.split('/') {
            match part {
                "" | "." => {}
                ".." if target.pop() => {}
                ".." => return Err(leads_out()),
                part => target.push(part),
            }
        }
        self.links.push(Link {
            name: name.to_owned(),
            written: written.to_owned(),
            at,
            target,
        });
        Ok(())
    }

    /// Puts copies where the links were. A link may lead to another one.
    pub(super) fn finish(mut self) -> Result<(), ArchiveError> {
        let mut links = std::mem::take(&mut self.links);
        loop {
            let before = links.len();
            let mut open = Vec::new();
            for link in links {
                let target = self.root.join(&link.target);
                if target.is_file() {
                    self.copy(&target, &link)?;
                } else {
                    open.push(link);
                }
            }
            match open.pop() {
                None => return Ok(()),
                Some(link) if open.len() + 1 == before => {
                    return Err(ArchiveError::Link {
                        name: link.name,
                        target: link.written,
                    });
                }
                Some(link) => open.push(link),
            }
            links = open;
        }
    }

    fn copy(&mut self, from: &Path, link: &Link) -> Result<(), ArchiveError> {
        let mut source = File::open(from).map_err(ArchiveError::io(from))?;
        let facts = source.metadata().map_err(ArchiveError::io(from))?;
        self.grow(facts.len())?;
        let to = self.root.join(&link.at);
        make_parent(&to)?;
        let mut target = create(&to, &link.name, is_executable(&facts))?;
        io::copy(&mut source, &mut target).map_err(ArchiveError::io(&to))?;
        Ok(())
    }

    fn place(&self, name: &str) -> Result<PathBuf, ArchiveError> {
        let inside = inside(name)?;
        if inside.as_os_str().is_empty() {
            return Err(ArchiveError::Name {
                name: name.to_owned(),
                why: "it names no file",
            });
        }
        let path = self.root.join(inside);
        make_parent(&path)?;
        Ok(path)
    }

    fn count(&mut self) -> Result<(), ArchiveError> {
        self.files += 1;
        if self.files > self.limits.files {
            return Err(ArchiveError::TooMany {
                limit: self.limits.files,
            });
        }
        Ok(())
    }

    fn grow(&mut self, by: u64) -> Result<(), ArchiveError> {
        self.bytes = self.bytes.saturating_add(by);
        if self.bytes > self.limits.bytes {
            return Err(ArchiveError::TooMuch {
                limit: self.limits.bytes,
            });
        }
        Ok(())
    }
}

/// The name as a path below the root.
fn inside(name: &str) -> Result<PathBuf, ArchiveError> {
    let refuse = |why| {
        Err(ArchiveError::Name {
            name: name.to_owned(),
            why,
        })
    };
    if is_absolute(name) {
        return refuse("it is absolute");
    }
    if name.contains('\\') || name.chars().any(char::is_control) {
        return refuse("it has a backslash or a control character in it");
    }
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if parts.contains(&"..") {
        return refuse("it has `..` in it");
    }
    if parts.len() > DEEPEST {
        return refuse("it lies too deep");
    }
    Ok(parts.into_iter().collect())
}

/// By the rules of every system at once.
fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.starts_with('\\') || name.chars().nth(1) == Some(':')
}

fn make_parent(path: &Path) -> Result<(), ArchiveError> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(ArchiveError::io(parent))
}

fn create(path: &Path, name: &str, executable: bool) -> Result<File, ArchiveError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o755 } else { 0o644 });
    #[cfg(not(unix))]
    let _ = executable;
    options.open(path).map_err(|source| {
        if source.kind() == io::ErrorKind::AlreadyExists {
            return ArchiveError::Twice {
                name: name.to_owned(),
            };
        }
        ArchiveError::io(path)(source)
    })
}

fn is_executable(facts: &fs::Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o100 != 0;
    #[cfg(not(unix))]
    {
        let _ = facts;
        false
    }
}
