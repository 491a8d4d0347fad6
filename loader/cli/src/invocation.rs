//! What every command is given: the home, the screen, and the ways to look into the home.

use std::path::{Component, Path, PathBuf};

use hermes_loader::config::Config;
use hermes_loader::discover::{Discovery, Surroundings, discover};
use hermes_loader::{Builder, Home, Host, State};

use crate::args::Global;
use crate::inventory::Inventory;
use crate::log;
use crate::problem::Problem;
use crate::screen::Screen;

/// One run of the program.
pub(crate) struct Invocation<'s> {
    pub(crate) home: Home,
    pub(crate) screen: &'s mut Screen,
    /// What the program was called as, for the commands that hints name.
    pub(crate) program: &'static str,
    verbose: u8,
    safe_mode: bool,
}

impl<'s> Invocation<'s> {
    pub(crate) fn new(global: &Global, screen: &'s mut Screen) -> anyhow::Result<Self> {
        let home = match &global.home {
            Some(dir) if dir.as_os_str().is_empty() => {
                return Err(
                    Problem::usage("--home: expected a directory, found an empty text").into(),
                );
            }
            Some(dir) => Home::at(absolute(dir)),
            None => Home::from_env()
                .map_err(|error| Problem::new(error.to_string()).cure(error.cure()))?,
        };
        Ok(Self {
            home,
            screen,
            program: program(),
            verbose: global.verbose,
            safe_mode: global.safe_mode,
        })
    }

    /// Logs into the home from now on.
    pub(crate) fn start_log(&self) {
        log::start(self.home.logs_dir(), self.verbose, self.screen);
    }

    pub(crate) fn config(&self) -> Config {
        Config::load(&self.home, &|name| std::env::var(name).ok())
    }

    /// Everything that is installed; runs none of it.
    pub(crate) fn inventory(&self) -> Inventory {
        let config = self.config();
        let discovery = self.discover(&config);
        Inventory::new(config, discovery)
    }

    fn discover(&self, config: &Config) -> Discovery {
        let around = Surroundings::read(
            &|name| std::env::var(name).ok(),
            std::env::current_dir().ok(),
        );
        discover(&self.home, &around, config)
    }

    /// What loads plugins for this run: none at all in safe mode.
    pub(crate) fn loader(&self) -> Builder {
        let builder = Host::builder(self.home.clone());
        if self.safe_mode {
            builder.safe_mode(true)
        } else {
            builder
        }
    }

    /// Who says that no plugin is to load, if anybody does.
    pub(crate) fn safe_mode(&self) -> Option<&'static str> {
        let variable = || {
            std::env::var("HERMES_SAFE_MODE").is_ok_and(|word| hermes_loader::config::truthy(&word))
        };
        if self.safe_mode {
            Some("--safe-mode")
        } else {
            variable().then_some("HERMES_SAFE_MODE")
        }
    }

    /// Loads what is enabled, or of it only the plugin with this name. What does not load is said.
    pub(crate) fn load(&mut self, only: Option<&str>) -> anyhow::Result<Host> {
        let Some(typed) = only else {
            let host = self.loader().load();
            self.warn(&host);
            return Ok(host);
        };
        let inventory = self.inventory();
        let plugin = inventory.resolve(typed, &self.home)?;
        let key = plugin.key.clone();
        if let Some((why, cure)) = plugin.off() {
            return Err(Problem::new(format!("plugin `{key}` is not loaded: {why}"))
                .perhaps(cure)
                .into());
        }
        if let Some(by) = self.safe_mode() {
            return Err(Problem::new(format!(
                "plugin `{key}` is not loaded: safe mode is on ({by})"
            ))
            .cure(format!("run it without {by}"))
            .into());
        }
        let host = self.loader().only([key.clone()]).load();
        match host.report().get(&key).map(|line| &line.state) {
            Some(State::Loaded) => Ok(host),
            Some(State::Refused(refusal)) => {
                let what = format!("plugin `{key}` is refused: {refusal} [{}]", refusal.code());
                Err(Problem::new(what).cure(refusal.cure()).into())
            }
            Some(State::Python) => Err(Problem::new(format!(
                "plugin `{key}` is written in Python; only Hermes Agent loads it"
            ))
            .cure("leave out --plugin, or name a native plugin")
            .into()),
            _ => Err(Problem::new(format!("plugin `{key}` is not loaded"))
                .cure(format!("see `{} doctor`", self.program))
                .into()),
        }
    }

    /// Says which plugins that should be loaded are not, and what that means.
    fn warn(&mut self, host: &Host) {
        for line in &host.report().plugins {
            let State::Refused(refusal) = &line.state else {
                continue;
            };
            let means = if line.guard {
                "; it is a guard, and what it guards is not guarded"
            } else {
                ""
            };
            let what = format!(
                "plugin `{}` is not loaded: {refusal} [{}]{means}",
                line.key,
                refusal.code()
            );
            self.screen.warning(&what, Some(&refusal.cure()));
        }
    }
}

/// The path from the root, so that it means the same to everybody who is told of it.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

fn program() -> &'static str {
    let called = std::env::args_os().next().map(PathBuf::from);
    match called.as_deref().and_then(Path::file_stem) {
        Some(stem) if stem == "hermes-native" => "hermes-native",
        _ => "hermes",
    }
}
