//! Enters one handler and reads how it ended: the one way in, for the loader and for `testing`.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
    time::Instant as Clock,
};

use serde::Serialize;

use super::{
    Call, CallFlags, FailureKind, Status,
    collect::{Answered, OwnedHandler},
    frame::{Deadline, Dispatch, Failed, Frame, Given, Pending, Watch, lineage},
};

/// What sort of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The plugin returned an error.
    Error,
    /// The plugin panicked.
    Panic,
    /// The plugin's reply could not be read.
    Unreadable,
    /// Events were fired from inside events, too deep or in a circle.
    Nested,
    /// An answer that was to come later did not come in time.
    Timeout,
    /// The host stopped waiting, because it ends.
    Cancelled,
    /// The plugin is required and was not loaded, so nothing of it was called.
    Inactive,
}

impl FaultKind {
    /// The word that logs and lists show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Unreadable => "unreadable",
            Self::Nested => "nested",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Inactive => "inactive",
        }
    }
}

/// How a call ended. Small, since on the way where nobody says anything it is all that is handed around.
#[derive(Debug)]
pub enum Entered {
    /// Nothing to say.
    Quiet,
    /// An answer.
    Answered(Box<Answered>),
    /// A fault: kind, text, file, line.
    Faulted(FaultKind, Box<Failed>),
    /// The answer comes later.
    Pending(Box<Waiting>),
}

impl std::fmt::Debug for Entering<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entering")
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

thread_local! {
    /// The call whose handler runs on this thread.
    static CURRENT: Cell<*const Call> = const { Cell::new(std::ptr::null()) };
}

/// The call whose handler runs on this thread, or null.
pub(super) fn current() -> *const Call {
    CURRENT.try_with(Cell::get).unwrap_or(std::ptr::null())
}

/// Makes a call the current one of this thread until it is dropped.
struct Inside(*const Call);

impl Inside {
    fn new(call: *const Call) -> Self {
        let before = CURRENT.try_with(|current| current.replace(call));
        Self(before.unwrap_or(std::ptr::null()))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = CURRENT.try_with(|current| current.set(self.0));
    }
}

/// The call from inside which an event is fired, if it is.
///
/// It never leaves its thread, and is used while the call it names is still running there or retained.
#[derive(Clone, Copy, Debug)]
pub struct Parent(*const Call);

impl Parent {
    /// The call whose handler runs on this thread.
    #[inline]
    #[must_use]
    pub fn current() -> Self {
        Self(current())
    }

    /// Runs code of the host as if nobody further in were inside: what it fires is fired from inside this
    /// call, and what handlers further in were lent is out of reach.
    pub fn within<R>(self, body: impl FnOnce() -> R) -> R {
        let _inside = Inside::new(self.0);
        body()
    }

    pub(super) const fn raw(self) -> *const Call {
        self.0
    }

    /// Whether there is none: the event comes from the agent itself.
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0.is_null()
    }

    /// Whether the handler of this tag is inside, here or further out.
    #[inline]
    #[must_use]
    pub fn is_inside(self, tag: u64) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: a `Parent` is live.
        unsafe { lineage(self.0) }.any(|inside| inside == tag)
    }

    /// The call that a plugin names, else the one whose handler runs on this thread.
    ///
    /// # Safety
    /// `call` must be null, or live for as long as the result is used.
    #[must_use]
    pub unsafe fn named(call: *const Call) -> Self {
        if call.is_null() {
            Self::current()
        } else {
            Self(call)
        }
    }
}

/// What one call needs to know besides its event.
#[derive(Clone, Copy)]
pub struct Entering<'a> {
    /// The handler.
    pub handler: &'a OwnedHandler,
    /// Who it is, in a chain of calls.
    pub tag: u64,
    /// What it gave when it registered.
    pub cookie: u64,
    /// How it is called.
    pub flags: CallFlags,
    /// Who is told of calls that are kept.
    pub watch: &'a dyn Watch,
    /// When the host stops waiting.
    pub deadline: Deadline,
    /// Whether it may be entered again from inside itself.
    pub reentrant: bool,
}

/// How deep events may be fired from inside handlers.
const DEPTH_LIMIT: usize = 8;

impl<'a> Entering<'a> {
    /// A call without anything special.
    #[must_use]
    pub const fn plain(handler: &'a OwnedHandler, tag: u64, watch: &'a dyn Watch) -> Self {
        Self {
            handler,
            tag,
            cookie: 0,
            flags: CallFlags::NONE,
            watch,
            deadline: None,
            reentrant: false,
        }
    }

    /// Why the handler may not be entered from inside `parent`: it is inside already, or too deep.
    #[inline]
    #[must_use]
    pub fn refused(&self, parent: Parent) -> Option<Entered> {
        if parent.0.is_null() {
            return None;
        }
        // SAFETY: a `Parent` is live.
        unsafe { self.refuse_nested(parent.0) }
    }

