//! The host's half of the boundary: instances and their services, entering handlers, trait objects.

#![expect(
    unsafe_code,
    reason = "the boundary is made of raw pointers; each use states its proof"
)]

mod callback;
mod calls;
mod commands;
mod extended;
mod instance;
mod live;
mod registrar;
mod root;
mod services;
mod tools;

pub(crate) use commands::CommandHandle;
pub(crate) use extended::{AgentPort, EXTENSIONS};
pub(crate) use hermes_plugin_api::abi::host::{Entered, Entering, Parent, Staged, next_id};
pub(crate) use instance::{HostPort, Instance};
pub(crate) use root::{Created, RootRef};
pub(crate) use services::SERVICES;
pub use tools::ToolError;
pub(crate) use tools::{ToolHandle, take_tools};
