//! A call as the host owns it: on its stack while the handler runs, on the heap once it is retained.

mod functions;
mod pending;

use std::{
    cell::{OnceCell, UnsafeCell},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    task::Waker as StdWaker,
    time::Instant,
};

use self::{
    functions::{HEAP, STACK},
    pending::OwnedFuture,
};
use super::{
    Call, CallFlags, Event, FailureKind,
    collect::{Answered, Collector, Limits},
    record::{LiveEvent, OwnedEvent},
};
use crate::catalogue::Hook;

pub use self::pending::Pending;

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
    pub const fn new(
        event: &'e LiveEvent<'e>,
        hook: Option<&'static Hook>,
        limits: Limits,
    ) -> Self {
        Self {
            event,
            hook,
            limits,
            owned: OnceCell::new(),
        }
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
        self.owned
            .get_or_init(|| Arc::new(OwnedEvent::copy(self.event)))
    }
}

/// When the host stops waiting.
pub type Deadline = Option<Instant>;

/// Is told of every call that is retained, so that the end of an instance can wait for it.
pub trait Watch {
    /// A call was retained for the first time.
    fn retained(&self, call: &Arc<Retained>);

    /// The handle of the instance that is called.
    fn instance(&self) -> u64;
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
        Self {
            raw,
            tag,
            dispatch,
            watch,
            deadline,
            given: UnsafeCell::new(None),
            retained: UnsafeCell::new(None),
        }
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
        self.given
            .get_mut()
            .take()
            .map(|given| *given)
            .unwrap_or_default()
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
        Some(Pending {
            call,
            future: Some(future),
        })
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
                parent: parent
                    .as_ref()
                    .map_or(std::ptr::null(), |parent| parent.as_raw()),
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
        f.debug_struct("Frame")
            .field("raw", &self.raw)
            .finish_non_exhaustive()
    }
}

/// What is known of a call whose handler is running.
pub(super) struct Running {
    pub(super) tag: u64,
    pub(super) instance: Option<u64>,
    pub(super) event: *const Event,
    pub(super) parent: *const Call,
}

/// A call as it was handed to its handler; `None` for a retained one.
///
/// # Safety
/// `call` must be live, and made by this module.
pub(super) unsafe fn on_stack(call: *const Call) -> Option<Running> {
    // SAFETY: live by the caller's promise.
    let fns = unsafe { (*call).fns };
    if !std::ptr::eq(fns, &raw const STACK) {
        return None;
    }
    // SAFETY: only `Frame::new` makes calls with this table.
    let frame = unsafe { &*call.cast::<Frame<'_>>() };
    Some(Running {
        tag: frame.tag,
        instance: frame.watch.map(Watch::instance),
        event: frame.raw.event,
        parent: frame.raw.parent,
    })
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
        let before =
            self.phase
                .compare_exchange(OPEN, CANCELLED, Ordering::AcqRel, Ordering::Acquire);
        let waiting = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let (Ok(_), Some(waker)) = (before, waiting) {
            waker.wake();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.phase.load(Ordering::Acquire) == CANCELLED
    }

    fn close(&self) {
        let _ = self
            .phase
            .compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire);
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Retained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retained")
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}
