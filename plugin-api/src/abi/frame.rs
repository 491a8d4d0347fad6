//! A call as the host owns it: on its stack while the handler runs, on the heap once it is retained.

use std::{
    cell::{OnceCell, UnsafeCell},
    ffi::c_void,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    task::{Poll, Waker as StdWaker},
    time::Instant,
};

use serde_json::{Map, Value as Json};

use super::{
    ABI_MINOR, AnswerCode, Call, CallFlags, CallFns, Failure, FailureKind, Future, Handler, Status, Str, Value,
    Waker, WakerFns,
    collect::{Answered, Collector, Limits},
    member::sized,
    record::{LiveEvent, OwnedEvent},
};
use crate::{catalogue::Hook, guard};

/// What all frames of one event share.
#[derive(Debug)]
pub struct Dispatch<'e> {
    event: &'e LiveEvent<'e>,
    hook: Option<&'static Hook>,
    limits: Limits,
    owned: OnceCell<Arc<OwnedEvent>>,
}

impl<'e> Dispatch<'e> {
    /// A dispatch of an event.
    #[must_use]
    pub const fn new(event: &'e LiveEvent<'e>, hook: Option<&'static Hook>, limits: Limits) -> Self {
        Self { event, hook, limits, owned: OnceCell::new() }
    }

    /// The same with the copy that an earlier part of the dispatch made, or the embedder brought along.
    #[must_use]
    pub fn with_copy(mut self, copy: Option<Arc<OwnedEvent>>) -> Self {
        self.owned = copy.map_or_else(OnceCell::new, OnceCell::from);
        self
    }

    /// The copy, if a handler needed one.
    #[must_use]
    pub fn into_copy(self) -> Option<Arc<OwnedEvent>> {
        self.owned.into_inner()
    }

    fn owned(&self) -> &Arc<OwnedEvent> {
        self.owned.get_or_init(|| Arc::new(OwnedEvent::copy(self.event)))
    }
}

/// When the host stops waiting.
pub type Deadline = Option<Instant>;

/// Is told of every call that is retained, so that the end of an instance can wait for it.
pub trait Watch {
    /// A call was retained for the first time.
    fn retained(&self, call: &Arc<Retained>);
}

/// Why a handler says it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Error or panic.
    pub kind: FailureKind,
    /// What happened.
    pub text: String,
    /// Source file, or empty.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
}

impl Failed {
    /// Copies what a plugin handed over; text that is not UTF-8 is read with replacement characters.
    ///
    /// # Safety
    /// The failure and its texts must be live.
    #[must_use]
    pub unsafe fn copy(failure: &Failure) -> Self {
        // SAFETY: by the caller's promise.
        let text = unsafe { failure.text.bytes() };
        // SAFETY: by the caller's promise.
        let file = unsafe { failure.file.bytes() };
        Self {
            kind: failure.kind,
            text: String::from_utf8_lossy(text).into_owned(),
            file: String::from_utf8_lossy(file).into_owned(),
            line: failure.line,
        }
    }
}

/// What a handler handed over besides its status.
#[derive(Debug, Default)]
pub struct Given {
    collector: Option<Collector>,
    failed: Option<Failed>,
    future: Option<OwnedFuture>,
}

impl Given {
    /// The finished answer; `None` when nothing was set, or a structure was left open.
    #[must_use]
    pub fn answer(self) -> Option<Answered> {
        self.collector.and_then(Collector::finish)
    }

    /// Text and place of a failure.
    pub fn take_failed(&mut self) -> Option<Failed> {
        self.failed.take()
    }
}

/// One handler's call, on the host's stack.
#[repr(C)]
pub struct Frame<'d> {
    raw: Call,
    tag: u64,
    dispatch: &'d Dispatch<'d>,
    watch: Option<&'d dyn Watch>,
    deadline: Deadline,
    given: UnsafeCell<Option<Box<Given>>>,
    retained: UnsafeCell<Option<Arc<Retained>>>,
}

