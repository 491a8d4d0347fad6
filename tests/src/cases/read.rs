//! Reads a case: its files, copied to a place where it may be played.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hermes_loader::{config::Config, payload};
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::{control::Control, script::Plugin};

/// What is wrong with a case: a file, and why.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// The file, or the key.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Unreadable {
    pub(super) fn new(what: impl Into<String>, why: impl ToString) -> Self {
        Self {
            what: what.into(),
            why: why.to_string(),
        }
    }
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it arrives.
    pub t_ms: f64,
    /// The hook's name.
    pub hook: String,
    /// What the host passes.
    pub kwargs: Value,
    /// The thread it arrives on.
    pub thread: Option<String>,
    /// The profile it belongs to.
    pub profile: Option<String>,
    /// Whether it is an event of the gateway.
    pub gateway: bool,
}

/// One line of `events.jsonl`.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Event(Event),
    Control { t_ms: f64, control: Control },
}

/// A case, read and copied.
#[derive(Debug)]
pub struct Case {
    copy: TempDir,
    pub(super) lines: Vec<Line>,
    pub(super) plugins: Vec<Plugin>,
    /// The machine-checkable part.
    pub expected: Value,
    pub(super) start: Map<String, Value>,
    pub(super) host: Map<String, Value>,
    configs: Vec<(Option<String>, Value)>,
}

/// Whether a directory is a case.
#[must_use]
pub fn is_case(path: &Path) -> bool {
    path.join("expected.md").is_file()
}

/// The environment that a case wants to be started in.
#[must_use]
pub fn env_of(dir: &Path) -> Vec<(String, String)> {
    let start = fs::read_to_string(dir.join("start.json")).unwrap_or_default();
    let start: Value = serde_json::from_str(&start).unwrap_or_default();
    let env = start["env"].as_object().cloned().unwrap_or_default();
    env.into_iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
        .collect()
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// When a file of it cannot be read, or says something that is not understood.
    pub fn read(dir: &Path) -> Result<Self, Unreadable> {
        let copy = tempfile::tempdir().map_err(|error| Unreadable::new("a copy", error))?;
        copy_all(dir, copy.path())
            .map_err(|error| Unreadable::new(dir.display().to_string(), error))?;
        generate(copy.path())?;
        let at = copy.path();
        let expected = expected(&text(at, "expected.md")?.unwrap_or_default())?;
        let mut lines = Vec::new();
        for (number, line) in text(at, "events.jsonl")?
            .unwrap_or_default()
            .lines()
            .enumerate()
        {
            if !line.trim().is_empty() {
                let place = || format!("events.jsonl:{}", number + 1);
                lines.push(read_line(line).map_err(|why| Unreadable::new(place(), why))?);
            }
        }
        let plugins = match json(at, "plugins.json")? {
            Value::Null => Vec::new(),
            Value::Array(entries) => entries
                .into_iter()
                .map(Plugin::read)
                .collect::<Result<_, _>>()
                .map_err(|why| Unreadable::new("plugins.json", why))?,
            _ => {
                return Err(Unreadable::new(
                    "plugins.json",
                    "expected a list of plugins",
                ));
            }
        };
        let object = |file: &str| match json(at, file)? {
            Value::Object(map) => Ok(map),
            Value::Null => Ok(Map::new()),
            _ => Err(Unreadable::new(file, "expected an object")),
        };
        let configs = configs(at)?;
        let (start, host) = (object("start.json")?, object("host.json")?);
        Ok(Self {
            lines,
            plugins,
            expected,
            start,
            host,
            configs,
            copy,
        })
    }

    /// The directory it is played in.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.copy.path()
    }

    /// The events, in their order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.lines.iter().filter_map(|line| match line {
            Line::Event(event) => Some(event),
            Line::Control { .. } => None,
        })
    }

    pub(super) fn has_control(&self) -> bool {
        self.lines
            .iter()
            .any(|line| matches!(line, Line::Control { .. }))
    }

    /// The configuration files: of the profile, or of the case itself.
    pub(super) fn configs(&self) -> impl Iterator<Item = (Option<&str>, &Value)> {
        self.configs
            .iter()
            .map(|(profile, config)| (profile.as_deref(), config))
    }

    /// Whether the case has something at this place.
    pub(super) fn files(&self, relative: &str) -> bool {
        self.dir().join(relative).exists()
    }
}

