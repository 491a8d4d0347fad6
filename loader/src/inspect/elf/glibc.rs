//! The lowest glibc an ELF library can be loaded with.

use object::read::elf::{FileHeader, SectionHeader};

use super::super::error::InspectError;
use super::super::host::{Endianness, Format, GlibcVersion};
use super::super::image::name_at;

/// A library asks for a few dozen versions. The entries are linked by offsets that a hostile file
/// may let overlap, so that their number is the square of its size.
const MOST_VERSIONS: usize = 1 << 16;

/// The highest glibc version the library asks for, if it asks for any.
pub(super) fn floor<E: FileHeader<Endian = Endianness>>(
    bytes: &[u8],
    endian: Endianness,
    sections: &[E::SectionHeader],
) -> Result<Option<GlibcVersion>, InspectError> {
    let malformed = |what: String| InspectError::Malformed {
        format: Format::Elf,
        what,
    };
    let mut floor = None;
    let mut count = 0;
    for section in sections {
        let table = section
            .gnu_verneed(endian, bytes)
            .map_err(|error| malformed(error.to_string()))?;
        let Some((libraries, strings)) = table else {
            continue;
        };
        let strings = sections
            .get(strings.0)
            .and_then(|strings| strings.data(endian, bytes).ok())
            .unwrap_or_default();
        for library in libraries {
            let (_, versions) = library.map_err(|error| malformed(error.to_string()))?;
            for version in versions {
                let version = version.map_err(|error| malformed(error.to_string()))?;
                count += 1;
                if count > MOST_VERSIONS {
                    return Err(malformed("the version table never ends".into()));
                }
                floor = floor.max(parse(name_at(strings, version.vna_name.get(endian).into())));
            }
            count += 1;
        }
    }
    Ok(floor)
}

fn parse(name: &[u8]) -> Option<GlibcVersion> {
    // Marks packed relocations, which glibc reads from 2.36 on.
    if name == b"GLIBC_ABI_DT_RELR" {
        return Some(GlibcVersion {
            major: 2,
            minor: 36,
        });
    }
    let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    GlibcVersion::parse(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(u32, u32)>) {
        assert_eq!(
            parse(name.as_bytes()).map(|v| (v.major, v.minor)),
            expected,
            "{name}"
        );
    }

    #[test]
    fn version_names() {
        check("GLIBC_2.34", Some((2, 34)));
        check("GLIBC_2.2.5", Some((2, 2)));
        check("GLIBC_ABI_DT_RELR", Some((2, 36)));
        check("GLIBC_PRIVATE", None);
        check("GCC_3.0", None);
        check("GLIBCXX_3.4.29", None);
        check("", None);
    }
}
