//! What `register` is handed, and how one registration is read.

use super::{
    instance::Instance,
    services::{config, data_dir, get_extension, shield},
};
use crate::abi::{ABI_MINOR, HandlerSpec, Registrar, ServiceCode, host::Staged};

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
        let Ok(staged) = (unsafe { Staged::read(spec) }) else {
            return ServiceCode::INVALID;
        };
        let given = staged.id;
        if let Some(refused) =
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
