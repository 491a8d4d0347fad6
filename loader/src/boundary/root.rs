//! A plugin's entry point, once its library is mapped.

use std::ffi::c_void;
use std::sync::Arc;

use hermes_plugin_api::abi::host::Failed;
use hermes_plugin_api::abi::{
    CreateArgs, CreateFlags, FailureKind, Header, Level, LogFns, MAGIC, Root, Status, Str,
};

use super::instance::Staging;
use super::registrar::registrar;
use super::{Instance, SERVICES};

/// A root of the ABI major this host speaks, in a library that is never unmapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootRef {
    root: *const Root,
}

// SAFETY: a root is read only, and its functions may be called from the loader's thread at any time.
unsafe impl Send for RootRef {}
// SAFETY: as above.
unsafe impl Sync for RootRef {}

/// Reads a function of the root, unless the plugin's root is too short to have it.
macro_rules! function {
    ($root:expr, $field:ident) => {{
        let root: RootRef = $root;
        let end = std::mem::offset_of!(Root, $field) + size_of::<usize>();
        if (root.header().root_size as usize) < end {
            None
        } else {
            // SAFETY: the member ends inside the root, which is mapped for ever.
            unsafe { (&raw const (*root.root).$field).read() }
        }
    }};
}

impl RootRef {
    /// A root at an address found by its symbol; `None` when its first bytes are not a root's.
    ///
    /// # Safety
    /// The address must be that of the symbol, in a library that is never unmapped.
    pub(crate) unsafe fn at(address: *const c_void) -> Option<Self> {
        if address.is_null() || !address.cast::<Root>().is_aligned() {
            return None;
        }
        let root = Self {
            root: address.cast(),
        };
        (root.header().magic == MAGIC).then_some(root)
    }

    /// A root that is linked into this program.
    pub(crate) const fn linked(root: &'static Root) -> Self {
        Self { root }
    }

    /// The frozen header.
    pub(crate) fn header(self) -> Header {
        // The header is the first member.
        // SAFETY: it is in every root, and the root is mapped for ever.
        unsafe { self.root.cast::<Header>().read() }
    }

    /// The frozen header's bytes.
    pub(crate) fn header_bytes(self) -> [u8; size_of::<Header>()] {
        // SAFETY: the header is in every root, without padding, and the root is mapped for ever.
        unsafe { self.root.cast::<[u8; size_of::<Header>()]>().read() }
    }

    /// The metadata document of a linked plugin.
    pub(crate) fn metadata(self) -> &'static [u8] {
        let end = std::mem::offset_of!(Root, metadata) + size_of::<Str>();
        if (self.header().root_size as usize) < end {
            return &[];
        }
        // SAFETY: the member begins and ends inside the root.
        let text = unsafe { self.root.byte_add(std::mem::offset_of!(Root, metadata)) };
        // SAFETY: it is live, and aligned as in our own root.
        let text = unsafe { text.cast::<Str>().read() };
        // SAFETY: the document is a static of the plugin.
        unsafe { text.bytes() }
    }

    /// Makes an instance. On the loader's thread.
    pub(crate) fn create(self, instance: &Arc<Instance>, linked: bool) -> Result<Created, Failed> {
        let create = function!(self, create).ok_or_else(|| missing("create"))?;
        let args = CreateArgs {
            size: size_of::<CreateArgs>() as u32,
            flags: if linked {
                CreateFlags::LINKED
            } else {
                CreateFlags::NONE
            },
            instance: instance.handle(),
            services: &raw const SERVICES,
        };
        let mut state = std::ptr::null_mut();
        instance.begin_step();
        // SAFETY: the arguments are lent for the call; the library is mapped and its guard catches panics.
        let status = unsafe { create(&raw const args, &raw mut state) };
        ended(status, instance)?;
        Ok(Created {
            root: self,
            state,
            instance: Arc::clone(instance),
        })
    }

    /// The plugin's half of an extension interface, or null.
    pub(super) fn extension(self, name: &str) -> *const c_void {
        function!(self, get_extension).map_or(std::ptr::null(), |get| {
            // SAFETY: the name is lent for the call.
            unsafe { get(Str::new(name)) }
        })
    }

    /// Tells the plugin how loud to be, if it wants to know.
    pub(crate) fn set_log_level(self, level: Level) {
        let fns = self.extension("hermes.log/1").cast::<LogFns>();
        if fns.is_null() {
            return;
        }
        // SAFETY: the interface begins with its size, and lives as long as the process.
        let size = unsafe { fns.cast::<u32>().read() } as usize;
        if size < size_of::<LogFns>() {
            return;
        }
        // SAFETY: as long as the struct we know.
        if let Some(set_level) = unsafe { (*fns).set_level } {
            // SAFETY: the function may be called from any thread.
            unsafe { set_level(level) };
        }
    }
}

/// An instance that was created and not yet destroyed.
#[derive(Debug)]
pub(crate) struct Created {
    root: RootRef,
    state: *mut c_void,
    pub(crate) instance: Arc<Instance>,
}

// SAFETY: the state is only handed to the plugin's own functions, from the loader's thread.
unsafe impl Send for Created {}
// SAFETY: as above.
unsafe impl Sync for Created {}

impl Created {
    /// Lets the plugin register, and gives what it staged: all or nothing. On the loader's thread.
    pub(crate) fn register(&self) -> Result<Staging, Failed> {
        let register = function!(self.root, register).ok_or_else(|| missing("register"))?;
        self.instance.open();
        let registrar = registrar(self.instance.handle());
        self.instance.begin_step();
        // SAFETY: the registrar is lent for the call; the state is the one `create` gave.
        let status = unsafe { register(self.state, &raw const registrar) };
        let staged = self.instance.close();
        ended(status, &self.instance).map(|()| staged)
    }

    pub(super) const fn state(&self) -> *mut c_void {
        self.state
    }

    pub(crate) fn root(&self) -> RootRef {
        self.root
    }

    /// Ends the instance: all its handlers must have been dropped. On the loader's thread.
    pub(crate) fn destroy(self) -> Option<Failed> {
        if let Some(destroy) = function!(self.root, destroy) {
            self.instance.begin_step();
            // SAFETY: called once, since `self` is consumed.
            unsafe { destroy(self.state) };
        }
        self.instance.end_step()
    }
}

fn missing(function: &str) -> Failed {
    failed(format!("its root has no `{function}`"))
}

fn failed(text: String) -> Failed {
    Failed {
        kind: FailureKind::ERROR,
        text,
        file: String::new(),
        line: 0,
    }
}

fn ended(status: Status, instance: &Instance) -> Result<(), Failed> {
    let why = instance.end_step();
    if status == Status::NONE {
        return Ok(());
    }
    Err(why.unwrap_or_else(|| {
        failed(format!(
            "ended with status {}, and did not say why",
            status.0
        ))
    }))
}
