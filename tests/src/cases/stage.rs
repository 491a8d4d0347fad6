//! The homes of a case, with its plugins in them, and the hosts over them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use hermes_loader::{Home, Host, discover::Surroundings};
use serde_json::{Map, Value, json};

use super::{
    control::Control,
    observed::Standing,
    read::{Case, Unreadable},
    script::Plugin,
    standing,
};
use crate::home::library_name;

/// Everything an event may meet.
pub(super) struct Stage<'c> {
    case: &'c Case,
    hosts: BTreeMap<Option<String>, Host>,
    /// How plugins stood before something was done to the system.
    gone: Mutex<Vec<Standing>>,
}

impl<'c> Stage<'c> {
    /// Puts the plugins in place, and loads them. The order of the file is the order of loading, or its
    /// reverse.
    pub(super) fn set(case: &'c Case, backwards: bool) -> Result<Self, Unreadable> {
        let mut profiles: Vec<Option<String>> =
            case.events().map(|event| event.profile.clone()).collect();
        profiles.extend(
            case.configs()
                .map(|(profile, _)| profile.map(str::to_owned)),
        );
        if profiles.is_empty() {
            profiles.push(None);
        }
        profiles.sort();
        profiles.dedup();
        let mut hosts = BTreeMap::new();
        for profile in profiles {
            let home = home(case, profile.as_deref());
            furnish(case, profile.as_deref(), &home, backwards)
                .map_err(|error| Unreadable::new(home.display().to_string(), error))?;
            let host = Host::builder(Home::at(&home))
                .surroundings(Surroundings::default())
                .safe_mode(false)
                .load();
            hosts.insert(profile, host);
        }
        Ok(Self {
            case,
            hosts,
            gone: Mutex::default(),
        })
    }

    /// The host of a profile.
    pub(super) fn host(&self, profile: Option<&str>) -> Option<&Host> {
        self.hosts.get(&profile.map(str::to_owned))
    }

    /// All hosts.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &Host> {
        self.hosts.values()
    }

    /// How the plugins stand, with what instances before them recorded.
    pub(super) fn standing(&self) -> Vec<Standing> {
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        standing::after(std::mem::take(&mut *gone), standing::of(self.case, self))
    }

    /// Does something to the system, in every home, and has the hosts look again.
    pub(super) fn control(&self, control: &Control) -> std::io::Result<()> {
        let before = standing::of(self.case, self);
        for profile in self.hosts.keys() {
            let plugins = home(self.case, profile.as_deref()).join("plugins");
            match control {
                Control::ReplaceLibrary { plugin, to } => {
                    let next = self
                        .case
                        .plugins
                        .iter()
                        .find(|entry| entry.name == *plugin && entry.version == *to);
                    let next = next.ok_or_else(|| {
                        std::io::Error::other(format!("plugins.json has no `{plugin}` {to}"))
                    })?;
                    put(&place(&plugins, plugin), next)?;
                    let file = plugins.with_file_name("config.yaml");
                    let mut config: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
                    let own = next.config(
                        &settings(self.case, profile.as_deref(), plugin),
                        self.case.dir(),
                    );
                    config["plugins"]["entries"][plugin]["config"] = own;
                    fs::write(&file, config.to_string())?;
                }
                Control::HalfWrittenFile { plugin } => {
                    let dir = place(&plugins, plugin);
                    fs::create_dir_all(&dir)?;
                    let whole = crate::Fixture::built("scripted");
                    let half = whole
                        .bytes()
                        .get(..whole.bytes().len() / 2)
                        .unwrap_or_default();
                    fs::write(dir.join(library_name(plugin)), half)?;
                }
                Control::RemoveDirectory { plugin } => fs::remove_dir_all(place(&plugins, plugin))?,
            }
        }
        for host in self.hosts.values() {
            // Where a call does not end, its plugin stays: the call is what the case is about.
            let _ = host.reload();
        }
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        *gone = standing::after(std::mem::take(&mut *gone), before);
        Ok(())
    }
}