impl<'d> Frame<'d> {
    /// A frame for one handler, which the host knows by `tag`. Reads no clock and allocates nothing.
    ///
    /// # Safety
    /// `parent` must be null or a call made by this module that lives as long as the frame.
    #[inline]
    #[must_use]
    pub unsafe fn new(
        dispatch: &'d Dispatch<'d>,
        tag: u64,
        cookie: u64,
        flags: CallFlags,
        parent: *const Call,
        watch: Option<&'d dyn Watch>,
        deadline: Deadline,
    ) -> Self {
        let raw = Call {
            size: size_of::<Call>() as u32,
            flags,
            cookie,
            event: dispatch.event.raw(),
            parent,
            fns: &raw const STACK,
        };
        Self { raw, tag, dispatch, watch, deadline, given: UnsafeCell::new(None), retained: UnsafeCell::new(None) }
    }

    /// What the plugin is handed. Valid while `self` stays where it is.
    #[inline]
    #[must_use]
    pub fn as_raw(&self) -> *const Call {
        std::ptr::from_ref(self).cast()
    }

    /// What the handler handed over, after it returned something else than PENDING.
    #[must_use]
    pub fn finish(mut self) -> Given {
        if let Some(retained) = self.retained.get_mut() {
            retained.close();
        }
        self.given.get_mut().take().map(|given| *given).unwrap_or_default()
    }

    /// Whether the handler handed anything over or kept the call: only then is there something to finish.
    #[inline]
    #[must_use]
    pub fn is_untouched(&mut self) -> bool {
        self.given.get_mut().is_none() && self.retained.get_mut().is_none()
    }

    /// The answer that comes later; `None` when the handler handed no future over.
    #[must_use]
    pub fn pending(mut self) -> Option<Pending> {
        let mut given = self.given.get_mut().take()?;
        let future = given.future.take()?;
        let call = self.retain();
        *call.given() = *given;
        Some(Pending { call, future: Some(future) })
    }

    fn retain(&self) -> Arc<Retained> {
        // SAFETY: a frame stays on its thread, and no reference into the cell outlives a function.
        let slot = unsafe { &mut *self.retained.get() };
        if let Some(retained) = slot {
            return Arc::clone(retained);
        }
        let event = Arc::clone(self.dispatch.owned());
        let parent = retain_parent(self.raw.parent);
        let retained = Arc::new(Retained {
            raw: Call {
                flags: CallFlags(self.raw.flags.0 | CallFlags::RETAINED.0),
                event: event.raw(),
                parent: parent.as_ref().map_or(std::ptr::null(), |parent| parent.as_raw()),
                fns: &raw const HEAP,
                ..self.raw
            },
            tag: self.tag,
            _event: event,
            _parent: parent,
            hook: self.dispatch.hook,
            limits: self.dispatch.limits,
            deadline: self.deadline,
            phase: AtomicU32::new(OPEN),
            given: Mutex::default(),
            waiting: Mutex::default(),
        });
        if let Some(watch) = self.watch {
            watch.retained(&retained);
        }
        *slot = Some(Arc::clone(&retained));
        retained
    }
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("raw", &self.raw).finish_non_exhaustive()
    }
}

