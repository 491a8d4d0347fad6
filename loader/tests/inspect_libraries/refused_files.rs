//! Files that are no library at all.

use crate::fixture::refused;

#[test]
fn nothing() {
    refused(b"", "empty_file", "empty");
}

#[test]
fn texts() {
    refused(
        b"#!/usr/bin/env python3\nprint()\n",
        "text_file",
        "looks like a script",
    );
    refused(b"import hermes\n", "text_file", "looks like a text file");
    refused(
        "# h\u{e9}t\u{e9}rodoxe\n".as_bytes(),
        "text_file",
        "looks like a text file",
    );
    refused(b"\n", "text_file", "looks like a text file");
    refused(
        b"MZ is how this text begins\n",
        "text_file",
        "looks like a text file",
    );
    refused(
        b"\xff\xfet\0e\0x\0t\0",
        "text_file",
        "looks like a text file",
    );
    refused(
        b"\xef\xbb\xbf#!/bin/sh\n",
        "text_file",
        "looks like a script",
    );
    refused(
        b"  <!DOCTYPE HTML><html>404",
        "text_file",
        "looks like a web page",
    );
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    let error = refused(pointer, "text_file", "looks like a git-lfs pointer");
    assert!(error.cure().contains("git lfs pull"));
    // The 512th byte cuts a character in two.
    refused(
        &[b"x".repeat(511), "\u{e9}".repeat(9).into()].concat(),
        "text_file",
        "a text file",
    );
}

#[test]
fn archives() {
    refused(b"!<arch>\nlib.rmeta/      0\0", "archive", "`.rlib`");
    refused(b"!<thin>\n", "archive", "archive of object files");
}

#[test]
fn other_binaries_are_named_where_known() {
    refused(b"PK\x03\x04\x14\0\0\0", "unknown_format", "a zip archive");
    refused(b"\x1f\x8b\x08\0", "unknown_format", "a gzip archive");
    refused(b"\0asm\x01\0\0\0", "unknown_format", "a WebAssembly module");
    refused(
        b"\xca\xfe\xba\xbe\0\0\0\x34",
        "unknown_format",
        "a Java class",
    );
    refused(b"BC\xc0\xde", "unknown_format", "LLVM bitcode");
    refused(
        &[0; 4096],
        "unknown_format",
        "begins with `00 00 00 00 00 00 00 00`",
    );
    refused(b"\xfe\xed", "unknown_format", "begins with `fe ed`");
}

#[test]
fn the_first_bytes_of_an_elf_file() {
    refused(b"\x7f", "truncated", "the ELF header");
    refused(b"\x7fEL", "truncated", "the ELF header");
    refused(b"\x7fELF", "truncated", "the ELF header");
    refused(
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
        "truncated",
        "ends at byte 64, the file has 16",
    );
}
