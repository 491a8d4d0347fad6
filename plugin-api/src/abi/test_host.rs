//! The raw half of the host in memory: instances, what they may ask of it, and one call of one handler.

mod instance;
mod live;
mod registrar;
mod services;
#[cfg(feature = "extensions")]
mod tools;

pub(crate) use instance::{Instance, Live, Port, Terms, metadata};
#[cfg(feature = "extensions")]
pub(crate) use tools::ToolHandle;
