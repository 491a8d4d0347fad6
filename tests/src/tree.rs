//! The source tree, for tests that look at the whole of it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The root of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// Every file of the tree that is source, with its path from the root: no build output, nothing hidden
/// but `.ci` and `.cargo`.
#[must_use]
pub fn files() -> Vec<(String, PathBuf)> {
    let root = root();
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files.sort();
    files
}

fn walk(root: &Path, dir: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let hidden =
            name.starts_with('.') && !matches!(name.as_str(), ".ci" | ".cargo" | ".github");
        if hidden || name == "target" && path.join("CACHEDIR.TAG").exists() {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, files);
        } else if let Ok(relative) = path.strip_prefix(root) {
            files.push((relative.to_string_lossy().replace('\\', "/"), path.clone()));
        }
    }
}
