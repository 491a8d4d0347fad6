//! What `register` is handed, and how one registration is read.

use super::{
    instance::{Instance, next_id},
    services::{config, data_dir, get_extension, shield},
};
use crate::abi::{
    ABI_MINOR, HandlerFlags, HandlerSpec, OnFailure, Phase, Registrar, ServiceCode, Str,
    host::OwnedHandler,
};

/// One registration, as the plugin described it.
#[derive(Debug)]
pub(crate) struct Staged {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) handler: OwnedHandler,
    pub(crate) cookie: u64,
    pub(crate) flags: HandlerFlags,
    pub(crate) on_failure: OnFailure,
    pub(crate) priority: f64,
    pub(crate) budget_ms: u64,
    pub(crate) tools: Vec<String>,
    pub(crate) phase: Phase,
}

/// The registrar of an instance, for the length of its `register`.
pub(super) fn registrar(instance: u64) -> Registrar {
    Registrar {
        size: size_of::<Registrar>() as u32,
        abi_minor: ABI_MINOR,
        instance,
        on: Some(on),
        config: Some(config),
        data_dir: Some(data_dir),
        get_extension: Some(get_extension),
    }
}

unsafe extern "C" fn on(instance: u64, spec: *const HandlerSpec, id: *mut u64) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        let Some(instance) = Instance::of(instance) else {
            return ServiceCode::GONE;
        };
        if !instance.is_registering() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: the plugin lends the struct for the call.
        let Some(staged) = (unsafe { read(spec) }) else {
            return ServiceCode::INVALID;
        };
        let given = staged.id;
        if let Some(refused) = instance.stage(staged) {
            // It stays the plugin's, which drops it.
            std::mem::forget(refused.handler);
            return ServiceCode::CLOSED;
        }
        // SAFETY: null, or a place of the plugin's to write to.
        if let Some(id) = unsafe { id.as_mut() } {
            *id = given;
        }
        ServiceCode::OK
    })
}

/// The end of the struct of ABI 1.0: what came later may be missing.
const FIRST_SIZE: usize = std::mem::offset_of!(HandlerSpec, phase);

/// Reads a registration of any length; `None` when a host refuses it, and the handler stays the plugin's.
///
/// # Safety
/// `spec` must be null or live for the call, with everything it lends.
unsafe fn read(spec: *const HandlerSpec) -> Option<Staged> {
    if spec.is_null() {
        return None;
    }
    // SAFETY: the struct begins with its size.
    let size = unsafe { spec.cast::<u32>().read() } as usize;
    if size < FIRST_SIZE {
        return None;
    }
    let mut whole = std::mem::MaybeUninit::<HandlerSpec>::zeroed();
    let known = size.min(size_of::<HandlerSpec>());
    // SAFETY: `known` bytes are live on both sides, and the two do not overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(spec.cast::<u8>(), whole.as_mut_ptr().cast::<u8>(), known)
    };
    // SAFETY: every member may be zero, and what the plugin has was copied over it.
    let spec = unsafe { whole.assume_init() };
    // SAFETY: the name is lent with the struct.
    let name = unsafe { spec.name.text() }
        .ok()
        .filter(|name| !name.is_empty())?;
    if spec.handler.call.is_none() || spec.priority.is_nan() {
        return None;
    }
    // SAFETY: the tools are lent with the struct.
    let tools = unsafe { tools(&spec) }?;
    let hook = crate::catalogue::by_name(name);
    if !tools.is_empty() && hook.is_some_and(|hook| hook.tool_field().is_none()) {
        return None;
    }
    Some(Staged {
        id: next_id(),
        name: name.to_owned(),
        // SAFETY: the plugin hands the handler over.
        handler: unsafe { OwnedHandler::new(spec.handler) },
        cookie: spec.cookie,
        flags: spec.flags,
        on_failure: spec.on_failure,
        priority: spec.priority,
        budget_ms: spec.budget_ms,
        tools,
        phase: spec.phase,
    })
}

/// # Safety
/// The names must be live.
unsafe fn tools(spec: &HandlerSpec) -> Option<Vec<String>> {
    let count = if spec.tools.is_null() {
        0
    } else {
        spec.tools_count as usize
    };
    if count > 0 && (spec.tools_stride as usize) < size_of::<Str>() {
        return None;
    }
    let name = |index: usize| {
        // SAFETY: the array has `tools_count` elements, one every `tools_stride` bytes.
        let name = unsafe { spec.tools.byte_add(index * spec.tools_stride as usize) };
        // SAFETY: the element is live.
        let name = unsafe { name.read_unaligned() };
        // SAFETY: lent with the struct.
        unsafe { name.text() }.ok().map(str::to_owned)
    };
    (0..count).map(name).collect()
}
