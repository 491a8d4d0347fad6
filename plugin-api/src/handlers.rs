//! From what an author writes to what the host is handed: one registration, four ways to make it.

use std::{
    fmt,
    future::Future,
    sync::{Arc, OnceLock},
};

use crate::{
    abi::{
        CallRef, Handler, HandlerFlags, HandlerSpec, HostRef, OnFailure, Phase, RetainedCall,
        Status, Str, drop_handler, thunk,
    },
    answers::{Answer, IntoAnswer},
    asynchronous,
    catalogue::HookPoint,
    error::Error,
};

/// A handler as a type of its own: the second way to register.
pub trait Handle<P: HookPoint>: Send + Sync + 'static {
    /// Judges one event. May be called from any thread, several at once.
    fn handle(&self, event: P::View<'_>) -> P::Answer;
}

/// One registration, as it is being described. Every method is optional.
///
/// Nothing is live before `register` has returned without an error.
#[must_use = "describe the registration further, or let it stand"]
pub struct Registration {
    pub(crate) name: String,
    handler: Option<Handler>,
    flags: HandlerFlags,
    field_count: u32,
    on_failure: OnFailure,
    priority: f64,
    budget_ms: u64,
    tools: Vec<String>,
    phase: Phase,
    id: Option<RegistrationId>,
}

/// Which registration it is, once the host has taken it: for [`HostRef::unregister`].
#[derive(Clone, Debug, Default)]
pub struct RegistrationId(Arc<OnceLock<u64>>);

impl RegistrationId {
    /// The host's number; `None` before `register` has returned.
    #[must_use]
    pub fn get(&self) -> Option<u64> {
        self.0.get().copied()
    }
}

impl Registration {
    pub(crate) fn new(name: &str, field_count: usize, handler: Handler) -> Self {
        Self {
            name: name.to_owned(),
            handler: Some(handler),
            flags: HandlerFlags::NONE,
            field_count: u32::try_from(field_count).unwrap_or(u32::MAX),
            on_failure: OnFailure::DEFAULT,
            priority: 0.0,
            budget_ms: 0,
            tools: Vec::new(),
            phase: Phase::DEFAULT,
            id: None,
        }
    }

