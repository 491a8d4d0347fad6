//! Where the future of an `async` handler runs.

use std::future::Future;

use crate::{abi::HostRef, error::Error};

/// Without the `tokio` feature the host polls the future itself.
#[cfg(not(feature = "tokio"))]
pub(crate) async fn place<F: Future>(
    _host: Option<HostRef>,
    future: F,
) -> Result<F::Output, Error> {
    Ok(future.await)
}

#[cfg(feature = "tokio")]
pub(crate) use on_tokio::place;

/// With the `tokio` feature it runs on a runtime that belongs to this plugin: tokio's thread-locals
/// do not cross libraries, so the host's own runtime is of no use here.
#[cfg(feature = "tokio")]
mod on_tokio {
    use std::{
        pin::Pin,
        sync::OnceLock,
        task::{Context, Poll},
    };

    use tokio::{
        runtime::{Builder, Runtime},
        task::{JoinError, JoinHandle},
    };

    use super::{Error, Future, HostRef};
    use crate::guard;

    pub(crate) fn place<F>(
        host: Option<HostRef>,
        future: F,
    ) -> impl Future<Output = Result<F::Output, Error>> + Send
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let task = runtime().map(|runtime| {
            Task(runtime.spawn(Guarded {
                host,
                future: Some(Box::pin(future)),
            }))
        });
        async move {
            match task?.await {
                Ok(result) => result,
                Err(error) => Err(Error::new(format!(
                    "the handler's task did not finish: {error}"
                ))),
            }
        }
    }

    /// One runtime per image, made when it is first needed and never shut down: the library stays mapped.
    fn runtime() -> Result<&'static Runtime, Error> {
        static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
        RUNTIME
            .get_or_init(|| {
                Builder::new_multi_thread()
                    .worker_threads(1)
                    .thread_name("hermes-plugin")
                    .enable_all()
                    .build()
                    .map_err(|error| error.to_string())
            })
            .as_ref()
            .map_err(|error| Error::new(format!("cannot start the plugin's runtime: {error}")))
    }

    /// A task that ends when nobody waits for it.
    struct Task<T>(JoinHandle<T>);

    impl<T> Future for Task<T> {
        type Output = Result<T, JoinError>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            Pin::new(&mut self.0).poll(context)
        }
    }

    impl<T> Drop for Task<T> {
        fn drop(&mut self) {
            self.0.abort();
        }
    }

    /// The guard, on the runtime's thread.
    struct Guarded<F> {
        host: Option<HostRef>,
        /// `None` once it is dropped.
        future: Option<Pin<Box<F>>>,
    }

    impl<F: Future> Future for Guarded<F> {
        type Output = Result<F::Output, Error>;

        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
            let host = self.host;
            let Some(future) = &mut self.future else {
                return Poll::Pending;
            };
            match guard::enter(host, || future.as_mut().poll(context)) {
                Ok(poll) => poll.map(Ok),
                Err(panic) => Poll::Ready(Err(Error::panicked(panic))),
            }
        }
    }

    impl<F> Drop for Guarded<F> {
        fn drop(&mut self) {
            let future = self.future.take();
            guard::drop_of(self.host, future);
        }
    }
}
