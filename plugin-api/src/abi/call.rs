//! One handler's view of one event.

use std::{fmt, marker::PhantomData, time::Duration};

use super::{
    AnswerCode, AnswerWriter, Datum, Event, Failure, FailureKind, Future, Handler, Str, Value,
    member::member,
};

/// Bits of a [`Call`]. Unknown bits are ignored.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CallFlags(pub u32);

impl CallFlags {
    /// Nothing special.
    pub const NONE: Self = Self(0);
    /// A higher handler ended the matter: this one only watches, its answer is ignored.
    pub const AFTER_TERMINAL: Self = Self(1);
    /// The call is a retained one.
    pub const RETAINED: Self = Self(2);
}

/// One handler's view of one event, owned by the host.
///
/// It and everything reachable from it is valid on the calling thread until the handler returns.
/// What `retain` gives is valid on any thread until `release`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Call {
    /// `size_of::<Call>()` of the host.
    pub size: u32,
    /// How it is called.
    pub flags: CallFlags,
    /// The cookie of the registration.
    pub cookie: u64,
    /// The event.
    pub event: *const Event,
    /// The call from inside which this event was fired, or null.
    pub parent: *const Call,
    /// What can be done with it.
    pub fns: *const CallFns,
}

/// The functions of a [`Call`]. None of them unwinds.
///
/// With the call the handler was given: `[calling-thread, until the handler returns]`. With a
/// retained call: `[any-thread, concurrent, until release]`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CallFns {
    /// `size_of::<CallFns>()` of the host.
    pub size: u32,
    /// The host's ABI minor.
    pub abi_minor: u32,
    /// Sets an answer field by number.
    pub set: Option<
        unsafe extern "C" fn(call: *const Call, field: u32, value: *const Value) -> AnswerCode,
    >,
    /// Sets an answer member by name.
    pub set_named: Option<
        unsafe extern "C" fn(call: *const Call, key: Str, value: *const Value) -> AnswerCode,
    >,
    /// Makes the answer be this value.
    pub set_whole:
        Option<unsafe extern "C" fn(call: *const Call, value: *const Value) -> AnswerCode>,
    /// Opens an object in a field, in the whole answer, or in what is open.
    pub begin_object: Option<unsafe extern "C" fn(call: *const Call, field: u32) -> AnswerCode>,
    /// Opens an array, likewise.
    pub begin_array: Option<unsafe extern "C" fn(call: *const Call, field: u32) -> AnswerCode>,
    /// Names the next member of the open object.
    pub key: Option<unsafe extern "C" fn(call: *const Call, key: Str) -> AnswerCode>,
    /// Adds a value to what is open.
    pub value: Option<unsafe extern "C" fn(call: *const Call, value: *const Value) -> AnswerCode>,
    /// Closes what was opened last.
    pub end: Option<unsafe extern "C" fn(call: *const Call) -> AnswerCode>,
    /// Sets a field, or the whole answer, from JSON text.
    pub set_json:
        Option<unsafe extern "C" fn(call: *const Call, field: u32, json: Str) -> AnswerCode>,
    /// Hands over a handler; unless it answers OK the handler stays the plugin's.
    pub set_handler: Option<
        unsafe extern "C" fn(call: *const Call, field: u32, handler: *const Handler) -> AnswerCode,
    >,
    /// Nanoseconds left of the budget, 0 when it is used up, `u64::MAX` when there is none.
    pub deadline: Option<unsafe extern "C" fn(call: *const Call) -> u64>,
    /// 1 when nobody waits for the answer any more, else 0.
    pub cancelled: Option<unsafe extern "C" fn(call: *const Call) -> u32>,
    /// A call that stays valid until `release`, or null when this one is gone.
    pub retain: Option<unsafe extern "C" fn(call: *const Call) -> *const Call>,
    /// Gives a retained call back.
    pub release: Option<unsafe extern "C" fn(call: *const Call)>,
    /// Hands over the future of a handler that then returns PENDING. Unless it answers OK the future stays the plugin's.
    pub pend: Option<unsafe extern "C" fn(call: *const Call, future: *const Future) -> AnswerCode>,
    /// Hands over text and place of a failure; the handler then returns ERROR or PANICKED.
    pub fail:
        Option<unsafe extern "C" fn(call: *const Call, failure: *const Failure) -> AnswerCode>,
}

impl fmt::Debug for CallFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFns")
            .field("size", &self.size)
            .field("abi_minor", &self.abi_minor)
            .finish_non_exhaustive()
    }
}

/// A call that is live for `'a`, as a plugin reads it.
#[derive(Clone, Copy)]
pub struct CallRef<'a> {
    raw: *const Call,
    _lent: PhantomData<&'a Call>,
}

impl<'a> CallRef<'a> {
    /// # Safety
    /// `raw` must be live for `'a`, on this thread, or be a retained call.
    pub(crate) const unsafe fn new(raw: *const Call) -> Self {
        Self {
            raw,
            _lent: PhantomData,
        }
    }

    pub(crate) const fn as_raw(&self) -> *const Call {
        self.raw
    }

