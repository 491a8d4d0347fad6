#![doc = include_str!("../README.md")]

mod about;
mod admit;
pub mod agent;
mod boundary;
mod calls;
mod commands;
pub mod config;
pub mod discover;
mod dispatch;
mod fault;
mod fold;
pub mod gateway_port;
mod guard;
pub mod home;
mod host;
pub mod inspect;
mod library;
mod loader_thread;
mod loading;
mod log;
#[cfg(feature = "log-files")]
pub mod log_files;
pub mod manifest;
pub mod middleware;
pub mod moments;
mod outcome;
pub mod payload;
pub mod permissions;
mod plugin;
mod refusal;
mod registry;
mod report;
mod required;
pub mod staging;
mod timers;
mod tool_info;
mod tool_rules;
mod trace;

pub use admit::{Checked, check_file, check_library, host_facts};
pub use boundary::ToolError;
pub use calls::{CallsReport, Unpaired, Why};
pub use commands::{CliOutput, CommandError, CommandInfo, CommandKind, SkillInfo};
pub use fault::{Fault, FaultKind};
/// The table of hooks.
pub use hermes_plugin_api::catalogue;
pub use home::Home;
pub use host::{Builder, FireError, Host};
pub use loading::check_directory;
pub use outcome::{
    Ask, Body, Change, Decision, FlowOutcome, Folded, Outcome, OutcomeOf, Reply, Rewrite,
    SendOutcome, TextOutcome, ToolOutcome, UserContext, VerifyOutcome,
};
pub use refusal::{LoadError, Refusal};
pub use report::{
    HookReport, Liveness, PluginReport, Record, Report, State, advice, liveness, liveness_for,
    suggest,
};
pub use required::Missing;
pub use tool_info::ToolInfo;
pub use trace::{Traced, TracedCall};
