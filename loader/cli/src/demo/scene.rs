//! The home that the demo plays in: a config.yaml, and the `.env` that the recorded session read.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_loader::Home;
use serde_json::Value;
use tempfile::TempDir;

use crate::problem::Problem;
use crate::replay::{Event, Line, Recording};

pub(super) struct Scene {
    dir: TempDir,
    secrets: Vec<String>,
}

impl Scene {
    /// Makes the home. The secrets are those that the session's own `cat .env` prints; they are made up.
    pub(super) fn set(session: &Path) -> Result<Self, Problem> {
        let failed = |error: std::io::Error| {
            Problem::new(format!("no temporary home: {error}"))
                .cure("set TMPDIR to a directory that you may write to")
        };
        let dir = tempfile::Builder::new()
            .prefix("hermes-demo-")
            .tempdir()
            .map_err(failed)?;
        let mut secrets: Vec<(String, String)> = Vec::new();
        for line in Recording::open(session)? {
            if let Line::Event { event, .. } = line? {
                secrets.extend(env_lines(&event));
            }
        }
        secrets.dedup();
        let home = Home::at(dir.path());
        let env: String = secrets
            .iter()
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        fs::write(home.env_file(), env).map_err(failed)?;
        let file = Value::String(home.env_file().display().to_string());
        let config = format!(
            "# Made by `hermes demo`.\nplugins:\n  enabled: []\n  entries:\n    redact-secrets:\n      config:\n        \
             # The values in here are masked wherever they appear.\n        env_files: [{file}]\n"
        );
        fs::write(home.config_file(), config).map_err(failed)?;
        let values = secrets.iter().map(|(_, value)| value.as_str());
        let parts = secrets.iter().filter_map(|(_, value)| password(value));
        // A number or a word is no secret, and would be found everywhere.
        let secrets = values.chain(parts).filter(|value| value.len() >= 8);
        let secrets = secrets.map(str::to_owned).collect();
        Ok(Self { dir, secrets })
    }

    pub(super) fn home(&self) -> Home {
        Home::at(self.dir.path())
    }

    pub(super) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// Leaves the home where it is.
    pub(super) fn keep(self) -> PathBuf {
        self.dir.keep()
    }
}

/// What a command printed that shows a `.env` file.
fn env_lines(event: &Event) -> Vec<(String, String)> {
    let shows_env = event
        .text(&["command"])
        .is_some_and(|command| command.ends_with(".env"));
    let output = event
        .text(&["output"])
        .filter(|_| shows_env)
        .unwrap_or_default();
    let pairs = output.lines().filter_map(|line| line.split_once('='));
    let named = pairs.filter(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    });
    named
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The password in an address: `postgres://user:password@host/…`.
fn password(value: &str) -> Option<&str> {
    let (login, _) = value.split_once("://")?.1.split_once('@')?;
    Some(login.split_once(':')?.1)
}
