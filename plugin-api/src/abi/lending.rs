//! What a host lends for the length of a handler's call: who may act on it, and until when.

use std::{cell::Cell, ptr};

use super::{
    Call, GatewayFns, HandleKind, MiddlewareFns, ServiceCode, Sink, Str, Tag,
    enter::{Parent, current},
    frame::on_stack,
    staged::next_id,
};

/// What is to be done with a live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveAct {
    /// A message is to be sent.
    Send,
    /// A transcript is to grow.
    AppendToTranscript,
    /// What a middleware wraps is to be called.
    Next,
}

/// Why it was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotDone {
    /// This host cannot do it.
    Unsupported,
    /// It was asked for in the wrong way.
    Invalid(String),
    /// It was tried, and failed.
    Failed(String),
}

/// A live object, as a host lends it. Called on the thread of the handler, without any lock.
pub trait LiveObject {
    /// Does it, on JSON text.
    ///
    /// # Errors
    /// Why it was not done.
    fn act(&self, act: LiveAct, json: &str) -> Result<String, NotDone>;
}

/// What the tables need of the host they belong to.
pub trait Hosting {
    /// Whether the instance lives.
    fn lives(instance: u64) -> bool;

    /// Runs `body`; a panic becomes `otherwise`.
    fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R;
}

/// One object that is lent on this thread, on the stack of whoever lends it.
struct Loan<'a> {
    number: u64,
    /// For whom: the handler that is called with it.
    tag: Option<u64>,
    /// From inside which call the event is fired that carries it.
    parent: *const Call,
    object: &'a dyn LiveObject,
    before: *const Loan<'static>,
}

thread_local! {
    /// What is lent on this thread, the newest in front.
    static LENT: Cell<*const Loan<'static>> = const { Cell::new(ptr::null()) };
}

/// Puts back what was lent before.
struct Restore(*const Loan<'static>);

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = LENT.try_with(|lent| lent.set(self.0));
    }
}

/// Lends an object while `body` runs, which fires the event from inside `parent` and is given the number for
/// the event's handles. `tag` says whose handler is called with it, if only one is.
pub fn lend<R>(
    object: &dyn LiveObject,
    parent: Parent,
    tag: Option<u64>,
    body: impl FnOnce(u64) -> R,
) -> R {
    let number = next_id();
    let before = LENT.try_with(Cell::get).unwrap_or(ptr::null());
    let loan = Loan {
        number,
        tag,
        parent: parent.raw(),
        object,
        before,
    };
    let _restore = Restore(before);
    let _ = LENT.try_with(|lent| lent.set(ptr::from_ref(&loan).cast()));
    body(number)
}

/// Everything that is lent on this thread, the newest first.
fn loans<'l>() -> impl Iterator<Item = &'l Loan<'l>> {
    let mut next = LENT.try_with(Cell::get).unwrap_or(ptr::null());
    std::iter::from_fn(move || {
        // SAFETY: null, or on the stack of a `lend` that is still running further down this stack, since it
        // takes itself off the list before it ends.
        let loan = unsafe { next.cast::<Loan<'l>>().as_ref() }?;
        next = loan.before;
        Some(loan)
    })
}

/// Whether the handler of this tag was lent something on this thread, and so is inside.
#[must_use]
pub fn is_borrowing(tag: u64) -> bool {
    loans().any(|loan| loan.tag == Some(tag))
}

/// The object behind a handle, for the handler that runs on this thread and for nobody else.
///
/// `number` is the handle's; without one the object is the first of its kind in the event.
fn lent<'l>(
    instance: u64,
    call: *const Call,
    kind: HandleKind,
    number: Option<u64>,
) -> Option<&'l dyn LiveObject> {
    if call.is_null() || !ptr::eq(call, current()) {
        return None;
    }
    // SAFETY: it is the call whose handler runs on this thread, so it is live.
    let running = unsafe { on_stack(call) }?;
    if running.instance != Some(instance) {
        return None;
    }
    // SAFETY: the event lives as long as the call.
    let event = unsafe { running.event.as_ref() }?;
    let carried = (0..event.count).find_map(|field| {
        // SAFETY: the fields of a live event are live.
        let value = unsafe { event.field(field) };
        let fits = value.tag == Tag::HANDLE
            && value.a == kind.0
            && number.is_none_or(|number| value.b == number);
        fits.then_some(value.b)
    })?;
    loans()
        .find(|loan| {
            loan.number == carried
                && ptr::eq(loan.parent, running.parent)
                && loan.tag.is_none_or(|tag| tag == running.tag)
        })
        .map(|loan| loan.object)
}

