//! Enters one handler and reads how it ended.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use hermes_plugin_api::abi::host::{
    Answered, Deadline, Dispatch, Failed, Frame, Given, OwnedHandler, Pending, Watch, lineage,
};
use hermes_plugin_api::abi::{Call, CallFlags, FailureKind, Status};

use crate::fault::FaultKind;

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Entered {
    /// Nothing to say.
    Quiet,
    /// An answer.
    Answered(Answered),
    /// A fault: kind, text, file, line.
    Faulted(FaultKind, Failed),
    /// The answer comes later.
    Pending(Pending),
}

thread_local! {
    /// The call whose handler runs on this thread.
    static CURRENT: Cell<*const Call> = const { Cell::new(std::ptr::null()) };
}

/// The call from inside which an event is fired, if it is.
///
/// It never leaves its thread, and is used while the call it names is still running there or retained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent(*const Call);

impl Parent {
    /// The call whose handler runs on this thread.
    #[inline]
    pub(crate) fn current() -> Self {
        Self(CURRENT.try_with(Cell::get).unwrap_or(std::ptr::null()))
    }

    /// The call that a plugin names, else the one whose handler runs on this thread.
    ///
    /// # Safety
    /// `call` must be null, or live for as long as the result is used.
    pub(super) unsafe fn named(call: *const Call) -> Self {
        if call.is_null() { Self::current() } else { Self(call) }
    }
}

/// What one call needs to know besides its event.
#[derive(Clone, Copy)]
pub(crate) struct Entering<'a> {
    pub(crate) handler: &'a OwnedHandler,
    pub(crate) tag: u64,
    pub(crate) cookie: u64,
    pub(crate) flags: CallFlags,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) deadline: Deadline,
    pub(crate) reentrant: bool,
}

/// How deep events may be fired from inside handlers.
const DEPTH_LIMIT: usize = 8;

impl Entering<'_> {
    /// Why the handler may not be entered from inside `parent`: it is inside already, or too deep.
    #[inline]
    pub(crate) fn refused(&self, parent: Parent) -> Option<Entered> {
        if parent.0.is_null() {
            return None;
        }
        // SAFETY: a `Parent` is live.
        unsafe { self.refuse_nested(parent.0) }
    }

    /// Calls the handler on this thread.
    #[inline]
    pub(crate) fn enter(self, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
        if let Some(refused) = self.refused(parent) {
            return refused;
        }
        let parent = parent.0;
        // SAFETY: the parent lives at least as long as this function.
        let mut frame = unsafe {
            Frame::new(dispatch, self.tag, self.cookie, self.flags, parent, Some(self.watch), self.deadline)
        };
        let before = CURRENT.try_with(|current| current.replace(frame.as_raw())).unwrap_or(std::ptr::null());
        // SAFETY: the frame stays where it is until the handler has returned.
        let status = unsafe { self.handler.call(frame.as_raw()) };
        let _ = CURRENT.try_with(|current| current.set(before));
        if status == Status::NONE && frame.is_untouched() {
            return Entered::Quiet;
        }
        if status == Status::PENDING {
            return frame.pending().map_or_else(
                || faulted(FaultKind::Unreadable, "says its answer comes later, but handed no future over"),
                Entered::Pending,
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
                return Some(faulted(FaultKind::Nested, "fired an event that leads back to itself"));
            }
        }
        (depth >= DEPTH_LIMIT).then(|| faulted(FaultKind::Nested, "events are fired from inside events, 8 deep"))
    }
}

/// Reads a status and what came with it.
pub(crate) fn settle(status: Status, mut given: Given) -> Entered {
    match status {
        Status::NONE => Entered::Quiet,
        Status::ANSWERED => given.answer().map_or_else(
            || faulted(FaultKind::Unreadable, "says it answered, but left no whole answer"),
            |answer| match answer.not_understood {
                Some(field) => {
                    let text = format!("answers with field {field}, which this host must understand and does not know");
                    faulted(FaultKind::Unreadable, &text)
                }
                None => Entered::Answered(answer),
            },
        ),
        Status::ERROR | Status::PANICKED => {
            let kind = if status == Status::PANICKED { FaultKind::Panic } else { FaultKind::Error };
            let fitting = |failed: &Failed| (failed.kind == FailureKind::PANIC) == (kind == FaultKind::Panic);
            match given.take_failed().filter(fitting) {
                Some(failed) => Entered::Faulted(kind, failed),
                None => faulted(FaultKind::Unreadable, "says it failed, but not why"),
            }
        }
        Status(other) => faulted(FaultKind::Unreadable, &format!("ended with the unknown status {other}")),
    }
}

fn faulted(kind: FaultKind, text: &str) -> Entered {
    let failed = Failed { kind: FailureKind::ERROR, text: text.to_owned(), file: String::new(), line: 0 };
    Entered::Faulted(kind, failed)
}

/// An answer that is waited for.
#[derive(Debug)]
pub(crate) struct Waiting(pub(crate) Pending);

impl Waiting {
    /// Lets the plugin make progress, on this thread.
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Entered> {
        let call = self.0.call().as_raw();
        let before = CURRENT.try_with(|current| current.replace(call)).unwrap_or(std::ptr::null());
        let poll = self.0.poll(waker);
        let _ = CURRENT.try_with(|current| current.set(before));
        poll.map(|ended| match ended {
            Some((status, given)) => settle(status, given),
            None => faulted(FaultKind::Cancelled, "the host stopped waiting for its answer"),
        })
    }

    /// Waits on this thread until the answer is there.
    pub(crate) fn block(mut self) -> Entered {
        let parker = Arc::new(Parker { thread: std::thread::current(), woken: AtomicBool::new(true) });
        let waker = Waker::from(Arc::clone(&parker));
        loop {
            while !parker.woken.swap(false, Ordering::AcqRel) {
                std::thread::park();
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
