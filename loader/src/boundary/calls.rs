//! What plugins attach to calls, kept in the host's ledger.

use hermes_plugin_api::abi::host::{OwnedHandler, Slots, call_slots};
use hermes_plugin_api::abi::{CallSlots, ServiceCode};

use super::Instance;
use super::live::Loader;

/// The table of `hermes.calls/1`.
pub(super) static CALL_SLOTS: CallSlots = call_slots::<Loader>();

impl Slots for Loader {
    fn attach(instance: u64, what: OwnedHandler) -> Result<(), (ServiceCode, OwnedHandler)> {
        let host = Instance::of(instance)
            .filter(|instance| !instance.is_ending())
            .and_then(|instance| instance.host());
        let Some(host) = host else {
            return Err((ServiceCode::GONE, what));
        };
        host.calls()
            .attach(instance, what)
            .map_err(|refused| (ServiceCode::UNSUPPORTED, refused))
    }

    fn take(instance: u64) -> Result<Option<OwnedHandler>, ServiceCode> {
        let host = Instance::of(instance).and_then(|instance| instance.host());
        let host = host.ok_or(ServiceCode::GONE)?;
        let taken = host.calls().take(instance);
        taken.ok_or(ServiceCode::UNSUPPORTED)
    }
}
