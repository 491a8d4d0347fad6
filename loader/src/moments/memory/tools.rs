//! Tools that are functions.

use std::collections::BTreeMap;
use std::fmt;

use crate::moments::ground::Moments;
use crate::moments::tool_call::{ToolFailure, ToolRun, ToolRunner};

type Function = Box<dyn Fn(&ToolRun<'_>) -> Result<String, ToolFailure> + Send + Sync>;

/// Tools that are functions, by name.
///
/// ```
/// use hermes_loader::moments::memory::Toolbox;
///
/// let tools = Toolbox::new().tool("echo", |call| Ok(call.text("text").unwrap_or_default().to_owned()));
/// ```
#[derive(Default)]
pub struct Toolbox {
    own: BTreeMap<String, Function>,
    plugins: Option<Moments>,
}

impl Toolbox {
    /// No tools yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more tool.
    #[must_use]
    pub fn tool(
        mut self,
        name: impl Into<String>,
        run: impl Fn(&ToolRun<'_>) -> Result<String, ToolFailure> + Send + Sync + 'static,
    ) -> Self {
        self.own.insert(name.into(), Box::new(run));
        self
    }

    /// And the tools that plugins offer; its own go first.
    #[must_use]
    pub fn and_plugins(mut self, moments: &Moments) -> Self {
        self.plugins = Some(moments.clone());
        self
    }
}

impl ToolRunner for Toolbox {
    fn run(&self, call: &ToolRun<'_>) -> Result<String, ToolFailure> {
        if let Some(tool) = self.own.get(call.tool_name) {
            return tool(call);
        }
        match &self.plugins {
            // Its errors are results already, and a panic's text is not for the model.
            Some(moments) => Ok(moments.host().call_tool(call.tool_name, call.args)),
            None => Err(format!("there is no tool named `{}`", call.tool_name).into()),
        }
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.own.keys()).finish()
    }
}
