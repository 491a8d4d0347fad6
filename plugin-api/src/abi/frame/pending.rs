//! An answer that comes later, as the host holds it.

use std::{
    ffi::c_void,
    fmt,
    sync::{Arc, PoisonError},
    task::{Poll, Waker as StdWaker},
};

use super::{Given, Retained};
use crate::{
    abi::{Future, Status, Waker, WakerFns},
    guard,
};

/// A future the host owns: dropped exactly once.
pub(super) struct OwnedFuture(pub(super) Future);

// SAFETY: futures of the boundary are `Send` by contract.
unsafe impl Send for OwnedFuture {}

impl Drop for OwnedFuture {
    fn drop(&mut self) {
        if let Some(drop) = self.0.drop {
            // SAFETY: the host owns the future and drops it only here.
            unsafe { drop(self.0.state) };
        }
    }
}

impl fmt::Debug for OwnedFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnedFuture")
    }
}

/// An answer that is not ready. Dropping it cancels the call, then frees the plugin's future.
#[derive(Debug)]
pub struct Pending {
    pub(super) call: Arc<Retained>,
    pub(super) future: Option<OwnedFuture>,
}

impl Pending {
    /// The retained call.
    #[must_use]
    pub const fn call(&self) -> &Arc<Retained> {
        &self.call
    }

    /// Lets the plugin make progress. Ready with `None` when the call was cancelled. Once it is ready the
    /// future is freed.
    pub fn poll(&mut self, waker: &StdWaker) -> Poll<Option<(Status, Given)>> {
        // Before the check, so that a cancel after it finds somebody to wake.
        *self
            .call
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
        if self.call.is_cancelled() {
            self.future = None;
        }
        let Some(future) = &self.future else {
            return Poll::Ready(None);
        };
        let Some(poll) = future.0.poll else {
            return Poll::Ready(None);
        };
        let lent = Waker {
            size: size_of::<Waker>() as u32,
            reserved: 0,
            data: std::ptr::from_ref(waker).cast(),
            fns: &raw const WAKER,
        };
        // SAFETY: the future is live and polled by one thread at a time, since `self` is borrowed exclusively;
        // the call is retained, and the waker is lent for the poll.
        let status = unsafe { poll(future.0.state, self.call.as_raw(), &raw const lent) };
        if status == Status::PENDING {
            return Poll::Pending;
        }
        self.future = None;
        self.call.close();
        Poll::Ready(Some((status, std::mem::take(&mut *self.call.given()))))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.future.is_some() {
            self.call.cancel();
        }
    }
}

static WAKER: WakerFns = WakerFns {
    size: size_of::<WakerFns>() as u32,
    reserved: 0,
    clone: Some(clone_waker),
    wake: Some(wake),
    drop: Some(drop_waker),
};

unsafe extern "C" fn clone_waker(data: *const c_void) -> *const c_void {
    // SAFETY: the data is a live waker of std, lent or owned.
    let waker = unsafe { &*data.cast::<StdWaker>() };
    guard::enter(guard::current(), || {
        Box::into_raw(Box::new(waker.clone())).cast_const().cast()
    })
    .unwrap_or(std::ptr::null())
}

unsafe extern "C" fn wake(data: *const c_void) {
    if data.is_null() {
        return;
    }
    // SAFETY: the data is a live waker of std, lent or owned.
    let waker = unsafe { &*data.cast::<StdWaker>() };
    // A waker that panics has nobody to tell.
    let _ = guard::enter(guard::current(), || waker.wake_by_ref());
}

unsafe extern "C" fn drop_waker(data: *const c_void) {
    if data.is_null() {
        return;
    }
    // SAFETY: made by `clone_waker`, and dropped only here.
    let waker = unsafe { Box::from_raw(data.cast_mut().cast::<StdWaker>()) };
    let _ = guard::enter(guard::current(), move || drop(waker));
}
