//! The plugin around the redactor: which texts it masks, and where its env files lie.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use hermes_plugin_api::prelude::*;
use serde_json::{Map, Value};

use crate::config::Config;
use crate::env_files::EnvFiles;
use crate::redactor::Redactor;

hermes_plugin!(
    register,
    role = "transform",
    hooks = [
        "transform_tool_result",
        "transform_terminal_output",
        "transform_llm_output"
    ],
    unless = "linked"
);

/// After every other transform, so that what those produce is masked as well.
const PRIORITY: f64 = -1000.0;

/// How the default names the agent's home, wherever that is.
const HOME: &str = "~/.hermes/";

fn register(ctx: &mut Context) -> Result<(), Error> {
    let mut config = config(ctx)?;
    // An agent that has no data directory for us has no home that we could find either.
    let home = agents_home(ctx.data_dir().ok().as_deref());
    for path in &mut config.env_files {
        if let (Some(rest), Some(home)) = (path.strip_prefix(HOME), &home) {
            *path = home.join(rest).to_string_lossy().into_owned();
        }
    }
    let cwd = std::env::current_dir().unwrap_or_default();
    let files = EnvFiles::new(&config.env_files, &cwd, std::env::home_dir().as_deref());
    let masker = Masker::new(config, files).map_err(|why| refuse(ctx, &why))?;
    let masker = Arc::new(masker);

    let on = Arc::clone(&masker);
    ctx.on(TransformToolResult, move |event| on.mask(event.result()))
        .priority(PRIORITY)
        .chain()
        .fail_closed();
    let on = Arc::clone(&masker);
    ctx.on(TransformTerminalOutput, move |event| {
        on.mask(event.output())
    })
    .priority(PRIORITY)
    .chain()
    .fail_closed();
    ctx.on(TransformLlmOutput, move |event| {
        masker.mask(event.response_text())
    })
    .priority(PRIORITY)
    .chain()
    .fail_closed();
    Ok(())
}

fn refuse(ctx: &Context, why: &str) -> Error {
    Error::new(format!("`plugins.entries.{}.config`: {why}", ctx.plugin()))
}

/// Reads the configuration. What is wrong is told by key: the words of a JSON reader would repeat the
/// value, which may be a secret.
fn config(ctx: &Context) -> Result<Config, Error> {
    let keys: Map<String, Value> = ctx.config()?;
    let read = |keys| serde_json::from_value::<Config>(Value::Object(keys)).ok();
    if let Some(config) = read(keys.clone()) {
        return Ok(config);
    }
    let alone = |(key, value): (String, Value)| {
        let wrong = read(Map::from_iter([(key.clone(), value)])).is_none();
        wrong.then_some(key)
    };
    let key = keys.into_iter().find_map(alone).unwrap_or_default();
    let why = match EXPECTED.iter().find(|(known, _)| *known == key) {
        Some((key, expected)) => format!("`{key}`: expected {expected}"),
        None => {
            let known: Vec<_> = EXPECTED
                .iter()
                .map(|(known, _)| format!("`{known}`"))
                .collect();
            format!("unknown key `{key}`, expected one of {}", known.join(", "))
        }
    };
    Err(refuse(ctx, &why))
}

/// Every key, and what it takes.
const EXPECTED: [(&str, &str); 6] = [
    ("env_files", "a list of paths"),
    (
        "values",
        "a text under each name\nhint: put numbers and dates into quotes",
    ),
    ("value_env", "a list of names of variables"),
    ("min_length", "a whole number"),
    ("disable", "a list of key forms"),
    (
        "allow",
        "a list of texts\nhint: put numbers and dates into quotes",
    ),
];

/// The home of the agent: a data directory is `<home>/plugin-data/<name>`. Of another one, as an
/// embedding program may have it, nothing can be told, and the environment is asked as Hermes does.
fn agents_home(data_dir: Option<&Path>) -> Option<PathBuf> {
    let told = data_dir
        .and_then(Path::parent)
        .filter(|parent| parent.ends_with("plugin-data"))
        .and_then(Path::parent);
    let asked = || {
        let home = std::env::var("HERMES_HOME").ok()?;
        let home = home.trim();
        (!home.is_empty()).then(|| PathBuf::from(home))
    };
    told.map(Path::to_path_buf).or_else(asked)
}

/// The redactor in force, and the files it was made of.
struct Masker {
    config: Config,
    files: Mutex<EnvFiles>,
    redactor: RwLock<Arc<Redactor>>,
}

impl Masker {
    fn new(config: Config, mut files: EnvFiles) -> Result<Self, String> {
        for warning in files.refresh().warnings {
            tracing::warn!("{warning}");
        }
        let redactor = Redactor::new(&config, &files.texts()).map_err(|error| error.to_string())?;
        for skipped in redactor.skipped() {
            tracing::debug!(name = skipped.name, why = ?skipped.why, "a value is not masked");
        }
        Ok(Self {
            config,
            files: Mutex::new(files),
            redactor: RwLock::new(Arc::new(redactor)),
        })
    }

    fn mask(&self, text: &str) -> Replacement {
        self.refresh();
        let redactor = Arc::clone(&self.redactor.read().unwrap_or_else(PoisonError::into_inner));
        match redactor.redact_with_report(text) {
            Some(redaction) => {
                tracing::debug!(masks = ?redaction.counts, "masked");
                Replacement::text(redaction.text)
            }
            None => Replacement::KEEP,
        }
    }

    /// Takes in what changed in the env files. Values that could not be taken in are reported, and those
    /// before stay masked.
    fn refresh(&self) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let refresh = files.refresh();
        for warning in refresh.warnings {
            tracing::warn!("{warning}");
        }
        if !refresh.changed {
            return;
        }
        match Redactor::new(&self.config, &files.texts()) {
            Ok(redactor) => {
                let mut current = self
                    .redactor
                    .write()
                    .unwrap_or_else(PoisonError::into_inner);
                *current = Arc::new(redactor);
            }
            Err(error) => tracing::error!("what changed in the env files is not masked: {error}"),
        }
    }
}
