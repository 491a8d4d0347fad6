//! Extension interfaces: rich, cold functions behind a name and a revision.
//!
//! Each is a set of `abi_stable` trait objects whose layout is compared before it is used, in either
//! direction, so an older host takes a newer plugin and the other way round. A mismatch disables the
//! interface; it refuses the plugin only if the plugin requires it. Authors never implement such a
//! trait: an adaptor with the guard around every method stands in between.
//!
//! Interfaces that a handler uses while it runs are plain tables of functions instead: [`gateway`] for the
//! live objects of a message, [`middleware`] for what a middleware wraps.

pub mod gateway;
mod live;
pub mod middleware;
#[cfg(feature = "extensions")]
pub mod tools;

pub use live::LiveError;
