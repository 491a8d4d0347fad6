//! Tools that a plugin offers through `hermes.tools/1`.

use abi_stable::{
    library::LibHeader,
    std_types::{RResult, RStr},
};
use serde_json::Value as Json;

use super::instance::Live;
use crate::{
    abi::{FailureKind, Str},
    extension::tools::{NAME, ToolBox, ToolsModuleRef},
    testing::FaultKind,
};

/// One tool that a plugin offers.
pub(crate) struct ToolHandle {
    pub(crate) description: Json,
    tool: ToolBox,
}

impl std::fmt::Debug for ToolHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolHandle")
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

impl ToolHandle {
    /// Runs the tool on this thread.
    pub(crate) fn run(&self, args: &Json) -> Result<String, (FaultKind, String)> {
        let args = args.to_string();
        match self.tool.run(RStr::from_str(&args)) {
            RResult::ROk(text) => Ok(text.into_string()),
            RResult::RErr(error) => {
                let kind = if error.0 == FailureKind::PANIC.0 {
                    FaultKind::Panic
                } else {
                    FaultKind::Error
                };
                Err((kind, error.1.into_string()))
            }
        }
    }
}

impl Live {
    /// Takes the tools that `register` offered; once per instance. The error says why the interface is of no use.
    pub(crate) fn take_tools(&self) -> Result<Vec<ToolHandle>, String> {
        let header = self.root().get_extension.map_or(std::ptr::null(), |get| {
            // SAFETY: the name is lent for the call.
            unsafe { get(Str::new(NAME)) }
        });
        // SAFETY: null, or abi_stable's header, which lives as long as the process: the contract of the interface.
        let Some(header) = (unsafe { header.cast::<LibHeader>().as_ref() }) else {
            return Ok(Vec::new());
        };
        let module = header
            .check_layout::<ToolsModuleRef>()
            .map_err(|error| error.to_string())?;
        let take = module.tools();
        // SAFETY: the state is the one `create` gave, and the instance lives.
        let tools = unsafe { take(self.state()) };
        tools
            .into_iter()
            .map(|tool| {
                let description = tool.describe();
                let description =
                    serde_json::from_str(&description).map_err(|error| error.to_string())?;
                Ok(ToolHandle { description, tool })
            })
            .collect()
    }
}
