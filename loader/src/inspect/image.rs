//! What is read from a library of any form: the part of the checks that knows no format.

use super::error::InspectError;
use super::found::{EntryFault, LooksLike};
use super::host::{Architecture, Endianness, Format, GlibcVersion, HostFacts};
use super::{arch, header};

/// The longest symbol or library name that is read; a longer one is cut, and so equals none.
pub(super) const NAME_LIMIT: usize = 256;

/// The most imported libraries that are listed.
pub(super) const NEEDED_LIMIT: usize = 4096;

/// What the checks need of a library, whatever its form.
pub(super) struct Image<'a> {
    pub(super) format: Format,
    pub(super) arch: Architecture,
    pub(super) symbols: Symbols<'a>,
    /// The contents of every section with the metadata's name.
    pub(super) metadata: Vec<&'a [u8]>,
    pub(super) needed: Vec<String>,
    pub(super) glibc_floor: Option<GlibcVersion>,
}

/// What the symbols of a library told.
pub(super) struct Symbols<'a> {
    pub(super) entry: Option<Result<Entry<'a>, EntryFault>>,
    /// The highest ABI major of another entry point.
    pub(super) other_major: Option<u32>,
    pub(super) looks_like: Option<LooksLike>,
    /// Whether a panic has something to unwind with; `Err` says why that is not known.
    pub(super) unwinder: Result<bool, &'static str>,
}

/// Where the root lies in the file.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// From its first byte to the end of what the file holds around it.
    pub(super) bytes: &'a [u8],
    /// The size of the symbol, in forms that record it.
    pub(super) size: Option<u64>,
}

impl<'a> Symbols<'a> {
    pub(super) fn new() -> Self {
        Self {
            entry: None,
            other_major: None,
            looks_like: None,
            unwinder: Ok(false),
        }
    }

    /// Whether the entry point was found to be defined, well or badly. The first definition counts.
    pub(super) fn has_definition(&self) -> bool {
        !matches!(self.entry, None | Some(Err(EntryFault::Undefined)))
    }

    /// Notes an exported symbol of another name than the entry point.
    pub(super) fn see_export(&mut self, name: &'a [u8]) {
        let Ok(name) = std::str::from_utf8(name) else {
            return;
        };
        if let Some(major) = header::entry_major(name) {
            self.other_major = self.other_major.max(Some(major));
        }
        let guess = if name.starts_with("PyInit_") {
            LooksLike::PythonModule(name.to_owned())
        } else if name.starts_with("napi_register_module_v") {
            LooksLike::NodeModule(name.to_owned())
        } else if self.looks_like.is_none() && OTHER_ENTRIES.contains(&name) {
            LooksLike::OtherPlugin(name.to_owned())
        } else {
            return;
        };
        self.looks_like = Some(guess);
    }

    /// The root, or why there is none.
    pub(super) fn entry(&self, host: &HostFacts) -> Result<Entry<'a>, InspectError> {
        let symbol = header::entry_symbol(host.abi.major);
        match self.entry {
            Some(Ok(entry)) => Ok(entry),
            Some(Err(fault)) => Err(InspectError::EntryPointUnusable { symbol, fault }),
            None => match self.other_major {
                Some(found) => Err(InspectError::AbiMajor {
                    found,
                    host: host.abi,
                }),
                None => {
                    let looks_like = self.looks_like.clone();
                    Err(InspectError::NoEntryPoint { symbol, looks_like })
                }
            },
        }
    }
}

/// Names by which other plugin systems enter a library.
const OTHER_ENTRIES: [&str; 5] = [
    "register",
    "plugin_register",
    "plugin_init",
    "init_plugin",
    "register_plugin",
];

/// `size` bytes from `offset`, or the error that `what` is cut off.
pub(super) fn part(
    bytes: &[u8],
    offset: u64,
    size: u64,
    what: impl FnOnce() -> String,
) -> Result<&[u8], InspectError> {
    let needs = offset.saturating_add(size);
    slice(bytes, offset, size).ok_or_else(|| InspectError::Truncated {
        what: what(),
        needs,
        size: bytes.len() as u64,
    })
}

/// `size` bytes from `offset`, if they are there.
pub(super) fn slice(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let end = usize::try_from(offset.checked_add(size)?).ok()?;
    bytes.get(usize::try_from(offset).ok()?..end)
}

/// The NUL-terminated name at `offset`, cut at [`NAME_LIMIT`].
///
/// The limit keeps a hostile string table without a NUL from costing its length for each symbol.
pub(super) fn name_at(strings: &[u8], offset: u64) -> &[u8] {
    let tail = usize::try_from(offset)
        .ok()
        .and_then(|offset| strings.get(offset..))
        .unwrap_or_default();
    let tail = tail.get(..NAME_LIMIT).unwrap_or(tail);
    tail.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// A name for display.
pub(super) fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Checks that the system loads this form at all.
pub(super) fn check_format(format: Format, host: &HostFacts) -> Result<(), InspectError> {
    if format == host.os.format() {
        return Ok(());
    }
    Err(InspectError::WrongFormat {
        found: format.to_string(),
        os: host.os,
    })
}

/// Checks that the processor runs this code: the same one, byte order and pointer width.
pub(super) fn check_arch(
    found: Option<Architecture>,
    unknown: impl FnOnce() -> String,
    endian: Endianness,
    bits: u32,
    host: &HostFacts,
) -> Result<Architecture, InspectError> {
    let mut built_for = match found {
        Some(arch) if arch == host.arch && endian == host.endian && bits == host.pointer_width => {
            return Ok(arch);
        }
        Some(arch) => arch::name(arch).to_owned(),
        None => unknown(),
    };
    if found == Some(host.arch) {
        if endian != host.endian {
            built_for += if endian == Endianness::Big {
                " (big-endian)"
            } else {
                " (little-endian)"
            };
        }
        if bits != host.pointer_width {
            built_for += &format!(" ({bits}-bit)");
        }
    }
    Err(wrong_arch(built_for, host))
}

/// The error that a library is for other processors.
pub(super) fn wrong_arch(built_for: String, host: &HostFacts) -> InspectError {
    InspectError::WrongArchitecture {
        built_for,
        host: arch::name(host.arch).to_owned(),
        target: host.target.clone(),
    }
}
