//! The host's half of `hermes.skills/1`: texts that the model can be given when it needs them.

use std::fmt;

use super::{ServiceCode, Sink, Str};

/// The host's half of `hermes.skills/1`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct SkillFns {
    /// `size_of::<SkillFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Offers a read-only skill: `name`, `path` and `description` as a JSON object. The name is made of
    /// letters, digits, `_` and `-`; the path exists, and is taken from the plugin's directory unless it
    /// is absolute. When the host does not take it, it writes why; the sink may be null.
    pub offer: Option<
        unsafe extern "C" fn(instance: u64, description: Str, why: *const Sink) -> ServiceCode,
    >,
}

impl fmt::Debug for SkillFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
