//! Finds, checks, loads and calls native hermes plugins.

pub mod config;
pub mod discover;
pub mod home;
pub mod inspect;
pub mod manifest;
pub mod permissions;
pub mod staging;