/// The home of a profile; the case itself is the home of no profile.
pub(super) fn home(case: &Case, profile: Option<&str>) -> PathBuf {
    match profile {
        None => case.dir().to_owned(),
        Some(name) => case.dir().join("profiles").join(name),
    }
}

/// The directory of a plugin: one that is there, or a new one.
fn place(plugins: &Path, name: &str) -> PathBuf {
    let entries = fs::read_dir(plugins)
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let mut directories = entries.map(|entry| entry.path());
    let suffix = format!("-{name}");
    let numbered = directories.find(|path| {
        let directory = path.file_name().unwrap_or_default().to_string_lossy();
        directory == name
            || directory
                .strip_suffix(&suffix)
                .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    numbered.unwrap_or_else(|| plugins.join(name))
}

/// Puts a plugin into a directory: its manifest, unless the case brought one, and its library as a whole.
fn put(dir: &Path, plugin: &Plugin) -> std::io::Result<()> {
    fs::create_dir_all(dir)?;
    let brought = ["plugin.yaml", "plugin.yml"]
        .iter()
        .any(|file| dir.join(file).is_file());
    let ours = dir.join(".written-by-the-runner");
    if !brought || ours.exists() {
        fs::write(
            dir.join("plugin.yaml"),
            Value::Object(plugin.manifest()).to_string(),
        )?;
        fs::write(&ours, "")?;
    }
    let unfinished = dir.join(".unfinished");
    fs::write(&unfinished, plugin.library().bytes())?;
    fs::rename(unfinished, dir.join(library_name(&plugin.name)))
}

fn furnish(
    case: &Case,
    profile: Option<&str>,
    home: &Path,
    backwards: bool,
) -> std::io::Result<()> {
    let plugins = home.join("plugins");
    fs::create_dir_all(&plugins)?;
    let listed = case
        .start
        .get("native_libraries_present")
        .and_then(Value::as_array);
    let present = |name: &str| {
        listed.is_none_or(|listed| listed.iter().any(|one| one.as_str() == Some(name)))
    };
    let mut entries: Vec<&Plugin> = Vec::new();
    for plugin in &case.plugins {
        // Later versions of the same plugin come with a control line.
        if !entries.iter().any(|entry| entry.name == plugin.name) {
            entries.push(plugin);
        }
    }
    if backwards {
        entries.reverse();
    }
    for (number, plugin) in entries.iter().enumerate() {
        let brought = plugins.join(&plugin.name);
        let dir = match brought.is_dir() {
            true => brought,
            false => plugins.join(format!("{number:02}-{}", plugin.name)),
        };
        if present(&plugin.name) {
            put(&dir, plugin)?;
        }
    }
    let config = config(case, profile, &entries);
    fs::write(home.join("config.yaml"), config.to_string())
}

/// What the case, or its profile, configures, and each plugin's own configuration in it.
fn config(case: &Case, profile: Option<&str>, entries: &[&Plugin]) -> Value {
    let given = case.configs().find(|(of, _)| *of == profile);
    let mut config = given.map_or_else(|| json!({}), |(_, config)| config.clone());
    if config.pointer("/plugins/enabled").is_none() {
        let enabled = entries.iter().filter(|plugin| plugin.enabled);
        let names: Vec<&str> = enabled.map(|plugin| plugin.name.as_str()).collect();
        config["plugins"]["enabled"] = json!(names);
    }
    for plugin in entries {
        let own = plugin.config(&settings(case, profile, &plugin.name), case.dir());
        config["plugins"]["entries"][&plugin.name]["config"] = own;
    }
    config
}

/// What the case, or its profile, sets for one plugin.
fn settings(case: &Case, profile: Option<&str>, plugin: &str) -> Map<String, Value> {
    let given = case.configs().find(|(of, _)| *of == profile);
    let entry = given.and_then(|(_, config)| {
        config
            .pointer("/plugins/entries")?
            .get(plugin)?
            .get("config")?
            .as_object()
    });
    entry.cloned().unwrap_or_default()
}
