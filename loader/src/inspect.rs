//! Decides from a library's bytes whether this host can load it.
//!
//! Opening a library runs its constructors, and a damaged one can end or freeze the process that
//! opens it. So everything that can be known is read from the file first, and a library that will
//! not do is refused with a sentence that names what is wrong. Pure: bytes and facts in, a verdict
//! out; no file, clock, environment or process is touched.
//!
//! These checks find mistakes, not malice: a library that passes runs with all rights of the host.

mod host;

mod check;

mod error;

mod found;

mod cure;

mod header;

mod metadata;

mod sniff;

mod image;

mod elf;

mod macho;

mod pe;

mod arch;

pub use check::{Check, Outcome};
pub use error::InspectError;
pub use found::{EntryFault, LooksLike, TextKind};
pub use header::{HEADER_SIZE, RootHeader};
pub use host::{AbiVersion, Architecture, Endianness, Format, GlibcVersion, HostFacts, Os};
pub use metadata::{Metadata, PanicStrategy, Requires};

use image::Image;
use sniff::Kind;

/// What a library is that may be loaded, as far as its bytes tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// The form of the library.
    pub format: Format,
    /// The processor it was built for.
    pub arch: Architecture,
    /// What it says of itself.
    pub metadata: Metadata,
    /// The header of its root.
    pub header: RootHeader,
    /// The libraries it imports, in its order.
    pub needed: Vec<String>,
    /// The lowest glibc it can be loaded with, where it states one.
    pub glibc_floor: Option<GlibcVersion>,
    /// What was checked, in order.
    pub checks: Vec<Check>,
}

/// Checks the bytes of a library, without opening it.
///
/// What a plugin `requires` beyond the ABI minor (extension interfaces, hook points, fields) is
/// reported in the metadata and judged later, against the catalogue.
///
/// # Errors
///
/// The first check that fails.
pub fn inspect(bytes: &[u8], host: &HostFacts) -> Result<Inspection, InspectError> {
    let mut checks = Vec::new();
    let image = match sniff::sniff(bytes)? {
        Kind::Elf => elf::open(bytes, host, &mut checks)?,
        Kind::MachO => macho::open(bytes, host, &mut checks)?,
        Kind::MachOFat { wide } => macho::open_fat(bytes, wide, host, &mut checks)?,
        Kind::Pe => pe::open(bytes, host, &mut checks)?,
    };
    let entry = image.symbols.entry(host)?;
    checks.push(Check::passed("entry point"));

    let header = header::read(entry, host)?;
    checks.push(Check::passed("plugin ABI"));

    let metadata = metadata::read(&image.metadata, image.format)?;
    metadata::agree(&metadata, &header)?;
    checks.push(Check::passed("metadata"));

    checks.push(check_panic(&metadata, &header, &image)?);
    checks.push(check_glibc(&image, host)?);

    let needs = AbiVersion {
        major: header.abi.major,
        minor: metadata.requires.abi_minor,
    };
    if needs > host.abi {
        return Err(InspectError::RequiresAbi {
            needs,
            host: host.abi,
        });
    }
    checks.push(Check::passed("required ABI minor"));

    let Image {
        format,
        arch,
        needed,
        glibc_floor,
        ..
    } = image;
    Ok(Inspection {
        format,
        arch,
        metadata,
        header,
        needed,
        glibc_floor,
        checks,
    })
}

/// A panic must end in the guard that is compiled into the plugin, so something must unwind to it.
fn check_panic(
    metadata: &Metadata,
    header: &RootHeader,
    image: &Image<'_>,
) -> Result<Check, InspectError> {
    const NAME: &str = "panics unwind";
    if metadata.panic == PanicStrategy::Abort {
        return Err(InspectError::PanicAbort);
    }
    if header.no_panic() {
        return Ok(Check::not_checked_here(
            NAME,
            "it declares that it never panics",
        ));
    }
    if metadata.language != "rust" {
        return Ok(Check::not_checked_here(NAME, "it is not written in Rust"));
    }
    match image.symbols.unwinder {
        Ok(true) => Ok(Check::passed(NAME)),
        Ok(false) => Err(InspectError::NoUnwinder),
        Err(why) => Ok(Check::not_checked_here(NAME, why)),
    }
}

fn check_glibc(image: &Image<'_>, host: &HostFacts) -> Result<Check, InspectError> {
    const NAME: &str = "glibc version";
    match (image.glibc_floor, host.glibc) {
        (Some(needs), Some(host)) if needs > host => Err(InspectError::GlibcTooOld { needs, host }),
        (Some(_), Some(_)) => Ok(Check::passed(NAME)),
        (Some(_), None) => Ok(Check::not_checked_here(NAME, "the host's is not known")),
        (None, _) => Ok(Check::not_checked_here(NAME, "the library states none")),
    }
}
