//! The frozen header at the start of a plugin root, read from the file.

use hermes_plugin_api::abi::{Header, MAGIC, RootFlags, Value};

use super::error::InspectError;
use super::host::{AbiVersion, Endianness, HostFacts};
use super::image::Entry;
use super::sniff::hex;

/// The name of the entry point, without the ABI major.
const ENTRY_PREFIX: &str = "hermes_plugin_v";
/// The size of the header that never changes.
pub const HEADER_SIZE: usize = size_of::<Header>();
/// The size of a value that crosses the boundary.
const VALUE_SIZE: u32 = size_of::<Value>() as u32;
/// The flags a host may not ignore without knowing them. None is defined yet.
const MUST_KNOW: u64 = RootFlags::MUST_KNOW;
const KNOWN_HIGH_FLAGS: u64 = 0;
/// The plugin promises never to panic.
const NO_PANIC: u64 = RootFlags::NO_PANIC.0;

/// The header of a plugin root, as the file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootHeader {
    /// Its own size; may grow, the first [`HEADER_SIZE`] bytes keep their meaning.
    pub header_size: u32,
    /// The plugin ABI it was built for.
    pub abi: AbiVersion,
    /// The catalogue revision it was built for.
    pub catalogue: u32,
    /// The width of a pointer, in bits.
    pub pointer_width: u32,
    /// The size of a value.
    pub value_size: u32,
    /// The size of the whole root.
    pub root_size: u32,
    /// The flags. Unknown ones among the low 32 mean nothing to this host.
    pub flags: u64,
    /// The bytes themselves: what is loaded must begin with the same.
    pub raw: [u8; HEADER_SIZE],
}

impl RootHeader {
    /// Whether the plugin promises never to panic (C, `no_std`), so that it needs no unwinder.
    pub fn no_panic(&self) -> bool {
        self.flags & NO_PANIC != 0
    }
}

/// The name of the entry point of one ABI major.
pub(super) fn entry_symbol(major: u32) -> String {
    format!("{ENTRY_PREFIX}{major}")
}

/// The ABI major whose entry point has this name.
pub(super) fn entry_major(symbol: &str) -> Option<u32> {
    let digits = symbol.strip_prefix(ENTRY_PREFIX)?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Reads the header and checks it against the host.
pub(super) fn read(entry: Entry<'_>, host: &HostFacts) -> Result<RootHeader, InspectError> {
    let symbol = entry_symbol(host.abi.major);
    let least = HEADER_SIZE as u64;
    let present = entry.size.unwrap_or(u64::MAX).min(entry.bytes.len() as u64);
    if !entry.bytes.starts_with(&MAGIC) {
        return Err(InspectError::WrongMagic {
            symbol,
            found: hex(entry.bytes, MAGIC.len()),
        });
    }
    let too_small = |found| InspectError::HeaderTooSmall { found, least };
    let raw = *entry
        .bytes
        .first_chunk::<HEADER_SIZE>()
        .ok_or_else(|| too_small(present))?;
    if present < least {
        return Err(too_small(present));
    }
    let header = decode(raw, host.endian);
    if u64::from(header.header_size) < least {
        return Err(too_small(header.header_size.into()));
    }
    if header.abi.major != host.abi.major {
        return Err(InspectError::AbiMajor {
            found: header.abi.major,
            host: host.abi,
        });
    }
    let bits = header.flags & MUST_KNOW & !KNOWN_HIGH_FLAGS;
    if bits != 0 {
        return Err(InspectError::UnknownFlags { bits });
    }
    if header.pointer_width != host.pointer_width {
        return Err(InspectError::PointerWidth {
            found: header.pointer_width,
            host: host.pointer_width,
        });
    }
    if header.value_size != VALUE_SIZE {
        return Err(InspectError::ValueSize {
            found: header.value_size,
            expected: VALUE_SIZE,
        });
    }
    let (declared, own) = (u64::from(header.root_size), u64::from(header.header_size));
    if declared < own || declared > present {
        return Err(InspectError::RootSize {
            declared,
            least: own,
            most: present,
        });
    }
    Ok(header)
}

fn decode(raw: [u8; HEADER_SIZE], endian: Endianness) -> RootHeader {
    let field = |at: usize| {
        let bytes = raw
            .get(at..)
            .and_then(|tail| tail.first_chunk::<4>())
            .copied()
            .unwrap_or_default();
        if endian == Endianness::Big {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    };
    let (first, second) = (u64::from(field(48)), u64::from(field(52)));
    let flags = if endian == Endianness::Big {
        first << 32 | second
    } else {
        second << 32 | first
    };
    RootHeader {
        header_size: field(16),
        abi: AbiVersion {
            major: field(20),
            minor: field(24),
        },
        catalogue: field(28),
        pointer_width: field(32),
        value_size: field(36),
        root_size: field(40),
        flags,
        raw,
    }
}
