//! Extension interfaces: rich, cold functions behind a name and a revision.
//!
//! A host that lacks one is no reason to refuse a plugin, unless the plugin says in its metadata that it
//! cannot do without (`extensions = ["hermes.commands/1"]`).
//!
//! `hermes.commands/1`, `hermes.skills/1` and `hermes.agent/1` are tables of functions of the host, in the
//! style of its services: texts, and handlers for what it calls back. So Rust and C use the same form.
//!
//! `hermes.tools/1` is a set of `abi_stable` trait objects whose layout is compared before it is used, in
//! either direction, so an older host takes a newer plugin and the other way round. A mismatch disables the
//! interface. Authors never implement such a trait: an adaptor with the guard around every method stands in
//! between.
//!
//! Tables that a handler uses while it runs: [`gateway`] for the live objects of a message, [`middleware`] for
//! what a middleware wraps.

pub mod agent;
pub mod commands;
pub mod gateway;
mod live;
pub mod middleware;
pub mod skills;
#[cfg(feature = "extensions")]
pub mod tools;

pub use live::LiveError;
