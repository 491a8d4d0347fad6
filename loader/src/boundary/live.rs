//! The tables behind which live objects are acted on, in this host.

use std::ffi::c_void;

use hermes_plugin_api::abi::host::{Hosting, gateway_fns, middleware_fns};
use hermes_plugin_api::abi::{GatewayFns, MiddlewareFns};
use hermes_plugin_api::extension::{gateway, middleware};

use super::Instance;
use crate::guard::shield;

/// This host, as the tables know it.
pub(super) struct Loader;

impl Hosting for Loader {
    fn lives(instance: u64) -> bool {
        Instance::of(instance).is_some()
    }

    fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
        shield(otherwise, body)
    }
}

static GATEWAY: GatewayFns = gateway_fns::<Loader>();
static MIDDLEWARE: MiddlewareFns = middleware_fns::<Loader>();

/// The table of an interface, if it is one of these.
pub(super) fn table(name: &str) -> Option<*const c_void> {
    match name {
        gateway::NAME => Some((&raw const GATEWAY).cast()),
        middleware::NAME => Some((&raw const MIDDLEWARE).cast()),
        _ => None,
    }
}
