//! Waiting with a bound, for what other threads and processes do.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::Thread,
    time::{Duration, Instant},
};

/// The longest any test waits for anything.
pub const BOUND: Duration = Duration::from_secs(30);

/// Asks again and again until there is an answer.
///
/// # Panics
/// When there is none in time.
#[track_caller]
pub fn until<R>(what: &str, mut ask: impl FnMut() -> Option<R>) -> R {
    let end = Instant::now() + BOUND;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "waited {BOUND:?} for {what}");
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// The contents of a file that somebody else is about to write as a whole.
///
/// # Panics
/// When it is not there in time.
#[track_caller]
pub fn until_written(path: &std::path::Path) -> String {
    until(&format!("{}", path.display()), || {
        std::fs::read_to_string(path).ok()
    })
}

struct Unpark {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Runs a future on this thread.
///
/// # Panics
/// When it is not ready in time.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let unpark = Arc::new(Unpark {
        thread: std::thread::current(),
        woken: AtomicBool::new(true),
    });
    let waker = Waker::from(Arc::clone(&unpark));
    let end = Instant::now() + BOUND;
    loop {
        if unpark.woken.swap(false, Ordering::AcqRel)
            && let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker))
        {
            return output;
        }
        assert!(
            Instant::now() < end,
            "the future is not ready after {BOUND:?}"
        );
        std::thread::park_timeout(Duration::from_millis(100));
    }
}

/// Polls a future once, on this thread.
pub fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}
