//! The erased hook trait object, and what is said about it when it is registered.

use std::{ffi::c_void, fmt};

use super::{Call, Str};

/// How a handler ended. Anything else is an error fault.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Status(pub u32);

impl Status {
    /// Nothing to say. Whatever was set is discarded.
    pub const NONE: Self = Self(0);
    /// An answer was set.
    pub const ANSWERED: Self = Self(1);
    /// It failed; text and place were handed over with `fail`.
    pub const ERROR: Self = Self(2);
    /// It panicked; text and place were handed over with `fail`.
    pub const PANICKED: Self = Self(3);
    /// The answer comes later; a future was handed over with `pend`.
    pub const PENDING: Self = Self(4);
}

/// What sort of failure is reported.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct FailureKind(pub u32);

impl FailureKind {
    /// The plugin returned an error.
    pub const ERROR: Self = Self(1);
    /// The plugin panicked.
    pub const PANIC: Self = Self(2);
}

/// Text and place of a failure, lent for the call that reports it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Failure {
    /// `size_of::<Failure>()` of the plugin.
    pub size: u32,
    /// Error or panic.
    pub kind: FailureKind,
    /// What happened, UTF-8.
    pub text: Str,
    /// Source file, or empty.
    pub file: Str,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Zero.
    pub reserved: u32,
}

/// The erased hook trait object.
///
/// The host owns it from the moment it is handed over and calls `drop` exactly once, before the
/// plugin's `destroy`. `call` is `[any-thread, concurrent]` unless it was registered as serial.
/// Neither function may unwind.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Handler {
    /// `size_of::<Handler>()` of the plugin.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Handed back to both functions.
    pub state: *mut c_void,
    /// Judges one event.
    pub call: Option<unsafe extern "C" fn(state: *mut c_void, call: *const Call) -> Status>,
    /// Frees `state`; null when there is nothing to free.
    pub drop: Option<unsafe extern "C" fn(state: *mut c_void)>,
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// What a host does when this handler faults.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct OnFailure(pub u32);

impl OnFailure {
    /// What the catalogue says of the hook.
    pub const DEFAULT: Self = Self(0);
    /// The event goes on as if the handler had said nothing.
    pub const OPEN: Self = Self(1);
    /// The event is refused.
    pub const CLOSED: Self = Self(2);
}

/// Where in the chain a handler stands before its priority counts.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Phase(pub u32);

impl Phase {
    /// Guards last, everybody else first.
    pub const DEFAULT: Self = Self(0);
    /// With those that may still change the event.
    pub const FIRST: Self = Self(1);
    /// With the guards, which see the event as it will be.
    pub const GUARD: Self = Self(2);
}

/// Bits of a registration. Unknown bits are ignored.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct HandlerFlags(pub u32);

impl HandlerFlags {
    /// Nothing special.
    pub const NONE: Self = Self(0);
    /// Called even after a higher handler ended the matter; its answer is then ignored.
    pub const OBSERVE_AFTER_TERMINAL: Self = Self(1);
    /// May be entered again from inside itself.
    pub const REENTRANT: Self = Self(2);
    /// Wants to be called one at a time.
    pub const SERIAL: Self = Self(4);
    /// Wants to see the value as changed by the handlers before it, where the hook allows both.
    pub const CHAIN: Self = Self(8);

    /// Whether every bit of `other` is set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets of bits.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One registration, handed over whole. A field of value zero means "not said".
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct HandlerSpec {
    /// `size_of::<HandlerSpec>()` of the plugin.
    pub size: u32,
    /// How it wants to be called.
    pub flags: HandlerFlags,
    /// The hook's name, in its dialect.
    pub name: Str,
    /// The handler. It belongs to the host once the function returned OK.
    pub handler: Handler,
    /// Comes back in every `Call`.
    pub cookie: u64,
    /// How many fields of the hook the plugin was built to know.
    pub field_count: u32,
    /// What to do when it faults.
    pub on_failure: OnFailure,
    /// Higher first; NaN is refused.
    pub priority: f64,
    /// Longest time a call may take, in milliseconds; 0 for none.
    pub budget_ms: u64,
    /// Names of the tools it wants to see; null for all. Only for hooks that have a tool.
    pub tools: *const Str,
    /// How many names.
    pub tools_count: u32,
    /// Bytes from one name to the next.
    pub tools_stride: u32,
    /// Where it stands before priority counts. Since ABI 1.1.
    pub phase: Phase,
    /// Zero. Since ABI 1.1.
    pub reserved: u32,
}