    /// Only events of these tools. Matched before anything is built, so it costs nothing to be narrow.
    pub fn tools<S: Into<String>>(&mut self, names: impl IntoIterator<Item = S>) -> &mut Self {
        self.tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Higher runs first; 0 unless said otherwise. Not a number is refused by the host.
    pub fn priority(&mut self, priority: impl Into<f64>) -> &mut Self {
        self.priority = priority.into();
        self
    }

    /// The longest a call may take, in milliseconds. The operator's word goes first.
    pub const fn budget_ms(&mut self, budget_ms: u64) -> &mut Self {
        self.budget_ms = budget_ms;
        self
    }

    /// When the handler faults, the event is refused.
    pub const fn fail_closed(&mut self) -> &mut Self {
        self.on_failure = OnFailure::CLOSED;
        self
    }

    /// When the handler faults, the event goes on.
    pub const fn fail_open(&mut self) -> &mut Self {
        self.on_failure = OnFailure::OPEN;
        self
    }

    /// Asks to be called one at a time.
    pub const fn serial(&mut self) -> &mut Self {
        self.flags = self.flags.with(HandlerFlags::SERIAL);
        self
    }

    /// May be entered again from inside itself, by an event it fired.
    pub const fn reentrant(&mut self) -> &mut Self {
        self.flags = self.flags.with(HandlerFlags::REENTRANT);
        self
    }

    /// Wants to see events that a higher handler has already decided.
    pub const fn observe_after_terminal(&mut self) -> &mut Self {
        self.flags = self.flags.with(HandlerFlags::OBSERVE_AFTER_TERMINAL);
        self
    }

    /// Wants to see the text as the handlers before it left it, where the hook allows that.
    pub const fn chain(&mut self) -> &mut Self {
        self.flags = self.flags.with(HandlerFlags::CHAIN);
        self
    }

    /// Stands with the guards, which see the event as it will be. Meant for plugins without a role.
    pub const fn as_guard(&mut self) -> &mut Self {
        self.phase = Phase::GUARD;
        self
    }

    /// What the handler can be taken out of the chain with later.
    pub fn id(&mut self) -> RegistrationId {
        self.id.get_or_insert_default().clone()
    }

    /// Gives the handler and its description to `take`, which owns the handler from then on.
    pub(crate) fn hand_over<E>(
        mut self,
        take: impl FnOnce(&HandlerSpec) -> Result<u64, E>,
    ) -> Result<(), E> {
        let Some(handler) = self.handler.take() else {
            return Ok(());
        };
        let tools: Vec<Str> = self.tools.iter().map(|name| Str::new(name)).collect();
        let spec = HandlerSpec {
            size: size_of::<HandlerSpec>() as u32,
            flags: self.flags,
            name: Str::new(&self.name),
            handler,
            cookie: 0,
            field_count: self.field_count,
            on_failure: self.on_failure,
            priority: self.priority,
            budget_ms: self.budget_ms,
            tools: if tools.is_empty() {
                std::ptr::null()
            } else {
                tools.as_ptr()
            },
            tools_count: u32::try_from(tools.len()).unwrap_or(u32::MAX),
            tools_stride: size_of::<Str>() as u32,
            phase: self.phase,
            reserved: 0,
        };
        let number = take(&spec)?;
        if let Some(id) = self.id.take() {
            // Set once: a registration is handed over once.
            let _ = id.0.set(number);
        }
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            drop_handler(handler);
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("name", &self.name)
            .field("priority", &self.priority)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// A closure as a registration of a typed hook.
pub(crate) fn typed<P, F, R>(host: Option<HostRef>, judge: F) -> Registration
where
    P: HookPoint,
    F: for<'a> Fn(P::View<'a>) -> R + Send + Sync + 'static,
    R: IntoAnswer<P::Answer>,
{
    let handler = thunk::handler(host, move |call| {
        write::<P>(judge(P::view(call)).into_answer()?, call)
    });
    Registration::new(P::HOOK.name, P::HOOK.fields.len(), handler)
}

fn write<P: HookPoint>(answer: P::Answer, call: CallRef<'_>) -> Result<Status, Error> {
    Ok(answer.write(&call.answer())?)
}

/// An `async` closure as a registration of a typed hook.
pub(crate) fn typed_async<P, F, Fut, R>(host: Option<HostRef>, judge: F) -> Registration
where
    P: HookPoint,
    P::Answer: Send,
    F: Fn(Retained<P>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = R> + Send + 'static,
    R: IntoAnswer<P::Answer> + Send + 'static,
{
    let handler = thunk::handler(host, move |call| {
        let retained = call
            .retain()
            .ok_or_else(|| Error::new("the call is already over"))?;
        let retained = Retained {
            call: Arc::new(retained),
            _point: std::marker::PhantomData,
        };
        let future = asynchronous::place(host, judge(retained));
        let judgement: thunk::Judgement = Box::pin(async move {
            let answer = future.await?.into_answer()?;
            let answered: thunk::Answered = Box::new(move |call| write::<P>(answer, call));
            Ok(answered)
        });
        thunk::pend(host, call, judgement)
    });
    Registration::new(P::HOOK.name, P::HOOK.fields.len(), handler)
}

/// An event that an `async` handler owns for as long as it likes.
pub struct Retained<P> {
    call: Arc<RetainedCall>,
    _point: std::marker::PhantomData<fn() -> P>,
}

impl<P: HookPoint> Retained<P> {
    /// The typed view.
    #[must_use]
    pub fn view(&self) -> P::View<'_> {
        P::view(self.call.as_call())
    }
}

impl<P> Clone for Retained<P> {
    fn clone(&self) -> Self {
        Self {
            call: Arc::clone(&self.call),
            _point: std::marker::PhantomData,
        }
    }
}

impl<P: HookPoint> fmt::Debug for Retained<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Retained").field(&P::HOOK.name).finish()
    }
}

/// A closure that the host calls later, on one of its threads, under the same guard as any handler.
pub struct Callback {
    host: Option<HostRef>,
    judge: thunk::Judge,
}

impl Callback {
    /// A callback whose event is one of `P`, e.g. [`ApprovalResolution`](crate::catalogue::ApprovalResolution).
    pub fn of<P, F, R>(_point: P, judge: F) -> Self
    where
        P: HookPoint,
        F: for<'a> Fn(P::View<'a>) -> R + Send + Sync + 'static,
        R: IntoAnswer<P::Answer>,
    {
        Self {
            host: crate::guard::current(),
            judge: Box::new(move |call| write::<P>(judge(P::view(call)).into_answer()?, call)),
        }
    }

    pub(crate) fn into_handler(self) -> Handler {
        thunk::handler(self.host, self.judge)
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback").finish_non_exhaustive()
    }
}