/// `events.jsonl` may hold what strict JSON refuses.
fn read_line(line: &str) -> Result<Line, String> {
    let mut map = payload::parse(line)?;
    let t_ms = map.get("t_ms").and_then(Value::as_f64).unwrap_or_default();
    if let Some(control) = map.remove("control") {
        let control = Control::read(&control, &map)?;
        return Ok(Line::Control { t_ms, control });
    }
    let mut word = |key: &str| match map.remove(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Number(number)) if key == "thread" => Ok(Some(number.to_string())),
        Some(other) => Err(format!("`{key}`: expected text, found {other}")),
    };
    let (hook, thread, profile) = (word("hook")?, word("thread")?, word("profile")?);
    let kwargs = map.remove("kwargs").unwrap_or_else(|| Map::new().into());
    let gateway = map.remove("gateway") == Some(Value::Bool(true));
    map.remove("t_ms");
    match map.keys().next() {
        Some(key) => Err(format!("`{key}` is not understood")),
        None => Ok(Line::Event(Event {
            t_ms,
            hook: hook.ok_or("no `hook`")?,
            kwargs,
            thread,
            profile,
            gateway,
        })),
    }
}

/// The block that begins with the line ```` ```json expected ````.
fn expected(text: &str) -> Result<Value, Unreadable> {
    let what = "expected.md";
    let block = text
        .split_once("```json expected")
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(block, _)| block)
        .ok_or_else(|| Unreadable::new(what, "no block `json expected`"))?;
    match serde_json::from_str(block) {
        Ok(Value::Object(map)) => Ok(Value::Object(map)),
        Ok(_) => Err(Unreadable::new(what, "the expected block is no object")),
        Err(error) => Err(Unreadable::new(what, error)),
    }
}

/// A file that need not be there.
fn text(at: &Path, file: &str) -> Result<Option<String>, Unreadable> {
    match fs::read_to_string(at.join(file)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Unreadable::new(file, error)),
    }
}

fn json(at: &Path, file: &str) -> Result<Value, Unreadable> {
    let read = |text: String| serde_json::from_str(&text);
    let value = text(at, file)?.map(read).transpose();
    Ok(value
        .map_err(|error| Unreadable::new(file, error))?
        .unwrap_or_default())
}

/// `config.yaml` of the case, and of each of its profiles.
fn configs(at: &Path) -> Result<Vec<(Option<String>, Value)>, Unreadable> {
    let mut found = Vec::new();
    let mut read = |profile: Option<String>, file: PathBuf| -> Result<(), Unreadable> {
        let shown = file.strip_prefix(at).unwrap_or(&file).display().to_string();
        if !file.is_file() && profile.is_none() {
            return Ok(());
        }
        let text = fs::read_to_string(&file).map_err(|error| Unreadable::new(&shown, error))?;
        let config = Config::parse(&text, &file, &|name| std::env::var(name).ok());
        found.push((profile, config.value().clone()));
        Ok(())
    };
    read(None, at.join("config.yaml"))?;
    let mut profiles: Vec<PathBuf> = fs::read_dir(at.join("profiles"))
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    profiles.sort();
    for profile in profiles {
        let name = profile.file_name().unwrap_or_default().to_string_lossy();
        read(Some(name.into_owned()), profile.join("config.yaml"))?;
    }
    Ok(found)
}

/// Runs `gen.py`, which writes what is too big to be kept.
fn generate(at: &Path) -> Result<(), Unreadable> {
    if !at.join("gen.py").is_file() {
        return Ok(());
    }
    let ran = Command::new("python3")
        .arg("gen.py")
        .current_dir(at)
        .output();
    let ran = ran.map_err(|error| Unreadable::new("gen.py", format!("python3: {error}")))?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(Unreadable::new(
            "gen.py",
            String::from_utf8_lossy(&ran.stderr)
                .trim()
                .replace('\n', " | "),
        )),
    }
}

/// Copies files with their permissions, but so that the copy may be written to.
fn copy_all(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target)?;
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
            let mut rights = fs::metadata(&target)?.permissions();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                rights.set_mode(rights.mode() | 0o200);
            }
            fs::set_permissions(&target, rights)?;
        }
    }
    Ok(())
}
