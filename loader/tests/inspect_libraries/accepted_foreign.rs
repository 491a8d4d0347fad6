//! Libraries of other systems that pass, and what is read from them.

use hermes_loader::inspect::{Architecture, Format, Os, Outcome, inspect};

use crate::fixture::{self, METADATA, other_host};
use crate::{macho, pe};

#[test]
fn a_plugin_for_macos() {
    for arch in [Architecture::Aarch64, Architecture::X86_64] {
        let library = macho::Library {
            arch,
            ..macho::Library::default()
        };
        let found = inspect(&library.build(), &macho::host(arch)).expect("a good plugin");
        assert_eq!((found.format, found.arch), (Format::MachO, arch));
        assert_eq!(found.metadata.name, "sample");
        assert_eq!(found.needed, ["/usr/lib/libSystem.B.dylib"]);
    }
}

#[test]
fn the_slice_for_this_machine_of_a_universal_library() {
    let slices = [Architecture::X86_64, Architecture::Aarch64].map(|arch| macho::Library {
        arch,
        ..macho::Library::default()
    });
    for wide in [false, true] {
        for library in &slices {
            let fat = macho::fat(&slices, wide);
            let found = inspect(&fat, &macho::host(library.arch)).expect("a good plugin");
            assert_eq!(found.arch, library.arch);
        }
    }
}

#[test]
fn a_rust_plugin_for_macos_is_held_to_its_unwinder() {
    let metadata = METADATA.replace(r#""language":"c""#, r#""language":"rust""#);
    let metadata = metadata.replace(r#""panic":"none""#, r#""panic":"unwind""#);
    let mut library = macho::Library {
        metadata,
        flags: 0,
        ..macho::Library::default()
    };
    fixture::refused_by(
        &macho::host(library.arch),
        &library.build(),
        "no_unwinder",
        "panic",
    );
    library.imports = "__Unwind_RaiseException";
    let found = inspect(&library.build(), &macho::host(library.arch)).expect("a good plugin");
    let check = found
        .checks
        .iter()
        .find(|check| check.name == "panics unwind");
    assert_eq!(check.map(|check| check.outcome), Some(Outcome::Passed));
}

#[test]
fn a_plugin_for_windows() {
    let metadata = METADATA.replace(r#""language":"c""#, r#""language":"rust""#);
    let metadata = metadata.replace(r#""panic":"none""#, r#""panic":"unwind""#);
    let library = pe::Library {
        metadata,
        flags: 0,
        ..pe::Library::default()
    };
    let host = other_host(Os::Windows, Architecture::X86_64, "x86_64-pc-windows-msvc");
    let found = inspect(&library.build(), &host).expect("a good plugin");
    assert_eq!(found.format, Format::Pe);
    assert_eq!(found.needed, ["KERNEL32.dll"]);
    let open: Vec<_> = found
        .checks
        .iter()
        .filter(|c| c.outcome != Outcome::Passed)
        .map(|c| c.name)
        .collect();
    assert_eq!(
        open,
        ["no executable stack", "panics unwind", "glibc version"]
    );
}
