//! What the plugins of a host in memory offer besides handlers: commands, skills, tools.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{Fault, FaultKind, Host, chain::Chains, entry::enter, fault::said_of};
use crate::{
    abi::{
        host::{
            CommandInfo, CommandKind, Depth, Entering, Failed, Parent, SkillInfo, SkillOffer,
            command_name, error_json, printed, said,
        },
        test_host::{Instance, StagedCommand},
    },
    agent::AgentError,
    catalogue::{CliExecute, CommandExecute, Hook, HookPoint as _},
    extension::commands::CliOutput,
};

#[cfg(feature = "extensions")]
use crate::{
    abi::{
        host::usable,
        test_host::{StagedCheck, ToolHandle},
    },
    catalogue::ToolCheck,
};

/// What one plugin offers.
#[derive(Debug)]
pub(super) struct Offers {
    /// Dropped in this order, before the instance is destroyed.
    pub(super) commands: Vec<Arc<StagedCommand>>,
    pub(super) skills: Vec<SkillOffer>,
    #[cfg(feature = "extensions")]
    pub(super) checks: Vec<Arc<StagedCheck>>,
    #[cfg(feature = "extensions")]
    pub(super) tools: Vec<Arc<ToolHandle>>,
    pub(super) instance: Arc<Instance>,
}

impl Offers {
    /// Whether somebody is inside one of them.
    pub(super) fn are_busy(&self) -> bool {
        let commands = self.commands.iter().any(|one| Arc::strong_count(one) > 1);
        #[cfg(feature = "extensions")]
        let tools = self.tools.iter().any(|one| Arc::strong_count(one) > 1)
            || self.checks.iter().any(|one| Arc::strong_count(one) > 1);
        #[cfg(not(feature = "extensions"))]
        let tools = false;
        commands || tools
    }
}

impl Host {
    /// The commands the plugins offer. Of two with one name, the later.
    #[must_use]
    pub fn commands(&self) -> Vec<CommandInfo> {
        let mut infos: Vec<CommandInfo> = Vec::new();
        for offers in &*self.chains.offers() {
            for command in &offers.commands {
                let info = command.offer.info(offers.instance.plugin());
                infos.retain(|other| (other.kind, &other.name) != (info.kind, &info.name));
                infos.push(info);
            }
        }
        infos
    }

    /// Types a slash command: its name, with or without the `/`, and what stands behind it.
    ///
    /// ```
    /// use hermes_plugin_api::{prelude::*, testing::Host};
    ///
    /// let host = Host::new("hello").register(|ctx| {
    ///     ctx.command(Command::new("/Say Hello"), |args| Ok(Some(format!("hello, {args}"))));
    ///     Ok(())
    /// })?;
    /// assert_eq!(host.run_command("say-hello", "Ada")?.as_deref(), Some("hello, Ada"));
    /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
    /// ```
    ///
    /// # Errors
    /// When the command fails, panics, or does not answer in time.
    ///
    /// # Panics
    /// When no plugin offers it.
    #[track_caller]
    pub fn run_command(&self, name: &str, args: &str) -> Result<Option<String>, Fault> {
        let (command, instance) = self.named(CommandKind::Slash, name);
        let payload = json!({ "name": command.offer.name, "raw_args": args });
        let entered = self.type_in(&command, &instance, CommandExecute::HOOK, &payload);
        said(entered).map_err(|failed| fault(&instance, &command, failed))
    }

    /// Types a sub-command of the terminal program: its name, and the words behind it.
    ///
    /// # Errors
    /// When the command fails, panics, or does not answer in time.
    ///
    /// # Panics
    /// When no plugin offers it.
    #[track_caller]
    pub fn run_cli_command(&self, name: &str, argv: &[&str]) -> Result<CliOutput, Fault> {
        let (command, instance) = self.named(CommandKind::Cli, name);
        let payload = json!({ "name": command.offer.name, "argv": argv });
        let entered = self.type_in(&command, &instance, CliExecute::HOOK, &payload);
        printed(entered).map_err(|failed| fault(&instance, &command, failed))
    }

    /// The skills the plugins offer.
    #[must_use]
    pub fn skills(&self) -> Vec<SkillInfo> {
        let offers = self.chains.offers();
        let skills = offers.iter().flat_map(|offers| {
            let plugin = offers.instance.plugin();
            offers.skills.iter().map(move |skill| skill.info(plugin))
        });
        skills.collect()
    }

    #[track_caller]
    fn named(&self, kind: CommandKind, name: &str) -> (Arc<StagedCommand>, Arc<Instance>) {
        let name = command_name(name);
        let offers = self.chains.offers();
        let mut all = offers.iter().rev().flat_map(|offers| {
            let commands = offers.commands.iter().rev();
            commands.map(|command| (Arc::clone(command), Arc::clone(&offers.instance)))
        });
        let found = all.find(|(command, _)| command.offer.is_named(kind, &name));
        drop(all);
        drop(offers);
        found.unwrap_or_else(|| panic!("no plugin offers a command named `{name}`"))
    }

