//! Builds plugins with cargo, and finds what it made.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::problem::Problem;

/// Builds the packages; gives their libraries, in their order.
pub(super) fn build(
    checkout: &Path,
    packages: &[&str],
    quiet: bool,
) -> Result<Vec<PathBuf>, Problem> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.current_dir(checkout).args([
        "build",
        "--release",
        "--message-format",
        "json-render-diagnostics",
    ]);
    if quiet {
        command.arg("--quiet");
    }
    for package in packages {
        command.args(["-p", package]);
    }
    let built = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            Problem::new(format!(
                "{} cannot be started: {error}",
                Path::new(&cargo).display()
            ))
            .cure("install Rust: https://rustup.rs")
        })?;
    if !built.status.success() {
        return Err(
            Problem::new(format!("cargo could not build {}", packages.join(", ")))
                .cure("see what it says above"),
        );
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let messages: Vec<Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    packages
        .iter()
        .map(|package| library(&messages, package))
        .collect()
}

/// The dynamic library of a package, from what cargo says it made.
fn library(messages: &[Value], package: &str) -> Result<PathBuf, Problem> {
    let crate_name = package.replace('-', "_");
    let made = messages.iter().filter(|message| {
        message.get("reason").and_then(Value::as_str) == Some("compiler-artifact")
    });
    let own = made.filter(|message| {
        message.pointer("/target/name").and_then(Value::as_str) == Some(&crate_name)
    });
    let files = own
        .filter_map(|message| message.get("filenames")?.as_array())
        .flatten()
        .filter_map(Value::as_str);
    let mut libraries = files.filter(|file| file.ends_with(std::env::consts::DLL_SUFFIX));
    libraries.next_back().map(PathBuf::from).ok_or_else(|| {
        Problem::new(format!("cargo built `{package}`, but no library of it")).cure(format!(
            "crate-type in plugins/{package}/Cargo.toml must have \"cdylib\""
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_library_is_found_by_its_package() {
        let file = format!("/t/release/libmy_plugin{}", std::env::consts::DLL_SUFFIX);
        let made = |name: &str, files: &[&str]| json!({"reason": "compiler-artifact", "target": {"name": name}, "filenames": files});
        let messages = [
            made("other", &["/t/libother.rlib"]),
            made("my_plugin", &["/t/libmy_plugin.rlib", &file]),
            json!({"reason": "build-finished"}),
        ];
        assert_eq!(
            library(&messages, "my-plugin").ok(),
            Some(PathBuf::from(file))
        );
        assert!(library(&messages, "other").is_err());
        assert!(library(&messages, "gone").is_err());
    }
}
