//! What a handler may do with the live objects of its host until it returns: the tables of functions.

use std::{ffi::c_void, fmt};

use super::{
    Call, CallRef, HostRef, ServiceCode, Services, Sink, Str, member::member, text::Collecting,
};
use crate::guard;

/// What sort of live object a value with a handle stands for. Unknown kinds are lawful.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct HandleKind(pub u64);

impl HandleKind {
    /// The gateway, which sends messages.
    pub const GATEWAY: Self = Self(1);
    /// The session store, which keeps transcripts.
    pub const SESSION_STORE: Self = Self(2);
    /// What a middleware wraps: the middleware after it, and at the end the tool or the model.
    pub const NEXT: Self = Self(3);
}

/// The host's half of `hermes.gateway/1`: acts on the live objects of `pre_gateway_dispatch`.
///
/// A live object is good on the thread of the handler whose event carries it, for the instance that is
/// called, until the handler returns. Everywhere else the functions answer GONE: on other threads, from
/// later handlers, with a retained call. None of them unwinds.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct GatewayFns {
    /// `size_of::<GatewayFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Sends a message: a JSON object with `platform`, `chat_id`, `text`, and perhaps `thread_id` and
    /// `reply_to`. Writes the receipt as JSON; when it answers FAILED or INVALID, the reason.
    pub send: Option<
        unsafe extern "C" fn(
            instance: u64,
            call: *const Call,
            kind: HandleKind,
            number: u64,
            message: Str,
            receipt: *const Sink,
        ) -> ServiceCode,
    >,
    /// Appends to a session's transcript: a JSON object with `session_key`, `role` and `content`. Writes
    /// nothing; when it answers FAILED or INVALID, the reason.
    pub append_to_transcript: Option<
        unsafe extern "C" fn(
            instance: u64,
            call: *const Call,
            kind: HandleKind,
            number: u64,
            entry: Str,
            reason: *const Sink,
        ) -> ServiceCode,
    >,
}

impl fmt::Debug for GatewayFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The host's half of `hermes.middleware/1`: lets a middleware call what it wraps.
///
/// Good on the thread of the handler, until it returns, and once; see [`GatewayFns`].
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct MiddlewareFns {
    /// `size_of::<MiddlewareFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Calls what the event's handler wraps, with another payload (a JSON object) or, when the text is
    /// empty, with its own. Writes the result as JSON; when it answers FAILED or INVALID, the reason.
    pub next: Option<
        unsafe extern "C" fn(
            instance: u64,
            call: *const Call,
            payload: Str,
            result: *const Sink,
        ) -> ServiceCode,
    >,
}

impl fmt::Debug for MiddlewareFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiddlewareFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The name of the interface behind [`GatewayFns`].
pub(crate) const GATEWAY: &str = "hermes.gateway/1";
/// The name of the interface behind [`MiddlewareFns`].
pub(crate) const MIDDLEWARE: &str = "hermes.middleware/1";

/// What can be done with the live objects of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Send,
    AppendToTranscript,
}

/// A host's code, and its words if it had any.
pub(crate) type Refused = (ServiceCode, String);

impl CallRef<'_> {
    /// Acts on a live object that the event of this call carries.
    pub(crate) fn act(
        &self,
        deed: Deed,
        kind: HandleKind,
        number: u64,
        json: &str,
    ) -> Result<String, Refused> {
        let host = inside()?;
        let table = table::<GatewayFns>(&host, GATEWAY);
        let act = match deed {
            Deed::Send => member!(table, GatewayFns, send),
            Deed::AppendToTranscript => member!(table, GatewayFns, append_to_transcript),
        };
        let act = act.ok_or((ServiceCode::UNSUPPORTED, String::new()))?;
        told(|sink| {
            // SAFETY: the table is static; call, text and sink live for the call.
            unsafe {
                act(
                    host.instance,
                    self.as_raw(),
                    kind,
                    number,
                    Str::new(json),
                    sink,
                )
            }
        })
    }

    /// Calls what the handler of this call wraps.
    pub(crate) fn call_next(&self, payload: &str) -> Result<String, Refused> {
        let host = inside()?;
        let table = table::<MiddlewareFns>(&host, MIDDLEWARE);
        let next = member!(table, MiddlewareFns, next);
        let next = next.ok_or((ServiceCode::UNSUPPORTED, String::new()))?;
        told(|sink| {
            // SAFETY: the table is static; call, text and sink live for the call.
            unsafe { next(host.instance, self.as_raw(), Str::new(payload), sink) }
        })
    }
}

/// The host whose call runs on this thread: without one, no handler of the plugin runs here.
fn inside() -> Result<HostRef, Refused> {
    guard::current().ok_or((ServiceCode::GONE, String::new()))
}

/// The host's half of an interface; null when it has none.
fn table<T>(host: &HostRef, name: &str) -> *const T {
    let get = member!(host.services, Services, get_extension);
    get.map_or(std::ptr::null::<c_void>(), |get| {
        // SAFETY: the table is static; the name lives for the call.
        unsafe { get(host.instance, Str::new(name)) }
    })
    .cast()
}

fn told(ask: impl FnOnce(*const Sink) -> ServiceCode) -> Result<String, Refused> {
    let mut out = Vec::new();
    let code = ask(Collecting::new(&mut out).as_raw());
    let text = String::from_utf8_lossy(&out).into_owned();
    if code == ServiceCode::OK {
        Ok(text)
    } else {
        Err((code, text))
    }
}
