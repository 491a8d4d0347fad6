//! State that a plugin keeps with a tool call, from before it runs until its result is there.

use std::{any::Any, ffi::c_void, fmt};

use super::{
    Call, CallRef, Handler, HostRef, ServiceCode, host_ref::drop_handler, member::member, thunk,
};
use crate::guard;

/// The name of the interface.
pub const CALLS: &str = "hermes.calls/1";

/// The host's half of `hermes.calls/1`: one slot for each instance and tool call.
///
/// Both functions mean the call whose handler runs on this thread, and answer UNSUPPORTED when its event
/// has no `tool_call_id`, or its turn is over. What is attached is dropped by the host, once, unless it is
/// taken: when the turn ends, when 4,096 newer calls came, and when the instance ends.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CallSlots {
    /// `size_of::<CallSlots>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Puts a state and its `drop` into the slot, whose `call` is null; what was there is dropped. Unless it
    /// answers OK the state stays the plugin's.
    pub attach: Option<
        unsafe extern "C" fn(
            instance: u64,
            call: *const Call,
            state: *const Handler,
        ) -> ServiceCode,
    >,
    /// Empties the slot: what was in it is the plugin's again. Without anything in it, `state` and `drop` of
    /// what is written are null.
    pub take: Option<
        unsafe extern "C" fn(instance: u64, call: *const Call, state: *mut Handler) -> ServiceCode,
    >,
}

impl fmt::Debug for CallSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallSlots")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Handler {
    /// No handler: nothing to call, nothing to drop.
    pub const NOTHING: Self = Self {
        size: size_of::<Self>() as u32,
        reserved: 0,
        state: std::ptr::null_mut(),
        call: None,
        drop: None,
    };
}

/// What the typed layer attaches.
struct Attached {
    host: Option<HostRef>,
    value: Box<dyn Any + Send>,
}

impl thunk::WithHost for Attached {
    fn host(&self) -> Option<HostRef> {
        self.host
    }
}

fn slots(host: HostRef) -> *const CallSlots {
    host.table(CALLS)
}

impl CallRef<'_> {
    /// Attaches a value to the call. On failure it is dropped here.
    pub(crate) fn attach_value(&self, value: Box<dyn Any + Send>) -> Result<(), ServiceCode> {
        let host = guard::current().ok_or(ServiceCode::GONE)?;
        let attach = member!(slots(host), CallSlots, attach).ok_or(ServiceCode::UNSUPPORTED)?;
        let attached = Attached {
            host: Some(host),
            value,
        };
        let state: *mut c_void = Box::into_raw(Box::new(attached)).cast();
        let raw = Handler {
            state,
            drop: Some(thunk::drop_state::<Attached>),
            ..Handler::NOTHING
        };
        // SAFETY: the table is static; the call is live, and the struct is only read.
        let code = unsafe { attach(host.instance(), self.as_raw(), &raw const raw) };
        if code == ServiceCode::OK {
            return Ok(());
        }
        drop_handler(raw);
        Err(code)
    }

    /// Takes what `attach_value` attached.
    pub(crate) fn take_value(&self) -> Option<Box<dyn Any + Send>> {
        let host = guard::current()?;
        let take = member!(slots(host), CallSlots, take)?;
        let mut raw = Handler::NOTHING;
        // SAFETY: the table is static; the call and the place to write to are live.
        let code = unsafe { take(host.instance(), self.as_raw(), &raw mut raw) };
        if code != ServiceCode::OK || raw.state.is_null() {
            return None;
        }
        // SAFETY: nothing but `attach_value` fills the slots of this instance, and the host gave this one back.
        let attached = unsafe { Box::from_raw(raw.state.cast::<Attached>()) };
        Some(attached.value)
    }
}
