//! One firing of a hook, as all its handlers share it.

use super::Value;

/// The fields of one event, in the order of the catalogue's numbers.
///
/// Immutable, and shared by every handler of one name in one dispatch. A host sends no more fields
/// than the newest plugin in the chain knows; a reader treats a number beyond `count` as absent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Event {
    /// `size_of::<Event>()` of the host.
    pub size: u32,
    /// How many values `fields` points to.
    pub count: u32,
    /// The values, indexed by field number. `Value` never changes its size, so there is no stride.
    pub fields: *const Value,
    /// A tree of everything the catalogue does not know, or the whole payload of an unknown hook;
    /// absent when there is nothing.
    pub extra: Value,
}

impl Event {
    /// The value of a field, absent when the host did not send it.
    ///
    /// # Safety
    /// `fields` must point to `count` values that are live, as a host promises for the call.
    #[must_use]
    pub(crate) unsafe fn field(&self, number: u32) -> Value {
        if number >= self.count || self.fields.is_null() {
            return Value::ABSENT;
        }
        // SAFETY: `number` is below `count`, so the sum stays inside the array.
        let field = unsafe { self.fields.add(number as usize) };
        // SAFETY: the array is live by the caller's promise.
        unsafe { *field }
    }
}
