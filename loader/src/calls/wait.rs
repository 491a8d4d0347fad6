//! Events that came twice, while the first is still being judged: they wait for it, bounded.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant as Clock;

/// Who waits. Whoever ends a judgement wakes all; they look for themselves.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    wakers: Mutex<Vec<Waker>>,
    count: AtomicUsize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    /// After something that `is_over` asks for has changed.
    #[inline]
    pub(super) fn wake(&self) {
        if self.count.load(Ordering::SeqCst) > 0 {
            self.wake_all();
        }
    }

    #[cold]
    fn wake_all(&self) {
        let wakers = {
            let mut wakers = lock(&self.wakers);
            self.count.store(0, Ordering::SeqCst);
            std::mem::take(&mut *wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, is_over: impl Fn() -> bool, waker: &Waker) -> Poll<()> {
        if is_over() {
            return Poll::Ready(());
        }
        {
            let mut wakers = lock(&self.wakers);
            if !wakers.iter().any(|other| other.will_wake(waker)) {
                wakers.push(waker.clone());
            }
            self.count.store(wakers.len(), Ordering::SeqCst);
        }
        // It may have changed before we were on the list.
        if is_over() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    /// Holds this thread until it is over, or the time is up: then false.
    pub(super) fn block(&self, is_over: impl Fn() -> bool, until: Clock) -> bool {
        let waker = Waker::from(Arc::new(Parked(std::thread::current())));
        loop {
            if self.poll(&is_over, &waker).is_ready() {
                return true;
            }
            let left = until.saturating_duration_since(Clock::now());
            if left.is_zero() {
                return false;
            }
            std::thread::park_timeout(left);
        }
    }

    /// The same without holding a thread.
    pub(super) async fn over(&self, is_over: impl Fn() -> bool, until: Clock) -> bool {
        let mut alarm = None;
        poll_fn(|context: &mut Context<'_>| {
            if self.poll(&is_over, context.waker()).is_ready() {
                return Poll::Ready(true);
            }
            if Clock::now() >= until {
                return Poll::Ready(false);
            }
            let alarm = match &alarm {
                Some(alarm) => alarm,
                None => match Alarm::set(until) {
                    Some(set) => alarm.insert(set),
                    // Without a thread to wake us, there is nothing to wait with.
                    None => return Poll::Ready(false),
                },
            };
            *lock(&alarm.bell.waker) = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}

struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A thread that wakes a future when its time is up.
struct Alarm {
    bell: Arc<Bell>,
    thread: Thread,
}

#[derive(Default)]
struct Bell {
    waker: Mutex<Option<Waker>>,
    off: AtomicBool,
}

impl Alarm {
    fn set(until: Clock) -> Option<Self> {
        let bell = Arc::<Bell>::default();
        let own = Arc::clone(&bell);
        let ring = move || {
            while !own.off.load(Ordering::Acquire) {
                let left = until.saturating_duration_since(Clock::now());
                if left.is_zero() {
                    break;
                }
                std::thread::park_timeout(left);
            }
            let waker = lock(&own.waker).take();
            if let Some(waker) = waker.filter(|_| !own.off.load(Ordering::Acquire)) {
                waker.wake();
            }
        };
        let thread = std::thread::Builder::new()
            .name("hermes-alarm".to_owned())
            .spawn(ring)
            .ok()?;
        Some(Self {
            bell,
            thread: thread.thread().clone(),
        })
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.bell.off.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
