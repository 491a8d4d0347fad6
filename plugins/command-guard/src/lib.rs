#![doc = include_str!("../README.md")]

mod call;
mod config;
mod fs;
mod git;
mod judge;
mod options;
mod paths;
mod plugin;
mod policy;
mod quick;
mod remote;
mod rules;
mod services;
mod shell;
mod system;
mod wrappers;

pub use config::{Config, ConfigError, DEFAULT_ALLOW_DELETE, ExtraRule};
pub use plugin::PLUGIN;
pub use policy::{Explained, MAX_INPUT, Policy, Refusal};
pub use rules::{RULES, Rule};
