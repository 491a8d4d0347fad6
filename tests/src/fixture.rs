//! Compiled plugins: built once per process, and patched where a test needs what no compiler makes.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::Value;

/// Where the built fixtures are, when another process has built them already.
pub const PLACE: &str = "HERMES_TESTS_FIXTURES";

/// One library's bytes, and the plugin's name.
#[derive(Clone, Debug)]
pub struct Fixture {
    name: String,
    bytes: Arc<[u8]>,
}

impl Fixture {
    /// The fixture `fixtures/<name>.rs`.
    ///
    /// # Panics
    /// When the fixtures do not build.
    #[must_use]
    pub fn built(name: &str) -> Self {
        static READ: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = read.entry(name.to_owned()).or_insert_with(|| {
            let file = place().join(super::home::library_name(&name.replace('-', "_")));
            fs::read(&file)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
                .into()
        });
        Self {
            name: name.to_owned(),
            bytes: Arc::clone(bytes),
        }
    }

    /// A plugin of `plugins/`, as this workspace builds it.
    ///
    /// # Panics
    /// When it does not build.
    #[must_use]
    pub fn shipped(name: &str) -> Self {
        static BUILT: Mutex<BTreeMap<String, Arc<[u8]>>> = Mutex::new(BTreeMap::new());
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = built.entry(name.to_owned()).or_insert_with(|| {
            let library = format!("{}{}", name.replace('-', "_"), std::env::consts::DLL_SUFFIX);
            let files = artifacts(&["--lib"], name);
            let file = files
                .iter()
                .find(|file| file.to_string_lossy().ends_with(&library));
            let file = file.unwrap_or_else(|| panic!("cargo built no library of `{name}`"));
            let place = place().join("shipped");
            fs::create_dir_all(&place).expect("the directory of the plugins is made");
            put(file, &place);
            let copy = place.join(file.file_name().expect("a file has a name"));
            fs::read(&copy)
                .unwrap_or_else(|error| panic!("{}: {error}", copy.display()))
                .into()
        });
        Self {
            name: name.to_owned(),
            bytes: Arc::clone(bytes),
        }
    }

    /// A library from anywhere.
    pub fn of_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            name: name.to_owned(),
            bytes: bytes.into(),
        }
    }

    /// What a C compiler makes of a source file of `fixtures/`.
    ///
    /// # Panics
    /// When it does not compile.
    #[must_use]
    pub fn of_c(name: &str) -> Self {
        let source = sources().join(name).with_extension("c");
        let out = tempfile::tempdir().expect("the system has a temporary directory");
        let library = out.path().join("out");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o"])
            .arg(&library)
            .arg(&source);
        run(&mut cc);
        Self::of_bytes(name, fs::read(&library).expect("the compiler wrote a file"))
    }

    /// What the compiler makes of a source file of `fixtures/` alone, without any crate.
    ///
    /// # Panics
    /// When it does not compile.
    #[must_use]
    pub fn of_rustc(name: &str, args: &[&str]) -> Self {
        let source = sources().join(name).with_extension("rs");
        let out = tempfile::tempdir().expect("the system has a temporary directory");
        let library = out.path().join("out");
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut rustc = Command::new(rustc);
        rustc
            .args(["--edition=2024", "--crate-type=cdylib", "-o"])
            .arg(&library)
            .args(args)
            .arg(&source);
        run(&mut rustc);
        Self::of_bytes(name, fs::read(&library).expect("the compiler wrote a file"))
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The library.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same with another name, in its metadata too.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        let mut renamed = self.with_metadata(|document| document["name"] = name.into());
        name.clone_into(&mut renamed.name);
        renamed
    }

    /// The same with another metadata document, which must not be longer.
    ///
    /// # Panics
    /// When the library has none, or the new one has no room.
    #[must_use]
    pub fn with_metadata(&self, change: impl FnOnce(&mut Value)) -> Self {
        let changed = self.try_metadata(change);
        changed.unwrap_or_else(|text| panic!("no room for {text}"))
    }

    /// The same, where there is room for it.
    ///
    /// # Errors
    /// The document that has no room.
    ///
    /// # Panics
    /// When the library has none.
    pub fn try_metadata(&self, change: impl FnOnce(&mut Value)) -> Result<Self, String> {
        let (at, room) = self.document();
        let mut document: Value =
            serde_json::from_slice(&self.bytes[at..at + room]).expect("the document is JSON");
        change(&mut document);
        let text = document.to_string();
        if text.len() > room {
            return Err(text);
        }
        let mut bytes = self.bytes.to_vec();
        bytes[at..at + room].fill(b' ');
        bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        Ok(Self {
            name: self.name.clone(),
            bytes: bytes.into(),
        })
    }

    /// The same with another byte sequence somewhere in its header; see the ABI for offsets.
    ///
    /// # Panics
    /// When the library has no header.
    #[must_use]
    pub fn with_header(&self, offset: usize, new: &[u8]) -> Self {
        let at = self.find(b"HERMES-PLUGIN\0\x1a\n") + offset;
        let mut bytes = self.bytes.to_vec();
        bytes[at..at + new.len()].copy_from_slice(new);
        Self {
            name: self.name.clone(),
            bytes: bytes.into(),
        }
    }

    /// Where the document begins, and how much room it has: itself, and spaces behind it.
    fn document(&self) -> (usize, usize) {
        let at = self.find(br#"{"format":1,"name":""#);
        let rest = &self.bytes[at..];
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        stream
            .next()
            .and_then(Result::ok)
            .expect("the document is JSON");
        let end = stream.byte_offset();
        let spaces = rest[end..].iter().take_while(|byte| **byte == b' ').count();
        (at, end + spaces)
    }

    #[track_caller]
    fn find(&self, needle: &[u8]) -> usize {
        self.bytes
            .windows(needle.len())
            .position(|part| part == needle)
            .unwrap_or_else(|| panic!("`{}` has no {}", self.name, String::from_utf8_lossy(needle)))
    }
}

