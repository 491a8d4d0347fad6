//! What to do about each reason to refuse a library.

use super::error::InspectError;
use super::found::{LooksLike, TextKind};

impl InspectError {
    /// A short name for the reason that does not change, for machines and documentation.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty_file",
            Self::Text(_) => "text_file",
            Self::Archive => "archive",
            Self::UnknownFormat { .. } => "unknown_format",
            Self::Executable(_) => "executable",
            Self::NotLinked { .. } => "not_linked",
            Self::Truncated { .. } => "truncated",
            Self::Malformed { .. } => "malformed",
            Self::WrongFormat { .. } => "wrong_format",
            Self::WrongArchitecture { .. } => "wrong_architecture",
            Self::ExecutableStack => "executable_stack",
            Self::NoEntryPoint { .. } => "no_entry_point",
            Self::EntryPointUnusable { .. } => "entry_point_unusable",
            Self::WrongMagic { .. } => "wrong_magic",
            Self::HeaderTooSmall { .. } => "header_too_small",
            Self::RootSize { .. } => "root_size",
            Self::AbiMajor { .. } => "abi_major",
            Self::UnknownFlags { .. } => "unknown_flags",
            Self::PointerWidth { .. } => "pointer_width",
            Self::ValueSize { .. } => "value_size",
            Self::MetadataMissing { .. } => "metadata_missing",
            Self::MetadataTooLarge { .. } => "metadata_too_large",
            Self::MetadataNotJson { .. } => "metadata_not_json",
            Self::MetadataTwice => "metadata_twice",
            Self::MetadataFormat { .. } => "metadata_format",
            Self::MetadataField { .. } => "metadata_field",
            Self::Disagreement { .. } => "metadata_disagrees",
            Self::PanicAbort => "panic_abort",
            Self::NoUnwinder => "no_unwinder",
            Self::GlibcTooOld { .. } => "glibc_too_old",
            Self::RequiresAbi { .. } => "requires_abi",
        }
    }

    /// What to do about it, in one line.
    pub fn cure(&self) -> String {
        match self {
            Self::WrongFormat { os, .. } => {
                format!("install the build for {os}, or rebuild it there")
            }
            Self::WrongArchitecture { target, .. } => {
                format!("rebuild it with `--target {target}`")
            }
            Self::AbiMajor { found, host } if *found > host.major => {
                let ours = host.major;
                format!("update the host, or rebuild the plugin against plugin ABI {ours}")
            }
            Self::AbiMajor { host, .. } => {
                format!("rebuild the plugin against plugin ABI {}", host.major)
            }
            Self::GlibcTooOld { host, .. } => {
                format!("build it on a system with glibc {host} or older, or update this one")
            }
            Self::RequiresAbi { needs, .. } => {
                format!("update the host to one that speaks plugin ABI {needs}")
            }
            other => other.fixed_cure().to_owned(),
        }
    }

    /// The cures that depend on nothing but the kind of error.
    fn fixed_cure(&self) -> &'static str {
        match self {
            Self::Empty | Self::Truncated { .. } => "copy it again; the last copy did not finish",
            Self::Text(TextKind::GitLfsPointer) => {
                "run `git lfs pull` where it was checked out, then copy it again"
            }
            Self::Text(TextKind::WebPage) => {
                "download it again; the server sent a page, not the file"
            }
            Self::Text(TextKind::Script) => {
                "configure a script as a shell hook; a plugin's library is compiled"
            }
            Self::Text(TextKind::Text) | Self::UnknownFormat { .. } => {
                "point `library` in the manifest at the compiled library"
            }
            Self::Archive | Self::NotLinked { .. } => {
                "build a shared library: `crate-type = [\"cdylib\"]` (C: `-shared`)"
            }
            Self::Executable(_) => {
                "build a library, not a program: `crate-type = [\"cdylib\"]` (C: `-shared`)"
            }
            Self::ExecutableStack => {
                "link it with `-z noexecstack`; assembly files need a `.note.GNU-stack` section"
            }
            Self::NoEntryPoint {
                looks_like: Some(LooksLike::PythonModule(_)),
                ..
            } => "Hermes loads Python plugins by itself; a native one uses the export macro",
            Self::NoEntryPoint {
                looks_like: Some(LooksLike::HiddenEntryPoint),
                ..
            } => "give the symbol default visibility; the export macro does",
            Self::NoEntryPoint { .. }
            | Self::EntryPointUnusable { .. }
            | Self::WrongMagic { .. } => {
                "export the plugin with `hermes_plugin!` (C: `HERMES_PLUGIN`)"
            }
            Self::HeaderTooSmall { .. }
            | Self::RootSize { .. }
            | Self::PointerWidth { .. }
            | Self::ValueSize { .. } => {
                "rebuild it against the hermes-plugin-api (C: hermes_plugin.h) of this host"
            }
            Self::UnknownFlags { .. } | Self::MetadataFormat { .. } => {
                "update the host, or install an older build of the plugin"
            }
            Self::MetadataMissing { .. } => {
                "use the export macro in the library's own crate; the linker may drop a section \
                 that comes from a dependency"
            }
            Self::MetadataTooLarge { .. }
            | Self::MetadataNotJson { .. }
            | Self::MetadataField { .. }
            | Self::Disagreement { .. } => {
                "let the export macro write the metadata; do not write or patch it by hand"
            }
            Self::MetadataTwice => {
                "export one plugin per library; a plugin crate that is linked into another must \
                 switch its export off"
            }
            Self::PanicAbort | Self::NoUnwinder => {
                "remove `panic = \"abort\"` from the profile and rebuild, or run the plugin under \
                 `isolation: process`"
            }
            Self::Malformed { .. }
            | Self::WrongFormat { .. }
            | Self::WrongArchitecture { .. }
            | Self::AbiMajor { .. }
            | Self::GlibcTooOld { .. }
            | Self::RequiresAbi { .. } => "build the library again",
        }
    }
}
