//! The plugin around the policy: which calls it judges, and how it is configured.

use std::collections::BTreeMap;

use hermes_plugin_api::prelude::*;
use serde::Deserialize;

use crate::config::{Config, ExtraRule};
use crate::policy::Policy;

hermes_plugin!(
    register,
    role = "guard",
    hooks = ["pre_tool_call"],
    unless = "linked"
);

/// `plugins.entries.command-guard.config`: what the policy takes, and which tools run commands.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    /// Tools whose calls are judged.
    tools: Vec<String>,
    /// The arguments of a tool that hold commands, where that is not `command`.
    fields: BTreeMap<String, Vec<String>>,
    /// Higher is asked first among guards.
    priority: f64,
    disable: Vec<String>,
    allow_delete: Vec<String>,
    extra_rules: Vec<ExtraRule>,
}

impl Default for Settings {
    fn default() -> Self {
        let policy = Config::default();
        Self {
            tools: vec!["terminal".to_owned()],
            fields: BTreeMap::new(),
            priority: 100.0,
            disable: policy.disable,
            allow_delete: policy.allow_delete,
            extra_rules: policy.extra_rules,
        }
    }
}

/// The argument that holds the command unless `fields` says otherwise.
const COMMAND: &str = "command";

fn register(ctx: &mut Context) -> Result<(), Error> {
    let settings: Settings = ctx.config()?;
    let plugin = ctx.plugin();
    let refuse = |why: String| Error::new(format!("`plugins.entries.{plugin}.config`: {why}"));
    settings.check().map_err(refuse)?;
    let policy = Policy::new(&Config {
        disable: settings.disable,
        allow_delete: settings.allow_delete,
        extra_rules: settings.extra_rules,
    });
    let policy = policy.map_err(|error| refuse(error.to_string()))?;
    let fields = settings.fields;
    ctx.on(PreToolCall, move |call| judge(&policy, &fields, call))
        .tools(settings.tools)
        .priority(settings.priority);
    Ok(())
}

/// What is no text is no command: the tool will say so itself.
fn judge(
    policy: &Policy,
    fields: &BTreeMap<String, Vec<String>>,
    call: PreToolCallView<'_>,
) -> Verdict {
    let args = call.args();
    let refusal = match fields.get(call.tool_name()) {
        None => args.str(COMMAND).and_then(|command| policy.judge(command)),
        Some(names) => names
            .iter()
            .filter_map(|name| args.str(name))
            .find_map(|command| policy.judge(command)),
    };
    match refusal {
        Some(refusal) => Verdict::block(refusal.to_string()),
        None => Verdict::pass(),
    }
}

impl Settings {
    /// A guard that silently judges nothing is worse than an error.
    fn check(&self) -> Result<(), String> {
        if self.tools.is_empty() {
            return Err("tools: found no tool, expected at least one to judge".to_owned());
        }
        if let Some(tool) = self.fields.keys().find(|tool| !self.tools.contains(tool)) {
            return Err(format!(
                "fields: found `{tool}`, expected a tool that is listed under `tools`"
            ));
        }
        match self.fields.iter().find(|(_, names)| names.is_empty()) {
            Some((tool, _)) => Err(format!(
                "fields.{tool}: found no argument, expected at least one to judge"
            )),
            None => Ok(()),
        }
    }
}
