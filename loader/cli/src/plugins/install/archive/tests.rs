//! Archives that are as they should be, and each way in which one can be hostile.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

const SMALL: Limits = Limits {
    files: 10,
    bytes: 10_000,
};

/// Unpacks what `make` wrote, and gives the files with their contents.
fn unpacked(name: &str, bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let dir = tempfile::tempdir().expect("a directory");
    let (archive, into) = (dir.path().join(name), dir.path().join("into"));
    fs::write(&archive, bytes).expect("the archive");
    fs::create_dir(&into).expect("a directory");
    let went = unpack(&archive, &into, SMALL);
    let beside: Vec<PathBuf> = fs::read_dir(dir.path())
        .expect("readable")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(beside.len(), 2, "something came out beside it: {beside:?}");
    went.map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    list(&into, &into, &mut files);
    files.sort();
    Ok(files)
}

fn list(root: &Path, dir: &Path, into: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("an entry").path();
        assert!(!path.is_symlink(), "{path:?}");
        if path.is_dir() {
            list(root, &path, into);
        } else {
            let name = path
                .strip_prefix(root)
                .expect("inside")
                .display()
                .to_string();
            into.push((name, fs::read_to_string(&path).expect("text")));
        }
    }
}

/// A tar of raw headers: a writer that is no fool would not write these.
fn tar_of(entries: &[(EntryType, &str, &str, &str)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (kind, name, target, content) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        let field = &mut header.as_old_mut().linkname;
        field[..target.len()].copy_from_slice(target.as_bytes());
        header.set_cksum();
        builder
            .append(&header, content.as_bytes())
            .expect("written");
    }
    builder.into_inner().expect("written")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("written")
}

fn zip_of(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .expect("started");
        writer.write_all(content.as_bytes()).expect("written");
    }
    writer.finish().expect("written").into_inner()
}

const FILE: EntryType = EntryType::Regular;
const SYMLINK: EntryType = EntryType::Symlink;

#[track_caller]
fn refused(entries: &[(EntryType, &str, &str, &str)], why: &str) {
    let tar = tar_of(entries);
    for (name, bytes) in [
        ("x.tar", tar.clone()),
        ("x.tar.gz", gzip(&tar)),
        ("x.tgz", gzip(&tar)),
    ] {
        match unpacked(name, &bytes) {
            Err(error) => assert!(error.contains(why), "{error}"),
            Ok(files) => panic!("{name} was unpacked: {files:?}"),
        }
    }
}

#[test]
fn what_is_honest_comes_out_whole() {
    let tar = tar_of(&[
        (EntryType::Directory, "p/", "", ""),
        (FILE, "./p/plugin.yaml", "", "name: p\n"),
        (FILE, "p/lib/x.1", "", "one"),
        (SYMLINK, "p/lib/x", "x.0", ""),
        (SYMLINK, "p/lib/x.0", "../lib/x.1", ""),
        (EntryType::Link, "p/y", "p/lib/x.1", ""),
    ]);
    let wanted: Vec<(String, String)> = [
        ("p/lib/x", "one"),
        ("p/lib/x.0", "one"),
        ("p/lib/x.1", "one"),
        ("p/plugin.yaml", "name: p\n"),
        ("p/y", "one"),
    ]
    .map(|(name, content)| (name.to_owned(), content.to_owned()))
    .to_vec();
    assert_eq!(unpacked("x.tar", &tar), Ok(wanted.clone()));
    assert_eq!(unpacked("x.tar.gz", &gzip(&tar)), Ok(wanted));
    let zip = zip_of(&[("p/plugin.yaml", "name: p\n"), ("p/a", "b")]);
    assert_eq!(unpacked("x.zip", &zip).map(|files| files.len()), Ok(2));
}

#[test]
fn names_that_lead_out() {
    for name in ["../x", "a/../../x", "a/.."] {
        refused(&[(FILE, name, "", "x")], "`..`");
    }
    refused(&[(FILE, "/tmp/x", "", "x")], "absolute");
    refused(&[(FILE, "C:x", "", "x")], "absolute");
    refused(&[(FILE, "a\\..\\x", "", "x")], "backslash");
    refused(&[(EntryType::Directory, "../d/", "", "")], "`..`");
    refused(&[(FILE, ".", "", "")], "names no file");
    for name in ["../x", "/tmp/x", "a/../../x", "..\\x"] {
        let zip = zip_of(&[(name, "x")]);
        assert!(unpacked("x.zip", &zip).is_err(), "{name}");
    }
}