    fn type_in(
        &self,
        command: &StagedCommand,
        instance: &Instance,
        hook: &'static Hook,
        payload: &Json,
    ) -> crate::abi::host::Entered {
        let payload = payload.as_object().cloned().unwrap_or_default();
        let entering = Entering::plain(&command.handler, command.id, instance);
        let patience = self.chains.patience();
        enter(entering, Some(hook), &payload, Parent::current(), patience)
    }

    /// The tools the plugins offer: name, toolset, description and parameters.
    #[cfg(feature = "extensions")]
    #[must_use]
    pub fn tools(&self) -> Vec<Json> {
        let offers = self.chains.offers();
        let tools = offers.iter().flat_map(|offers| &offers.tools);
        tools.map(|tool| tool.description.clone()).collect()
    }

    /// Whether a tool says that it can be used just now. Without a check of its own, it does.
    ///
    /// # Errors
    /// When the check panics; an agent takes that for a no.
    ///
    /// # Panics
    /// When no plugin offers the tool.
    #[cfg(feature = "extensions")]
    #[track_caller]
    pub fn tool_is_available(&self, name: &str) -> Result<bool, Fault> {
        let Some((_, instance)) = self.chains.tool(name) else {
            panic!("no plugin offers a tool named `{name}`")
        };
        let check = {
            let offers = self.chains.offers();
            let mut own = offers
                .iter()
                .filter(|offers| Arc::ptr_eq(&offers.instance, &instance));
            let found = own.find_map(|offers| offers.checks.iter().rfind(|one| one.tool == name));
            found.cloned()
        };
        let Some(check) = check else { return Ok(true) };
        let payload = Map::from_iter([("tool_name".to_owned(), Json::from(name))]);
        let entering = Entering::plain(&check.handler, check.id, &*instance);
        let (hook, patience) = (ToolCheck::HOOK, self.chains.patience());
        let entered = enter(entering, Some(hook), &payload, Parent::current(), patience);
        usable(entered).map_err(|failed| said_of(instance.plugin(), name, failed))
    }

    /// Calls a tool of a plugin.
    ///
    /// # Errors
    /// When the tool fails or panics.
    ///
    /// # Panics
    /// When no plugin offers it.
    #[cfg(feature = "extensions")]
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "as `fire`: the payload is written where it is passed"
    )]
    pub fn call_tool(&self, name: &str, args: Json) -> Result<String, Fault> {
        let Some((tool, instance)) = self.chains.tool(name) else {
            panic!("no plugin offers a tool named `{name}`")
        };
        tool.run(&args)
            .map_err(|(kind, text)| Fault::told(instance.plugin(), name, kind, text))
    }
}

fn fault(instance: &Instance, command: &StagedCommand, failed: (FaultKind, Failed)) -> Fault {
    said_of(instance.plugin(), &command.offer.name, failed)
}

impl Chains {
    /// The tool of this name; of two, the later.
    #[cfg(feature = "extensions")]
    fn tool(&self, name: &str) -> Option<(Arc<ToolHandle>, Arc<Instance>)> {
        let offers = self.offers();
        offers.iter().rev().find_map(|offers| {
            let mut own = offers.tools.iter().rev();
            let tool = own.find(|tool| tool.description["name"] == name)?;
            Some((Arc::clone(tool), Arc::clone(&offers.instance)))
        })
    }

    /// Runs a tool of a plugin, if there is one of this name.
    #[cfg(feature = "extensions")]
    fn run_tool(&self, name: &str, args: &Map<String, Json>) -> Option<Result<String, String>> {
        let (tool, _instance) = self.tool(name)?;
        let run = tool.run(&Json::Object(args.clone()));
        Some(run.map_err(|(_, text)| text))
    }

    #[cfg(not(feature = "extensions"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    const fn run_tool(&self, _: &str, _: &Map<String, Json>) -> Option<Result<String, String>> {
        None
    }

    /// Runs a tool as a plugin asks for it: what comes back is what a model would see.
    pub(super) fn dispatch(&self, name: &str, args: &Map<String, Json>) -> String {
        let Some(_depth) = Depth::enter() else {
            let limit = Depth::LIMIT;
            return error_json(&format!(
                "tools are dispatched from inside tools, {limit} deep"
            ));
        };
        let run = self.run_tool(name, args).unwrap_or_else(|| {
            let agent = self.agent_given();
            let run = agent.map_or(Err(AgentError::Unsupported), |agent| {
                agent.run_tool(name, args)
            });
            run.map_err(|error| match error {
                AgentError::Unsupported => format!("Unknown tool: {name}"),
                error => error.to_string(),
            })
        });
        run.unwrap_or_else(|why| error_json(&why))
    }
}
