#![doc = include_str!("../README.md")]

pub mod abi;
pub mod agent;
pub mod answers;
mod asynchronous;
mod attached;
pub mod catalogue;
mod context;
mod error;
pub mod export;
pub mod extension;
mod guard;
pub mod handlers;
mod log;
pub mod metadata;
pub mod testing;

pub use abi::{CallRef, Datum, HostRef, TreeRef};
pub use context::Context;
pub use error::Error;
#[doc(hidden)]
pub use inventory;

/// Everything an author needs: `use hermes_plugin_api::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Context, Error, HostRef,
        abi::{CallRef, Datum, TreeRef},
        answers::{
            Approval, ContextPiece, Continue, Flow, RawAnswer, Replacement, Reply, SendDecision,
            ToolDecision, Verdict,
        },
        catalogue::*,
        extension::commands::{CliCommand, CliOutput, Command},
        extension::{
            LiveError,
            gateway::{Outgoing, TranscriptEntry},
            middleware::{Executed, Rewrite},
        },
        handlers::{Callback, Handle, Registration, RegistrationId, Retained},
        hermes_plugin, hook,
    };
    pub use tracing;
}
