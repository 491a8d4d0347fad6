//! Reading members of a struct that the other side may have built shorter.

/// Reads one function of a size-prefixed table: `None` when the table is null, too short to hold
/// it, or holds null there.
///
/// The table must be null or live, begin with a `u32` size, and `$field` must be an `Option<fn>`.
macro_rules! member {
    ($table:expr, $type:ty, $field:ident) => {{
        let table: *const $type = $table;
        let end = std::mem::offset_of!($type, $field) + size_of::<usize>();
        // SAFETY: null, or live and at least as long as its own size prefix.
        let size = if table.is_null() { 0 } else { unsafe { table.cast::<u32>().read() } };
        if (size as usize) < end {
            None
        } else {
            // SAFETY: the member ends inside the table; no reference to the whole struct is formed.
            unsafe { (&raw const (*table).$field).read() }
        }
    }};
}
pub(crate) use member;
