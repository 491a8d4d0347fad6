//! The one thread that opens libraries and calls `create`, `register` and `destroy`.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

fn sender() -> &'static Mutex<Sender<Job>> {
    static SENDER: OnceLock<Mutex<Sender<Job>>> = OnceLock::new();
    SENDER.get_or_init(|| {
        let (sender, jobs) = channel::<Job>();
        let run = move || {
            jobs.into_iter()
                .for_each(|job| crate::guard::shield((), job))
        };
        // Without the thread every job is refused below, with a clear error.
        let _ = std::thread::Builder::new()
            .name("hermes-loader".to_owned())
            .spawn(run);
        Mutex::new(sender)
    })
}

/// Runs `job` on the loader's thread and waits for it. `None` when the thread could not be started, or
/// the job panicked. Called from the loader's own thread (a plugin that drops a host) it runs in place.
pub(crate) fn run<R: Send + 'static>(job: impl FnOnce() -> R + Send + 'static) -> Option<R> {
    if std::thread::current().name() == Some("hermes-loader") {
        return Some(job());
    }
    let (done, result) = channel();
    let job = Box::new(move || {
        // Nobody waits any more only when the caller panicked.
        let _ = done.send(job());
    });
    sender()
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .send(job)
        .ok()?;
    result.recv().ok()
}
