//! A home in a temporary directory, with plugins in it as an operator puts them there.

use std::{
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
};

use hermes_loader::{Home, Host, PluginReport, Refusal, Report, State, discover::Surroundings};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::Fixture;

/// One plugin as it is put into a home.
#[derive(Debug)]
#[must_use]
pub struct Placed {
    directory: String,
    manifest: Map<String, Value>,
    entry: Map<String, Value>,
    file: String,
    bytes: Vec<u8>,
}

impl Placed {
    /// A library in a directory of its own name.
    pub fn new(fixture: &Fixture) -> Self {
        let name = fixture.name();
        Self {
            directory: name.to_owned(),
            manifest: Map::from_iter([("name".to_owned(), json!(name))]),
            entry: Map::new(),
            file: library_name(name),
            bytes: fixture.bytes().to_vec(),
        }
    }

    /// Bytes that may be no library at all.
    pub fn bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            directory: name.to_owned(),
            manifest: Map::from_iter([("name".to_owned(), json!(name))]),
            entry: Map::new(),
            file: library_name(name),
            bytes: bytes.into(),
        }
    }

    /// In another directory.
    pub fn directory(mut self, directory: &str) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// One more line of the manifest.
    pub fn manifest(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.manifest.insert(key.to_owned(), value.into());
        self
    }

    /// Its role is `guard`.
    pub fn guard(self) -> Self {
        self.manifest("role", "guard")
    }

    /// One more line of its entry in `config.yaml`.
    pub fn entry(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.entry.insert(key.to_owned(), value.into());
        self
    }

    /// Its own configuration.
    pub fn config(self, config: Value) -> Self {
        self.entry("config", config)
    }

    /// The name it is enabled by.
    fn name(&self) -> &str {
        self.manifest
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(&self.directory)
    }
}

impl From<&Fixture> for Placed {
    fn from(fixture: &Fixture) -> Self {
        Self::new(fixture)
    }
}

/// What a library of this name is called on this system.
#[must_use]
pub fn library_name(name: &str) -> String {
    format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

/// A home that lasts as long as the test.
#[derive(Debug)]
pub struct TestHome {
    dir: TempDir,
    enabled: Vec<String>,
    required: Vec<String>,
    entries: Map<String, Value>,
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHome {
    /// An empty home.
    ///
    /// # Panics
    /// When the system has no temporary directory.
    #[must_use]
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("the system has a temporary directory");
        Self {
            dir,
            enabled: Vec::new(),
            required: Vec::new(),
            entries: Map::new(),
        }
    }

    /// A home with these plugins, all enabled.
    #[must_use]
    pub fn with(plugins: impl IntoIterator<Item = Placed>) -> Self {
        plugins.into_iter().fold(Self::new(), Self::plugin)
    }

    /// Puts a plugin into the home and enables it.
    ///
    /// # Panics
    /// When the file system refuses.
    #[must_use]
    pub fn plugin(mut self, plugin: impl Into<Placed>) -> Self {
        let plugin = plugin.into();
        self.place(&self.plugins(), &plugin);
        self.enabled.push(plugin.name().to_owned());
        if !plugin.entry.is_empty() {
            self.entries
                .insert(plugin.name().to_owned(), plugin.entry.into());
        }
        self.write_config();
        self
    }

    /// Writes names into `plugins.required`.
    ///
    /// # Panics
    /// When the file system refuses.
    #[must_use]
    pub fn requires<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.required.extend(names.into_iter().map(str::to_owned));
        self.write_config();
        self
    }

    /// Puts a plugin into another root.
    ///
    /// # Panics
    /// When the file system refuses.
    pub fn place(&self, root: &Path, plugin: &Placed) {
        let dir = root.join(&plugin.directory);
        fs::create_dir_all(&dir).expect("the plugin's directory is made");
        let manifest = Value::Object(plugin.manifest.clone()).to_string();
        fs::write(dir.join("plugin.yaml"), manifest).expect("the manifest is written");
        fs::write(dir.join(&plugin.file), &plugin.bytes).expect("the library is written");
    }

    /// JSON is YAML.
    fn write_config(&self) {
        let config = json!({"plugins": {
            "enabled": self.enabled, "required": self.required, "entries": self.entries
        }});
        fs::write(self.path().join("config.yaml"), config.to_string())
            .expect("the configuration is written");
    }

    /// The home's directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Where its plugins are.
    #[must_use]
    pub fn plugins(&self) -> PathBuf {
        self.path().join("plugins")
    }

    /// The home as the loader knows it.
    #[must_use]
    pub fn home(&self) -> Home {
        Home::at(self.path())
    }

    /// A host over this home, which looks nowhere else.
    #[must_use]
    pub fn load(&self) -> Host {
        Host::builder(self.home())
            .surroundings(Surroundings::default())
            .safe_mode(false)
            .load()
    }
}

/// A plugin's line in a report.
#[derive(Debug)]
pub struct Line {
    report: Arc<Report>,
    plugin: String,
}

impl Deref for Line {
    type Target = PluginReport;

    fn deref(&self) -> &PluginReport {
        let Self { report, plugin } = self;
        report
            .get(plugin)
            .unwrap_or_else(|| panic!("`{plugin}` is not in the report: {report:#?}"))
    }
}

/// Why a plugin was refused.
#[derive(Debug)]
pub struct Refused(Line);

impl Deref for Refused {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        match &self.0.state {
            State::Refused(refusal) => refusal,
            other => panic!("`{}` was not refused: {other:?}", self.0.plugin),
        }
    }
}

/// What the report says of a plugin.
///
/// # Panics
/// When it is read and the report says nothing.
#[must_use]
pub fn report(host: &Host, plugin: &str) -> Line {
    Line {
        report: host.report(),
        plugin: plugin.to_owned(),
    }
}

/// Why a plugin was refused.
///
/// # Panics
/// When it is read and the plugin was not.
#[must_use]
pub fn refusal(host: &Host, plugin: &str) -> Refused {
    Refused(report(host, plugin))
}

/// Makes sure that a plugin loaded.
///
/// # Panics
/// When it did not.
#[track_caller]
pub fn loaded(host: &Host, plugin: &str) {
    let line = report(host, plugin);
    let state = &line.state;
    assert!(
        matches!(state, State::Loaded),
        "`{plugin}` is not loaded: {state:?}"
    );
}
