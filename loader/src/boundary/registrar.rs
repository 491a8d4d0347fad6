//! What `register` is handed, and how one registration is read.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_plugin_api::abi::host::OwnedHandler;
use hermes_plugin_api::abi::{
    ABI_MINOR, Handler, HandlerFlags, HandlerSpec, OnFailure, Phase, Registrar, ServiceCode, Str,
};
use hermes_plugin_api::catalogue;

use super::services::{config, data_dir, get_extension};
use super::instance::StagedTool;
use super::tools::Description;
use super::{Instance, Staged};
use crate::guard::shield;

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

/// Ids are unique in the process, so that they can stand for a handler in a chain of calls.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The end of the struct of ABI 1.0: what came later may be missing.
const FIRST_SIZE: usize = std::mem::offset_of!(HandlerSpec, phase);

unsafe extern "C" fn on(instance: u64, spec: *const HandlerSpec, id: *mut u64) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        let Some(instance) = Instance::of(instance) else { return ServiceCode::GONE };
        if !instance.is_open() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: the plugin lends the struct for the call.
        let read = unsafe { read(spec) };
        let staged = match read {
            Ok(staged) => staged,
            Err(why) => {
                tracing::error!(plugin = &*instance.plugin, "registration refused: {why}");
                return ServiceCode::INVALID;
            }
        };
        let given = staged.id;
        if let Err(refused) = instance.stage(staged, |staging, staged| staging.handlers.push(staged)) {
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

/// Reads a registration of any length. On an error the handler stays the plugin's.
///
/// # Safety
/// `spec` must be null or live for the call, with everything it lends.
unsafe fn read(spec: *const HandlerSpec) -> Result<Staged, String> {
    if spec.is_null() {
        return Err("the registration is null".to_owned());
    }
    // SAFETY: the struct begins with its size.
    let size = unsafe { spec.cast::<u32>().read() } as usize;
    if size < FIRST_SIZE {
        return Err(format!("the registration has {size} bytes, expected at least {FIRST_SIZE}"));
    }
    let mut whole = std::mem::MaybeUninit::<HandlerSpec>::zeroed();
    let known = size.min(size_of::<HandlerSpec>());
    // SAFETY: `known` bytes are live on both sides, and the two do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(spec.cast::<u8>(), whole.as_mut_ptr().cast::<u8>(), known) };
    // SAFETY: every member may be zero, and what the plugin has was copied over it.
    let spec = unsafe { whole.assume_init() };
    // SAFETY: the name is lent with the struct.
    let name = unsafe { spec.name.text() }.map_err(|_| "the hook's name is not UTF-8".to_owned())?;
    if name.is_empty() {
        return Err("the hook's name is empty".to_owned());
    }
    if spec.handler.call.is_none() {
        return Err(format!("the handler for `{name}` has no function"));
    }
    if spec.priority.is_nan() {
        return Err(format!("the priority of the handler for `{name}` is not a number"));
    }
    // SAFETY: the tools are lent with the struct.
    let tools = unsafe { tools(&spec) }?;
    if tools.is_some() && catalogue::by_name(name).is_some_and(|hook| hook.tool_field().is_none()) {
        return Err(format!("`{name}` has no tool, so its handlers cannot be limited to tools"));
    }
    Ok(Staged {
        id: next_id(),
        name: name.to_owned(),
        // SAFETY: the plugin hands the handler over.
        handler: unsafe { OwnedHandler::new(spec.handler) },
        cookie: spec.cookie,
        flags: HandlerFlags(spec.flags.0),
        on_failure: OnFailure(spec.on_failure.0),
        priority: spec.priority,
        budget_ms: spec.budget_ms,
        tools,
        phase: Phase(spec.phase.0),
    })
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
            unsafe { name.text() }.map(str::to_owned).map_err(|_| "a tool's name is not UTF-8".to_owned())
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

/// The JSON form of `hermes.tools/1`, for plugins that have no `abi_stable`.
#[repr(C)]
struct JsonTools {
    size: u32,
    reserved: u32,
    register: unsafe extern "C" fn(instance: u64, description: Str, handler: *const Handler) -> ServiceCode,
}

static JSON_TOOLS: JsonTools =
    JsonTools { size: size_of::<JsonTools>() as u32, reserved: 0, register: register_json_tool };

/// The host's half of `hermes.tools/1`.
pub(super) fn json_tools() -> *const c_void {
    std::ptr::from_ref(&JSON_TOOLS).cast()
}

unsafe extern "C" fn register_json_tool(instance: u64, description: Str, handler: *const Handler) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        let Some(instance) = Instance::of(instance) else { return ServiceCode::GONE };
        // SAFETY: the plugin lends the text for the call.
        let Ok(description) = (unsafe { description.text() }) else { return ServiceCode::INVALID };
        // SAFETY: null, or lent by the plugin for the call.
        let Some(raw) = (unsafe { handler.as_ref() }) else { return ServiceCode::INVALID };
        let description = Description::parse(description).filter(|_| raw.call.is_some());
        let Some(description) = description else {
            let plugin = &*instance.plugin;
            tracing::error!(plugin, "tool refused: it needs a function, and a JSON object with a `name`");
            return ServiceCode::INVALID;
        };
        // SAFETY: the plugin hands the handler over.
        let tool = StagedTool { id: next_id(), description, handler: unsafe { OwnedHandler::new(*raw) } };
        match instance.stage(tool, |staging, tool| staging.tools.push(tool)) {
            Ok(()) => ServiceCode::OK,
            Err(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused.handler);
                ServiceCode::CLOSED
            }
        }
    })
}
