//! Mach-O and PE files that will not do.

use hermes_loader::inspect::{Architecture, HostFacts, Os};

use crate::fixture::{other_host, refused_by};
use crate::macho::{self, fat, host};
use crate::pe::{self, EntryAt};

const ARM: Architecture = Architecture::Aarch64;

fn mac(change: impl FnOnce(&mut macho::Library)) -> Vec<u8> {
    let mut library = macho::Library::default();
    change(&mut library);
    library.build()
}

fn windows_host() -> HostFacts {
    other_host(Os::Windows, Architecture::X86_64, "x86_64-pc-windows-msvc")
}

fn windows(change: impl FnOnce(&mut pe::Library)) -> Vec<u8> {
    let mut library = pe::Library::default();
    change(&mut library);
    library.build()
}

fn linux_host() -> HostFacts {
    other_host(Os::Linux, Architecture::X86_64, "x86_64-unknown-linux-gnu")
}

#[test]
fn macho_for_other_machines() {
    let words = "built for aarch64, this machine is x86_64";
    refused_by(
        &host(Architecture::X86_64),
        &mac(|_| {}),
        "wrong_architecture",
        words,
    );
    refused_by(
        &linux_host(),
        &mac(|_| {}),
        "wrong_format",
        "built as Mach-O, Linux loads ELF",
    );
    let both = [Architecture::X86_64, ARM].map(|arch| macho::Library {
        arch,
        ..macho::Library::default()
    });
    let other = host(Architecture::Riscv64);
    refused_by(
        &other,
        &fat(&both, false),
        "wrong_architecture",
        "built for x86_64 and aarch64",
    );
    refused_by(
        &linux_host(),
        &fat(&both, true),
        "wrong_format",
        "built as Mach-O",
    );
}

#[test]
fn macho_that_is_no_library() {
    refused_by(
        &host(ARM),
        &mac(|l| l.filetype = 2),
        "executable",
        "an executable (Mach-O)",
    );
    refused_by(
        &host(ARM),
        &mac(|l| l.filetype = 1),
        "not_linked",
        "an object file",
    );
    refused_by(
        &host(ARM),
        &mac(|l| l.filetype = 10),
        "not_linked",
        "debug information",
    );
    refused_by(
        &host(ARM),
        &mac(|l| l.filetype = 99),
        "not_linked",
        "Mach-O of type 99",
    );
}

#[test]
fn macho_entry_points() {
    let check = |section, words| {
        let bytes = mac(|l| l.entry_section = section);
        refused_by(&host(ARM), &bytes, "entry_point_unusable", words);
    };
    check(0, "imported");
    check(3, "zero-filled");
    check(4, "code, not data");
    check(77, "outside the file");
    let bytes = mac(|l| l.entry = "_PyInit_spam");
    refused_by(
        &host(ARM),
        &bytes,
        "no_entry_point",
        "`PyInit_spam` makes it look like a Python",
    );
    let bytes = mac(|l| l.entry = "_hermes_plugin_v3");
    refused_by(&host(ARM), &bytes, "abi_major", "plugin ABI 3");
    let bytes = mac(|l| l.exported = false);
    refused_by(&host(ARM), &bytes, "no_entry_point", "does not export");
    // Without the underscore it is another name.
    let bytes = mac(|l| l.entry = "hermes_plugin_v1");
    refused_by(
        &host(ARM),
        &bytes,
        "no_entry_point",
        "does not export `hermes_plugin_v1`",
    );
}

#[test]
fn macho_truncated() {
    let whole = mac(|_| {});
    for keep in [6, 31, 32, 100, 500, 0x400, 0x440, whole.len() - 1] {
        refused_by(
            &host(ARM),
            &whole[..keep],
            "truncated",
            &format!("the file has {keep}"),
        );
    }
    let whole = fat(&[macho::Library::default()], false);
    for keep in [10, 20, 0x1000, 0x1400] {
        refused_by(
            &host(ARM),
            &whole[..keep],
            "truncated",
            &format!("the file has {keep}"),
        );
    }
}

#[test]
fn pe_for_other_machines() {
    let check = |machine, name: &str| {
        let words = format!("built for {name}, this machine is x86_64");
        refused_by(
            &windows_host(),
            &windows(|l| l.machine = machine),
            "wrong_architecture",
            &words,
        );
    };
    check(0xaa64, "aarch64");
    check(0x14c, "x86 (32-bit)");
    check(0xa641, "arm64ec");
    check(0x1234, "another processor (PE machine 0x1234)");
    refused_by(
        &linux_host(),
        &windows(|_| {}),
        "wrong_format",
        "built as PE, Linux loads ELF",
    );
}

#[test]
fn pe_that_is_no_library() {
    refused_by(
        &windows_host(),
        &windows(|l| l.dll = false),
        "executable",
        "an executable (PE)",
    );
    refused_by(&windows_host(), b"MZ\0\0", "truncated", "the DOS header");
    let mut dos = b"MZ".to_vec();
    dos.resize(400, 0);
    refused_by(&windows_host(), &dos, "malformed", "PE");
}

#[test]
fn pe_entry_points() {
    let check = |at, words| {
        let bytes = windows(|l| l.entry_at = at);
        refused_by(&windows_host(), &bytes, "entry_point_unusable", words);
    };
    check(EntryAt::ZeroFilled, "zero-filled");
    check(EntryAt::Code, "code, not data");
    check(EntryAt::Nowhere, "outside the file");
    check(EntryAt::OtherLibrary, "imported");
    let bytes = windows(|l| l.entry = "PyInit_spam");
    refused_by(
        &windows_host(),
        &bytes,
        "no_entry_point",
        "Python extension module",
    );
    let bytes = windows(|l| l.entry = "hermes_plugin_v2");
    refused_by(&windows_host(), &bytes, "abi_major", "plugin ABI 2");
    let bytes = windows(|l| l.metadata.clear());
    refused_by(
        &windows_host(),
        &bytes,
        "metadata_missing",
        "section `.hermes`",
    );
}

#[test]
fn pe_truncated() {
    let whole = windows(|_| {});
    for keep in [63, 64, 70, 200, 0x180, 0x400, 0x600, whole.len() - 1] {
        refused_by(
            &windows_host(),
            &whole[..keep],
            "truncated",
            &format!("the file has {keep}"),
        );
    }
}
