//! The one table of hooks: names, fields, answers and rules.
//!
//! From it come the typed views and answers, the JSON form of events, the constants of the C
//! header and `docs/hooks.md`. Numbers are explicit and only ever added to; `catalogue.lock` at the
//! root of the repository is the proof. Adding a hook is adding a table entry.

mod api;
mod approval;
mod callback;
mod gateway;
mod kanban;
mod llm;
mod macros;
mod message;
mod middleware;
mod session;
mod subagent;
mod table;
mod tool;

pub use api::*;
pub use approval::*;
pub use callback::*;
pub use gateway::*;
pub use kanban::*;
pub use llm::*;
pub use message::*;
pub use middleware::*;
pub use session::*;
pub use subagent::*;
pub use table::{Dialect, Field, FieldType, Hook, HookPoint, Kind, Merge, Part, Payload};
pub use tool::*;

pub(crate) use macros::hooks;

/// Grows with each release that adds a hook or a field.
pub const CATALOGUE_REVISION: u32 = 3;

/// The events as a host makes them: one builder per hook, under the hook point's name.
pub mod payload {
    pub use super::{
        api::payloads::*, approval::payloads::*, callback::payloads::*, gateway::payloads::*,
        kanban::payloads::*, llm::payloads::*, message::payloads::*, middleware::payloads::*,
        session::payloads::*, subagent::payloads::*, tool::payloads::*,
    };
}

/// Every hook, family by family.
pub fn all() -> impl Iterator<Item = &'static Hook> {
    let families: [&'static [&'static Hook]; 11] = [
        tool::FAMILY,
        llm::FAMILY,
        api::FAMILY,
        session::FAMILY,
        subagent::FAMILY,
        approval::FAMILY,
        gateway::FAMILY,
        kanban::FAMILY,
        message::FAMILY,
        callback::FAMILY,
        middleware::FAMILY,
    ];
    families.into_iter().flatten().copied()
}

/// The hook of this name, in whichever dialect.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Hook> {
    all().find(|hook| hook.name == name)
}
