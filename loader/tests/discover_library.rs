//! Which file of a plugin's directory is its library.

use std::fs;
use std::path::PathBuf;

use hermes_loader::discover::{Content, LibraryNaming};
use hermes_loader::manifest::Manifest;

const LINUX: LibraryNaming = LibraryNaming {
    prefix: "lib",
    suffix: ".so",
};
const MACOS: LibraryNaming = LibraryNaming {
    prefix: "lib",
    suffix: ".dylib",
};
const WINDOWS: LibraryNaming = LibraryNaming {
    prefix: "",
    suffix: ".dll",
};

/// What is found among `files` for a plugin called `tool-guard`; paths as seen from its directory.
#[track_caller]
fn check(files: &[&str], library: Option<&str>, naming: LibraryNaming, wanted: &str) {
    let dir = tempfile::tempdir().expect("temp dir");
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        if file.ends_with('/') {
            fs::create_dir_all(path).expect("directory");
        } else {
            fs::write(path, "").expect("file");
        }
    }
    let mut manifest = Manifest::named("tool-guard");
    manifest.library = library.map(PathBuf::from);
    let names = |paths: &[PathBuf]| {
        let name = |path: &PathBuf| {
            path.strip_prefix(dir.path())
                .map(|p| p.display().to_string())
        };
        let names: Vec<String> = paths.iter().filter_map(|path| name(path).ok()).collect();
        names.join(" ")
    };
    let content = Content::of(dir.path(), &manifest, naming);
    let found = match &content {
        Content::Native(path) => format!("native {}", names(std::slice::from_ref(path))),
        Content::Python => "python".to_owned(),
        Content::Missing(wanted) => format!("missing {}", names(wanted)),
        Content::Ambiguous(found) => format!("several {}", names(found)),
        other => format!("{other:?}"),
    };
    assert_eq!(found, wanted, "{files:?}");
    assert_eq!(content.library().is_some(), wanted.starts_with("native"));
}

#[test]
fn the_file_named_after_the_plugin() {
    check(
        &["libtool-guard.so", "libother.so"],
        None,
        LINUX,
        "native libtool-guard.so",
    );
    check(
        &["libtool_guard.so", "libother.so"],
        None,
        LINUX,
        "native libtool_guard.so",
    );
    check(
        &["libtool_guard.so", "libtool-guard.so"],
        None,
        LINUX,
        "native libtool-guard.so",
    );
    check(
        &["libtool_guard.dylib", "libtool_guard.so"],
        None,
        MACOS,
        "native libtool_guard.dylib",
    );
    check(
        &["tool_guard.dll", "libtool_guard.so"],
        None,
        WINDOWS,
        "native tool_guard.dll",
    );
}

#[test]
fn the_manifests_word_comes_first() {
    check(
        &["a/libx.so", "libtool-guard.so"],
        Some("a/libx.so"),
        LINUX,
        "native a/libx.so",
    );
    check(
        &["libtool-guard.so"],
        Some("libx.so"),
        LINUX,
        "missing libx.so",
    );
    check(
        &["libx.so/", "libtool-guard.so"],
        Some("libx.so"),
        LINUX,
        "native libx.so",
    );
    check(
        &["libx.so", "__init__.py"],
        Some("libx.so"),
        LINUX,
        "native libx.so",
    );
}

#[test]
fn the_only_library() {
    check(
        &["libother.so", "readme.md"],
        None,
        LINUX,
        "native libother.so",
    );
    check(
        &["libb.so", "liba.so"],
        None,
        LINUX,
        "several liba.so libb.so",
    );
    check(&["libb.so", "liba.so/"], None, LINUX, "native libb.so");
    check(&["libb.so", "liba.dll"], None, LINUX, "native libb.so");
}

#[test]
fn no_library() {
    check(
        &[],
        None,
        LINUX,
        "missing libtool-guard.so libtool_guard.so",
    );
    check(
        &["libx.dll"],
        None,
        LINUX,
        "missing libtool-guard.so libtool_guard.so",
    );
    // That it is a directory is for the permissions to say.
    check(
        &["libtool-guard.so/"],
        None,
        LINUX,
        "native libtool-guard.so",
    );
}

#[test]
fn python_plugins_are_left_alone() {
    check(&["__init__.py"], None, LINUX, "python");
    check(
        &["__init__.py", "_speedups.cpython-312-x86_64-linux-gnu.so"],
        None,
        LINUX,
        "python",
    );
    check(
        &["__init__.py", "libtool_guard.so"],
        None,
        LINUX,
        "native libtool_guard.so",
    );
}
