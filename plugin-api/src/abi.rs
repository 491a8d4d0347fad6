//! The raw boundary: what crosses between a host and a plugin, and nothing else.
//!
//! It knows no hook. It knows *a record of tagged values*, a handler that is called with one, and a
//! writer for its answer. Every struct is `repr(C)`, made of integers and pointers, begins with its
//! own size and grows only at its end; every enumeration is a number with an "unknown" arm.
//!
//! Authors do not need this module: the typed layer in the crate root stands above it. Plugins in
//! other languages use the same structs through `include/hermes_plugin.h`.

#![expect(
    unsafe_code,
    reason = "the boundary is made of raw pointers; each use states its proof"
)]

mod agent;
mod answer;
mod call;
mod calls;
mod collect;
mod commands;
mod enter;
mod entry;
mod event;
pub(crate) mod extended;
mod frame;
mod future;
mod handler;
mod host_ref;
mod json_tree;
mod lending;
mod lent;
pub(crate) mod live;
mod member;
mod middleware;
mod offered;
mod record;
mod root;
mod served;
mod services;
mod skills;
mod slots;
mod staged;
mod surrogates;
pub(crate) mod test_host;
mod text;
pub(crate) mod thunk;
mod transformed;
mod tree;
mod value;

pub use agent::AgentFns;
pub use answer::{AnswerCode, AnswerWriter, WriteError};
pub use call::{Call, CallFlags, CallFns, CallRef, RetainedCall};
pub use calls::{CALLS, CallSlots};
pub use commands::CommandFns;
pub use entry::root;
pub use event::Event;
pub use future::{Future, Waker, WakerFns};
pub use handler::{
    Failure, FailureKind, Handler, HandlerFlags, HandlerSpec, OnFailure, Phase, Status,
};
pub use host_ref::HostRef;
pub use live::{GatewayFns, HandleKind, MiddlewareFns};
pub use root::{
    ABI_MAJOR, ABI_MINOR, CreateArgs, CreateFlags, Header, MAGIC, Root, RootFlags, SYMBOL,
};
pub use services::{
    JsonTools, Level, LogField, LogFns, LogRecord, Registrar, ServiceCode, Services,
};
pub use skills::SkillFns;
pub use text::{Sink, Str};
pub use tree::{Lookup, TreeFlags, TreeFns, TreeIter, TreeKind, TreeRef};
pub use value::{Datum, Mark, Tag, Value, ValueFlags};

#[cfg(feature = "extensions")]
pub(crate) use entry::Instance;
pub(crate) use host_ref::{LogLine, drop_handler};

/// The host's half of the boundary, written once for the loader and for [`testing`](crate::testing).
///
/// Not meant for plugins, and not part of what stays stable for them.
pub mod host {
    pub use super::{
        collect::{Answered, Limits, OwnedHandler},
        enter::{Entered, Entering, FaultKind, Parent, Waiting},
        frame::{Deadline, Dispatch, Failed, Frame, Given, Pending, Retained, Watch, lineage},
        json_tree::value_of,
        lending::{
            Hosting, LiveAct, LiveObject, NotDone, gateway_fns, is_borrowing, lend, middleware_fns,
        },
        lent::Logged,
        member::sized,
        middleware::{Layers, Rewritten, Stopped, ask, execute},
        offered::{
            BUILTIN_COMMANDS, CommandInfo, CommandKind, CommandOffer, SkillInfo, SkillOffer,
            command_name,
        },
        record::{Lent, LiveEvent, OwnedEvent, Record},
        served::{Depth, completed, error_json, injected, printed, said, usable},
        slots::{Slots, call_slots},
        staged::{Staged, next_id},
        transformed::Transformed,
    };
}
