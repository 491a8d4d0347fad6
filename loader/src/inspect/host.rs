//! What a library is compared with: the facts of the host and of its machine.

use std::fmt;

pub use object::{Architecture, Endianness};

use super::arch;

/// The host a plugin would be loaded into.
///
/// Plain values, so that a test can describe any machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFacts {
    /// The operating system.
    pub os: Os,
    /// The processor.
    pub arch: Architecture,
    /// The byte order.
    pub endian: Endianness,
    /// The width of a pointer, in bits.
    pub pointer_width: u32,
    /// The target triple to name in hints.
    pub target: String,
    /// The version of the C library, where it is glibc and known.
    pub glibc: Option<GlibcVersion>,
    /// The plugin ABI the host speaks.
    pub abi: AbiVersion,
    /// The catalogue revision the host knows.
    pub catalogue: u32,
}

impl HostFacts {
    /// The running process. `glibc` is what `gnu_get_libc_version` says: asking it is not safe
    /// code, so it is the caller's to do.
    pub fn current(abi: AbiVersion, catalogue: u32, glibc: Option<GlibcVersion>) -> Self {
        let big = cfg!(target_endian = "big");
        Self {
            os: Os::current(),
            arch: arch::of_this_process(),
            endian: if big {
                Endianness::Big
            } else {
                Endianness::Little
            },
            pointer_width: usize::BITS,
            target: arch::target_of_this_process(),
            glibc,
            abi,
            catalogue,
        }
    }
}

/// An operating system, as far as it decides the form of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Os {
    /// Linux: ELF.
    Linux,
    /// macOS and its relatives: Mach-O.
    MacOs,
    /// Windows: PE.
    Windows,
    /// Any other system: ELF.
    OtherUnix,
}

impl Os {
    fn current() -> Self {
        if cfg!(target_os = "linux") {
            Self::Linux
        } else if cfg!(target_vendor = "apple") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::OtherUnix
        }
    }

    /// The form of library it loads.
    pub const fn format(self) -> Format {
        match self {
            Self::MacOs => Format::MachO,
            Self::Windows => Format::Pe,
            Self::Linux | Self::OtherUnix => Format::Elf,
        }
    }
}

impl fmt::Display for Os {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
            Self::OtherUnix => "this Unix",
        })
    }
}

/// The form of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Linux and most of Unix (`.so`).
    Elf,
    /// macOS (`.dylib`, `.so`).
    MachO,
    /// Windows (`.dll`).
    Pe,
}

impl Format {
    /// The link section of this form that holds a plugin's metadata.
    pub const fn metadata_section(self) -> &'static str {
        match self {
            Self::Elf => ".hermes_plugin",
            Self::MachO => "__DATA,__hermes_plugin",
            Self::Pe => ".hermes",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elf => "ELF",
            Self::MachO => "Mach-O",
            Self::Pe => "PE",
        })
    }
}

/// A version of the plugin ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbiVersion {
    /// Must be equal on both sides.
    pub major: u32,
    /// Grows with each appended member or host function; any loads unless the plugin requires one.
    pub minor: u32,
}

impl AbiVersion {
    /// Reads `1.4`; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let (major, minor) = two_numbers(text)?;
        Some(Self { major, minor })
    }
}

impl fmt::Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A version of glibc.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlibcVersion {
    /// 2, for thirty years now.
    pub major: u32,
    /// The part that grows.
    pub minor: u32,
}

impl GlibcVersion {
    /// Reads `2.36`, and the first two numbers of `2.2.5`; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let end = text
            .match_indices('.')
            .nth(1)
            .map_or(text.len(), |(at, _)| at);
        let (major, minor) = two_numbers(text.get(..end)?)?;
        Some(Self { major, minor })
    }
}

impl fmt::Display for GlibcVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Two decimal numbers with a dot between; no sign, no blanks.
fn two_numbers(text: &str) -> Option<(u32, u32)> {
    let number = |part: &str| {
        let plain = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    };
    let (left, right) = text.split_once('.')?;
    Some((number(left)?, number(right)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, abi: Option<(u32, u32)>, glibc: Option<(u32, u32)>) {
        assert_eq!(
            AbiVersion::parse(text).map(|v| (v.major, v.minor)),
            abi,
            "abi {text:?}"
        );
        assert_eq!(
            GlibcVersion::parse(text).map(|v| (v.major, v.minor)),
            glibc,
            "glibc {text:?}"
        );
    }

    #[test]
    fn versions_are_two_plain_numbers() {
        check("1.4", Some((1, 4)), Some((1, 4)));
        check("2.2.5", None, Some((2, 2)));
        check("2.36.", None, Some((2, 36)));
        for bad in [
            "",
            ".",
            "1",
            "1.",
            ".1",
            "+1.2",
            "1.-2",
            " 1.2",
            "1.99999999999",
            "a.b",
            "PRIVATE",
        ] {
            check(bad, None, None);
        }
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(GlibcVersion::parse("2.4") < GlibcVersion::parse("2.34"));
    }
}
