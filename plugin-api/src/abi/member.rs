//! Reading members of a struct that the other side may have built shorter.

/// Reads one function of a size-prefixed table: `None` when the table is null, too short to hold
/// it, or holds null there.
///
/// The table must be null or live, begin with a `u32` size, and `$field` must be an `Option<fn>`.
macro_rules! member {
    ($table:expr, $type:ty, $field:ident) => {{
        let table: *const $type = $table;
        let end = std::mem::offset_of!($type, $field) + size_of::<usize>();
        let size = if table.is_null() {
            0
        } else {
            // SAFETY: live, and at least as long as its own size prefix.
            unsafe { table.cast::<u32>().read() }
        };
        if (size as usize) < end {
            None
        } else {
            // SAFETY: the member ends inside the table; no reference to the whole struct is formed.
            unsafe { (&raw const (*table).$field).read() }
        }
    }};
}
pub(crate) use member;

/// Reads a size-prefixed struct that the other side may have built shorter or longer: what it does not
/// have is zero, which always means "not said". `None` when it is null, or shorter than `first`, the
/// length of the struct's first version.
///
/// # Safety
/// `given` must be null, or live and at least as long as its own size prefix, which is its first member;
/// and every member of `T` must be allowed to be zero.
pub unsafe fn sized<T: Copy>(given: *const T, first: usize) -> Option<T> {
    if given.is_null() {
        return None;
    }
    // SAFETY: the struct begins with its size.
    let size = unsafe { given.cast::<u32>().read() } as usize;
    if size < first {
        return None;
    }
    let mut whole = std::mem::MaybeUninit::<T>::zeroed();
    let known = size.min(size_of::<T>());
    // SAFETY: `known` bytes are live on both sides, and the two do not overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(given.cast::<u8>(), whole.as_mut_ptr().cast::<u8>(), known)
    };
    // SAFETY: every member may be zero, and what the other side has was copied over it.
    Some(unsafe { whole.assume_init() })
}
