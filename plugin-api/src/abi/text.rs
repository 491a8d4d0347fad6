//! Borrowed text, and the sink a host writes text of unknown length into.

use std::{ffi::c_void, marker::PhantomData};

/// Borrowed UTF-8 text: a pointer and a length in bytes, not terminated.
///
/// It is valid for the call that hands it over, unless the function says otherwise. A null pointer
/// with length zero is the empty text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Str {
    /// First byte, or null when `len` is zero.
    pub ptr: *const u8,
    /// Length in bytes.
    pub len: usize,
}

impl Str {
    /// The empty text.
    pub const EMPTY: Self = Self {
        ptr: std::ptr::null(),
        len: 0,
    };

    /// Borrows a Rust string for the length of a call.
    #[must_use]
    pub const fn new(text: &str) -> Self {
        Self {
            ptr: text.as_ptr(),
            len: text.len(),
        }
    }

    /// The bytes, or an empty slice for a null pointer.
    ///
    /// # Safety
    /// `ptr` must be null or point to `len` bytes that stay unchanged for `'a`.
    #[must_use]
    pub const unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.ptr.is_null() || self.len == 0 || self.len > isize::MAX as usize {
            return &[];
        }
        // SAFETY: not null, not longer than any object can be, and valid by the caller's promise.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }

    /// The text, or the error when the other side sent bytes that are not UTF-8.
    ///
    /// # Errors
    /// When the bytes are not UTF-8.
    ///
    /// # Safety
    /// As for [`Str::bytes`].
    pub const unsafe fn text<'a>(self) -> Result<&'a str, std::str::Utf8Error> {
        // SAFETY: the caller's promise is the same one.
        let bytes = unsafe { self.bytes() };
        std::str::from_utf8(bytes)
    }
}

/// Where the other side writes text whose length it does not know beforehand.
///
/// `write` may be called any number of times, on the calling thread, until the function that was
/// handed the sink returns. It answers 0, or anything else to ask the writer to stop.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Sink {
    /// `size_of::<Sink>()` of whoever made it.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Handed back to `write`.
    pub state: *mut c_void,
    /// Takes one piece of UTF-8 text.
    pub write: Option<unsafe extern "C" fn(state: *mut c_void, piece: Str) -> u32>,
}

impl std::fmt::Debug for Sink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}

/// A [`Sink`] that collects into bytes of ours.
pub(crate) struct Collecting<'a> {
    raw: Sink,
    _target: PhantomData<&'a mut Vec<u8>>,
}

impl<'a> Collecting<'a> {
    /// Lends `target` for as long as the sink lives.
    pub(crate) fn new(target: &'a mut Vec<u8>) -> Self {
        let raw = Sink {
            size: size_of::<Sink>() as u32,
            reserved: 0,
            state: std::ptr::from_mut(target).cast(),
            write: Some(append),
        };
        Self {
            raw,
            _target: PhantomData,
        }
    }

    /// The raw form, valid while `self` is.
    pub(crate) fn as_raw(&mut self) -> *const Sink {
        &raw const self.raw
    }
}

unsafe extern "C" fn append(state: *mut c_void, piece: Str) -> u32 {
    // SAFETY: `state` was made from the exclusive borrow that `Collecting` holds.
    let target = unsafe { &mut *state.cast::<Vec<u8>>() };
    // SAFETY: the writer promises that a piece is valid for the length of this call.
    let bytes = unsafe { piece.bytes() };
    if target.try_reserve(bytes.len()).is_err() {
        return 1;
    }
    target.extend_from_slice(bytes);
    0
}
impl Sink {
    /// Writes one piece; false when the reader wants no more.
    ///
    /// # Safety
    /// The sink must be one that is still being lent to the caller.
    pub unsafe fn push(&self, piece: &str) -> bool {
        let Some(write) = self.write else {
            return false;
        };
        // SAFETY: `state` belongs to `write`, and the sink is live by the caller's promise.
        unsafe { write(self.state, Str::new(piece)) == 0 }
    }
}
