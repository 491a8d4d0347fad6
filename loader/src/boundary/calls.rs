//! What plugins attach to calls: the host's half of `hermes.calls/1`.

use std::ffi::c_void;

use hermes_plugin_api::abi::host::{OwnedHandler, sized};
use hermes_plugin_api::abi::{Call, CallSlots, Handler, ServiceCode};

use super::services::with;

static CALL_SLOTS: CallSlots = CallSlots {
    size: size_of::<CallSlots>() as u32,
    reserved: 0,
    attach: Some(attach),
    take: Some(take),
};

/// The host's half of `hermes.calls/1`.
pub(super) fn call_slots() -> *const c_void {
    std::ptr::from_ref(&CALL_SLOTS).cast()
}

unsafe extern "C" fn attach(instance: u64, call: *const Call, what: *const Handler) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: null, or lent by the plugin for the call.
        let Some(raw) = (unsafe { sized(what, size_of::<Handler>()) }) else {
            return ServiceCode::INVALID;
        };
        if call.is_null() {
            return ServiceCode::INVALID;
        }
        let Some(host) = instance.host().filter(|_| !instance.is_ending()) else {
            return ServiceCode::GONE;
        };
        // SAFETY: the plugin hands it over, unless we answer that we did not take it.
        let owned = unsafe { OwnedHandler::new(raw) };
        match host.calls().attach(instance.handle(), owned) {
            Ok(()) => ServiceCode::OK,
            Err(refused) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused);
                ServiceCode::UNSUPPORTED
            }
        }
    })
}

unsafe extern "C" fn take(instance: u64, call: *const Call, what: *mut Handler) -> ServiceCode {
    with(instance, |instance| {
        if call.is_null() || what.is_null() {
            return ServiceCode::INVALID;
        }
        let Some(host) = instance.host() else {
            return ServiceCode::GONE;
        };
        let Some(taken) = host.calls().take(instance.handle()) else {
            return ServiceCode::UNSUPPORTED;
        };
        let raw = taken
            .as_ref()
            .map_or(Handler::NOTHING, |taken| *taken.raw());
        // It is the plugin's again, which drops it.
        std::mem::forget(taken);
        // SAFETY: a place of the plugin's to write to, of the struct's first version at least, which is all
        // there is.
        unsafe { what.write(raw) };
        ServiceCode::OK
    })
}
