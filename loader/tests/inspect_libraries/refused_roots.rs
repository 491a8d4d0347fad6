//! ELF libraries with no root, or with a root that will not do.

use hermes_loader::inspect::{AbiVersion, inspect};

use crate::compiled::{
    SOURCE, compile_c, compile_rust, find, library, rust_source, with_header, with_metadata,
};
use crate::fixture::{MAGIC, METADATA, host, refused, refused_by};

/// A library with these lines instead of a root.
#[track_caller]
fn check(lines: &str, code: &str, words: &str) {
    let hidden = "#define HIDDEN __attribute__((visibility(\"hidden\"), used))\n";
    refused(
        &compile_c(&format!("{hidden}{lines}"), &["-shared", "-fPIC"]),
        code,
        words,
    );
}

#[test]
fn no_entry_point() {
    check(
        "int other(void) { return 1; }",
        "no_entry_point",
        "does not export `hermes_plugin_v1`",
    );
    check(
        "void *PyInit_spam(void) { return 0; }",
        "no_entry_point",
        "a Python extension module",
    );
    check(
        "void napi_register_module_v1(void) {}",
        "no_entry_point",
        "a Node.js native module",
    );
    check(
        "void register_(void) asm(\"register\"); void register_(void) {}",
        "no_entry_point",
        "`register` makes it look like a plugin of another system",
    );
    check(
        "HIDDEN const int hermes_plugin_v1 = 1;",
        "no_entry_point",
        "hidden",
    );
}

#[test]
fn an_entry_point_that_is_not_data() {
    check(
        "char hermes_plugin_v1[64];",
        "entry_point_unusable",
        "zero-filled memory",
    );
    check(
        "void hermes_plugin_v1(void) {}",
        "entry_point_unusable",
        "code, not data",
    );
    check(
        "__thread char hermes_plugin_v1[64] = {1};",
        "entry_point_unusable",
        "not data",
    );
    check(
        "extern char hermes_plugin_v1[64]; char *use(void) { return hermes_plugin_v1; }",
        "entry_point_unusable",
        "imported, not defined",
    );
}

#[test]
fn an_entry_point_outside_the_file() {
    let mut bytes = library();
    // The size of the symbol and its address follow each other; 64 bytes is only this one.
    let root = find(&bytes, MAGIC) as u64;
    let symbols: Vec<usize> = (0..bytes.len() - 24)
        .filter(|at| bytes[at + 16..at + 24] == 64_u64.to_ne_bytes())
        .filter(|at| bytes[*at + 8..*at + 12] != [0; 4] && bytes[*at + 4] == 0x11)
        .collect();
    assert!(!symbols.is_empty() && root > 0);
    for at in symbols {
        bytes[at + 8..at + 16].copy_from_slice(&0x7fff_ffff_0000_u64.to_ne_bytes());
    }
    refused(&bytes, "entry_point_unusable", "outside the file");
}

#[test]
fn another_magic() {
    let mut bytes = library();
    let at = find(&bytes, MAGIC);
    bytes[at] = b'h';
    refused(&bytes, "wrong_magic", "found `68 45 52");
    check(
        "const int hermes_plugin_v1 = 7;",
        "wrong_magic",
        "does not begin with the plugin magic",
    );
}

#[test]
fn header_and_root_sizes() {
    refused(
        &with_header(16, 55),
        "header_too_small",
        "header of 55 bytes, expected 56",
    );
    refused(&with_header(16, 0), "header_too_small", "header of 0 bytes");
    refused(
        &with_header(40, 65),
        "root_size",
        "root of 65 bytes, expected 56 to 64",
    );
    refused(&with_header(40, 8), "root_size", "root of 8 bytes");
    refused(
        &with_header(16, 400),
        "root_size",
        "root of 64 bytes, expected 400 to 64",
    );
    let short = r#"const char hermes_plugin_v1[20] = "HERMES-PLUGIN\0\x1a\n";"#;
    check(short, "header_too_small", "header of 20 bytes");
}

#[test]
fn another_abi_major() {
    refused(
        &with_header(20, 2),
        "abi_major",
        "built for plugin ABI 2, this host speaks 1.1",
    );
    let old = refused(&with_header(20, 0), "abi_major", "built for plugin ABI 0");
    assert_eq!(old.cure(), "rebuild the plugin against plugin ABI 1");
    let only = SOURCE.replace("hermes_plugin_v1", "hermes_plugin_v2");
    let later = refused(
        &compile_c(&only, &["-shared", "-fPIC"]),
        "abi_major",
        "plugin ABI 2",
    );
    assert!(later.cure().starts_with("update the host"));
    let mut next = host();
    next.abi = AbiVersion { major: 2, minor: 0 };
    refused_by(
        &next,
        &library(),
        "abi_major",
        "built for plugin ABI 1, this host speaks 2.0",
    );
}

#[test]
fn both_majors_in_one_library() {
    let both = SOURCE.replace(
        "__attribute__((section",
        "EXPORT const char hermes_plugin_v2[64] = {1};\n__attribute__((section",
    );
    inspect(&compile_c(&both, &["-shared", "-fPIC"]), &host()).expect("this host's is there");
}

#[test]
fn flags_widths_and_sizes() {
    refused(
        &with_header(52, 0x10),
        "unknown_flags",
        "0x0000001000000000",
    );
    refused(
        &with_header(32, 32),
        "pointer_width",
        "made for 32-bit pointers",
    );
    refused(
        &with_header(36, 16),
        "value_size",
        "values of 16 bytes, expected 24",
    );
}

#[test]
fn panics_that_abort() {
    refused(
        &with_metadata(&METADATA.replace("none", "abort")),
        "panic_abort",
        "panic = \"abort\"",
    );
    let abort = &["-Cpanic=abort"][..];
    let honest = compile_rust(&rust_source("abort"), abort);
    refused(&honest, "panic_abort", "panic = \"abort\"");
    let lying = compile_rust(&rust_source("unwind"), abort);
    let error = refused(&lying, "no_unwinder", "_Unwind_RaiseException");
    assert!(error.cure().contains("panic = \"abort\""));
}

#[test]
fn only_rust_that_may_panic_needs_an_unwinder() {
    let rust = with_metadata(&METADATA.replace("\"c\"", "\"rust\""));
    inspect(&rust, &host()).expect("it promises not to panic");
    let mut bytes = rust;
    let at = find(&bytes, MAGIC) + 48;
    bytes[at] = 0;
    refused(&bytes, "no_unwinder", "_Unwind_RaiseException");
    inspect(&with_header(48, 0), &host()).expect("C has no panics");
}
