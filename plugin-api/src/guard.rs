//! The one place where a panic of the plugin becomes a value.
//!
//! A panic that reaches another library ends the process, whatever the host catches; so the guard
//! is compiled into the plugin and stands around every way in. While a guard is up, the plugin's
//! std prints nothing: text and place are kept for the host.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
    sync::Once,
};

use crate::abi::{FailureKind, HostRef};

/// What a panic said, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panic {
    pub(crate) text: String,
    pub(crate) file: String,
    pub(crate) line: u32,
}

/// Where this thread is. One variable, since each look-up of a library's thread-local is a call.
struct Here {
    /// How many guards are up.
    depth: Cell<u32>,
    /// Whose code runs.
    current: Cell<Option<HostRef>>,
}

thread_local! {
    static HERE: Here = const { Here { depth: Cell::new(0), current: Cell::new(None) } };
    /// What the panic hook saw last.
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// The instance whose code runs on this thread.
pub(crate) fn current() -> Option<HostRef> {
    HERE.try_with(|here| here.current.get()).ok().flatten()
}

/// Runs `body` on behalf of an instance; a panic becomes a value.
pub(crate) fn enter<R>(host: Option<HostRef>, body: impl FnOnce() -> R) -> Result<R, Panic> {
    let entered = Entered::new(host);
    let result = catch_unwind(AssertUnwindSafe(body));
    match result {
        Ok(value) => {
            drop(entered);
            Ok(value)
        }
        Err(payload) => Err(caught(payload)),
    }
}

/// Runs `body`; a panic is kept, to go on where no plugin's code stands above it on the stack.
pub(crate) fn hold<R>(body: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(body))
}

/// Drops a value on behalf of an instance, and tells the host of a panic.
pub(crate) fn drop_of<T>(host: Option<HostRef>, value: T) {
    if let Err(panic) = enter(host, move || drop(value))
        && let Some(host) = host
    {
        host.fail(FailureKind::PANIC, &panic.text, &panic.file, panic.line);
    }
}

/// Text and place of a caught panic. The payload is dropped here, and whatever that throws is leaked:
/// a payload that panics when it is dropped must not get a second chance.
#[cold]
fn caught(payload: Box<dyn Any + Send>) -> Panic {
    let text = text_of(&*payload);
    // What the hook saw last need not be this panic: `resume_unwind` does not go through the hook, and a
    // plugin may catch a panic itself. Then the place is not known.
    let last = LAST
        .try_with(|last| last.take())
        .ok()
        .flatten()
        .filter(|last| last.text == text);
    let panic = last.unwrap_or_else(|| Panic {
        text,
        ..Panic::default()
    });
    if let Err(second) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(second);
    }
    panic
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic with a payload that is not text".to_owned())
}

/// Marks this thread as being inside the plugin until it is dropped.
struct Entered {
    before: Option<HostRef>,
}

impl Entered {
    fn new(host: Option<HostRef>) -> Self {
        let before = HERE.try_with(|here| {
            here.depth.set(here.depth.get().saturating_add(1));
            here.current.replace(host)
        });
        let before = before.ok().flatten();
        Self { before }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _ = HERE.try_with(|here| {
            here.depth.set(here.depth.get().saturating_sub(1));
            here.current.set(self.before);
        });
    }
}

/// Puts our panic hook before the one that is installed. Once per image, however many instances.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let guarded = HERE.try_with(|here| here.depth.get() > 0).unwrap_or(false);
            if guarded {
                remember(info)
            } else {
                before(info)
            }
        }));
    });
}

fn remember(info: &PanicHookInfo<'_>) {
    let panic = Panic {
        text: text_of_info(info),
        file: info
            .location()
            .map(|place| place.file().to_owned())
            .unwrap_or_default(),
        line: info.location().map_or(0, std::panic::Location::line),
    };
    let _ = LAST.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = Some(panic);
        }
    });
}

fn text_of_info(info: &PanicHookInfo<'_>) -> String {
    info.payload_as_str()
        .unwrap_or("panic with a payload that is not text")
        .to_owned()
}