#[test]
fn links_that_lead_out() {
    for target in ["/etc/passwd", "../x", "a/../../x", "missing", ""] {
        refused(&[(SYMLINK, "l", target, "")], "is a link to");
    }
    refused(&[(EntryType::Link, "l", "../x", "")], "is a link to");
    refused(&[(EntryType::Link, "l", "/etc/passwd", "")], "is a link to");
    // To a directory, and around in a circle.
    refused(
        &[(FILE, "d/f", "", "x"), (SYMLINK, "l", "d", "")],
        "is a link to",
    );
    refused(
        &[(SYMLINK, "a", "b", ""), (SYMLINK, "b", "a", "")],
        "is a link to",
    );
    // Nothing is written through a link that came before.
    refused(
        &[
            (SYMLINK, "l", "d", ""),
            (FILE, "d/f", "", "x"),
            (FILE, "l/f", "", "x"),
        ],
        "is a link to",
    );
    let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
    writer
        .add_symlink("l", "../../etc/passwd", SimpleFileOptions::default())
        .expect("written");
    let zip = writer.finish().expect("written").into_inner();
    let error = unpacked("x.zip", &zip).expect_err("refused");
    assert!(error.contains("is a link to"), "{error}");
}

#[test]
fn what_is_no_file() {
    refused(&[(EntryType::Char, "null", "", "")], "a device");
    refused(&[(EntryType::Block, "disk", "", "")], "a device");
    refused(&[(EntryType::Fifo, "pipe", "", "")], "a pipe");
    let zip = zip_of(&[("x", "x")]);
    // The mode in the central directory: a character device.
    let at = zip
        .windows(4)
        .rposition(|bytes| bytes == b"PK\x01\x02")
        .expect("a directory");
    let mut device = zip.clone();
    device[at + 5] = 3;
    device[at + 38..at + 42].copy_from_slice(&(0o020_644_u32 << 16).to_le_bytes());
    let error = unpacked("x.zip", &device).expect_err("refused");
    assert!(error.contains("neither a file nor a directory"), "{error}");
}

#[test]
fn bombs() {
    let big = "0".repeat(20_000);
    refused(&[(FILE, "a", "", &big)], "more than 10000 bytes");
    let half = "0".repeat(6_000);
    refused(
        &[(FILE, "a", "", &half), (FILE, "b", "", &half)],
        "more than 10000 bytes",
    );
    refused(
        &[
            (FILE, "a", "", &half),
            (SYMLINK, "b", "a", ""),
            (SYMLINK, "c", "a", ""),
        ],
        "more than 10000 bytes",
    );
    let many: Vec<String> = (0..20).map(|n| format!("f{n}")).collect();
    let entries: Vec<_> = many
        .iter()
        .map(|name| (FILE, name.as_str(), "", ""))
        .collect();
    refused(&entries, "more than 10 files");
    let error = unpacked("x.zip", &zip_of(&[("a", &big)])).expect_err("refused");
    assert!(error.contains("more than 10000 bytes"), "{error}");
    let entries: Vec<_> = many.iter().map(|name| (name.as_str(), "")).collect();
    let error = unpacked("x.zip", &zip_of(&entries)).expect_err("refused");
    assert!(error.contains("more than 10 files"), "{error}");
    // A long name that would have to be kept in memory.
    let long = "n".repeat(2 << 20);
    let tar = tar_of(&[(EntryType::XHeader, "h", "", &long), (FILE, "a", "", "")]);
    let error = unpacked("x.tgz", &gzip(&tar)).expect_err("refused");
    assert!(error.contains("more than"), "{error}");
    let zeros = gzip(&vec![0; 1 << 20]);
    assert_eq!(
        unpacked("x.tgz", &zeros),
        Ok(Vec::new()),
        "a tar may end with zeros"
    );
}

#[test]
fn two_of_one_name() {
    refused(&[(FILE, "a", "", "1"), (FILE, "./a", "", "2")], "twice");
    refused(
        &[
            (FILE, "a", "", "1"),
            (FILE, "b", "", "2"),
            (SYMLINK, "a", "b", ""),
        ],
        "twice",
    );
}

#[test]
fn what_is_no_archive() {
    for name in ["x.tar", "x.tar.gz", "x.zip"] {
        let error = unpacked(name, b"#!/bin/sh\n").expect_err("refused");
        assert!(
            error.contains("cannot be read as an archive"),
            "{name}: {error}"
        );
    }
    let mut cut = gzip(&tar_of(&[(FILE, "a", "", &"x".repeat(5000))]));
    cut.truncate(cut.len() / 2);
    assert!(
        unpacked("x.tgz", &cut).is_err(),
        "a download that broke off"
    );
}

#[test]
fn the_plugin_is_found_in_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path();
    assert_eq!(plugin_in(root), root);
    fs::create_dir_all(root.join("x-1.0/x")).expect("directories");
    fs::create_dir(root.join("__MACOSX")).expect("a directory");
    let library = root.join(format!("x-1.0/x/libx{}", std::env::consts::DLL_SUFFIX));
    fs::write(&library, "").expect("a file");
    fs::write(root.join("x-1.0/x/README"), "").expect("a file");
    assert_eq!(plugin_in(root), library);
    fs::write(root.join("x-1.0/plugin.yaml"), "").expect("a file");
    assert_eq!(plugin_in(root), root.join("x-1.0"));
}
