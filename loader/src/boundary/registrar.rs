//! What `register` is handed, and how one registration is read.

use std::ffi::c_void;

use hermes_plugin_api::abi::host::{OwnedHandler, Staged, next_id, sized};
use hermes_plugin_api::abi::{
    ABI_MINOR, Handler, HandlerSpec, JsonTools, Registrar, ServiceCode, Str,
};

use super::Instance;
use super::instance::{StagedCheck, StagedTool};
use super::services::{config, data_dir, get_extension, with};
use super::tools::Description;
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

unsafe extern "C" fn on(instance: u64, spec: *const HandlerSpec, id: *mut u64) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        let Some(instance) = Instance::of(instance) else {
            return ServiceCode::GONE;
        };
        if !instance.is_open() {
            return ServiceCode::CLOSED;
        }
        // SAFETY: the plugin lends the struct for the call.
        let read = unsafe { Staged::read(spec) };
        let staged = match read {
            Ok(staged) => staged,
            Err(why) => {
                tracing::error!(plugin = &*instance.plugin, "registration refused: {why}");
                return ServiceCode::INVALID;
            }
        };
        let given = staged.id;
        if let Err(refused) =
            instance.stage(staged, |staging, staged| staging.handlers.push(staged))
        {
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

static JSON_TOOLS: JsonTools = JsonTools {
    size: size_of::<JsonTools>() as u32,
    reserved: 0,
    register: Some(register_json_tool),
    check: Some(check_tool),
};

/// The host's half of `hermes.tools/1`.
pub(super) fn json_tools() -> *const c_void {
    std::ptr::from_ref(&JSON_TOOLS).cast()
}

unsafe extern "C" fn register_json_tool(
    instance: u64,
    description: Str,
    handler: *const Handler,
) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        let Some(instance) = Instance::of(instance) else {
            return ServiceCode::GONE;
        };
        // SAFETY: the plugin lends the text for the call.
        let Ok(description) = (unsafe { description.text() }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: null, or lent by the plugin for the call.
        let Some(raw) = (unsafe { sized(handler, size_of::<Handler>()) }) else {
            return ServiceCode::INVALID;
        };
        let description = Description::parse(description).filter(|_| raw.call.is_some());
        let Some(description) = description else {
            let plugin = &*instance.plugin;
            tracing::error!(
                plugin,
                "tool refused: it needs a function, and a JSON object with a `name`"
            );
            return ServiceCode::INVALID;
        };
        let id = next_id();
        // SAFETY: the plugin hands the handler over.
        let handler = unsafe { OwnedHandler::new(raw) };
        let tool = StagedTool {
            id,
            description,
            handler,
        };
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

unsafe extern "C" fn check_tool(instance: u64, name: Str, handler: *const Handler) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: the plugin lends the text for the call.
        let Ok(tool) = (unsafe { name.text() }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: null, or lent by the plugin for the call.
        let raw = unsafe { sized(handler, size_of::<Handler>()) };
        let Some(raw) = raw.filter(|raw| raw.call.is_some()) else {
            return ServiceCode::INVALID;
        };
        let check = StagedCheck {
            id: next_id(),
            tool: tool.to_owned(),
            // SAFETY: the plugin hands the handler over, unless we answer that we did not take it.
            handler: unsafe { OwnedHandler::new(raw) },
        };
        match instance.stage(check, |staging, check| staging.checks.push(check)) {
            Ok(()) => ServiceCode::OK,
            Err(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused.handler);
                ServiceCode::CLOSED
            }
        }
    })
}
