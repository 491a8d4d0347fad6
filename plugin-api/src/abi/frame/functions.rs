//! The functions of a call, over both places it can live.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use serde_json::{Map, Value as Json};

use super::{Deadline, Failed, Frame, Given, Limits, OPEN, Retained, pending::OwnedFuture};
use crate::{
    abi::{
        ABI_MINOR, AnswerCode, Call, CallFns, Failure, Future, Handler, Str, Value,
        collect::Collector, member::sized,
    },
    catalogue::Hook,
    guard,
};

/// The two places a call can live; the functions of a call are the same over both.
trait Place {
    /// Lets `write` at what the handler handed over so far, unless nobody wants it any more.
    ///
    /// # Safety
    /// `call` must be live and live in this place.
    unsafe fn with<R>(
        call: *const Call,
        write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R,
    ) -> Option<R>;

    /// # Safety
    /// As for `with`.
    unsafe fn deadline(call: *const Call) -> Deadline;
}

struct Stack;
struct Heap;

impl Place for Stack {
    unsafe fn with<R>(
        call: *const Call,
        write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R,
    ) -> Option<R> {
        // SAFETY: only `Frame::new` makes calls with the table of this place.
        let frame = unsafe { &*call.cast::<Frame<'_>>() };
        // SAFETY: a frame stays on its thread, and no reference into the cell outlives this function.
        let given = unsafe { &mut *frame.given.get() };
        let given = given.get_or_insert_default();
        guard::enter(guard::current(), || {
            write(given, frame.dispatch.hook, frame.dispatch.limits)
        })
        .ok()
    }

    unsafe fn deadline(call: *const Call) -> Deadline {
        // SAFETY: only `Frame::new` makes calls with the table of this place.
        unsafe { &*call.cast::<Frame<'_>>() }.deadline
    }
}

impl Place for Heap {
    unsafe fn with<R>(
        call: *const Call,
        write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R,
    ) -> Option<R> {
        // SAFETY: only `Frame::retain` makes calls with the table of this place.
        let retained = unsafe { &*call.cast::<Retained>() };
        let mut given = retained.given();
        // Under the lock, so that a cancelled call is never written to afterwards.
        if retained.phase.load(Ordering::Acquire) != OPEN {
            return None;
        }
        guard::enter(guard::current(), || {
            write(&mut given, retained.hook, retained.limits)
        })
        .ok()
    }

    unsafe fn deadline(call: *const Call) -> Deadline {
        // SAFETY: only `Frame::retain` makes calls with the table of this place.
        unsafe { &*call.cast::<Retained>() }.deadline
    }
}

/// # Safety
/// `call` must be live and live in `P`.
unsafe fn collect<P: Place>(
    call: *const Call,
    write: impl FnOnce(&mut Collector) -> AnswerCode,
) -> AnswerCode {
    let write = |given: &mut Given, hook, limits| {
        write(
            given
                .collector
                .get_or_insert_with(|| Collector::new(hook, limits)),
        )
    };
    // SAFETY: by the caller's promise.
    unsafe { P::with(call, write) }.unwrap_or(AnswerCode::GONE)
}

unsafe extern "C" fn set<P: Place>(
    call: *const Call,
    field: u32,
    value: *const Value,
) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else {
        return AnswerCode::TYPE;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set(field, value)) }
}

unsafe extern "C" fn set_named<P: Place>(
    call: *const Call,
    key: Str,
    value: *const Value,
) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else {
        return AnswerCode::TYPE;
    };
    // SAFETY: lent by the plugin for the call.
    let Ok(key) = (unsafe { key.text() }) else {
        return AnswerCode::UTF8;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set_named(key, value)) }
}

unsafe extern "C" fn set_whole<P: Place>(call: *const Call, value: *const Value) -> AnswerCode {
    // SAFETY: as for `set`.
    unsafe { set::<P>(call, AnswerCode::WHOLE, value) }
}

unsafe extern "C" fn begin_object<P: Place>(call: *const Call, field: u32) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe {
        collect::<P>(call, |collector| {
            collector.begin(field, Json::Object(Map::new()))
        })
    }
}

unsafe extern "C" fn begin_array<P: Place>(call: *const Call, field: u32) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe {
        collect::<P>(call, |collector| {
            collector.begin(field, Json::Array(Vec::new()))
        })
    }
}

unsafe extern "C" fn key<P: Place>(call: *const Call, key: Str) -> AnswerCode {
    // SAFETY: lent by the plugin for the call.
    let Ok(key) = (unsafe { key.text() }) else {
        return AnswerCode::UTF8;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.key(key)) }
}

unsafe extern "C" fn value<P: Place>(call: *const Call, value: *const Value) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else {
        return AnswerCode::TYPE;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.value(value)) }
}

unsafe extern "C" fn end<P: Place>(call: *const Call) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, Collector::end) }
}

