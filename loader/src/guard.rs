//! The host's twin of the plugin's guard: no function that a plugin can call ever unwinds.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; a panic of ours becomes `otherwise`, and the host's own panic hook has already said so.
pub(crate) fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}