/// The directory of the fixtures' sources.
#[must_use]
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Builds the fixtures, unless this process or its parent has.
pub fn build_all() {
    place();
}

/// Where the built fixtures are.
///
/// # Panics
/// When they do not build.
pub fn place() -> &'static Path {
    static PLACED: OnceLock<PathBuf> = OnceLock::new();
    PLACED.get_or_init(|| match env::var_os(PLACE) {
        Some(place) => place.into(),
        None => build(),
    })
}

/// Cargo builds all examples of this package: those with a runtime of their own in a second go, since
/// the feature would change how the others work. Cargo's own lock keeps processes from getting into each
/// other's way.
fn build() -> PathBuf {
    let with_tokio = artifacts(&["--example=sleeps-on-tokio", "--features=tokio"], OWN);
    let place = with_tokio
        .first()
        .and_then(|file| file.parent())
        .expect("cargo built a library")
        .join("for-tests");
    // Other processes may read while this one writes, so files are replaced as a whole.
    fs::create_dir_all(&place).expect("the directory of the fixtures is made");
    for file in with_tokio.iter().chain(&artifacts(&["--examples"], OWN)) {
        put(file, &place);
    }
    place
}

/// Copies a library without its debug information, which is most of it: every load reads, hashes and
/// copies the whole. Nothing is done when the copy is newer.
///
/// # Panics
/// When the file system refuses.
pub fn put(file: &Path, place: &Path) {
    let to = place.join(file.file_name().unwrap_or_default());
    let time = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    if time(&to) >= time(file) && time(&to).is_some() {
        return;
    }
    let unfinished = place.join(format!(".unfinished-{}", std::process::id()));
    fs::copy(file, &unfinished).expect("the library is copied");
    // A machine without `strip` has slower tests, no other ones.
    let _ = Command::new("strip")
        .arg("--strip-debug")
        .arg(&unfinished)
        .stderr(Stdio::null())
        .status();
    fs::rename(&unfinished, &to).expect("the library is put in its place");
}

/// The program `hermes`, built once per process.
///
/// # Panics
/// When it does not build.
pub fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let files = artifacts(&["--bin=hermes"], "hermes-native");
        files.into_iter().next().expect("cargo built the program")
    })
}

/// This package.
const OWN: &str = "hermes-tests";

/// A target directory inside the one that this program is in.
fn apart() -> PathBuf {
    let program = env::current_exe().expect("the system knows this program");
    let mut above = program.ancestors();
    let target = above.find(|above| above.join("CACHEDIR.TAG").exists());
    let target =
        target.unwrap_or_else(|| panic!("{} is in no target directory", program.display()));
    target.join("tmp").join("plugins")
}

/// The libraries and programs that cargo says it built of a package.
fn artifacts(which: &[&str], package: &str) -> Vec<PathBuf> {
    let mut cargo = cargo();
    cargo
        .args([
            "build",
            "--message-format=json-render-diagnostics",
            "--package",
            package,
        ])
        .args(which);
    if package != OWN {
        // Built by itself a package may have other features than built with the whole. A library that is
        // also a plugin has one file for both, which the tests that are running were linked with.
        cargo.arg("--target-dir").arg(apart());
    }
    let output = run(cargo.stdout(Stdio::piped()));
    let wanted = which.join(" ");
    let files = output.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        if wanted.contains("--bin") {
            return Some(PathBuf::from(message["executable"].as_str()?));
        }
        let kinds = message["target"]["kind"].as_array()?;
        let kind = if wanted.contains("--lib") {
            "cdylib"
        } else {
            "example"
        };
        let names = message["filenames"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str);
        let mut libraries = names.filter(|file| file.ends_with(std::env::consts::DLL_SUFFIX));
        let library = libraries.next()?;
        kinds
            .iter()
            .any(|one| one == kind)
            .then(|| PathBuf::from(library))
    });
    files.collect()
}

/// Cargo as this program was built with, in this package, for ordinary plugins: flags for the host (a
/// sanitizer) are not for them.
#[must_use]
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    for flag in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(flag);
    }
    cargo
}

/// Runs a command, and gives what it printed.
///
/// # Panics
/// When it fails; with what it said.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command
        .stderr(Stdio::piped())
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{said}",
        output.status
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
