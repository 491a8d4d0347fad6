//! Tells the crate which compiler and target it is built for, for the plugin's metadata.

use std::{env, process::Command};

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "rustc (unknown version)".into());
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=HERMES_COMPILER={}", version.trim());
    println!("cargo::rustc-env=HERMES_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
