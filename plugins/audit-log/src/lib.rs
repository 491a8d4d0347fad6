//! Keeps an append-only, hash-chained record of tool calls.
//!
#![doc = include_str!("../README.md")]

mod canonical;
mod chain;
mod clock;
mod config;
mod error;
mod event;
mod head;
mod ledger;
mod lock;
mod log;
mod plugin;
mod record;
mod report;
mod store;
mod tail;
mod verify;

pub use clock::{Clock, SystemClock};
pub use config::{Config, ConfigError, Fsync, RecordArgs};
pub use error::AuditError;
pub use event::{Approval, Ids, Mark, SessionMark, ToolCall, ToolResult, TurnEnd};
pub use head::{Head, HeadError};
pub use ledger::Counts;
pub use log::{AuditLog, Recorded, TurnSummary};
pub use plugin::PLUGIN;
pub use report::{Bad, OpenCall, Recovery, Report, Why};
pub use verify::{Anchor, verify, verify_with};