    /// Calls the handler on this thread.
    #[inline]
    #[must_use]
    pub fn enter(self, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
        if let Some(refused) = self.refused(parent) {
            return refused;
        }
        let parent = parent.0;
        // SAFETY: the parent lives at least as long as this function.
        let mut frame = unsafe {
            Frame::new(
                dispatch,
                self.tag,
                self.cookie,
                self.flags,
                parent,
                Some(self.watch),
                self.deadline,
            )
        };
        let before = CURRENT
            .try_with(|current| current.replace(frame.as_raw()))
            .unwrap_or(std::ptr::null());
        // SAFETY: the frame stays where it is until the handler has returned.
        let status = unsafe { self.handler.call(frame.as_raw()) };
        let _ = CURRENT.try_with(|current| current.set(before));
        if status == Status::NONE && frame.is_untouched() {
            return Entered::Quiet;
        }
        if status == Status::PENDING {
            return frame.pending().map_or_else(
                || {
                    faulted(
                        FaultKind::Unreadable,
                        "says its answer comes later, but handed no future over",
                    )
                },
                |pending| Entered::Pending(Box::new(Waiting(pending))),
            );
        }
        settle(status, frame.finish())
    }

    /// # Safety
    /// `parent` must be a live call of this host.
    #[cold]
    unsafe fn refuse_nested(&self, parent: *const Call) -> Option<Entered> {
        // SAFETY: by the caller's promise.
        let tags = unsafe { lineage(parent) };
        let mut depth = 0;
        for tag in tags {
            depth += 1;
            if tag == self.tag && !self.reentrant {
                return Some(faulted(
                    FaultKind::Nested,
                    "fired an event that leads back to itself",
                ));
            }
        }
        (depth >= DEPTH_LIMIT).then(|| {
            faulted(
                FaultKind::Nested,
                "events are fired from inside events, 8 deep",
            )
        })
    }
}

/// Reads a status and what came with it.
fn settle(status: Status, mut given: Given) -> Entered {
    match status {
        Status::NONE => Entered::Quiet,
        Status::ANSWERED => given.answer().map_or_else(
            || faulted(FaultKind::Unreadable, "says it answered, but left no whole answer"),
            |answer| match answer.not_understood {
                Some(field) => {
                    let text = format!("answers with field {field}, which this host must understand and does not know");
                    faulted(FaultKind::Unreadable, &text)
                }
                None => Entered::Answered(Box::new(answer)),
            },
        ),
        Status::ERROR | Status::PANICKED => {
            let kind = if status == Status::PANICKED { FaultKind::Panic } else { FaultKind::Error };
            let fitting = |failed: &Failed| (failed.kind == FailureKind::PANIC) == (kind == FaultKind::Panic);
            match given.take_failed().filter(fitting) {
                Some(failed) => Entered::Faulted(kind, Box::new(failed)),
                None => faulted(FaultKind::Unreadable, "says it failed, but not why"),
            }
        }
        Status(other) => faulted(FaultKind::Unreadable, &format!("ended with the unknown status {other}")),
    }
}

fn faulted(kind: FaultKind, text: &str) -> Entered {
    let failed = Failed {
        kind: FailureKind::ERROR,
        text: text.to_owned(),
        file: String::new(),
        line: 0,
    };
    Entered::Faulted(kind, Box::new(failed))
}

/// An answer that is waited for.
#[derive(Debug)]
pub struct Waiting(Pending);

impl Waiting {
    /// Lets the plugin make progress, on this thread.
    pub fn poll(&mut self, waker: &Waker) -> Poll<Entered> {
        let call = self.0.call().as_raw();
        let before = CURRENT
            .try_with(|current| current.replace(call))
            .unwrap_or(std::ptr::null());
        let poll = self.0.poll(waker);
        let _ = CURRENT.try_with(|current| current.set(before));
        poll.map(|ended| match ended {
            Some((status, given)) => settle(status, given),
            None => faulted(
                FaultKind::Cancelled,
                "the host stopped waiting for its answer",
            ),
        })
    }

    /// Waits on this thread until the answer is there, at most `until`.
    #[must_use]
    pub fn block(mut self, until: Deadline) -> Entered {
        let parker = Arc::new(Parker {
            thread: std::thread::current(),
            woken: AtomicBool::new(true),
        });
        let waker = Waker::from(Arc::clone(&parker));
        loop {
            while !parker.woken.swap(false, Ordering::AcqRel) {
                let Some(until) = until else {
                    std::thread::park();
                    continue;
                };
                let left = until.saturating_duration_since(Clock::now());
                if left.is_zero() {
                    return faulted(FaultKind::Timeout, "the answer did not come in time");
                }
                std::thread::park_timeout(left);
            }
            if let Poll::Ready(entered) = self.poll(&waker) {
                return entered;
            }
        }
    }
}

impl Future for Waiting {
    type Output = Entered;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Entered> {
        Self::poll(&mut self, context.waker())
    }
}

struct Parker {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
