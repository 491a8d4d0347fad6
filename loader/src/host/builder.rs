//! How a host is made.

use std::sync::{Arc, Mutex, Weak};

use arc_swap::ArcSwap;
use hermes_plugin_api::abi::Root;
use hermes_plugin_api::abi::host::Limits;

use super::{Host, embedding::Embedding, inner::Inner};
use crate::config::Lookup;
use crate::discover::Surroundings;
use crate::home::Home;
use crate::loading;
use crate::plugin::Plugin;
use crate::report::Report;

/// How a host is to be made.
#[must_use]
pub struct Builder {
    pub(super) home: Home,
    pub(super) surroundings: Option<Surroundings>,
    pub(super) only: Option<Vec<String>>,
    pub(super) linked: Vec<&'static Root>,
    pub(super) safe_mode: Option<bool>,
    pub(super) limits: Limits,
    pub(super) embedding: Embedding,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Where bundled and project plugins are; read from the environment unless said.
    pub fn surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = Some(surroundings);
        self
    }

    /// Loads only these plugins, by key or name.
    pub fn only<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Adds a plugin that is linked into this program. It loads before the others.
    pub fn link(mut self, root: &'static Root) -> Self {
        self.linked.push(root);
        self
    }

    /// Loads no plugin at all, or does in spite of `HERMES_SAFE_MODE`.
    pub const fn safe_mode(mut self, on: bool) -> Self {
        self.safe_mode = Some(on);
        self
    }

    /// The most bytes that one handler's answer may have; 16 MiB unless said otherwise.
    pub const fn answer_limit(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// Finds, checks, opens and registers. **This runs the code of every plugin that passes the checks.**
    ///
    /// No plugin can make it fail: what is wrong with one is in [`Host::report`], and the others load.
    #[must_use]
    pub fn load(self) -> Host {
        let env: &Lookup<'_> = &|name| std::env::var(name).ok();
        let safe = self.safe_mode.unwrap_or_else(|| {
            env("HERMES_SAFE_MODE").is_some_and(|word| crate::config::truthy(&word))
        });
        let mut embedding = self.embedding;
        embedding.profile = self.home.profile().to_owned();
        let recipe = Recipe {
            surroundings: self
                .surroundings
                .unwrap_or_else(|| Surroundings::read(env, std::env::current_dir().ok())),
            home: self.home,
            only: self.only,
            linked: self.linked,
            safe,
        };
        let inner = Inner::new(self.limits, embedding);
        let (plugins, report) = recipe.carry_out(&inner);
        inner.replace(plugins, &report.missing);
        Host {
            inner,
            report: ArcSwap::from_pointee(report),
            recipe,
            reloading: Mutex::default(),
        }
    }
}

/// What a host was made from, so that it can be made again.
#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) home: Home,
    surroundings: Surroundings,
    only: Option<Vec<String>>,
    linked: Vec<&'static Root>,
    safe: bool,
}

impl Recipe {
    /// Finds and loads, for a host, what there is now.
    pub(super) fn carry_out(&self, inner: &Arc<Inner>) -> (Vec<Plugin>, Report) {
        let weak: Weak<Inner> = Arc::downgrade(inner);
        let plan = loading::Plan {
            home: &self.home,
            surroundings: &self.surroundings,
            only: self.only.as_deref(),
            linked: &self.linked,
            builtin_tools: &inner.embedding.tools,
            safe: self.safe,
            host: weak,
        };
        plan.carry_out(&|name| std::env::var(name).ok())
    }
}
