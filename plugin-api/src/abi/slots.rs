//! The host's half of `hermes.calls/1`, over whatever keeps what plugins attach to calls.

use super::{
    Call, CallSlots, Handler, ServiceCode, collect::OwnedHandler, lending::Hosting, member::sized,
};

/// What keeps what plugins attach to the call whose handler runs on this thread.
pub trait Slots: Hosting {
    /// Keeps what an instance attaches. What is not kept is given back, with the reason.
    ///
    /// # Errors
    /// GONE or UNSUPPORTED.
    fn attach(instance: u64, what: OwnedHandler) -> Result<(), (ServiceCode, OwnedHandler)>;

    /// Gives back what an instance attached, if it did.
    ///
    /// # Errors
    /// GONE or UNSUPPORTED.
    fn take(instance: u64) -> Result<Option<OwnedHandler>, ServiceCode>;
}

/// The table of `hermes.calls/1`.
#[must_use]
pub const fn call_slots<H: Slots>() -> CallSlots {
    CallSlots {
        size: size_of::<CallSlots>() as u32,
        reserved: 0,
        attach: Some(attach::<H>),
        take: Some(take::<H>),
    }
}

unsafe extern "C" fn attach<H: Slots>(
    instance: u64,
    call: *const Call,
    what: *const Handler,
) -> ServiceCode {
    H::shield(ServiceCode::FAILED, || {
        if !H::lives(instance) {
            return ServiceCode::GONE;
        }
        // SAFETY: null, or lent by the plugin for the call.
        let Some(raw) = (unsafe { sized(what, size_of::<Handler>()) }) else {
            return ServiceCode::INVALID;
        };
        if call.is_null() {
            return ServiceCode::INVALID;
        }
        // SAFETY: the plugin hands it over, unless we answer that we did not take it.
        let owned = unsafe { OwnedHandler::new(raw) };
        match H::attach(instance, owned) {
            Ok(()) => ServiceCode::OK,
            Err((code, refused)) => {
                // It stays the plugin's, which drops it.
                std::mem::forget(refused);
                code
            }
        }
    })
}

unsafe extern "C" fn take<H: Slots>(
    instance: u64,
    call: *const Call,
    what: *mut Handler,
) -> ServiceCode {
    H::shield(ServiceCode::FAILED, || {
        if !H::lives(instance) {
            return ServiceCode::GONE;
        }
        if call.is_null() || what.is_null() {
            return ServiceCode::INVALID;
        }
        let taken = match H::take(instance) {
            Ok(taken) => taken,
            Err(code) => return code,
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
