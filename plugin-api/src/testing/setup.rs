//! How a plugin is to be loaded into a host in memory.

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde_json::{Map, Value as Json};

use super::{Fault, FaultKind, Host, Loaded, adhoc, offers::Offers};
use crate::{
    abi::{
        Level, Root,
        host::Failed,
        test_host::{Live, Staging, Terms, metadata},
    },
    agent::{Agent, LlmRights},
    context::Context,
    error::Error,
};

/// A plugin that is about to be loaded. Every method but the last is optional.
#[derive(Debug)]
#[must_use = "nothing is loaded before `register` or `load`"]
pub struct Setup {
    host: Host,
    plugin: String,
    config: Json,
    data_dir: Option<PathBuf>,
    level: Level,
    role: Option<String>,
    dir: Option<PathBuf>,
    llm: LlmRights,
}

impl Setup {
    pub(super) fn new(host: Host, plugin: &str) -> Self {
        Self {
            host,
            plugin: plugin.to_owned(),
            config: Json::Object(Map::new()),
            data_dir: None,
            level: Level::TRACE,
            role: None,
            dir: None,
            llm: LlmRights::default(),
        }
    }

    /// The configuration: `plugins.entries.<name>.config`. An empty object unless said otherwise.
    pub fn config(mut self, config: Json) -> Self {
        self.config = config;
        self
    }

    /// The plugin's data directory, made when the plugin asks for it. Without one a plugin that asks is told
    /// that there is none.
    ///
    /// An agent's is `<home>/plugin-data/<name>`.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(path.into());
        self
    }

    /// The loudest log record that is kept; all unless said otherwise.
    pub const fn log_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The role, in place of the one that the entry point tells: a `guard` is called after everybody else.
    pub fn role(mut self, role: &str) -> Self {
        self.role = Some(role.to_owned());
        self
    }

    /// The plugin's directory, where its manifest would be. Without one the plugin counts as linked in.
    pub fn plugin_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.dir = Some(path.into());
        self
    }

    /// Lets the plugin choose another model and another provider than the agent's.
    pub const fn allow_llm_overrides(mut self) -> Self {
        self.llm.allow_model_override = true;
        self.llm.allow_provider_override = true;
        self
    }

    /// The agent around the plugins of this host: its tools, its user, its model. Without one a plugin that
    /// asks is told that there is none.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hermes_plugin_api::{prelude::*, testing::{Host, InMemoryAgent}};
    ///
    /// let agent = Arc::new(InMemoryAgent::new().interactive());
    /// let host = Host::new("nudge").agent(Arc::<InMemoryAgent>::clone(&agent)).register(|ctx| {
    ///     let host = ctx.host();
    ///     ctx.on(OnSessionStart, move |_| {
    ///         let taken = host.is_some_and(|host| host.inject_message("good morning", "system"));
    ///         assert!(taken);
    ///     });
    ///     Ok(())
    /// })?;
    /// host.fire("on_session_start", serde_json::json!({})).sound();
    /// assert_eq!(agent.injected(), ["[system] good morning"]);
    /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
    /// ```
    pub fn agent(self, agent: Arc<dyn Agent>) -> Self {
        self.host.chains.surroundings().agent = Some(agent);
        self
    }

    /// The active profile of this host; `default` unless said otherwise.
    pub fn profile(self, name: &str) -> Self {
        self.host.chains.surroundings().profile = Some(name.to_owned());
        self
    }

    /// How long this host waits for an answer that comes later, before it is a fault; 10 seconds unless said
    /// otherwise.
    pub fn patience(self, patience: Duration) -> Self {
        self.host.chains.set_patience(patience);
        self
    }

    /// Loads a plugin that is no more than a `register` function, or a closure in its place.
    ///
    /// Handlers declared with [`hook!`](crate::hook) count if their package has the plugin's name.
    ///
    /// # Errors
    /// When `register` errs or panics; nothing it registered is then kept.
    pub fn register<F>(self, register: F) -> Result<Host, Fault>
    where
        F: FnOnce(&mut Context) -> Result<(), Error> + 'static,
    {
        let root = adhoc::prepare(&self.plugin, register);
        let loaded = self.birth(root);
        adhoc::forget();
        loaded
    }

    /// Loads a plugin through the entry point that `hermes_plugin!` makes: `my_plugin::PLUGIN`.
    ///
    /// # Errors
    /// When `create` or `register` errs or panics, or the entry point is that of another plugin.
    pub fn load(mut self, root: &'static Root) -> Result<Host, Fault> {
        let document: Json = serde_json::from_slice(metadata(root)).unwrap_or_default();
        let name = document["name"].as_str().unwrap_or_default();
        if name != self.plugin {
            let text = format!("the entry point is that of `{name}`");
            return Err(Fault::told(&self.plugin, "create", FaultKind::Error, text));
        }
        self.role = self
            .role
            .or_else(|| Some(document["role"].as_str()?.to_owned()));
        self.birth(root)
    }

    fn birth(self, root: &'static Root) -> Result<Host, Fault> {
        let Self {
            mut host,
            plugin,
            config,
            data_dir,
            level,
            role,
            dir,
            llm,
        } = self;
        let fault = |hook: &str, failed| Fault::failed(&plugin, hook, failed);
        let terms = Terms {
            plugin: plugin.clone(),
            config: config.to_string(),
            data_dir,
            level,
            dir,
            llm,
        };
        let live = Live::create(root, terms, host.chains.port())
            .map_err(|failed| fault("create", failed))?;
        let (staged, tools) = match live
            .register()
            .and_then(|staged| Ok((staged, tools(&live)?)))
        {
            Ok(registered) => registered,
            Err(failed) => {
                live.end_timers();
                live.destroy();
                return Err(fault("register", failed));
            }
        };
        let Staging {
            handlers,
            commands,
            skills,
            #[cfg(feature = "extensions")]
            checks,
        } = staged;
        let guard = role.as_deref() == Some("guard");
        host.chains.publish(handlers, &live.instance, guard);
        host.chains.offers().push(Offers {
            commands: commands.into_iter().map(Arc::new).collect(),
            skills,
            #[cfg(feature = "extensions")]
            checks: checks.into_iter().map(Arc::new).collect(),
            #[cfg(feature = "extensions")]
            tools: tools.into_iter().map(Arc::new).collect(),
            instance: Arc::clone(&live.instance),
        });
        host.plugins.push(Loaded { live });
        #[cfg(not(feature = "extensions"))]
        let () = tools;
        Ok(host)
    }
}

#[cfg(feature = "extensions")]
fn tools(live: &Live) -> Result<Vec<crate::abi::test_host::ToolHandle>, Failed> {
    let failed = |text| Failed {
        kind: crate::abi::FailureKind::ERROR,
        text,
        file: String::new(),
        line: 0,
    };
    live.take_tools().map_err(failed)
}

#[cfg(not(feature = "extensions"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
const fn tools(_: &Live) -> Result<(), Failed> {
    Ok(())
}
