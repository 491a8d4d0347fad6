//! A home to run the program over, and plugins to put into it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use assert_cmd::Command;
use serde_json::Value;

/// The program under test, away from whatever the machine has set.
pub(crate) fn hermes() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hermes"));
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HERMES_"))
    {
        command.env_remove(name);
    }
    command
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("TZ", "UTC")
        .stdin(Stdio::null());
    command
}

/// A home that is deleted in the end.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

/// How a run went.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The result as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}\n{}", self.out, self.err))
    }
}

impl Home {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// A home with hello-plugin in it, enabled.
    pub(crate) fn with_hello() -> Self {
        let home = Self::new();
        home.put(hello(), "hello-plugin", "role: guard\n");
        home.write("config.yaml", "plugins:\n  enabled: [hello-plugin]\n");
        home
    }

    /// A home with the scripted plugin, doing what `on` says.
    pub(crate) fn with_scripted(on: &str) -> Self {
        let home = Self::new();
        let (library, name) = scripted();
        home.put(library, name, "");
        home.write("config.yaml", &format!("plugins:\n  enabled: [{name}]\n  entries:\n    {name}:\n      config: {{on: {on}}}\n"));
        home
    }

    /// A home with the plugin that offers commands, tools and skills, those that `config` says, and the name
    /// of the plugin.
    pub(crate) fn with_offers(config: &str) -> (Self, &'static str) {
        let home = Self::new();
        let (library, name) = offers();
        home.put(library, name, "");
        home.write(
            "config.yaml",
            &format!(
                "plugins:\n  enabled: [{name}]\n  entries:\n    {name}:\n      config: {config}\n"
            ),
        );
        (home, name)
    }

    /// Puts a library into the home, as an install would.
    fn put(&self, library: &Path, name: &str, more: &str) {
        self.plugin(name, &format!("name: {name}\nversion: \"0.1.0\"\n{more}"));
        let file = library.file_name().expect("a name");
        fs::copy(library, self.path("plugins").join(name).join(file)).expect("copied");
    }

    /// Where the home is; it is not there before something makes it.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().join("home").join(relative)
    }

    /// A place beside the home.
    pub(crate) fn beside(&self, relative: &str) -> PathBuf {
        self.dir.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: &str) -> PathBuf {
        write(self.path(relative), text)
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_default()
    }

    /// Puts a plugin with this manifest, and no library, into the home.
    pub(crate) fn plugin(&self, directory: &str, manifest: &str) {
        self.write(&format!("plugins/{directory}/plugin.yaml"), manifest);
    }

    pub(crate) fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = hermes();
        command
            .env("HERMES_HOME", self.path(""))
            .env("HOME", self.dir.path())
            .current_dir(self.dir.path())
            .args(args);
        command
    }

    pub(crate) fn run(&self, args: &[&str], stdin: &str) -> Ran {
        let output = Command::from_std(self.command(args))
            .write_stdin(stdin)
            .output()
            .expect("the program runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Ran {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Runs the program: its exit code, and what must be in each stream. An empty list of words means that
    /// the stream must be empty.
    #[track_caller]
    pub(crate) fn check(&self, args: &[&str], code: i32, out: &[&str], err: &[&str]) -> Ran {
        let ran = self.run(args, "");
        let shown = format!(
            "hermes {}\n--- exit {:?}\n--- stdout\n{}\n--- stderr\n{}",
            args.join(" "),
            ran.code,
            ran.out,
            ran.err
        );
        assert_eq!(ran.code, Some(code), "{shown}");
        for (name, stream, words) in [("stdout", &ran.out, out), ("stderr", &ran.err, err)] {
            assert!(
                !words.is_empty() || stream.is_empty(),
                "{name} is not empty\n{shown}"
            );
            for word in words {
                assert!(
                    stream.contains(word),
                    "{name} does not say {word:?}\n{shown}"
                );
            }
        }
        ran
    }
}

/// Writes a file, with the directories above it.
pub(crate) fn write(path: PathBuf, text: &str) -> PathBuf {
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    fs::write(&path, text).expect("the file");
    path
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

/// The library of examples/hello-plugin, really compiled.
pub(crate) fn hello() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        build(
            &["-p", "hello-plugin", "--target-dir", APART],
            "hello_plugin",
        )
    })
}

/// Puts the library of examples/hello-plugin into a directory.
pub(crate) fn copy_hello(dir: &Path) {
    let file = hello().file_name().expect("a name");
    fs::copy(hello(), dir.join(file)).expect("copied");
}

/// The plugin that does what its configuration says, really compiled, and what it calls itself.
pub(crate) fn scripted() -> (&'static Path, &'static str) {
    static LIBRARY: OnceLock<(PathBuf, String)> = OnceLock::new();
    example("scripted", &LIBRARY)
}

/// The plugin that offers what its configuration says, really compiled, and what it calls itself.
fn offers() -> (&'static Path, &'static str) {
    static LIBRARY: OnceLock<(PathBuf, String)> = OnceLock::new();
    example("offers", &LIBRARY)
}

fn example(
    example: &str,
    kept: &'static OnceLock<(PathBuf, String)>,
) -> (&'static Path, &'static str) {
    let (library, name) = kept.get_or_init(|| {
        let library = build(&["-p", "hermes-tests", "--example", example], example);
        let about = Home::new()
            .run(&["plugins", "check", &text(&library), "--json"], "")
            .json();
        let name = about
            .pointer("/0/name")
            .and_then(Value::as_str)
            .expect("it has a name");
        (library, name.to_owned())
    });
    (library, name)
}

/// Where plugins are built that are libraries as well: built by itself a package may have other features than
/// built with the whole, and those libraries have one file for both.
const APART: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/plugins");

/// Lets cargo build a plugin, in the target directory of these tests, and asks it where the library is.
fn build(what: &[&str], target: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "build",
            "--quiet",
            "--message-format",
            "json-render-diagnostics",
        ])
        .args(what)
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let messages = String::from_utf8(output.stdout).expect("UTF-8");
    let mut libraries = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_it = message.pointer("/target/name")?.as_str()? == target;
        let files = message
            .get("filenames")
            .filter(|_| is_it)?
            .as_array()?
            .clone();
        files
            .iter()
            .filter_map(Value::as_str)
            .find(|file| file.ends_with(std::env::consts::DLL_SUFFIX))
            .map(PathBuf::from)
    });
    libraries.next_back().expect("cargo made a library")
}
