//! An answer that is not ready yet.

use std::{ffi::c_void, fmt};

use super::{Call, Status};

/// What a plugin hands over with `pend` when its answer is not ready.
///
/// The host calls `poll` on one of its own threads, never twice at once, perhaps each time on
/// another one, until it returns something else than [`Status::PENDING`]; then, or when the call is
/// cancelled, it calls `drop` exactly once. The call passed to `poll` is a retained one.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Future {
    /// `size_of::<Future>()` of the plugin.
    pub size: u32,
    /// Zero.
    pub flags: u32,
    /// Handed back to both functions.
    pub state: *mut c_void,
    /// Makes progress. Must not unwind. The waker is lent for the call; clone it to keep it.
    pub poll: Option<
        unsafe extern "C" fn(state: *mut c_void, call: *const Call, waker: *const Waker) -> Status,
    >,
    /// Frees `state`. Must not unwind.
    pub drop: Option<unsafe extern "C" fn(state: *mut c_void)>,
}

impl fmt::Debug for Future {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Future")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// How a plugin asks the host to poll again.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Waker {
    /// `size_of::<Waker>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Handed to the functions.
    pub data: *const c_void,
    /// What can be done with `data`; lives as long as the process.
    pub fns: *const WakerFns,
}

/// The functions of a [`Waker`]; all are `[any-thread]` and never unwind.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct WakerFns {
    /// `size_of::<WakerFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Makes owned data out of borrowed or owned data.
    pub clone: Option<unsafe extern "C" fn(data: *const c_void) -> *const c_void>,
    /// Asks for a poll; leaves `data` as it is.
    pub wake: Option<unsafe extern "C" fn(data: *const c_void)>,
    /// Frees owned data.
    pub drop: Option<unsafe extern "C" fn(data: *const c_void)>,
}

impl fmt::Debug for WakerFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakerFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
