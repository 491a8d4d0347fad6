//! The commands and skills that plugins offer.

use std::sync::Arc;
use std::time::Instant as Clock;

use hermes_plugin_api::abi::host::{Failed, command_name, printed, said};
use hermes_plugin_api::catalogue::{CliExecute, CommandExecute, HookPoint};
use serde_json::{Map, Value};

use super::{Host, Inner};
use crate::boundary::{CommandHandle, Entered};
use crate::commands::{CliOutput, CommandError, CommandInfo, CommandKind, SkillInfo};
use crate::fault::{FaultKind, one_line};

impl Host {
    /// The commands that plugins offer, in load order. Of two with one name only the later is there.
    #[must_use]
    pub fn commands(&self) -> Vec<CommandInfo> {
        let plugins = self.inner.plugins();
        let mut infos: Vec<CommandInfo> = Vec::new();
        for command in plugins.iter().flat_map(|plugin| &plugin.commands) {
            let info = command.offer.info(&command.instance.plugin);
            infos.retain(|other| (other.kind, &other.name) != (info.kind, &info.name));
            infos.push(info);
        }
        infos
    }

    /// Runs a slash command of a plugin, on this thread: its name as it was typed, with or without the `/`,
    /// and what stood behind it. `_` in the name may stand for `-`, for front ends that cannot type that.
    /// `None` when it has nothing to say.
    ///
    /// A command whose answer comes later is waited for, for 30 seconds unless
    /// [`Builder::command_timeout`](crate::Builder::command_timeout) says otherwise.
    ///
    /// # Errors
    /// When no plugin offers it, or it failed, or did not answer in time.
    pub fn run_command(&self, name: &str, args: &str) -> Result<Option<String>, CommandError> {
        let command = self.inner.command(CommandKind::Slash, name)?;
        let entered = match command.enter(CommandExecute::HOOK, &typed(&command, "raw_args", args))
        {
            Entered::Pending(waiting) => {
                waiting.block(Clock::now().checked_add(self.inner.embedding.command_timeout))
            }
            entered => entered,
        };
        said(entered).map_err(|failed| self.inner.command_failed(&command, failed))
    }

    /// Runs a slash command of a plugin without holding a thread while its answer is not ready, and without
    /// a bound: for gateways.
    ///
    /// # Errors
    /// As [`Host::run_command`].
    pub fn run_command_async(
        &self,
        name: &str,
        args: &str,
    ) -> impl Future<Output = Result<Option<String>, CommandError>> + Send + 'static {
        let inner = Arc::clone(&self.inner);
        let found = inner.command(CommandKind::Slash, name);
        let args = args.to_owned();
        async move {
            let command = found?;
            let faults = Arc::clone(&inner.faults);
            drop(inner);
            let payload = typed(&command, "raw_args", args);
            let entered = match command.enter(CommandExecute::HOOK, &payload) {
                Entered::Pending(waiting) => waiting.await,
                entered => entered,
            };
            said(entered).map_err(|(kind, failed)| {
                faults.note(&command.instance.plugin, &label(&command), kind, &failed);
                failure(&command, kind, &failed)
            })
        }
    }

    /// Runs a sub-command of the terminal program that a plugin offers, on this thread: its name, and the
    /// words behind it.
    ///
    /// # Errors
    /// When no plugin offers it, or it failed.
    pub fn run_cli_command(&self, name: &str, argv: &[String]) -> Result<CliOutput, CommandError> {
        let command = self.inner.command(CommandKind::Cli, name)?;
        let words: Vec<Value> = argv.iter().map(|word| word.as_str().into()).collect();
        let entered = match command.enter(CliExecute::HOOK, &typed(&command, "argv", words)) {
            Entered::Pending(waiting) => waiting.block(None),
            entered => entered,
        };
        printed(entered).map_err(|failed| self.inner.command_failed(&command, failed))
    }

    /// The skills that plugins offer, in load order. They are never written to.
    #[must_use]
    pub fn skills(&self) -> Vec<SkillInfo> {
        let plugins = self.inner.plugins();
        let skills = plugins.iter().flat_map(|plugin| {
            let skills = plugin.skills.iter();
            skills.map(|skill| skill.info(&plugin.name))
        });
        skills.collect()
    }
}

impl Inner {
    /// The command of this name; of two, the later.
    fn command(&self, kind: CommandKind, name: &str) -> Result<Arc<CommandHandle>, CommandError> {
        let name = command_name(name);
        let plugins = self.plugins();
        let mut all = plugins
            .iter()
            .rev()
            .flat_map(|plugin| plugin.commands.iter().rev());
        all.find(|command| command.offer.is_named(kind, &name))
            .cloned()
            .ok_or(CommandError::Unknown { command: name })
    }

    fn command_failed(
        &self,
        command: &CommandHandle,
        (kind, failed): (FaultKind, Failed),
    ) -> CommandError {
        let plugin = &command.instance.plugin;
        self.faults.note(plugin, &label(command), kind, &failed);
        failure(command, kind, &failed)
    }
}

/// The event of a command that was typed.
fn typed(command: &CommandHandle, key: &str, words: impl Into<Value>) -> Map<String, Value> {
    let name = Value::from(command.offer.name.clone());
    Map::from_iter([("name".to_owned(), name), (key.to_owned(), words.into())])
}

/// Where a fault of the command is said to be.
fn label(command: &CommandHandle) -> String {
    match command.offer.kind {
        CommandKind::Slash => format!("/{}", command.offer.name),
        _ => command.offer.name.clone(),
    }
}

fn failure(command: &CommandHandle, kind: FaultKind, failed: &Failed) -> CommandError {
    CommandError::Failed {
        command: command.offer.name.clone(),
        plugin: command.instance.plugin.to_string(),
        kind,
        text: one_line(&failed.text),
    }
}
