//! What the whole-system tests stand on: homes, compiled plugins, child processes, captured logs.
//!
//! The tests use the loader as any embedder does, through its public API, and plugins as any operator
//! does: a library in a directory with a manifest.

pub mod child;
pub mod fixture;
pub mod home;
pub mod records;
pub mod stage;
pub mod standalone;
pub mod tree;
pub mod wait;

pub use fixture::Fixture;
pub use home::{Placed, TestHome};
pub use stage::Stage;
pub use wait::{block_on, until};