/// # Safety
/// `json` and `sink` must be lent by the plugin for the call; `sink` may be null.
unsafe fn act<H: Hosting>(
    instance: u64,
    call: *const Call,
    (kind, number): (HandleKind, Option<u64>),
    act: LiveAct,
    json: Str,
    sink: *const Sink,
) -> ServiceCode {
    H::shield(ServiceCode::FAILED, || {
        let object = lent(instance, call, kind, number).filter(|_| H::lives(instance));
        let Some(object) = object else {
            return ServiceCode::GONE;
        };
        // SAFETY: by the caller's promise.
        let Ok(json) = (unsafe { json.text() }) else {
            return ServiceCode::INVALID;
        };
        let panicked = || {
            Err(NotDone::Failed(
                "the host panicked while it did it".to_owned(),
            ))
        };
        let (code, text) = match H::shield(panicked(), || object.act(act, json)) {
            Ok(text) => (ServiceCode::OK, text),
            Err(NotDone::Unsupported) => return ServiceCode::UNSUPPORTED,
            Err(NotDone::Invalid(why)) => (ServiceCode::INVALID, why),
            Err(NotDone::Failed(why)) => (ServiceCode::FAILED, why),
        };
        if text.is_empty() {
            return code;
        }
        // SAFETY: by the caller's promise.
        match unsafe { Sink::answer(sink, &text) } {
            ServiceCode::OK => code,
            refused if code == ServiceCode::OK => refused,
            _ => code,
        }
    })
}

unsafe extern "C" fn send<H: Hosting>(
    instance: u64,
    call: *const Call,
    kind: HandleKind,
    number: u64,
    message: Str,
    receipt: *const Sink,
) -> ServiceCode {
    if kind != HandleKind::GATEWAY {
        return ServiceCode::INVALID;
    }
    let handle = (kind, Some(number));
    // SAFETY: the plugin lends text and sink for the call.
    unsafe { act::<H>(instance, call, handle, LiveAct::Send, message, receipt) }
}

unsafe extern "C" fn append_to_transcript<H: Hosting>(
    instance: u64,
    call: *const Call,
    kind: HandleKind,
    number: u64,
    entry: Str,
    reason: *const Sink,
) -> ServiceCode {
    if kind != HandleKind::SESSION_STORE {
        return ServiceCode::INVALID;
    }
    let handle = (kind, Some(number));
    let deed = LiveAct::AppendToTranscript;
    // SAFETY: the plugin lends text and sink for the call.
    unsafe { act::<H>(instance, call, handle, deed, entry, reason) }
}

unsafe extern "C" fn next<H: Hosting>(
    instance: u64,
    call: *const Call,
    payload: Str,
    result: *const Sink,
) -> ServiceCode {
    let handle = (HandleKind::NEXT, None);
    // SAFETY: the plugin lends text and sink for the call.
    unsafe { act::<H>(instance, call, handle, LiveAct::Next, payload, result) }
}

/// The table of `hermes.gateway/1`.
#[must_use]
pub const fn gateway_fns<H: Hosting>() -> GatewayFns {
    GatewayFns {
        size: size_of::<GatewayFns>() as u32,
        reserved: 0,
        send: Some(send::<H>),
        append_to_transcript: Some(append_to_transcript::<H>),
    }
}

/// The table of `hermes.middleware/1`.
#[must_use]
pub const fn middleware_fns<H: Hosting>() -> MiddlewareFns {
    MiddlewareFns {
        size: size_of::<MiddlewareFns>() as u32,
        reserved: 0,
        next: Some(next::<H>),
    }
}
