//! What only the agent around the plugins has, and plugins may ask for: its model, its own tools, its
//! user's input line.
//!
//! An agent that embeds the loader hands an [`Agent`] to [`Builder::agent`](crate::Builder::agent). The
//! types stand in the plugin API, since both sides use them.
//!
//! ```no_run
//! use std::sync::Arc;
//! use hermes_loader::{Home, Host, agent::{InMemoryAgent, LlmReply}};
//!
//! # fn main() -> Result<(), hermes_loader::home::HomeError> {
//! let agent = InMemoryAgent::new()
//!     .tool("terminal", |args| Ok(format!("would run {}", args["command"])))
//!     .model(|request| Ok(LlmReply::new(format!("{} messages read", request.messages.len()))));
//! let host = Host::builder(Home::from_env()?)
//!     .agent(Arc::new(agent))
//!     .builtin_tools([("terminal", "terminal")])
//!     .load();
//! # Ok(())
//! # }
//! ```

pub use hermes_plugin_api::agent::{
    Agent, AgentError, InMemoryAgent, LlmReply, LlmRequest, LlmRights, Message,
};
