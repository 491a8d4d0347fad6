//! Libraries compiled for this machine, and patched afterwards.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::fixture::{MAGIC, METADATA};

/// Room for other metadata in the compiled library; the rest is spaces.
pub(crate) const METADATA_ROOM: usize = 2048;

/// A plugin in C, as the header file's macro will write it.
pub(crate) const SOURCE: &str = r#"
#include <stdint.h>
#include <stdlib.h>
struct root {
    unsigned char magic[16];
    uint32_t header_size, abi_major, abi_minor, catalogue;
    uint32_t pointer_width, value_size, root_size, reserved;
    uint64_t flags;
    void *(*create)(void);
};
static void *create(void) { return malloc(1); }
#define EXPORT __attribute__((visibility("default"), used))
EXPORT const struct root hermes_plugin_v1 = {
    {'H','E','R','M','E','S','-','P','L','U','G','I','N',0,0x1a,'\n'},
    56, 1, 1, 2, 8 * sizeof(void *), 24, sizeof(struct root), 0, 1, create
};
__attribute__((section(".hermes_plugin"), used)) static const char metadata[] = METADATA;
"#;

/// The C plugin, compiled.
pub(crate) fn library() -> Vec<u8> {
    static LIBRARY: OnceLock<Vec<u8>> = OnceLock::new();
    LIBRARY
        .get_or_init(|| compile_c(SOURCE, &["-shared", "-fPIC"]))
        .clone()
}

/// The C plugin with other metadata.
pub(crate) fn with_metadata(text: &str) -> Vec<u8> {
    let mut bytes = library();
    let at = find(&bytes, METADATA.as_bytes());
    assert!(text.len() <= METADATA_ROOM, "the metadata has no room");
    bytes[at..at + METADATA_ROOM].fill(b' ');
    bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
    bytes
}

/// The C plugin with another word in its header.
pub(crate) fn with_header(offset: usize, value: u32) -> Vec<u8> {
    let mut bytes = library();
    let at = find(&bytes, MAGIC) + offset;
    bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    bytes
}

/// Where `needle` begins.
#[track_caller]
pub(crate) fn find(bytes: &[u8], needle: &[u8]) -> usize {
    let mut places = bytes
        .windows(needle.len())
        .enumerate()
        .filter(|(_, part)| *part == needle);
    let (at, _) = places.next().expect("the file holds what is patched");
    at
}

/// What `cc` makes of a source. `METADATA` is defined as the metadata, padded.
pub(crate) fn compile_c(source: &str, args: &[&str]) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let padded = format!("{METADATA:METADATA_ROOM$}").replace('"', "\\\"");
    std::fs::write(
        dir.path().join("plugin.c"),
        format!("#define METADATA \"{padded}\"\n{source}"),
    )
    .expect("the source is written");
    run(
        Command::new("cc")
            .args(["-O1", "-w", "-o", "out", "plugin.c"])
            .args(args),
        dir.path(),
    );
    std::fs::read(dir.path().join("out")).expect("the compiler wrote a file")
}

/// What `rustc` makes of a source.
pub(crate) fn compile_rust(source: &str, args: &[&str]) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(dir.path().join("plugin.rs"), source).expect("the source is written");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command
        .args([
            "--edition=2024",
            "-Cstrip=symbols",
            "-o",
            "out",
            "plugin.rs",
        ])
        .args(args);
    run(&mut command, dir.path());
    std::fs::read(dir.path().join("out")).expect("the compiler wrote a file")
}

#[track_caller]
fn run(command: &mut Command, dir: &Path) {
    let output = command
        .current_dir(dir)
        .output()
        .expect("the compiler is installed");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A plugin in Rust: `std`, one function that may panic, the root and the metadata.
pub(crate) fn rust_source(panic: &str) -> String {
    let metadata = METADATA
        .replace(r#""language":"c""#, r#""language":"rust""#)
        .replace(r#""panic":"none""#, &format!(r#""panic":"{panic}""#));
    let size = metadata.len();
    format!(
        r##"#![crate_type = "cdylib"]
#[repr(C)]
pub struct Root {{
    magic: [u8; 16], words: [u32; 8], flags: u64, create: extern "C" fn(u32) -> u32,
}}
#[unsafe(no_mangle)]
pub static hermes_plugin_v1: Root = Root {{
    magic: *b"HERMES-PLUGIN\0\x1a\n",
    words: [56, 1, 1, 2, usize::BITS, 24, size_of::<Root>() as u32, 0],
    flags: 0,
    create,
}};
#[used]
#[unsafe(link_section = ".hermes_plugin")]
static METADATA: [u8; {size}] = *br#"{metadata}"#;
extern "C" fn create(n: u32) -> u32 {{
    std::panic::catch_unwind(|| if n == 7 {{ panic!("seven") }} else {{ n }}).unwrap_or(0)
}}
"##
    )
}
