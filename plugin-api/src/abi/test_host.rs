//! The raw half of the host in memory: instances, what they may ask of it, and one call of one handler.

mod calls;
mod extended;
mod instance;
mod live;
mod registrar;
mod services;
#[cfg(feature = "extensions")]
mod tools;

pub(crate) use calls::{CallKey, Here, scope};
#[cfg(feature = "extensions")]
pub(crate) use instance::StagedCheck;
pub(crate) use instance::{Instance, Live, Port, StagedCommand, Staging, Terms, metadata};
#[cfg(feature = "extensions")]
pub(crate) use tools::ToolHandle;