/// A parent is a frame further down the same stack, or a retained call: its own `retain` knows.
fn retain_parent(parent: *const Call) -> Option<Arc<Retained>> {
    if parent.is_null() {
        return None;
    }
    // SAFETY: a parent outlives its children: its handler is still running, or it is retained.
    let fns = unsafe { (*parent).fns };
    if std::ptr::eq(fns, &raw const STACK) {
        // SAFETY: only `Frame::new` makes calls with this table.
        let frame = unsafe { &*parent.cast::<Frame<'_>>() };
        return Some(frame.retain());
    }
    if !std::ptr::eq(fns, &raw const HEAP) {
        return None;
    }
    // SAFETY: only `Frame::retain` makes calls with this table, each inside an `Arc` that is live.
    unsafe { Arc::increment_strong_count(parent.cast::<Retained>()) };
    // SAFETY: the count was raised for this `Arc`.
    Some(unsafe { Arc::from_raw(parent.cast::<Retained>()) })
}

/// Who is called from inside whom: the tags of a call and of its parents, innermost first.
///
/// # Safety
/// `call` must be null or live, and made by this module.
pub unsafe fn lineage(call: *const Call) -> impl Iterator<Item = u64> {
    let mut next = call;
    std::iter::from_fn(move || {
        // SAFETY: null, or live by the caller's promise; a parent outlives its children.
        let raw = unsafe { next.as_ref() }?;
        let tag = if std::ptr::eq(raw.fns, &raw const STACK) {
            // SAFETY: only `Frame::new` makes calls with this table.
            unsafe { &*next.cast::<Frame<'_>>() }.tag
        } else if std::ptr::eq(raw.fns, &raw const HEAP) {
            // SAFETY: only `Frame::retain` makes calls with this table.
            unsafe { &*next.cast::<Retained>() }.tag
        } else {
            return None;
        };
        next = raw.parent;
        Some(tag)
    })
}

const OPEN: u32 = 0;
const CLOSED: u32 = 1;
const CANCELLED: u32 = 2;

/// A call on the heap, shared by the host and whoever retained it.
#[repr(C)]
pub struct Retained {
    raw: Call,
    tag: u64,
    _event: Arc<OwnedEvent>,
    _parent: Option<Arc<Self>>,
    hook: Option<&'static Hook>,
    limits: Limits,
    deadline: Deadline,
    phase: AtomicU32,
    given: Mutex<Given>,
    /// Who waits for the answer.
    waiting: Mutex<Option<StdWaker>>,
}

// SAFETY: the pointers of `raw` lead to the event and the parent, which `self` owns, and to a static table.
unsafe impl Send for Retained {}
// SAFETY: what changes is behind a lock or atomic.
unsafe impl Sync for Retained {}

impl Retained {
    /// What the plugin is handed.
    #[must_use]
    pub const fn as_raw(&self) -> *const Call {
        std::ptr::from_ref(self).cast()
    }

    /// Nobody wants the answer any more: every writer function answers GONE from now on, and whoever
    /// still waits for it is woken.
    pub fn cancel(&self) {
        let before = self.phase.compare_exchange(OPEN, CANCELLED, Ordering::AcqRel, Ordering::Acquire);
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Ok(_), Some(waker)) = (before, waiting) {
            waker.wake();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.phase.load(Ordering::Acquire) == CANCELLED
    }

    fn close(&self) {
        let _ = self.phase.compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire);
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Retained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retained").field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// A future the host owns: dropped exactly once.
struct OwnedFuture(Future);

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
    call: Arc<Retained>,
    future: Option<OwnedFuture>,
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
        *self.call.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
        if self.call.is_cancelled() {
            self.future = None;
        }
        let Some(future) = &self.future else { return Poll::Ready(None) };
        let Some(poll) = future.0.poll else { return Poll::Ready(None) };
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
    guard::enter(guard::current(), || Box::into_raw(Box::new(waker.clone())).cast_const().cast())
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

/// The two places a call can live; the functions of a call are the same over both.
trait Place {
    /// Lets `write` at what the handler handed over so far, unless nobody wants it any more.
    ///
    /// # Safety
    /// `call` must be live and live in this place.
    unsafe fn with<R>(call: *const Call, write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R) -> Option<R>;

    /// # Safety
    /// As for `with`.
    unsafe fn deadline(call: *const Call) -> Deadline;
}

struct Stack;
struct Heap;

impl Place for Stack {
    unsafe fn with<R>(call: *const Call, write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R) -> Option<R> {
        // SAFETY: only `Frame::new` makes calls with the table of this place.
        let frame = unsafe { &*call.cast::<Frame<'_>>() };
        // SAFETY: a frame stays on its thread, and no reference into the cell outlives this function.
        let given = unsafe { &mut *frame.given.get() };
        let given = given.get_or_insert_default();
        guard::enter(guard::current(), || write(given, frame.dispatch.hook, frame.dispatch.limits)).ok()
    }

    unsafe fn deadline(call: *const Call) -> Deadline {
        // SAFETY: only `Frame::new` makes calls with the table of this place.
        unsafe { &*call.cast::<Frame<'_>>() }.deadline
    }
}

impl Place for Heap {
    unsafe fn with<R>(call: *const Call, write: impl FnOnce(&mut Given, Option<&'static Hook>, Limits) -> R) -> Option<R> {
        // SAFETY: only `Frame::retain` makes calls with the table of this place.
        let retained = unsafe { &*call.cast::<Retained>() };
        let mut given = retained.given();
        // Under the lock, so that a cancelled call is never written to afterwards.
        if retained.phase.load(Ordering::Acquire) != OPEN {
            return None;
        }
        guard::enter(guard::current(), || write(&mut given, retained.hook, retained.limits)).ok()
    }

    unsafe fn deadline(call: *const Call) -> Deadline {
        // SAFETY: only `Frame::retain` makes calls with the table of this place.
        unsafe { &*call.cast::<Retained>() }.deadline
    }
}

/// # Safety
/// `call` must be live and live in `P`.
unsafe fn collect<P: Place>(call: *const Call, write: impl FnOnce(&mut Collector) -> AnswerCode) -> AnswerCode {
    let write = |given: &mut Given, hook, limits| {
        write(given.collector.get_or_insert_with(|| Collector::new(hook, limits)))
    };
    // SAFETY: by the caller's promise.
    unsafe { P::with(call, write) }.unwrap_or(AnswerCode::GONE)
}

unsafe extern "C" fn set<P: Place>(call: *const Call, field: u32, value: *const Value) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else { return AnswerCode::TYPE };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set(field, value)) }
}

unsafe extern "C" fn set_named<P: Place>(call: *const Call, key: Str, value: *const Value) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else { return AnswerCode::TYPE };
    // SAFETY: lent by the plugin for the call.
    let Ok(key) = (unsafe { key.text() }) else { return AnswerCode::UTF8 };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set_named(key, value)) }
}

