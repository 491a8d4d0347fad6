//! Libraries compiled for this machine that pass, and what is read from them.

use hermes_loader::inspect::{Format, Outcome, PanicStrategy, inspect};

use crate::compiled::{self, with_header};
use crate::fixture::{self, METADATA};

#[test]
fn a_plugin_in_c() {
    let found = inspect(&compiled::library(), &fixture::host()).expect("a good plugin");
    assert_eq!(found.format, Format::Elf);
    assert_eq!(found.metadata.name, "sample");
    assert_eq!(found.metadata.version, "0.3.1");
    assert_eq!(found.metadata.panic, PanicStrategy::None);
    assert_eq!(found.metadata.role.as_deref(), Some("guard"));
    assert_eq!(found.metadata.hooks, ["pre_tool_call"]);
    assert_eq!(found.metadata.requires.abi_minor, 1);
    assert_eq!(found.metadata.requires.extensions, ["hermes.tools/1"]);
    assert_eq!(
        found.metadata.requires.hooks,
        ["pre_tool_call", "post_tool_call.status"]
    );
    assert_eq!(found.header.abi, found.metadata.abi);
    assert_eq!(found.header.catalogue, 2);
    assert_eq!(found.header.root_size, 64);
    assert!(found.header.no_panic());
    assert_eq!(&found.header.raw[..16], fixture::MAGIC);
    assert!(
        found.needed.iter().any(|name| name.starts_with("libc.")),
        "{:?}",
        found.needed
    );
    assert!(found.glibc_floor.is_some());
}

#[test]
fn a_plugin_in_rust() {
    let bytes = compiled::compile_rust(&compiled::rust_source("unwind"), &[]);
    let found = inspect(&bytes, &fixture::host()).expect("a good plugin");
    assert_eq!(found.metadata.language, "rust");
    assert!(
        found
            .checks
            .iter()
            .all(|check| check.outcome == Outcome::Passed),
        "{:?}",
        found.checks
    );
}

#[test]
fn bytes_at_any_alignment() {
    let mut bytes = vec![0; 3];
    bytes.extend(compiled::library());
    inspect(&bytes[3..], &fixture::host()).expect("a good plugin");
}

#[test]
fn a_later_minor_an_unknown_low_flag_and_any_catalogue_load() {
    let abi = compiled::with_metadata(&METADATA.replace(r#""abi":"1.1""#, r#""abi":"1.9""#));
    let later = patch(abi, 24, 9);
    let found = inspect(&later, &fixture::host()).expect("any minor of the same major");
    assert_eq!(found.header.abi.minor, 9);
    let flags = inspect(&with_header(48, 0x8000_0001), &fixture::host()).expect("low flags");
    assert_eq!(flags.header.flags, 0x8000_0001);
    let catalogue =
        compiled::with_metadata(&METADATA.replace(r#""catalogue":2"#, r#""catalogue":77"#));
    inspect(&patch(catalogue, 28, 77), &fixture::host()).expect("any catalogue");
}

fn patch(mut bytes: Vec<u8>, offset: usize, value: u32) -> Vec<u8> {
    let at = compiled::find(&bytes, fixture::MAGIC) + offset;
    bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    bytes
}

#[test]
fn an_unknown_glibc_is_not_checked_rather_than_passed() {
    let mut host = fixture::host();
    host.glibc = None;
    let found = inspect(&compiled::library(), &host).expect("a good plugin");
    let glibc = found
        .checks
        .iter()
        .find(|check| check.name == "glibc version");
    assert!(matches!(
        glibc.map(|check| check.outcome),
        Some(Outcome::NotCheckedHere(_))
    ));
}
