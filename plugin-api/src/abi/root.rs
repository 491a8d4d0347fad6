//! The one symbol a plugin library exports.

use std::{ffi::c_void, fmt};

use super::{Registrar, Services, Status, Str};

/// A major break exports another symbol; see [`SYMBOL`].
pub const ABI_MAJOR: u32 = 1;
/// Grows with each appended member or host function.
pub const ABI_MINOR: u32 = 1;
/// The exported data symbol of this ABI major.
pub const SYMBOL: &str = "hermes_plugin_v1";
/// The first bytes of the symbol.
pub const MAGIC: [u8; 16] = *b"HERMES-PLUGIN\0\x1a\n";

/// Bits of a [`Header`]. Unknown low bits may be ignored, an unknown high bit refuses the plugin.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct RootFlags(pub u64);

impl RootFlags {
    /// Nothing special.
    pub const NONE: Self = Self(0);
    /// The library has no panics to catch: it is written in C, or is `no_std`.
    pub const NO_PANIC: Self = Self(1);
    /// The bits that a host must know to load the plugin.
    pub const MUST_KNOW: u64 = 0xFFFF_FFFF_0000_0000;
}

/// The frozen, pointer-free beginning of a [`Root`], readable from the file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 16],
    /// `size_of::<Header>()`.
    pub header_size: u32,
    /// [`ABI_MAJOR`] of the plugin.
    pub abi_major: u32,
    /// [`ABI_MINOR`] of the plugin.
    pub abi_minor: u32,
    /// Catalogue revision the plugin was built with.
    pub catalogue: u32,
    /// Bits of a pointer.
    pub pointer_width: u32,
    /// `size_of::<Value>()`.
    pub value_size: u32,
    /// `size_of::<Root>()` of the plugin.
    pub root_size: u32,
    /// Zero.
    pub reserved: u32,
    /// What is special about the plugin.
    pub flags: RootFlags,
}

const _: () = assert!(size_of::<Header>() == 56);

/// Bits of [`CreateArgs`]. Unknown bits are ignored.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CreateFlags(pub u32);

impl CreateFlags {
    /// The plugin is a library of its own.
    pub const NONE: Self = Self(0);
    /// The plugin is linked into the host: its log is already the host's.
    pub const LINKED: Self = Self(1);
}

/// What `create` is handed. The services live as long as the process.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CreateArgs {
    /// `size_of::<CreateArgs>()` of the host.
    pub size: u32,
    /// What is special about this instance.
    pub flags: CreateFlags,
    /// The handle of the instance that is being made.
    pub instance: u64,
    /// The host's services.
    pub services: *const Services,
}

/// The entry point: a frozen header, then functions that grow at the end.
///
/// `create`, `register` and `destroy` come from one thread of the loader. None may unwind.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Root {
    /// Readable without loading the library.
    pub header: Header,
    /// Makes an instance; writes its state. Once per instance.
    pub create:
        Option<unsafe extern "C" fn(args: *const CreateArgs, state: *mut *mut c_void) -> Status>,
    /// Registers handlers. All or nothing: on error or panic the host drops what was staged.
    pub register:
        Option<unsafe extern "C" fn(state: *mut c_void, registrar: *const Registrar) -> Status>,
    /// Ends an instance, after all its handlers were dropped.
    pub destroy: Option<unsafe extern "C" fn(state: *mut c_void)>,
    /// The plugin's half of an extension interface, or null; lives as long as the process. `[any-thread]`
    pub get_extension: Option<unsafe extern "C" fn(name: Str) -> *const c_void>,
    /// The metadata document, as it stands in the link section.
    pub metadata: Str,
}

// SAFETY: a root is read only, and what its pointers lead to is static.
unsafe impl Sync for Root {}
// SAFETY: as above.
unsafe impl Send for Root {}

impl fmt::Debug for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Root")
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}
