//! Masks known secrets in results, terminal output and answers.
//!
#![doc = include_str!("../README.md")]

mod config;
mod dotenv;
mod env_files;
mod exact;
mod forms;
mod json_fit;
mod mask;
mod plugin;
mod redactor;
mod secrecy;
mod span;
mod values;
mod view;

pub use config::{Config, ConfigError};
pub use env_files::{EnvFiles, EnvWarning, Refresh};
pub use plugin::PLUGIN;
pub use redactor::{Redaction, Redactor};
pub use secrecy::Secrecy;
pub use values::Skipped;
