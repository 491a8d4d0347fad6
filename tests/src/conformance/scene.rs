//! The home of a case, its plugins, and the host over it.
//!
//! A plugin has the keys of `plugins.json`, and may have `at` (its directory in the home, instead of one that
//! keeps the order of the file), `manifest` (the text of its `plugin.yaml`) and `fixture` (the library, instead
//! of the scripted one; null for none).

use std::{
    fs,
    path::{Path, PathBuf},
};

use hermes_loader::{Home, Host, discover::Surroundings};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::Case;
use crate::{Fixture, cases::Plugin, home::library_name, records::Records};

/// Everything that steps act on.
pub(super) struct Scene {
    dir: TempDir,
    project: bool,
    host: Option<Host>,
    /// Warnings and errors since the case began.
    pub(super) records: Records,
}

impl Scene {
    pub(super) fn set(case: &Case) -> Result<Self, String> {
        let records = Records::capture();
        let dir = tempfile::tempdir().map_err(|error| error.to_string())?;
        let scene = Self {
            dir,
            project: case.project,
            host: None,
            records,
        };
        let mut config = case.config.clone().unwrap_or_else(|| json!({}));
        let mut names = Vec::new();
        for (number, entry) in case.plugins.iter().enumerate() {
            let name = scene
                .place(number, entry.clone(), &mut config)
                .map_err(|why| format!("plugin {number}: {why}"))?;
            names.push(name);
        }
        if case.config.is_none() {
            config["plugins"]["enabled"] = json!(names);
        }
        scene.write("config.yaml", &config.to_string())?;
        for (path, text) in &case.files {
            scene.write(path, text)?;
        }
        Ok(scene)
    }

    /// The host, loaded when it is first asked for.
    pub(super) fn host(&mut self) -> &Host {
        let (home, cwd) = (self.home(), self.path().join("project"));
        let project_enabled = self.project;
        self.host.get_or_insert_with(|| {
            let surroundings = Surroundings {
                project_enabled,
                cwd: Some(cwd),
                ..Surroundings::default()
            };
            Host::builder(Home::at(home))
                .surroundings(surroundings)
                .safe_mode(false)
                .load()
        })
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path().to_owned()
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Puts a plugin into the home; gives its name.
    fn place(&self, number: usize, entry: Value, config: &mut Value) -> Result<String, String> {
        let Value::Object(mut entry) = entry else {
            return Err("expected an object".to_owned());
        };
        let at = entry.remove("at");
        let manifest = entry.remove("manifest");
        let fixture = entry.remove("fixture");
        let chosen = match fixture {
            None => None,
            Some(Value::Null) => Some(None),
            Some(Value::String(name)) => Some(Some(name)),
            Some(other) => return Err(format!("`fixture`: {other}")),
        };
        let plugin = Plugin::read(Value::Object(entry))?;
        let name = plugin.name.clone();
        let dir = match at {
            None => format!("plugins/{number:02}-{name}"),
            Some(Value::String(at)) => at,
            Some(other) => return Err(format!("`at`: {other}")),
        };
        let text = match manifest {
            None => Value::Object(plugin.manifest()).to_string(),
            Some(Value::String(text)) => text,
            Some(other) => return Err(format!("`manifest`: {other}")),
        };
        self.write(&format!("{dir}/plugin.yaml"), &text)?;
        let library = match chosen {
            None => Some(plugin.library()),
            Some(None) => None,
            Some(Some(fixture)) => Some(match fixture.strip_suffix(".c") {
                Some(source) => Fixture::of_c(source),
                None => Fixture::built(&fixture),
            }),
        };
        if let Some(library) = library {
            let file = self.path().join(&dir).join(library_name(&name));
            fs::write(file, library.bytes()).map_err(|error| error.to_string())?;
            let own = plugin.config(&Map::new(), self.path());
            let entries = &mut config["plugins"]["entries"];
            if entries[&name]["config"].is_null() {
                entries[&name]["config"] = own;
            }
        }
        Ok(name)
    }

    fn write(&self, relative: &str, text: &str) -> Result<(), String> {
        let file = self.path().join(relative);
        let failed = |error: std::io::Error| format!("{relative}: {error}");
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent).map_err(failed)?;
        }
        fs::write(&file, text).map_err(failed)
    }
}
