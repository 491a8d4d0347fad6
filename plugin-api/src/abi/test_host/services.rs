//! What the host in memory does for an instance: the static table behind its plugin's `HostRef`.

use std::{
    ffi::c_void,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use super::{
    extended::table,
    instance::{Instance, Set},
};
use crate::{
    abi::{
        ABI_MAJOR, ABI_MINOR, Call, Failure, Handler, Level, LogRecord, ServiceCode, Services,
        Sink, Str,
        host::{Failed, Logged, OwnedHandler, Parent},
    },
    catalogue::CATALOGUE_REVISION,
    guard,
};

/// The table; it lives as long as the process.
pub(super) static SERVICES: Services = Services {
    size: size_of::<Services>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    catalogue: CATALOGUE_REVISION,
    log: Some(log),
    log_level: Some(log_level),
    fail: Some(fail),
    config: Some(config),
    data_dir: Some(data_dir),
    timer: Some(timer),
    cancel_timer: Some(cancel_timer),
    unregister: Some(unregister),
    get_extension: Some(get_extension),
    fire: Some(fire),
};

/// Runs `body`; no function that a plugin calls unwinds.
pub(super) fn shield<R>(otherwise: R, body: impl FnOnce() -> R) -> R {
    guard::enter(guard::current(), body).unwrap_or(otherwise)
}

/// Runs `body` for the instance behind a handle; GONE when there is none.
pub(super) fn with(instance: u64, body: impl FnOnce(&Arc<Instance>) -> ServiceCode) -> ServiceCode {
    shield(ServiceCode::FAILED, || {
        Instance::of(instance).map_or(ServiceCode::GONE, |instance| body(&instance))
    })
}

unsafe extern "C" fn log(instance: u64, record: *const LogRecord) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: null, or lent by the plugin for the call.
        let Some(logged) = (unsafe { Logged::read(record) }) else {
            return ServiceCode::INVALID;
        };
        instance.log(logged);
        ServiceCode::OK
    })
}

unsafe extern "C" fn log_level(instance: u64) -> Level {
    shield(Level::OFF, || {
        Instance::of(instance).map_or(Level::OFF, |instance| instance.terms.level)
    })
}

unsafe extern "C" fn fail(instance: u64, failure: *const Failure) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: null, or lent by the plugin for the call.
        let Some(failed) = (unsafe { Failed::read(failure) }) else {
            return ServiceCode::INVALID;
        };
        instance.fail(failed);
        ServiceCode::OK
    })
}

pub(super) unsafe extern "C" fn config(instance: u64, sink: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: the plugin lends the sink for the call.
        unsafe { Sink::answer(sink, &instance.terms.config) }
    })
}

pub(super) unsafe extern "C" fn data_dir(instance: u64, sink: *const Sink) -> ServiceCode {
    with(instance, |instance| {
        let Some(path) = &instance.terms.data_dir else {
            return ServiceCode::UNSUPPORTED;
        };
        if std::fs::create_dir_all(path).is_err() {
            return ServiceCode::FAILED;
        }
        // SAFETY: the plugin lends the sink for the call.
        unsafe { Sink::answer(sink, &path.to_string_lossy()) }
    })
}

unsafe extern "C" fn timer(
    instance: u64,
    delay_ms: u64,
    period_ms: u64,
    handler: *const Handler,
    id: *mut u64,
) -> ServiceCode {
    with(instance, |instance| {
        // SAFETY: null, or lent by the plugin for the call.
        let Some(raw) = (unsafe { handler.as_ref() }).filter(|raw| raw.call.is_some()) else {
            return ServiceCode::INVALID;
        };
        let timer = instance.set_timer(Set {
            delay: Duration::from_millis(delay_ms),
            period: (period_ms > 0).then(|| Duration::from_millis(period_ms)),
            // SAFETY: the plugin hands the handler over.
            handler: unsafe { OwnedHandler::new(*raw) },
            count: AtomicU64::new(0),
        });
        // SAFETY: null, or a place of the plugin's to write to.
        if let Some(id) = unsafe { id.as_mut() } {
            *id = timer;
        }
        ServiceCode::OK
    })
}

unsafe extern "C" fn cancel_timer(instance: u64, id: u64) -> ServiceCode {
    with(instance, |instance| {
        if instance.cancel_timer(id) {
            ServiceCode::OK
        } else {
            ServiceCode::INVALID
        }
    })
}

unsafe extern "C" fn unregister(instance: u64, id: u64) -> ServiceCode {
    with(instance, |instance| {
        let Some(host) = instance.port.upgrade() else {
            return ServiceCode::GONE;
        };
        host.unregister(instance, id)
            .err()
            .unwrap_or(ServiceCode::OK)
    })
}

pub(super) unsafe extern "C" fn get_extension(instance: u64, name: Str) -> *const c_void {
    shield(std::ptr::null(), || {
        if Instance::of(instance).is_none() {
            return std::ptr::null();
        }
        // SAFETY: the plugin lends the name for the call.
        table(unsafe { name.text() }.unwrap_or_default())
    })
}

unsafe extern "C" fn fire(
    instance: u64,
    parent: *const Call,
    name: Str,
    payload_json: Str,
    outcome: *const Sink,
) -> ServiceCode {
    with(instance, |instance| {
        let Some(host) = instance.port.upgrade() else {
            return ServiceCode::GONE;
        };
        // SAFETY: the plugin lends the texts for the call.
        let Ok(name) = (unsafe { name.text() }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: as above.
        let Ok(payload) = (unsafe { payload_json.text() }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: null, or a call that the plugin keeps alive until this function returns.
        let parent = unsafe { Parent::named(parent) };
        match host.fire(parent, name, payload) {
            // SAFETY: the plugin lends the sink for the call.
            Ok(text) => unsafe { Sink::answer(outcome, &text) },
            Err(code) => code,
        }
    })
}
