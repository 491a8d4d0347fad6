//! Why a library is refused before it is opened.

use thiserror::Error;

use super::found::{EntryFault, LooksLike, TextKind};
use super::host::{AbiVersion, Format, GlibcVersion, Os};

/// Why a file cannot be this host's plugin. Found in its bytes, before any of its code has run.
///
/// The message names no file: whoever read the bytes knows their path. What to do about it is
/// [`cure`](Self::cure), and [`code`](Self::code) is a short name that does not change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InspectError {
    /// There is nothing in the file.
    #[error("the file is empty")]
    Empty,
    /// A text where a library should be.
    #[error("looks like {0}, not a native library")]
    Text(TextKind),
    /// A static library.
    #[error("an archive of object files (`.a`, `.rlib`), not a shared library")]
    Archive,
    /// Binary, but no form this host knows.
    #[error("not a native library: {looks_like} (begins with `{begins}`)")]
    UnknownFormat {
        /// What it seems to be.
        looks_like: &'static str,
        /// Its first bytes, in hexadecimal.
        begins: String,
    },
    /// A program.
    #[error("an executable ({0}), not a shared library")]
    Executable(Format),
    /// Native code that is no finished library.
    #[error("{found}, not a shared library")]
    NotLinked {
        /// What it is.
        found: String,
    },
    /// The file ends before something it says it holds.
    #[error("truncated: {what} ends at byte {needs}, the file has {size}")]
    Truncated {
        /// The part that is not all there.
        what: String,
        /// Where that part would end.
        needs: u64,
        /// The size of the file.
        size: u64,
    },
    /// The file contradicts its own format.
    #[error("damaged {format} file: {what}")]
    Malformed {
        /// The form it has.
        format: Format,
        /// What is wrong.
        what: String,
    },
    /// A library for another operating system.
    #[error("built as {found}, {os} loads {}", .os.format())]
    WrongFormat {
        /// The form it has.
        found: String,
        /// The system of this host.
        os: Os,
    },
    /// A library for another processor.
    #[error("built for {built_for}, this machine is {host}")]
    WrongArchitecture {
        /// The processor, or processors, it was built for.
        built_for: String,
        /// The processor of this machine.
        host: String,
        /// The target triple of this host.
        target: String,
    },
    /// Loading it would make every stack of the process executable.
    #[error("asks for an executable stack")]
    ExecutableStack,
    /// It does not export the entry point.
    #[error("does not export `{symbol}`{}", LooksLike::tail(.looks_like.as_ref()))]
    NoEntryPoint {
        /// The name looked for.
        symbol: String,
        /// What the other symbols suggest.
        looks_like: Option<LooksLike>,
    },
    /// It has the entry point's name on something else.
    #[error("`{symbol}` is {fault}, expected initialised data")]
    EntryPointUnusable {
        /// The name of the entry point.
        symbol: String,
        /// What it is instead.
        fault: EntryFault,
    },
    /// What the entry point's name stands for is not a plugin root.
    #[error("`{symbol}` does not begin with the plugin magic (found `{found}`)")]
    WrongMagic {
        /// The name of the entry point.
        symbol: String,
        /// What is there, in hexadecimal.
        found: String,
    },
    /// The header is shorter than the one that never changes.
    #[error("plugin header of {found} bytes, expected {least} or more")]
    HeaderTooSmall {
        /// Its size.
        found: u64,
        /// The least it can be.
        least: u64,
    },
    /// The root is shorter than its header, or longer than what the library holds.
    #[error("plugin root of {declared} bytes, expected {least} to {most}")]
    RootSize {
        /// The size it states.
        declared: u64,
        /// The size of its header.
        least: u64,
        /// What the library holds of it.
        most: u64,
    },
    /// Another major version of the plugin ABI.
    #[error("built for plugin ABI {found}, this host speaks {host}")]
    AbiMajor {
        /// The major version it was built for.
        found: u32,
        /// What the host speaks.
        host: AbiVersion,
    },
    /// A flag this host must know, and does not.
    #[error("sets plugin flags {bits:#018x} that this host does not know and must not ignore")]
    UnknownFlags {
        /// The unknown flags among those that may not be ignored.
        bits: u64,
    },
    /// The header was made for another pointer width.
    #[error("plugin header made for {found}-bit pointers, this host has {host}-bit ones")]
    PointerWidth {
        /// The width in the header.
        found: u32,
        /// The width of this host.
        host: u32,
    },
    /// The two sides disagree about the size of a value.
    #[error("plugin values of {found} bytes, expected {expected}")]
    ValueSize {
        /// The size in the header.
        found: u32,
        /// The size for ever.
        expected: u32,
    },
    /// It says nothing of itself.
    #[error("no plugin metadata (section `{section}`)")]
    MetadataMissing {
        /// The section looked for.
        section: &'static str,
    },
    /// Nobody says that much of himself.
    #[error("plugin metadata of {size} bytes, at most {limit} are read")]
    MetadataTooLarge {
        /// Its size.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// The metadata cannot be read.
    #[error("plugin metadata is not JSON: {reason}")]
    MetadataNotJson {
        /// What the parser said.
        reason: String,
    },
    /// Two plugins were linked into one library.
    #[error("plugin metadata is there more than once: two plugins in one library")]
    MetadataTwice,
    /// Metadata of a later form.
    #[error("plugin metadata of format {found}, this host reads {expected}")]
    MetadataFormat {
        /// The format it has.
        found: u64,
        /// The format this host reads.
        expected: u64,
    },
    /// A member of the metadata is missing or not what it must be.
    #[error("plugin metadata: `{field}` {reason}")]
    MetadataField {
        /// The member.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Metadata and header state one fact differently.
    #[error("plugin metadata says {field} {metadata}, the header says {header}")]
    Disagreement {
        /// The fact.
        field: &'static str,
        /// What the header says.
        header: String,
        /// What the metadata says.
        metadata: String,
    },
    /// A panic in it would end the host.
    #[error("built with panic = \"abort\": a panic in it would end this process")]
    PanicAbort,
    /// It may panic, and has nothing to unwind with.
    #[error(
        "does not import `_Unwind_RaiseException`, without which a Rust panic ends this process: \
         built with panic = \"abort\""
    )]
    NoUnwinder,
    /// It needs a later C library.
    #[error("needs glibc {needs}, this machine has {host}")]
    GlibcTooOld {
        /// The highest version it asks for.
        needs: GlibcVersion,
        /// The version of this machine.
        host: GlibcVersion,
    },
    /// It requires a later minor version of the plugin ABI.
    #[error("requires plugin ABI {needs}, this host speaks {host}")]
    RequiresAbi {
        /// The least it requires.
        needs: AbiVersion,
        /// What the host speaks.
        host: AbiVersion,
    },
}