unsafe extern "C" fn set_whole<P: Place>(call: *const Call, value: *const Value) -> AnswerCode {
    // SAFETY: as for `set`.
    unsafe { set::<P>(call, AnswerCode::WHOLE, value) }
}

unsafe extern "C" fn begin_object<P: Place>(call: *const Call, field: u32) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.begin(field, Json::Object(Map::new()))) }
}

unsafe extern "C" fn begin_array<P: Place>(call: *const Call, field: u32) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.begin(field, Json::Array(Vec::new()))) }
}

unsafe extern "C" fn key<P: Place>(call: *const Call, key: Str) -> AnswerCode {
    // SAFETY: lent by the plugin for the call.
    let Ok(key) = (unsafe { key.text() }) else { return AnswerCode::UTF8 };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.key(key)) }
}

unsafe extern "C" fn value<P: Place>(call: *const Call, value: *const Value) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(value) = (unsafe { value.as_ref() }) else { return AnswerCode::TYPE };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.value(value)) }
}

unsafe extern "C" fn end<P: Place>(call: *const Call) -> AnswerCode {
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, Collector::end) }
}

unsafe extern "C" fn set_json<P: Place>(call: *const Call, field: u32, json: Str) -> AnswerCode {
    // SAFETY: lent by the plugin for the call.
    let Ok(json) = (unsafe { json.text() }) else { return AnswerCode::UTF8 };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { collect::<P>(call, |collector| collector.set_json(field, json)) }
}

unsafe extern "C" fn set_handler<P: Place>(call: *const Call, field: u32, handler: *const Handler) -> AnswerCode {
    // SAFETY: null, or lent by the plugin for the call.
    let Some(handler) = (unsafe { sized(handler, size_of::<Handler>()) }) else { return AnswerCode::TYPE };
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
    guard::enter(guard::current(), || Arc::into_raw(frame.retain()).cast()).unwrap_or(std::ptr::null())
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
    let Some(future) = (unsafe { sized(future, size_of::<Future>()) }) else { return AnswerCode::TYPE };
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
    let Some(failure) = (unsafe { sized(failure, size_of::<Failure>()) }) else { return AnswerCode::TYPE };
    // SAFETY: its texts are lent with it.
    let failed = unsafe { Failed::copy(&failure) };
    let write = |given: &mut Given, _, _| {
        given.failed = Some(failed);
        AnswerCode::OK
    };
    // SAFETY: the plugin calls this through the call's own table.
    unsafe { P::with(call, write) }.unwrap_or(AnswerCode::GONE)
}

static STACK: CallFns = CallFns {
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

static HEAP: CallFns = CallFns {
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
