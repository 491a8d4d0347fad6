//! The host's twin of the plugin's guard: no function that a plugin can call ever unwinds.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `body`; a panic of ours becomes `otherwise`, and the host's own panic hook has already said so.
pub(crate) fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// Runs `body`, which is the agent's; a panic of it becomes its text.
pub(crate) fn caught<R>(body: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| {
        let text = text(&*payload);
        // Dropping a payload is code of the agent, too.
        shield((), move || drop(payload));
        text
    })
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a text".to_owned())
}
