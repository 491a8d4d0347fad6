//! ELF files that are not a library for this machine, or not whole.

use hermes_loader::inspect::{Architecture, Endianness, GlibcVersion, InspectError, Os, inspect};

use crate::compiled::{SOURCE, compile_c, library};
use crate::fixture::{host, other_host, refused, refused_by};

fn patched(at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = library();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]))
}

/// Where the program header of a kind begins (64-bit layout).
fn segment(bytes: &[u8], kind: u32) -> usize {
    let headers = (0..u16_at(bytes, 56)).map(|index| 64 + index * 56);
    let mut ours = headers.filter(|at| bytes[*at..at + 4] == kind.to_ne_bytes());
    ours.next().expect("the segment is there")
}

#[test]
fn programs_and_unlinked_code() {
    let program = "int main(void) { return 0; }";
    refused(
        &compile_c(program, &["-pie"]),
        "executable",
        "an executable (ELF)",
    );
    refused(
        &compile_c(program, &["-no-pie"]),
        "executable",
        "executable",
    );
    refused(
        &compile_c(SOURCE, &["-c", "-fPIC"]),
        "not_linked",
        "an object file",
    );
    refused(&patched(16, &[2, 0]), "executable", "executable");
    refused(&patched(16, &[4, 0]), "not_linked", "a core dump");
    refused(
        &patched(16, &[0x34, 0x12]),
        "not_linked",
        "ELF of type 4660",
    );
}

#[test]
fn a_program_without_interpreter_is_known_by_its_flag() {
    // As `-static-pie` makes it; taking the interpreter away needs no static C library.
    let mut program = compile_c("int main(void) { return 0; }", &["-pie", "-Wl,-z,now"]);
    let at = segment(&program, 3);
    program[at..at + 4].fill(0);
    refused(&program, "executable", "executable");
}

#[test]
fn truncated_at_any_place() {
    let whole = library();
    for keep in [
        5,
        17,
        63,
        64,
        65,
        200,
        600,
        0x1000,
        0x2000,
        whole.len() / 2,
        whole.len() - 1,
    ] {
        let cut = &whole[..keep.min(whole.len() - 1)];
        let error = refused(cut, "truncated", &format!("the file has {}", cut.len()));
        let InspectError::Truncated { needs, size, .. } = error else {
            panic!("truncated")
        };
        assert!(needs > size);
    }
}

#[test]
fn parts_past_the_end_are_named() {
    let huge = u64::MAX.to_ne_bytes();
    refused(&patched(32, &huge), "truncated", "the program header table");
    refused(&patched(40, &huge), "truncated", "the section header table");
    let load = segment(&library(), 1);
    refused(&patched(load + 32, &huge), "truncated", "segment");
    refused(
        &patched(load + 8, &0x7fff_0000_u64.to_ne_bytes()),
        "truncated",
        "segment",
    );
    let sections = u64::from_ne_bytes(library()[40..48].try_into().expect("eight bytes"));
    let first = usize::try_from(sections).expect("an offset") + 64;
    refused(&patched(first + 24, &huge), "truncated", "section 1");
}

#[test]
fn damaged_headers() {
    refused(&patched(4, &[7]), "malformed", "unknown class 7");
    refused(&patched(5, &[9]), "malformed", "ELF");
    refused(&patched(54, &[1, 0]), "malformed", "program header");
    refused(&patched(58, &[1, 0]), "malformed", "section header");
    let dynamic = segment(&library(), 2);
    refused(
        &patched(dynamic, &[0; 4]),
        "malformed",
        "no dynamic segment",
    );
    refused(
        &patched(dynamic + 16, &[0xff; 8]),
        "malformed",
        "dynamic segment is not loaded",
    );
}

#[test]
fn other_processors_are_named() {
    for (machine, name) in [
        (183_u16, "aarch64"),
        (243, "riscv64"),
        (22, "s390x"),
        (21, "powerpc64"),
    ] {
        let words = format!(
            "built for {name}, this machine is {}",
            std::env::consts::ARCH
        );
        let error = refused(
            &patched(18, &machine.to_ne_bytes()),
            "wrong_architecture",
            &words,
        );
        assert!(
            error.cure().starts_with("rebuild it with `--target "),
            "{}",
            error.cure()
        );
        assert!(error.cure().contains("-linux-"), "{}", error.cure());
    }
    refused(
        &patched(18, &[0xad, 0xde]),
        "wrong_architecture",
        "ELF machine 57005",
    );
}

#[test]
fn width_and_byte_order_are_part_of_the_processor() {
    let mut other = host();
    other.endian = Endianness::Big;
    refused_by(&other, &library(), "wrong_architecture", "(little-endian)");
    let mut other = host();
    other.pointer_width = 32;
    refused_by(&other, &library(), "wrong_architecture", "(64-bit)");
    // A class that does not fit the rest makes nonsense of the offsets; any refusal will do.
    inspect(&patched(4, &[1]), &host()).expect_err("patched to 32 bits");
    inspect(&patched(5, &[2]), &host()).expect_err("patched to big-endian");
}

#[test]
fn a_32_bit_library_is_named() {
    let mut header = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x28\0\x01\0\0\0".to_vec();
    header.resize(52, 0);
    let host = other_host(Os::Linux, Architecture::X86_64, "x86_64-unknown-linux-gnu");
    refused_by(
        &host,
        &header,
        "wrong_architecture",
        "built for arm (32-bit)",
    );
    header[18] = 62;
    refused_by(
        &host,
        &header,
        "wrong_architecture",
        "built for x86_64 (x32)",
    );
    // Big-endian, 64-bit.
    let mut header = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x03\0\x16\0\0\0\x01".to_vec();
    header.resize(64, 0);
    refused_by(&host, &header, "wrong_architecture", "built for s390x");
}

#[test]
fn other_systems() {
    refused(
        &patched(7, &[9]),
        "wrong_format",
        "built as ELF for FreeBSD, Linux loads ELF",
    );
    refused(&patched(7, &[97]), "wrong_format", "OS ABI 97");
    inspect(&patched(7, &[3]), &host()).expect("GNU extensions are Linux");
    let mac = other_host(Os::MacOs, Architecture::X86_64, "x86_64-apple-darwin");
    refused_by(
        &mac,
        &library(),
        "wrong_format",
        "built as ELF, macOS loads Mach-O",
    );
    let windows = other_host(Os::Windows, Architecture::X86_64, "x86_64-pc-windows-msvc");
    let error = refused_by(
        &windows,
        &library(),
        "wrong_format",
        "built as ELF, Windows loads PE",
    );
    assert_eq!(
        error.cure(),
        "install the build for Windows, or rebuild it there"
    );
}

#[test]
fn an_executable_stack() {
    let linked = compile_c(SOURCE, &["-shared", "-fPIC", "-Wl,-z,execstack"]);
    refused(&linked, "executable_stack", "executable stack");
    if cfg!(target_arch = "x86_64") {
        let stack = segment(&library(), 0x6474_e551);
        refused(
            &patched(stack, &[0; 4]),
            "executable_stack",
            "executable stack",
        );
    }
}

#[test]
fn a_glibc_that_is_too_old() {
    let mut old = host();
    old.glibc = Some(GlibcVersion { major: 2, minor: 0 });
    let error = refused_by(&old, &library(), "glibc_too_old", "this machine has 2.0");
    let InspectError::GlibcTooOld { needs, .. } = error else {
        panic!("the variant")
    };
    old.glibc = Some(needs);
    inspect(&library(), &old).expect("exactly the version it needs");
}
