//! Builds plugins in C, puts them into homes and loads them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use hermes_loader::discover::Surroundings;
use hermes_loader::{Builder, Decision, Home, Host, State};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const CC: (&str, &str) = ("CC", "cc");
pub(crate) const CXX: (&str, &str) = ("CXX", "g++");
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds a library out of one source file.
#[track_caller]
pub(crate) fn build(
    (variable, usual): (&str, &str),
    source: &Path,
    flags: &[&str],
    library: &Path,
) {
    let program = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let mut command = Command::new(&program);
    command.args(STRICT).args(["-fPIC", "-shared"]).args(flags);
    command
        .arg("-I")
        .arg(repository().join("plugin-api/include"))
        .arg(source)
        .arg("-o")
        .arg(library);
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{program} is needed for C plugins: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{program} {flags:?}:\n{said}"
    );
}

/// A home with one plugin in it.
pub(crate) struct Installed {
    root: TempDir,
    name: &'static str,
}

impl Installed {
    #[track_caller]
    pub(crate) fn new(name: &'static str, make: impl FnOnce(&Path)) -> Self {
        let root = tempfile::tempdir().expect("there is room for a home");
        let dir = root.path().join("plugins").join(name);
        fs::create_dir_all(&dir).expect("the plugin's directory can be made");
        let library = dir.join(format!(
            "lib{}{}",
            name.replace('-', "_"),
            std::env::consts::DLL_SUFFIX
        ));
        make(&library);
        fs::write(dir.join("plugin.yaml"), format!("name: {name}\n"))
            .expect("the manifest can be written");
        // Whatever the umask: what others can write is refused.
        for (path, mode) in [
            (&root.path().join("plugins"), 0o755),
            (&dir, 0o755),
            (&library, 0o644),
        ] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
                .expect("permissions can be set");
        }
        Self { root, name }
    }

    /// Loads it with this configuration, in JSON, which is YAML too.
    pub(crate) fn load(&self, config: &Value) -> Host {
        self.load_with(config, |builder| builder)
    }

    /// The same with a host that is made further.
    pub(crate) fn load_with(&self, config: &Value, make: impl FnOnce(Builder) -> Builder) -> Host {
        let name = self.name;
        let text = json!({"plugins": {"enabled": [name], "entries": {name: {"config": config}}}});
        fs::write(self.root.path().join("config.yaml"), text.to_string())
            .expect("the configuration can be written");
        let home = Home::at(self.root.path());
        let builder = Host::builder(home)
            .surroundings(Surroundings::default())
            .safe_mode(false);
        make(builder).load()
    }
}

/// What the compiler makes of a C text, once per process.
#[track_caller]
pub(crate) fn compiled(
    name: &'static str,
    text: &str,
    kept: &'static OnceLock<Vec<u8>>,
) -> Installed {
    let bytes = kept.get_or_init(|| {
        let dir = tempfile::tempdir().expect("there is room for a build");
        let (source, library) = (dir.path().join("text.c"), dir.path().join("made"));
        fs::write(&source, text).expect("the text can be written");
        build(CC, &source, &["-std=c11", "-fvisibility=hidden"], &library);
        fs::read(&library).expect("the library can be read")
    });
    Installed::new(name, |library| {
        fs::write(library, bytes).expect("the library can be written")
    })
}

#[track_caller]
pub(crate) fn assert_loaded(host: &Host) {
    let report = host.report();
    assert!(
        report
            .plugins
            .iter()
            .all(|plugin| matches!(plugin.state, State::Loaded)),
        "{report}"
    );
    assert!(report.is_healthy(), "{report} {:?}", report.problems);
}

#[track_caller]
pub(crate) fn decision(host: &Host, tool: &str, command: &str) -> Decision {
    let payload = json!({"tool_name": tool, "args": {"command": command}});
    host.fire_json("pre_tool_call", &payload)
        .expect("the payload is an object")
        .decision
}

#[track_caller]
pub(crate) fn blocked(host: &Host, tool: &str, command: &str) -> String {
    match decision(host, tool, command) {
        Decision::Block { message, .. } => message,
        other => panic!("expected a block, found {other:?}"),
    }
}
