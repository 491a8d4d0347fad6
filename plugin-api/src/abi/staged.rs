//! One registration as a plugin described it, read once for the loader and for `testing`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    HandlerFlags, HandlerSpec, OnFailure, Phase, Str, collect::OwnedHandler, member::sized,
};
use crate::catalogue;

/// Ids are unique in the process, so that they can stand for a handler in a chain of calls.
#[must_use]
pub fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// One registration as the plugin described it, before the plugin's registrations are committed.
#[derive(Debug)]
pub struct Staged {
    /// What the host knows it by.
    pub id: u64,
    /// The hook's name.
    pub name: String,
    /// The handler, which belongs to the host.
    pub handler: OwnedHandler,
    /// What comes back in every call.
    pub cookie: u64,
    /// How it wants to be called.
    pub flags: HandlerFlags,
    /// What to do when it faults.
    pub on_failure: OnFailure,
    /// Higher first; a number.
    pub priority: f64,
    /// Longest time a call may take, in milliseconds; 0 for none.
    pub budget_ms: u64,
    /// The tools it is limited to.
    pub tools: Option<Vec<String>>,
    /// Where it stands before priority counts.
    pub phase: Phase,
}

/// The end of the struct of ABI 1.0: what came later may be missing.
const FIRST_SIZE: usize = std::mem::offset_of!(HandlerSpec, phase);

impl Staged {
    /// Reads a registration of any length. On an error the handler stays the plugin's.
    ///
    /// # Errors
    /// Why it is refused.
    ///
    /// # Safety
    /// `spec` must be null or live for the call, with everything it lends.
    pub unsafe fn read(spec: *const HandlerSpec) -> Result<Self, String> {
        // SAFETY: null, or lent by the plugin for the call.
        let Some(spec) = (unsafe { sized(spec, FIRST_SIZE) }) else {
            return Err(format!(
                "the registration is null, or shorter than {FIRST_SIZE} bytes"
            ));
        };
        // SAFETY: the name is lent with the struct.
        let name =
            unsafe { spec.name.text() }.map_err(|_| "the hook's name is not UTF-8".to_owned())?;
        if name.is_empty() {
            return Err("the hook's name is empty".to_owned());
        }
        if spec.handler.call.is_none() {
            return Err(format!("the handler for `{name}` has no function"));
        }
        if spec.priority.is_nan() {
            return Err(format!(
                "the priority of the handler for `{name}` is not a number"
            ));
        }
        // SAFETY: the tools are lent with the struct.
        let tools = unsafe { tools(&spec) }?;
        if tools.is_some()
            && catalogue::by_name(name).is_some_and(|hook| hook.tool_field().is_none())
        {
            return Err(format!(
                "`{name}` has no tool, so its handlers cannot be limited to tools"
            ));
        }
        Ok(Self {
            id: next_id(),
            name: name.to_owned(),
            // SAFETY: the plugin hands the handler over.
            handler: unsafe { OwnedHandler::new(spec.handler) },
            cookie: spec.cookie,
            flags: spec.flags,
            on_failure: spec.on_failure,
            // Without the sum a negative zero would stand behind zero.
            priority: spec.priority + 0.0,
            budget_ms: spec.budget_ms,
            tools,
            phase: spec.phase,
        })
    }
}

/// # Safety
/// The names must be live.
unsafe fn tools(spec: &HandlerSpec) -> Result<Option<Vec<String>>, String> {
    if spec.tools.is_null() || spec.tools_count == 0 {
        return Ok(None);
    }
    let stride = spec.tools_stride as usize;
    if stride < size_of::<Str>() || spec.tools_count > 1024 {
        return Err("the list of tools is malformed".to_owned());
    }
    (0..spec.tools_count as usize)
        .map(|index| {
            // SAFETY: the array has `tools_count` elements, one every `stride` bytes.
            let name = unsafe { spec.tools.byte_add(index * stride) };
            // SAFETY: the element is live.
            let name = unsafe { name.read_unaligned() };
            // SAFETY: lent with the struct.
            unsafe { name.text() }
                .map(str::to_owned)
                .map_err(|_| "a tool's name is not UTF-8".to_owned())
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}
