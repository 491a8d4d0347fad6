//! What the agent that embeds the loader says of itself.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes_plugin_api::abi::host::{BUILTIN_COMMANDS, command_name};
use hermes_plugin_api::agent::Agent;

use super::Builder;

/// The agent around the plugins.
pub(crate) struct Embedding {
    pub(super) agent: Option<Arc<dyn Agent>>,
    /// Names and toolsets.
    pub(super) tools: Vec<(String, String)>,
    pub(super) commands: BTreeSet<String>,
    pub(super) command_timeout: Duration,
    pub(super) profile: String,
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedding")
            .field("tools", &self.tools)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

impl Default for Embedding {
    fn default() -> Self {
        Self {
            agent: None,
            tools: Vec::new(),
            commands: BUILTIN_COMMANDS
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            command_timeout: Duration::from_secs(30),
            profile: "default".to_owned(),
        }
    }
}

impl Builder {
    /// The agent around the plugins: its own tools, its user's input line, its model. Without one, plugins
    /// that ask are told that there is none.
    pub fn agent(mut self, agent: Arc<dyn Agent>) -> Self {
        self.embedding.agent = Some(agent);
        self
    }

    /// The agent's own tools, each with its toolset: a plugin has no tool of such a name unless it says that
    /// it replaces it, and the operator lets it.
    pub fn builtin_tools<N: Into<String>, T: Into<String>>(
        mut self,
        tools: impl IntoIterator<Item = (N, T)>,
    ) -> Self {
        self.embedding.tools = tools
            .into_iter()
            .map(|(name, toolset)| (name.into(), toolset.into()))
            .collect();
        self
    }

    /// The agent's own slash commands, which no plugin can have. Unless said, those of Hermes Agent.
    pub fn builtin_commands<S: AsRef<str>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(|name| command_name(name.as_ref()));
        self.embedding.commands = names.collect();
        self
    }

    /// How long [`Host::run_command`](crate::Host::run_command) waits for a command whose answer comes later;
    /// 30 seconds unless said.
    pub const fn command_timeout(mut self, longest: Duration) -> Self {
        self.embedding.command_timeout = longest;
        self
    }
}
