//! The functions behind a plugin's root, compiled into the plugin, each with the guard around it.

use std::{ffi::c_void, sync::Arc};

use super::{
    CreateArgs, CreateFlags, FailureKind, Header, HostRef, Level, LogFns, MAGIC, Registrar, Root,
    RootFlags, Status, Str, Value, host_ref::RegistrarRef,
};
use crate::{
    abi::{ABI_MAJOR, ABI_MINOR},
    catalogue::CATALOGUE_REVISION,
    context::Context,
    error::Error,
    export::{Declared, Export},
    guard, log,
};

/// One instance of this plugin.
pub(crate) struct Instance {
    pub(crate) host: HostRef,
    #[cfg(feature = "extensions")]
    pub(crate) tools: std::sync::Mutex<Vec<crate::extension::tools::Offer>>,
}

#[cfg(feature = "extensions")]
impl Instance {
    /// # Safety
    /// `state` must be what `create` wrote, of an instance that is not destroyed.
    pub(crate) unsafe fn take_tools(state: *mut c_void) -> Vec<crate::extension::tools::Offer> {
        // SAFETY: by the caller's promise.
        let instance = unsafe { &*state.cast_const().cast::<Self>() };
        instance
            .tools
            .lock()
            .map(|mut tools| std::mem::take(&mut *tools))
            .unwrap_or_default()
    }
}

/// The root of a plugin.
#[must_use]
pub const fn root<T: Export>(metadata: &'static [u8]) -> Root {
    Root {
        header: Header {
            magic: MAGIC,
            header_size: size_of::<Header>() as u32,
            abi_major: ABI_MAJOR,
            abi_minor: ABI_MINOR,
            catalogue: CATALOGUE_REVISION,
            pointer_width: usize::BITS,
            value_size: size_of::<Value>() as u32,
            root_size: size_of::<Root>() as u32,
            reserved: 0,
            flags: RootFlags::NONE,
        },
        create: Some(create::<T>),
        register: Some(register::<T>),
        destroy: Some(destroy),
        get_extension: Some(get_extension),
        metadata: Str {
            ptr: metadata.as_ptr(),
            len: metadata.len(),
        },
    }
}

unsafe extern "C" fn create<T: Export>(args: *const CreateArgs, state: *mut *mut c_void) -> Status {
    guard::install_hook();
    // SAFETY: the host lends live arguments for the call; their first version has all these members.
    let args = unsafe { &*args };
    // SAFETY: the services are the host's static table.
    let host = unsafe { HostRef::new(args.instance, args.services) };
    let linked = args.flags.0 & CreateFlags::LINKED.0 != 0;
    let result = guard::enter(Some(host), || {
        if !linked {
            log::install(host);
        }
        T::create()?;
        let instance = Arc::new(Instance {
            host,
            #[cfg(feature = "extensions")]
            tools: std::sync::Mutex::default(),
        });
        Ok(Arc::into_raw(instance))
    });
    match result {
        Ok(Ok(instance)) => {
            // SAFETY: the host lends a place to write the state to.
            unsafe { state.write(instance.cast_mut().cast()) };
            Status::NONE
        }
        Ok(Err(error)) => failed(host, &error),
        Err(panic) => panicked(host, &panic),
    }
}

unsafe extern "C" fn register<T: Export>(
    state: *mut c_void,
    registrar: *const Registrar,
) -> Status {
    // SAFETY: `state` is what `create` wrote, and the host calls `destroy` only afterwards.
    let instance = unsafe { &*state.cast::<Instance>() };
    // SAFETY: the host lends the registrar for the call.
    let registrar = unsafe { RegistrarRef::new(registrar) };
    let host = instance.host;
    match guard::enter(Some(host), || stage::<T>(instance, registrar)) {
        Ok(Ok(())) => Status::NONE,
        Ok(Err(error)) => failed(host, &error),
        Err(panic) => panicked(host, &panic),
    }
}

fn stage<T: Export>(instance: &Instance, registrar: RegistrarRef<'_>) -> Result<(), Error> {
    let mut context = Context::new(Some(instance.host), T::NAME);
    for declared in Declared::of(T::PACKAGE) {
        (declared.register)(&mut context);
    }
    T::register(&mut context)?;
    #[cfg(feature = "extensions")]
    if let Ok(mut tools) = instance.tools.lock() {
        *tools = std::mem::take(&mut context.tools);
    }
    for registration in std::mem::take(&mut context.staged) {
        let name = registration.name.clone();
        let taken = registration.hand_over(|spec| registrar.on(spec));
        if let Err(code) = taken {
            return Err(Error::new(format!(
                "the host did not take the registration for `{name}` (code {})",
                code.0
            )));
        }
    }
    Ok(())
}

unsafe extern "C" fn destroy(state: *mut c_void) {
    // SAFETY: `state` is what `create` wrote, and the host calls `destroy` once.
    let instance = unsafe { Arc::from_raw(state.cast_const().cast::<Instance>()) };
    let host = instance.host;
    if let Err(panic) = guard::enter(Some(host), move || drop(instance)) {
        panicked(host, &panic);
    }
}

unsafe extern "C" fn get_extension(name: Str) -> *const c_void {
    // SAFETY: the host lends the name for the call.
    let name = unsafe { name.text() }.unwrap_or_default();
    match name {
        LOG_EXTENSION => std::ptr::from_ref(&LOG).cast(),
        #[cfg(feature = "extensions")]
        crate::extension::tools::NAME => crate::extension::tools::header(),
        _ => std::ptr::null(),
    }
}

/// The name under which a plugin exports [`LogFns`].
pub(crate) const LOG_EXTENSION: &str = "hermes.log/1";

static LOG: LogFns = LogFns {
    size: size_of::<LogFns>() as u32,
    reserved: 0,
    set_level: Some(set_level),
};

unsafe extern "C" fn set_level(level: Level) {
    // A panic here would have to come out of `tracing`; there is nobody to tell.
    let _ = guard::enter(None, || log::set_level(level));
}

fn failed(host: HostRef, error: &Error) -> Status {
    host.fail(FailureKind::ERROR, error.text(), "", 0);
    Status::ERROR
}

fn panicked(host: HostRef, panic: &guard::Panic) -> Status {
    host.fail(FailureKind::PANIC, &panic.text, &panic.file, panic.line);
    Status::PANICKED
}
