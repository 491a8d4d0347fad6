//! Plugins built outside this workspace, as an author builds one: by another compiler, or with a
//! profile that this workspace forbids.

use std::{env, fs, path::PathBuf, process::Command};

use crate::{Fixture, fixture};

/// How a plugin is built.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// Keeps builds apart that differ in anything.
    pub label: &'a str,
    /// The toolchain, as rustup calls it; none for the one of this program.
    pub toolchain: Option<&'a str>,
    /// Further arguments of cargo.
    pub args: &'a [&'a str],
}

impl Build<'_> {
    /// Builds `fixtures/<name>.rs` as a package of its own.
    ///
    /// # Panics
    /// When it does not build.
    #[must_use]
    pub fn fixture(&self, name: &str) -> Fixture {
        let builds = fixture::place().join("standalone").join(self.label);
        let package = builds.join(name);
        fs::create_dir_all(&package).expect("the package's directory is made");
        let root = env!("CARGO_MANIFEST_DIR");
        let source = fixture::sources().join(name).with_extension("rs");
        let manifest = format!(
            "[workspace]\n[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [lib]\ncrate-type = [\"cdylib\"]\npath = {source:?}\n\
             [dependencies]\nhermes-plugin-api = {{ path = {:?}, default-features = false }}\n\
             serde = {{ version = \"1\", features = [\"derive\", \"rc\"] }}\nserde_json = \"1\"\ntracing = {{ version = \"0.1\", default-features = false, features = [\"std\"] }}\n",
            format!("{root}/../plugin-api"),
        );
        fs::write(package.join("Cargo.toml"), manifest).expect("the manifest is written");
        // The versions that are here already: nothing is downloaded.
        fs::copy(format!("{root}/../Cargo.lock"), package.join("Cargo.lock"))
            .expect("the lock file is copied");
        let target = builds.join("target");
        let mut cargo = match self.toolchain {
            None => fixture::cargo(),
            Some(toolchain) => {
                let mut rustup = Command::new("rustup");
                rustup.args(["run", toolchain, "cargo"]);
                for inherited in [
                    "CARGO",
                    "RUSTC",
                    "RUSTFLAGS",
                    "CARGO_ENCODED_RUSTFLAGS",
                    "RUSTUP_TOOLCHAIN",
                ] {
                    rustup.env_remove(inherited);
                }
                rustup
            }
        };
        cargo
            .args(["build", "--lib", "--offline", "--target-dir"])
            .arg(&target)
            .args(self.args)
            .current_dir(&package);
        fixture::run(&mut cargo);
        let library = crate::home::library_name(&name.replace('-', "_"));
        let built: PathBuf = target.join("debug").join(library);
        Fixture::of_bytes(
            name,
            fs::read(&built).unwrap_or_else(|error| panic!("{}: {error}", built.display())),
        )
    }
}

/// A toolchain that is not this program's, if there is one: its name and its version.
#[must_use]
pub fn other_toolchain() -> Option<(&'static str, String)> {
    let output = Command::new("rustup")
        .args(["run", "nightly", "rustc", "-V"])
        .env_remove("RUSTUP_TOOLCHAIN")
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let own = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("-V")
        .output()
        .ok()?;
    (String::from_utf8_lossy(&own.stdout).trim() != version).then_some(("nightly", version))
}
