//! Maps a library into the process. This runs its code, and it is never unmapped.

#![expect(
    unsafe_code,
    reason = "opening a library runs code that nobody can check"
)]

use std::path::Path;

use hermes_plugin_api::abi::SYMBOL;

use crate::boundary::RootRef;

/// Opens a library and finds its root.
///
/// All symbols are bound at once, so a missing one is an error here and not the end of the process
/// later; none become visible to other libraries; and nobody's close can unmap it.
///
/// # Errors
/// In the system's own words.
pub(crate) fn open(path: &Path) -> Result<RootRef, String> {
    let library = platform::open(path)?;
    // SAFETY: the symbol is a data symbol; only its address is taken.
    let address = unsafe { library.get::<*const std::ffi::c_void>(SYMBOL.as_bytes()) };
    let address = address.map_err(|error| error.to_string())?.as_raw_ptr();
    // Never closed: threads, thread-locals and callbacks of the plugin may live on.
    std::mem::forget(library);
    // SAFETY: the address is that of the symbol, in a library that was just made immortal.
    unsafe { RootRef::at(address) }
        .ok_or_else(|| format!("`{SYMBOL}` does not begin with a plugin's header"))
}

#[cfg(unix)]
mod platform {
    use std::path::Path;

    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

    /// glibc's, musl's and Apple's flag; libloading has no constant for it.
    #[cfg(target_vendor = "apple")]
    const RTLD_NODELETE: i32 = 0x80;
    #[cfg(not(target_vendor = "apple"))]
    const RTLD_NODELETE: i32 = 0x1000;

    pub(super) fn open(path: &Path) -> Result<Library, String> {
        // SAFETY: the file was inspected, and the caller is the loader's thread. Whatever its constructors
        // do cannot be checked: opening a plugin means to trust it.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) };
        library.map_err(|error| text(&error))
    }

    fn text(error: &libloading::Error) -> String {
        use std::error::Error as _;
        error
            .source()
            .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
    }
}

#[cfg(windows)]
mod platform {
    use std::path::Path;

    use libloading::os::windows::{
        LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, Library,
    };

    pub(super) fn open(path: &Path) -> Result<Library, String> {
        let flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
        // SAFETY: as on unix.
        let library =
            unsafe { Library::load_with_flags(path, flags) }.map_err(|error| error.to_string())?;
        library.pin().map_err(|error| error.to_string())?;
        Ok(library)
    }
}

/// The glibc this process runs with; `None` where there is none.
pub(crate) fn glibc() -> Option<crate::inspect::GlibcVersion> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            /// Of glibc: a static text.
            fn gnu_get_libc_version() -> *const std::ffi::c_char;
        }
        // SAFETY: takes nothing, and is in every glibc.
        let text = unsafe { gnu_get_libc_version() };
        // SAFETY: glibc gives a terminated static text.
        let text = unsafe { std::ffi::CStr::from_ptr(text) };
        crate::inspect::GlibcVersion::parse(text.to_str().ok()?)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}
