//! The raw half of the host in memory: instances, what they may ask of it, and one call of one handler.

mod enter;
mod instance;
mod registrar;
mod services;
#[cfg(feature = "extensions")]
mod tools;

pub(crate) use enter::{Entered, Entering, Parent};
pub(crate) use instance::{Instance, Live, Logged, Port, Terms, metadata, next_id};
pub(crate) use registrar::Staged;
#[cfg(feature = "extensions")]
pub(crate) use tools::ToolHandle;
