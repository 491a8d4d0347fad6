//! The tools that plugins offer.

use std::sync::Arc;

use hermes_plugin_api::abi::host::error_json;
use serde_json::{Map, Value};

use super::{Host, Inner};
use crate::boundary::{ToolError, ToolHandle};
use crate::fault::{FaultKind, one_line};
use crate::tool_info::ToolInfo;

impl Host {
    /// The tools that plugins offer, each with its plugin: name, toolset, description and parameters, as the
    /// plugin gave them. Of two with one name only the later is there.
    #[must_use]
    pub fn tools(&self) -> Vec<(Arc<str>, Map<String, Value>)> {
        let tools = self.inner.tools().into_iter();
        let described = tools.map(|tool| {
            let plugin = Arc::clone(&tool.instance.plugin);
            (plugin, tool.description.json.clone())
        });
        described.collect()
    }

    /// The same, read, and with what is missing before a tool can be offered to the model: the variables in
    /// this process' environment are looked up now, and tools that have a check of their own are asked.
    #[must_use]
    pub fn tool_infos(&self) -> Vec<ToolInfo> {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let tools = self.inner.tools().into_iter();
        let infos = tools.map(|tool| {
            let plugin = &tool.instance.plugin;
            let usable = tool.is_usable().unwrap_or_else(|(kind, failed)| {
                let name = &tool.description.name;
                self.inner.faults.note(plugin, name, kind, &failed);
                false
            });
            ToolInfo::read(plugin, &tool.description.json, usable, is_set)
        });
        infos.collect()
    }

    /// Runs a tool of a plugin, on this thread. Fires no hooks.
    ///
    /// # Errors
    /// When no plugin offers it, or it failed.
    pub fn run_tool(&self, name: &str, args: &Value) -> Result<String, ToolError> {
        let tool = self.inner.tool(name).ok_or_else(|| ToolError::Unknown {
            tool: name.to_owned(),
        })?;
        self.inner.run(&tool, args).map_err(|(_, text)| {
            let plugin = tool.instance.plugin.to_string();
            ToolError::Failed {
                tool: name.to_owned(),
                plugin,
                text,
            }
        })
    }

    /// Runs a tool of a plugin, on this thread, and gives what the model is to see: its result, or a JSON
    /// object with an `error`. Of a panic it says no more than whose it was. Fires no hooks.
    #[must_use]
    pub fn call_tool(&self, name: &str, args: &Value) -> String {
        self.inner
            .call_tool(name, args)
            .unwrap_or_else(|| error_json(&format!("Unknown tool: {name}")))
    }
}

impl Inner {
    /// Every tool that can be run.
    fn tools(&self) -> Vec<Arc<ToolHandle>> {
        let plugins = self.plugins();
        let mut tools: Vec<Arc<ToolHandle>> = Vec::new();
        for tool in plugins.iter().flat_map(|plugin| &plugin.tools) {
            tools.retain(|other| other.description.name != tool.description.name);
            tools.push(Arc::clone(tool));
        }
        tools
    }

    /// The tool of this name; of two, the later.
    fn tool(&self, name: &str) -> Option<Arc<ToolHandle>> {
        let plugins = self.plugins();
        let mut all = plugins
            .iter()
            .rev()
            .flat_map(|plugin| plugin.tools.iter().rev());
        all.find(|tool| tool.description.name == name).cloned()
    }

    fn run(&self, tool: &ToolHandle, args: &Value) -> Result<String, (FaultKind, String)> {
        tool.run(args).map_err(|(kind, failed)| {
            let plugin = &tool.instance.plugin;
            self.faults
                .note(plugin, &tool.description.name, kind, &failed);
            (kind, one_line(&failed.text))
        })
    }

    /// Runs a plugin's tool, if there is one of this name, and gives what the model is to see.
    pub(super) fn call_tool(&self, name: &str, args: &Value) -> Option<String> {
        let tool = self.tool(name)?;
        let run = self.run(&tool, args);
        Some(run.unwrap_or_else(|(kind, text)| match kind {
            FaultKind::Panic => {
                let plugin = &tool.instance.plugin;
                error_json(&format!(
                    "the tool `{name}` of plugin `{plugin}` broke; it may work with other arguments"
                ))
            }
            _ => error_json(&text),
        }))
    }
}
