//! Enters one handler and reads how it ended.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Wake, Waker},
    thread::Thread,
    time::Instant as Clock,
};

use super::instance::Instance;
use crate::{
    abi::{
        Call, CallFlags, FailureKind, Status,
        host::{
            Answered, Deadline, Dispatch, Failed, Frame, Given, OwnedHandler, Pending, lineage,
        },
    },
    testing::FaultKind,
};

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Entered {
    /// Nothing to say.
    Quiet,
    /// An answer.
    Answered(Answered),
    /// A fault.
    Faulted(FaultKind, Failed),
    /// The answer comes later.
    Pending(Waiting),
}

impl Entered {
    fn faulted(kind: FaultKind, text: impl Into<String>) -> Self {
        let failed = Failed {
            kind: FailureKind::ERROR,
            text: text.into(),
            file: String::new(),
            line: 0,
        };
        Self::Faulted(kind, failed)
    }
}

thread_local! {
    /// The call whose handler runs on this thread.
    static CURRENT: Cell<*const Call> = const { Cell::new(std::ptr::null()) };
}

/// Names the call whose handler runs on this thread until the result is dropped.
struct Current(*const Call);

impl Current {
    fn is(call: *const Call) -> Self {
        Self(CURRENT.replace(call))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The call from inside which an event is fired, if it is.
///
/// It never leaves its thread, and is used while the call it names is still running there or retained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent(*const Call);

impl Parent {
    /// The call whose handler runs on this thread.
    pub(crate) fn current() -> Self {
        Self(CURRENT.get())
    }

    /// The call that a plugin names, else the one whose handler runs on this thread.
    ///
    /// # Safety
    /// `call` must be null, or live for as long as the result is used.
    pub(super) unsafe fn named(call: *const Call) -> Self {
        if call.is_null() {
            Self::current()
        } else {
            Self(call)
        }
    }
}

/// How deep events may be fired from inside handlers.
const DEPTH_LIMIT: usize = 8;

/// What one call needs to know besides its event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entering<'a> {
    pub(crate) handler: &'a OwnedHandler,
    pub(crate) id: u64,
    pub(crate) cookie: u64,
    pub(crate) flags: CallFlags,
    pub(crate) instance: &'a Instance,
    pub(crate) deadline: Deadline,
    pub(crate) reentrant: bool,
}

impl<'a> Entering<'a> {
    /// A call without anything special.
    pub(crate) const fn plain(handler: &'a OwnedHandler, id: u64, instance: &'a Instance) -> Self {
        Self {
            handler,
            id,
            cookie: 0,
            flags: CallFlags::NONE,
            instance,
            deadline: None,
            reentrant: false,
        }
    }

    /// Why the handler may not be entered from inside `parent`: it is inside already, or too deep.
    pub(crate) fn refused(&self, parent: Parent) -> Option<Entered> {
        // SAFETY: null, or a call of this host that lives as long as its `Parent` is used.
        let tags: Vec<u64> = unsafe { lineage(parent.0) }.collect();
        if tags.contains(&self.id) && !self.reentrant {
            return Some(Entered::faulted(
                FaultKind::Nested,
                "fired an event that leads back to itself",
            ));
        }
        let deep = tags.len() >= DEPTH_LIMIT;
        deep.then(|| {
            Entered::faulted(
                FaultKind::Nested,
                "events are fired from inside events, 8 deep",
            )
        })
    }

    /// Calls the handler on this thread.
    pub(crate) fn enter(self, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
        // SAFETY: the parent is null, or lives at least as long as this function.
        let frame = unsafe {
            Frame::new(
                dispatch,
                self.id,
                self.cookie,
                self.flags,
                parent.0,
                Some(self.instance),
                self.deadline,
            )
        };
        let current = Current::is(frame.as_raw());
        // SAFETY: the frame stays where it is until the handler has returned.
        let status = unsafe { self.handler.call(frame.as_raw()) };
        drop(current);
        if status == Status::PENDING {
            return frame.pending().map_or_else(
                || {
                    Entered::faulted(
                        FaultKind::Unreadable,
                        "says its answer comes later, but handed no future over",
                    )
                },
                |pending| Entered::Pending(Waiting(pending)),
            );
        }
        settle(status, frame.finish())
    }
}

/// Reads a status and what came with it.
fn settle(status: Status, mut given: Given) -> Entered {
    match status {
        Status::NONE => Entered::Quiet,
        Status::ANSWERED => match given.answer() {
            Some(Answered {
                not_understood: Some(field),
                ..
            }) => Entered::faulted(
                FaultKind::Unreadable,
                format!(
                    "answers with field {field}, which the host must understand and does not know"
                ),
            ),
            Some(answer) => Entered::Answered(answer),
            None => Entered::faulted(
                FaultKind::Unreadable,
                "says it answered, but left no whole answer",
            ),
        },
        Status::ERROR | Status::PANICKED => {
            let panicked = status == Status::PANICKED;
            let kind = if panicked {
                FaultKind::Panic
            } else {
                FaultKind::Error
            };
            match given
                .take_failed()
                .filter(|failed| (failed.kind == FailureKind::PANIC) == panicked)
            {
                Some(failed) => Entered::Faulted(kind, failed),
                None => Entered::faulted(FaultKind::Unreadable, "says it failed, but not why"),
            }
        }
        Status(other) => Entered::faulted(
            FaultKind::Unreadable,
            format!("ended with the unknown status {other}"),
        ),
    }
}

/// An answer that is waited for. Dropping it cancels the call.
#[derive(Debug)]
pub(crate) struct Waiting(Pending);

impl Waiting {
    /// Waits on this thread until the answer is there, or until the host's patience ends.
    pub(crate) fn block(mut self, until: Clock) -> Entered {
        let parker = Arc::new(Parker {
            thread: std::thread::current(),
            woken: AtomicBool::new(false),
        });
        let waker = Waker::from(Arc::clone(&parker));
        loop {
            if let Poll::Ready(entered) = self.poll(&waker) {
                return entered;
            }
            while !parker.woken.swap(false, Ordering::AcqRel) {
                let left = until.saturating_duration_since(Clock::now());
                if left.is_zero() {
                    return Entered::faulted(FaultKind::Timeout, "the answer did not come in time");
                }
                std::thread::park_timeout(left);
            }
        }
    }

    fn poll(&mut self, waker: &Waker) -> Poll<Entered> {
        let current = Current::is(self.0.call().as_raw());
        let poll = self.0.poll(waker);
        drop(current);
        poll.map(|ended| match ended {
            Some((status, given)) => settle(status, given),
            None => Entered::faulted(FaultKind::Timeout, "the call was cancelled"),
        })
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