unsafe extern "C" fn set_json<P: Place>(call: *const Call, field: u32, json: Str) -> AnswerCode {
    // SAFETY: lent by the plugin for the call.
    let Ok(json) = (unsafe { json.text() }) else {
        return AnswerCode::UTF8;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set_json(field, json)) }
}

unsafe extern "C" fn set_handler<P: Place>(
    call: *const Call,
    field: u32,
    handler: *const Handler,
) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(handler) = (unsafe { sized(handler, size_of::<Handler>()) }) else {
        return AnswerCode::TYPE;
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set_handler(field, handler)) }
}

unsafe extern "C" fn deadline<P: Place>(call: *const Call) -> u64 {
    // SAFETY: the plugin calls this through the call's own table.
    let deadline = unsafe { P::deadline(call) };
    deadline.map_or(u64::MAX, |at| {
        let left = at.saturating_duration_since(Instant::now());
        u64::try_from(left.as_nanos()).unwrap_or(u64::MAX - 1)
    })
}

unsafe extern "C" fn never_cancelled(_: *const Call) -> u32 {
    0
}

unsafe extern "C" fn cancelled(call: *const Call) -> u32 {
    // SAFETY: only retained calls have this table.
    let retained = unsafe { &*call.cast::<Retained>() };
    u32::from(retained.is_cancelled())
}

unsafe extern "C" fn retain_frame(call: *const Call) -> *const Call {
    // SAFETY: only `Frame::new` makes calls with this table.
    let frame = unsafe { &*call.cast::<Frame<'_>>() };
    guard::enter(guard::current(), || Arc::into_raw(frame.retain()).cast())
        .unwrap_or(std::ptr::null())
}

unsafe extern "C" fn retain_again(call: *const Call) -> *const Call {
    // SAFETY: only `Frame::retain` makes calls with this table, each inside an `Arc` that is live.
    unsafe { Arc::increment_strong_count(call.cast::<Retained>()) };
    call
}

/// A frame is not released: it ends with its handler.
unsafe extern "C" fn release_nothing(_: *const Call) {}

unsafe extern "C" fn release(call: *const Call) {
    // SAFETY: gives back the count that one `retain` raised.
    let retained = unsafe { Arc::from_raw(call.cast::<Retained>()) };
    let _ = guard::enter(guard::current(), move || drop(retained));
}

unsafe extern "C" fn pend<P: Place>(call: *const Call, future: *const Future) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(future) = (unsafe { sized(future, size_of::<Future>()) }) else {
        return AnswerCode::TYPE;
    };
    let write = |given: &mut Given, _, _| {
        if future.poll.is_none() || given.future.is_some() {
            return AnswerCode::TYPE;
        }
        given.future = Some(OwnedFuture(future));
        AnswerCode::OK
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { P::with(call, write) }.unwrap_or(AnswerCode::GONE)
}

/// A call on the heap already has its future, or is over.
unsafe extern "C" fn pend_no_more(_: *const Call, _: *const Future) -> AnswerCode {
    AnswerCode::GONE
}

unsafe extern "C" fn fail<P: Place>(call: *const Call, failure: *const Failure) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(failed) = (unsafe { Failed::read(failure) }) else {
        return AnswerCode::TYPE;
    };
    let write = |given: &mut Given, _, _| {
        given.failed = Some(failed);
        AnswerCode::OK
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { P::with(call, write) }.unwrap_or(AnswerCode::GONE)
}

pub(super) static STACK: CallFns = CallFns {
    size: size_of::<CallFns>() as u32,
    abi_minor: ABI_MINOR,
    set: Some(set::<Stack>),
    set_named: Some(set_named::<Stack>),
    set_whole: Some(set_whole::<Stack>),
    begin_object: Some(begin_object::<Stack>),
    begin_array: Some(begin_array::<Stack>),
    key: Some(key::<Stack>),
    value: Some(value::<Stack>),
    end: Some(end::<Stack>),
    set_json: Some(set_json::<Stack>),
    set_handler: Some(set_handler::<Stack>),
    deadline: Some(deadline::<Stack>),
    cancelled: Some(never_cancelled),
    retain: Some(retain_frame),
    release: Some(release_nothing),
    pend: Some(pend::<Stack>),
    fail: Some(fail::<Stack>),
};

pub(super) static HEAP: CallFns = CallFns {
    size: size_of::<CallFns>() as u32,
    abi_minor: ABI_MINOR,
    set: Some(set::<Heap>),
    set_named: Some(set_named::<Heap>),
    set_whole: Some(set_whole::<Heap>),
    begin_object: Some(begin_object::<Heap>),
    begin_array: Some(begin_array::<Heap>),
    key: Some(key::<Heap>),
    value: Some(value::<Heap>),
    end: Some(end::<Heap>),
    set_json: Some(set_json::<Heap>),
    set_handler: Some(set_handler::<Heap>),
    deadline: Some(deadline::<Heap>),
    cancelled: Some(cancelled),
    retain: Some(retain_again),
    release: Some(release),
    pend: Some(pend_no_more),
    fail: Some(fail::<Heap>),
};
