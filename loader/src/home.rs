//! Knows where the files of one Hermes home lie.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The directory that holds the configuration, the plugins and their data.
///
/// A profile is just another home.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Home {
    root: PathBuf,
}

/// Why no home could be found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// Neither `HERMES_HOME` nor the user's home directory is known.
    #[error("no hermes home: HERMES_HOME is not set, and the user has no home directory")]
    Unknown,
}

impl HomeError {
    /// A stable name for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "home_unknown",
        }
    }

    /// What to do about it.
    pub fn cure(&self) -> String {
        match self {
            Self::Unknown => {
                "set HERMES_HOME to the directory that holds config.yaml and plugins/".to_owned()
            }
        }
    }
}

impl Home {
    /// The home of this process: `HERMES_HOME`, else `~/.hermes` (`%LOCALAPPDATA%\hermes` on
    /// Windows).
    ///
    /// # Errors
    ///
    /// [`HomeError::Unknown`] when the environment names neither.
    pub fn from_env() -> Result<Self, HomeError> {
        let fallback = if cfg!(windows) {
            std::env::var_os("LOCALAPPDATA").map(|base| PathBuf::from(base).join("hermes"))
        } else {
            std::env::home_dir()
                .filter(|home| !home.as_os_str().is_empty())
                .map(|home| home.join(".hermes"))
        };
        Self::choose(std::env::var_os("HERMES_HOME"), fallback)
    }

    /// The rule behind [`Home::from_env`]: the value of `HERMES_HOME` without the white space around it,
    /// otherwise taken as it is (no `~`), and `fallback` when nothing is left.
    ///
    /// # Errors
    ///
    /// [`HomeError::Unknown`] when both are missing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use hermes_loader::home::Home;
    /// let home = Home::choose(Some(" /srv/agent ".into()), None)?;
    /// assert_eq!(home.config_file(), std::path::Path::new("/srv/agent/config.yaml"));
    /// # Ok::<(), hermes_loader::home::HomeError>(())
    /// ```
    pub fn choose(
        hermes_home: Option<OsString>,
        fallback: Option<PathBuf>,
    ) -> Result<Self, HomeError> {
        let named = hermes_home
            .map(|value| stripped(&value))
            .filter(|value| !value.is_empty())
            .map(PathBuf::from);
        named.or(fallback).map(Self::at).ok_or(HomeError::Unknown)
    }

    /// The home at `root`, whether or not it exists.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of the profile: that of the directory when it stands in one called `profiles`, else
    /// `default`.
    pub fn profile(&self) -> &str {
        let above = self.root.parent().and_then(Path::file_name);
        if above != Some(OsStr::new("profiles")) {
            return "default";
        }
        let name = self.root.file_name().and_then(OsStr::to_str);
        name.unwrap_or("default")
    }

    /// The configuration, `config.yaml`.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.yaml")
    }

    /// Secrets for the environment, `.env`.
    pub fn env_file(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// The user's plugins, one directory each.
    pub fn plugins_dir(&self) -> PathBuf {
        self.root.join("plugins")
    }

    /// Copies of plugin libraries that the loader opens.
    pub fn cache_dir(&self) -> PathBuf {
        self.root.join("cache").join("plugins")
    }

    /// Log files.
    pub fn logs_dir(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// The gateway hooks, one directory each.
    pub fn hooks_dir(&self) -> PathBuf {
        self.root.join("hooks")
    }

    /// What the loader remembers between runs: quarantine, breadcrumbs.
    pub fn state_dir(&self) -> PathBuf {
        self.root.join("state").join("plugins")
    }

    /// What belongs to running processes: sockets, locks.
    pub fn run_dir(&self) -> PathBuf {
        self.root.join("run")
    }

    /// The directory in which the plugin with this name or key keeps its data.
    ///
    /// The name becomes one path segment, so that no name reaches out of the directory: separators
    /// become `__`, as they do in Hermes' module names.
    pub fn data_dir(&self, plugin: &str) -> PathBuf {
        let flat = plugin.replace(['/', '\\'], "__");
        let flat: String = flat
            .chars()
            .map(|c| if c.is_control() || c == ':' { '_' } else { c })
            .collect();
        let segment = match flat.as_str() {
            "" | "." | ".." => "_".repeat(flat.len().max(1)),
            _ => flat,
        };
        self.root.join("plugin-data").join(segment)
    }
}

fn stripped(value: &OsStr) -> OsString {
    match value.to_str() {
        Some(text) => text.trim().into(),
        None => value.to_owned(),
    }
}
