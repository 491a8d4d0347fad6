//! Turns closures and futures of the plugin into handlers and futures of the boundary.
//!
//! Everything here is compiled into the plugin, with the guard around it.

use std::{
    ffi::c_void,
    future::Future as StdFuture,
    pin::Pin,
    task::{Context, Poll, RawWaker, RawWakerVTable, Waker as StdWaker},
};

use super::{
    Call, CallRef, FailureKind, Future, Handler, HostRef, Status, Waker, WakerFns, member::member,
};
use crate::{error::Error, guard};

/// What a handler of the typed layer comes down to.
pub(crate) type Judge = Box<dyn Fn(CallRef<'_>) -> Result<Status, Error> + Send + Sync>;

struct Judging<F> {
    judge: F,
    host: Option<HostRef>,
}

/// Makes a handler of a closure. The state is freed when the host drops it.
pub(crate) fn handler<F>(host: Option<HostRef>, judge: F) -> Handler
where
    F: Fn(CallRef<'_>) -> Result<Status, Error> + Send + Sync + 'static,
{
    let state = Box::into_raw(Box::new(Judging { judge, host }));
    Handler {
        size: size_of::<Handler>() as u32,
        reserved: 0,
        state: state.cast(),
        call: Some(call::<F>),
        drop: Some(drop_state::<Judging<F>>),
    }
}

unsafe extern "C" fn call<F>(state: *mut c_void, raw: *const Call) -> Status
where
    F: Fn(CallRef<'_>) -> Result<Status, Error> + Send + Sync + 'static,
{
    // SAFETY: `state` was made by `handler::<F>` and the host drops it after the last call.
    let state = unsafe { &*state.cast::<Judging<F>>() };
    // SAFETY: the host promises that the call is live until this function returns.
    let call = unsafe { CallRef::new(raw) };
    report(&call, guard::enter(state.host, || (state.judge)(call)))
}

/// Hands the text of a failure over, and says how it ended.
fn report(call: &CallRef<'_>, result: Result<Result<Status, Error>, guard::Panic>) -> Status {
    match result {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => match error.panic() {
            Some(panic) => panicked(call, panic),
            None => {
                call.fail(FailureKind::ERROR, error.text(), "", 0);
                Status::ERROR
            }
        },
        Err(panic) => panicked(call, &panic),
    }
}

fn panicked(call: &CallRef<'_>, panic: &guard::Panic) -> Status {
    call.fail(FailureKind::PANIC, &panic.text, &panic.file, panic.line);
    Status::PANICKED
}

pub(super) unsafe extern "C" fn drop_state<T: WithHost>(state: *mut c_void) {
    // SAFETY: the host drops the state exactly once, and it was made of a box of `T`.
    let state = unsafe { Box::from_raw(state.cast::<T>()) };
    guard::drop_of(state.host(), state);
}

/// What is freed on behalf of an instance.
pub(super) trait WithHost {
    fn host(&self) -> Option<HostRef>;
}

impl<F> WithHost for Judging<F> {
    fn host(&self) -> Option<HostRef> {
        self.host
    }
}

/// What an `async` handler comes down to: it writes its answer into the retained call itself.
pub(crate) type Judgement = Pin<Box<dyn StdFuture<Output = Result<Answered, Error>> + Send>>;

/// An answer that can still be written.
pub(crate) type Answered = Box<dyn FnOnce(CallRef<'_>) -> Result<Status, Error> + Send>;

struct Pending {
    future: Judgement,
    host: Option<HostRef>,
}

impl WithHost for Pending {
    fn host(&self) -> Option<HostRef> {
        self.host
    }
}

/// Polls once; when the answer is not ready, leaves the rest to the host.
pub(crate) fn pend(
    host: Option<HostRef>,
    call: CallRef<'_>,
    mut future: Judgement,
) -> Result<Status, Error> {
    let mut context = Context::from_waker(StdWaker::noop());
    if let Poll::Ready(answered) = future.as_mut().poll(&mut context) {
        return answered?(call);
    }
    let state = Box::into_raw(Box::new(Pending { future, host }));
    let raw = Future {
        size: size_of::<Future>() as u32,
        flags: 0,
        state: state.cast(),
        poll: Some(poll),
        drop: Some(drop_state::<Pending>),
    };
    if call.pend(&raw) {
        return Ok(Status::PENDING);
    }
    // SAFETY: the host did not take the future, so it is still ours, and it is dropped only here.
    unsafe { drop_state::<Pending>(raw.state) };
    Err(Error::new(
        "this host does not wait for answers that are not ready",
    ))
}

unsafe extern "C" fn poll(state: *mut c_void, raw: *const Call, waker: *const Waker) -> Status {
    // SAFETY: the host never polls twice at once, and drops the state after the last poll.
    let state = unsafe { &mut *state.cast::<Pending>() };
    // SAFETY: the host promises that the retained call is live until this function returns.
    let call = unsafe { CallRef::new(raw) };
    let host = state.host;
    let result = guard::enter(host, || {
        // SAFETY: the host lends the waker until this function returns.
        let waker = unsafe { borrowed_waker(waker) };
        let mut context = Context::from_waker(&waker);
        match state.future.as_mut().poll(&mut context) {
            Poll::Pending => Ok(Status::PENDING),
            Poll::Ready(answered) => answered?(call),
        }
    });
    report(&call, result)
}

/// The host's waker as std's. Dropping it frees nothing: it is borrowed; clones own.
///
/// # Safety
/// `waker` must be live for as long as the result is.
unsafe fn borrowed_waker(waker: *const Waker) -> std::mem::ManuallyDrop<StdWaker> {
    let raw = RawWaker::new(waker.cast(), &BORROWED);
    // SAFETY: the table below keeps the contract of `RawWakerVTable` over a live `Waker`.
    std::mem::ManuallyDrop::new(unsafe { StdWaker::from_raw(raw) })
}

/// Data: `*const Waker`, lent by the host.
static BORROWED: RawWakerVTable =
    RawWakerVTable::new(clone_waker, wake_by_ref, wake_by_ref, drop_nothing);
/// Data: `*const Waker` from a box, whose own data was cloned.
static OWNED: RawWakerVTable =
    RawWakerVTable::new(clone_waker, wake_owned, wake_by_ref, drop_owned);

unsafe fn clone_waker(data: *const ()) -> RawWaker {
    // SAFETY: both tables keep a live `Waker` behind `data`.
    let waker = unsafe { *data.cast::<Waker>() };
    let cloned = match member!(waker.fns, WakerFns, clone) {
        // SAFETY: `data` is live, borrowed or owned.
        Some(clone) => unsafe { clone(waker.data) },
        None => std::ptr::null(),
    };
    let owned = Box::new(Waker {
        data: cloned,
        ..waker
    });
    RawWaker::new(Box::into_raw(owned).cast_const().cast(), &OWNED)
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: both tables keep a live `Waker` behind `data`.
    let waker = unsafe { *data.cast::<Waker>() };
    if let Some(wake) = member!(waker.fns, WakerFns, wake) {
        // SAFETY: `data` is live, borrowed or owned.
        unsafe { wake(waker.data) };
    }
}

unsafe fn wake_owned(data: *const ()) {
    // SAFETY: the caller hands over an owned waker, which is woken and then freed.
    unsafe { wake_by_ref(data) };
    // SAFETY: as above.
    unsafe { drop_owned(data) };
}

unsafe fn drop_owned(data: *const ()) {
    // SAFETY: made by `clone_waker` out of a box, and freed only here.
    let waker = unsafe { Box::from_raw(data.cast_mut().cast::<Waker>()) };
    if let Some(drop) = member!(waker.fns, WakerFns, drop) {
        // SAFETY: the data was cloned by `clone_waker` and is dropped only here.
        unsafe { drop(waker.data) };
    }
}

unsafe fn drop_nothing(_: *const ()) {}
