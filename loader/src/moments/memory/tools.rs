//! Tools that are functions.

use std::collections::BTreeMap;
use std::fmt;

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
pub struct Toolbox(BTreeMap<String, Function>);

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
        self.0.insert(name.into(), Box::new(run));
        self
    }
}

impl ToolRunner for Toolbox {
    fn run(&self, call: &ToolRun<'_>) -> Result<String, ToolFailure> {
        match self.0.get(call.tool_name) {
            Some(tool) => tool(call),
            None => Err(format!("there is no tool named `{}`", call.tool_name).into()),
        }
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