    fn call(&self) -> &'a Call {
        // SAFETY: live for `'a` (`CallRef::new`).
        unsafe { &*self.raw }
    }

    /// The host's functions, which live at least as long as the call; shorter in an older host.
    pub(crate) fn fns(&self) -> *const CallFns {
        self.call().fns
    }

    /// The cookie of the registration.
    #[must_use]
    pub fn cookie(&self) -> u64 {
        self.call().cookie
    }

    /// How it is called.
    #[must_use]
    pub fn flags(&self) -> CallFlags {
        self.call().flags
    }

    /// Whether a higher handler already ended the matter, so that the answer will be ignored.
    #[must_use]
    pub fn is_after_terminal(&self) -> bool {
        self.flags().0 & CallFlags::AFTER_TERMINAL.0 != 0
    }

    /// Whether the event was fired from inside another call.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        !self.call().parent.is_null()
    }

    fn event(&self) -> Option<&'a Event> {
        // SAFETY: the event lives as long as the call.
        unsafe { self.call().event.as_ref() }
    }

    /// A field by its catalogue number.
    #[must_use]
    pub fn field(&self, number: u32) -> Datum<'a> {
        let Some(event) = self.event() else {
            return Datum::Absent;
        };
        // SAFETY: the host promises that the fields are live for the call.
        let value = unsafe { event.field(number) };
        // SAFETY: and so is what they borrow.
        unsafe { value.read() }
    }

    /// Whether the host filled a field in, by its catalogue number: the agent did not say it.
    #[must_use]
    pub fn is_field_inferred(&self, number: u32) -> bool {
        let Some(event) = self.event() else {
            return false;
        };
        // SAFETY: the host promises that the fields are live for the call.
        let value = unsafe { event.field(number) };
        value.flags.contains(super::ValueFlags::INFERRED)
    }

    /// Everything the catalogue does not know, or the whole payload of an unknown hook.
    #[must_use]
    pub fn extra(&self) -> super::TreeRef<'a> {
        let Some(event) = self.event() else {
            return super::TreeRef::EMPTY;
        };
        // SAFETY: the host promises that `extra` is live for the call.
        let extra = unsafe { event.extra.read() };
        extra.as_tree().unwrap_or(super::TreeRef::EMPTY)
    }

    /// The answer of this call.
    #[must_use]
    pub const fn answer(&self) -> AnswerWriter<'a> {
        AnswerWriter::new(*self)
    }

    /// How long the host will still wait; `None` when it has set no limit.
    #[must_use]
    pub fn deadline(&self) -> Option<Duration> {
        let deadline = member!(self.fns(), CallFns, deadline)?;
        // SAFETY: the call is live for `'a`.
        let left = unsafe { deadline(self.raw) };
        (left != u64::MAX).then_some(Duration::from_nanos(left))
    }

    /// Whether nobody waits for the answer any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let Some(cancelled) = member!(self.fns(), CallFns, cancelled) else {
            return false;
        };
        // SAFETY: the call is live for `'a`.
        unsafe { cancelled(self.raw) != 0 }
    }

    /// A call that outlives the handler and may go to other threads. `None` when it is already over.
    ///
    /// The first one of a dispatch makes one owned copy of the event, shared by the whole dispatch.
    #[must_use]
    pub fn retain(&self) -> Option<RetainedCall> {
        let retain = member!(self.fns(), CallFns, retain)?;
        // SAFETY: the call is live for `'a`.
        let raw = unsafe { retain(self.raw) };
        (!raw.is_null()).then_some(RetainedCall { raw })
    }

    pub(crate) fn pend(&self, future: &Future) -> bool {
        let Some(pend) = member!(self.fns(), CallFns, pend) else {
            return false;
        };
        // SAFETY: the call is live for `'a`; the struct is only read.
        unsafe { pend(self.raw, future) == AnswerCode::OK }
    }

    pub(crate) fn fail(&self, kind: FailureKind, text: &str, file: &str, line: u32) {
        let Some(fail) = member!(self.fns(), CallFns, fail) else {
            return;
        };
        let failure = Failure {
            size: size_of::<Failure>() as u32,
            kind,
            text: Str::new(text),
            file: Str::new(file),
            line,
            reserved: 0,
        };
        // SAFETY: the call is live for `'a`; the struct and its texts live until the host returns.
        unsafe { fail(self.raw, &raw const failure) };
    }
}

impl fmt::Debug for CallRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallRef")
            .field("cookie", &self.cookie())
            .finish_non_exhaustive()
    }
}

/// A call that stays valid, on any thread, until it is dropped.
#[derive(Debug)]
pub struct RetainedCall {
    raw: *const Call,
}

// SAFETY: the host promises that a retained call may be used from any thread.
unsafe impl Send for RetainedCall {}
// SAFETY: and from several at once.
unsafe impl Sync for RetainedCall {}

impl RetainedCall {
    /// The call, for as long as `self` lives.
    #[must_use]
    pub const fn as_call(&self) -> CallRef<'_> {
        // SAFETY: retained until `self` is dropped.
        unsafe { CallRef::new(self.raw) }
    }
}

impl Drop for RetainedCall {
    fn drop(&mut self) {
        if let Some(release) = member!(self.as_call().fns(), CallFns, release) {
            // SAFETY: this is the one release of the retain that made `self`.
            unsafe { release(self.raw) };
        }
    }
}
