//! Files that no linker would write: whatever they hold, the answer is a verdict, and soon.

use std::time::{Duration, Instant};

use hermes_loader::inspect::{Architecture, HostFacts, Os, inspect};

use crate::compiled::{compile_rust, library, rust_source};
use crate::fixture::{self, other_host};
use crate::{macho, pe};

/// Far above what a linear reader takes for the largest file here, far below a quadratic one.
const SOON: Duration = Duration::from_secs(5);

/// Flips, fills and cuts at every `step`th place; a panic fails the test.
fn mutate(whole: &[u8], host: &HostFacts, step: usize) {
    let mut bytes = whole.to_vec();
    for at in (0..whole.len()).step_by(step) {
        let _ = inspect(&whole[..at], host);
        for with in [
            0x00,
            0x01,
            0x7f,
            0xff,
            whole[at] ^ 0x80,
            whole[at].wrapping_add(1),
        ] {
            bytes[at] = with;
            let _ = inspect(&bytes, host);
        }
        // A whole word, so that offsets and counts become as large, or negative, as they can.
        let word = at & !7;
        if at == word && word + 8 <= bytes.len() {
            for with in [[0xff; 8], [0x7f; 8], [0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]] {
                bytes[word..word + 8].copy_from_slice(&with);
                let _ = inspect(&bytes, host);
            }
            bytes[word..word + 8].copy_from_slice(&whole[word..word + 8]);
        }
        bytes[at] = whole[at];
    }
    assert_eq!(bytes, whole, "every change was taken back");
}

#[test]
fn every_place_of_the_headers_of_a_c_library() {
    let whole = library();
    mutate(&whole, &fixture::host(), 7);
    // The file header, the program headers and the first tables, byte by byte.
    let host = fixture::host();
    let mut bytes = whole.clone();
    for at in 0..0x800.min(whole.len()) {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            let _ = inspect(&bytes, &host);
            bytes[at] ^= 1 << bit;
        }
    }
    // The section headers at the end.
    for at in whole.len().saturating_sub(0x900)..whole.len() {
        for with in [0x00, 0xff, whole[at] ^ 1] {
            bytes[at] = with;
            let _ = inspect(&bytes, &host);
            bytes[at] = whole[at];
        }
    }
}

#[test]
fn thousands_of_places_of_a_rust_library() {
    let whole = compile_rust(&rust_source("unwind"), &["-O"]);
    mutate(&whole, &fixture::host(), (whole.len() / 600) | 1);
}

#[test]
fn every_place_of_a_macho_library() {
    let library = macho::Library::default();
    mutate(&library.build(), &macho::host(library.arch), 1);
    let fat = macho::fat(&[library.clone(), library.clone()], true);
    mutate(&fat[..0x1100], &macho::host(library.arch), 3);
}

#[test]
fn every_place_of_a_pe_library() {
    let host = other_host(Os::Windows, Architecture::X86_64, "x86_64-pc-windows-msvc");
    mutate(&pe::Library::default().build(), &host, 1);
}

/// An ELF file with so many loaded segments, and with these sections: kind, content, linked section.
fn elf(loads: u16, sections: &[(u32, &[u8], u32)]) -> Vec<u8> {
    let mut host = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
    host.resize(64, 0);
    let mut bytes = host;
    // A dynamic segment, a stack that is not executable, and loads.
    let kinds = [2_u32, 0x6474_e551]
        .into_iter()
        .chain(std::iter::repeat_n(1, loads.into()));
    for kind in kinds {
        bytes.extend([kind.to_le_bytes(), 6_u32.to_le_bytes()].concat());
        for field in [0, 0x1000, 0x1000, 64, 64, 8_u64] {
            bytes.extend(field.to_le_bytes());
        }
    }
    let mut places = vec![(0_u32, 0, 0, 0)];
    for (kind, content, link) in sections {
        places.push((*kind, bytes.len(), content.len(), *link));
        bytes.extend(*content);
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let table = bytes.len() as u64;
    for (kind, at, size, link) in &places {
        bytes.extend([0_u32.to_le_bytes(), kind.to_le_bytes()].concat());
        for field in [0, 0, *at as u64, *size as u64] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend([link.to_le_bytes(), 0_u32.to_le_bytes()].concat());
        bytes.extend([0; 16]);
    }
    bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
    bytes[40..48].copy_from_slice(&table.to_le_bytes());
    bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
    bytes[56..58].copy_from_slice(&(loads + 2).to_le_bytes());
    bytes[58..60].copy_from_slice(&64_u16.to_le_bytes());
    bytes[60..62].copy_from_slice(&(places.len() as u16).to_le_bytes());
    bytes
}

#[track_caller]
fn check_soon(bytes: &[u8], code: &str) {
    let host = other_host(Os::Linux, Architecture::X86_64, "x86_64-unknown-linux-gnu");
    let started = Instant::now();
    let error = inspect(bytes, &host).expect_err("no plugin");
    assert_eq!(error.code(), code, "{error}");
    assert!(started.elapsed() < SOON, "took {:?}", started.elapsed());
}

#[test]
fn a_version_table_that_overlaps_itself() {
    // Each library of the table claims 65535 versions, which lie where the next libraries do.
    let entry = [1, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0];
    let table = entry.repeat(1 << 18);
    check_soon(
        &elf(1, &[(3, b"\0", 0), (0x6fff_fffe, &table, 1)]),
        "malformed",
    );
}

#[test]
fn many_symbols_with_one_endless_name() {
    let symbols = [
        0x01, 0, 0, 0, 0x11, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    .repeat(200_000);
    let strings = vec![b'x'; 8 << 20];
    check_soon(
        &elf(1, &[(3, &strings, 0), (11, &symbols, 1)]),
        "no_entry_point",
    );
}

#[test]
fn many_definitions_of_the_entry_point() {
    let symbols = [
        0x01, 0, 0, 0, 0x11, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x70, 0, 0, 0, 0, 0, 0, 0, 0,
    ]
    .repeat(200_000);
    check_soon(
        &elf(
            60_000,
            &[(3, b"\0hermes_plugin_v1\0", 0), (11, &symbols, 1)],
        ),
        "entry_point_unusable",
    );
}
