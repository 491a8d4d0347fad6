//! What kind of file some bytes are, from the first of them.

use object::{elf, macho, pe};

use super::error::InspectError;
use super::found::TextKind;

/// A form worth parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Elf,
    MachO,
    /// Several Mach-O files in one; `wide` where offsets have 64 bits.
    MachOFat {
        wide: bool,
    },
    Pe,
}

/// How much of a file decides whether it is text.
const TEXT_PREFIX: usize = 512;

/// A universal binary has a handful of slices; a Java class, which shares its magic number, has a
/// version of 45 or more in that place.
const FAT_SLICES: u32 = 40;

pub(super) fn sniff(bytes: &[u8]) -> Result<Kind, InspectError> {
    if bytes.is_empty() {
        return Err(InspectError::Empty);
    }
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        return Err(InspectError::Archive);
    }
    if bytes.starts_with(&elf::ELFMAG) {
        return Ok(Kind::Elf);
    }
    if let Some(kind) = text(bytes) {
        return Err(InspectError::Text(kind));
    }
    let first = bytes.first_chunk::<4>().copied().map(u32::from_be_bytes);
    match first {
        Some(macho::MH_MAGIC | macho::MH_CIGAM | macho::MH_MAGIC_64 | macho::MH_CIGAM_64) => {
            return Ok(Kind::MachO);
        }
        Some(magic @ (macho::FAT_MAGIC | macho::FAT_MAGIC_64)) if slices(bytes) < FAT_SLICES => {
            return Ok(Kind::MachOFat {
                wide: magic == macho::FAT_MAGIC_64,
            });
        }
        None if elf::ELFMAG.starts_with(bytes) => {
            let size = bytes.len() as u64;
            return Err(InspectError::Truncated {
                what: "the ELF header".into(),
                needs: 64,
                size,
            });
        }
        _ => {}
    }
    if bytes.starts_with(&pe::IMAGE_DOS_SIGNATURE.to_le_bytes()) {
        return Ok(Kind::Pe);
    }
    Err(InspectError::UnknownFormat {
        looks_like: other(bytes),
        begins: hex(bytes, 8),
    })
}

fn slices(bytes: &[u8]) -> u32 {
    let field = bytes.get(4..8).and_then(|field| field.first_chunk::<4>());
    field.map_or(0, |field| u32::from_be_bytes(*field))
}

/// The kind of text, if it is text.
fn text(bytes: &[u8]) -> Option<TextKind> {
    let head = bytes.get(..TEXT_PREFIX).unwrap_or(bytes);
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        // UTF-16, as Windows editors write it.
        return Some(TextKind::Text);
    }
    let head = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A character may be cut at the end of the prefix, nowhere else.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let printable = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b');
    if head.is_empty() || !head.chars().all(printable) {
        return None;
    }
    let head = head.trim_start_matches('\u{feff}');
    let lower = head
        .trim_start()
        .get(..16)
        .map(str::to_ascii_lowercase)
        .unwrap_or_default();
    Some(if head.starts_with("#!") {
        TextKind::Script
    } else if head.starts_with("version https://git-lfs") {
        TextKind::GitLfsPointer
    } else if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
        TextKind::WebPage
    } else {
        TextKind::Text
    })
}

/// A guess at a binary that is no native code.
fn other(bytes: &[u8]) -> &'static str {
    const KNOWN: [(&[u8], &str); 7] = [
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x28\xb5\x2f\xfd", "a zstd archive"),
        (b"\xfd7zXZ", "an xz archive"),
        (b"\0asm", "a WebAssembly module"),
        (b"\xca\xfe\xba\xbe", "a Java class"),
        (b"BC\xc0\xde", "LLVM bitcode"),
    ];
    let found = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic));
    found.map_or("no known file format", |(_, name)| name)
}

/// The first `most` bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8], most: usize) -> String {
    bytes
        .iter()
        .take(most)
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}
