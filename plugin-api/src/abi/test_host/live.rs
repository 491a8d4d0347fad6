//! The tables behind which live objects are acted on, in the host in memory.

use std::ffi::c_void;

use super::{instance::Instance, services::shield};
use crate::abi::{
    GatewayFns, MiddlewareFns,
    host::{Hosting, gateway_fns, middleware_fns},
    live,
};

/// The host in memory, as the tables know it.
pub(super) struct InMemory;

impl Hosting for InMemory {
    fn lives(instance: u64) -> bool {
        Instance::of(instance).is_some()
    }

    fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
        shield(otherwise, body)
    }
}

static GATEWAY: GatewayFns = gateway_fns::<InMemory>();
static MIDDLEWARE: MiddlewareFns = middleware_fns::<InMemory>();

/// The table of an interface, if it is one of these.
pub(super) fn table(name: &str) -> Option<*const c_void> {
    match name {
        live::GATEWAY => Some((&raw const GATEWAY).cast()),
        live::MIDDLEWARE => Some((&raw const MIDDLEWARE).cast()),
        _ => None,
    }
}
