//! What a host does for a plugin, while it registers and afterwards.

use std::{ffi::c_void, fmt};

use super::{Call, Failure, Handler, HandlerSpec, Sink, Str, Value};

/// What a service returns. Unknown codes mean "not done".
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct ServiceCode(pub u32);

impl ServiceCode {
    /// Done.
    pub const OK: Self = Self(0);
    /// The instance is over, or there is no host.
    pub const GONE: Self = Self(1);
    /// Registering is over: `register` has returned.
    pub const CLOSED: Self = Self(2);
    /// An argument is not what the function takes; the host's log says which.
    pub const INVALID: Self = Self(3);
    /// This host cannot do it.
    pub const UNSUPPORTED: Self = Self(4);
    /// It was tried and failed; the host's log says why.
    pub const FAILED: Self = Self(5);
}

/// How loud a log record is.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Level(pub u32);

impl Level {
    /// Nothing is wanted.
    pub const OFF: Self = Self(0);
    /// Something failed.
    pub const ERROR: Self = Self(1);
    /// Something is odd.
    pub const WARN: Self = Self(2);
    /// Something happened.
    pub const INFO: Self = Self(3);
    /// For the author.
    pub const DEBUG: Self = Self(4);
    /// For the author, in a loop.
    pub const TRACE: Self = Self(5);
}

/// One named value of a log record.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct LogField {
    /// Its name.
    pub name: Str,
    /// Its value: a number, a boolean or text.
    pub value: Value,
}

/// One record for the host's log, lent for the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct LogRecord {
    /// `size_of::<LogRecord>()` of the plugin.
    pub size: u32,
    /// How loud.
    pub level: Level,
    /// Where in the plugin it comes from, e.g. a module path.
    pub target: Str,
    /// The text.
    pub message: Str,
    /// Source file, or empty.
    pub file: Str,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// How many fields.
    pub fields_count: u32,
    /// The fields.
    pub fields: *const LogField,
    /// Bytes from one field to the next.
    pub fields_stride: u32,
    /// Zero.
    pub reserved: u32,
}

/// What `register` is handed. Each function is `[load-thread]` and answers CLOSED once it returned.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Registrar {
    /// `size_of::<Registrar>()` of the host.
    pub size: u32,
    /// The host's ABI minor.
    pub abi_minor: u32,
    /// The instance that registers.
    pub instance: u64,
    /// Stages one registration; nothing is live before `register` returned without error.
    pub on: Option<
        unsafe extern "C" fn(instance: u64, spec: *const HandlerSpec, id: *mut u64) -> ServiceCode,
    >,
    /// Writes the plugin's configuration as JSON text.
    pub config: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// Writes the path of the directory the plugin may keep files in, which exists.
    pub data_dir: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// The host's half of an extension interface, or null.
    pub get_extension: Option<unsafe extern "C" fn(instance: u64, name: Str) -> *const c_void>,
}

impl fmt::Debug for Registrar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registrar")
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

/// What a host does for an instance for as long as it lives.
///
/// The table is static. Its first argument is an instance handle with a generation, never a pointer,
/// so that a plugin thread that outlives its instance is answered GONE. All `[any-thread, concurrent]`;
/// none unwinds.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Services {
    /// `size_of::<Services>()` of the host.
    pub size: u32,
    /// The host's ABI major.
    pub abi_major: u32,
    /// The host's ABI minor.
    pub abi_minor: u32,
    /// The host's catalogue revision.
    pub catalogue: u32,
    /// Puts a record into the host's log.
    pub log: Option<unsafe extern "C" fn(instance: u64, record: *const LogRecord) -> ServiceCode>,
    /// The loudest level the host wants to hear.
    pub log_level: Option<unsafe extern "C" fn(instance: u64) -> Level>,
    /// Reports why `create`, `register`, `destroy` or a drop failed.
    pub fail: Option<unsafe extern "C" fn(instance: u64, failure: *const Failure) -> ServiceCode>,
    /// Writes the plugin's configuration as JSON text.
    pub config: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// Writes the path of the plugin's data directory.
    pub data_dir: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// Calls `handler` with a `timer` event after `delay_ms`, then every `period_ms` unless that is 0.
    /// Unless it answers OK the handler stays the plugin's.
    pub timer: Option<
        unsafe extern "C" fn(
            instance: u64,
            delay_ms: u64,
            period_ms: u64,
            handler: *const Handler,
            id: *mut u64,
        ) -> ServiceCode,
    >,
    /// Ends a timer; its handler is dropped once no call is inside it.
    pub cancel_timer: Option<unsafe extern "C" fn(instance: u64, id: u64) -> ServiceCode>,
    /// Takes one registration out of the chain.
    pub unregister: Option<unsafe extern "C" fn(instance: u64, id: u64) -> ServiceCode>,
    /// The host's half of an extension interface, or null.
    pub get_extension: Option<unsafe extern "C" fn(instance: u64, name: Str) -> *const c_void>,
    /// Fires an event from inside `parent` (or from nowhere, when null) and writes the outcome as JSON. Since ABI 1.1.
    pub fire: Option<
        unsafe extern "C" fn(
            instance: u64,
            parent: *const Call,
            name: Str,
            payload_json: Str,
            outcome: *const Sink,
        ) -> ServiceCode,
    >,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services")
            .field("size", &self.size)
            .field("abi_minor", &self.abi_minor)
            .finish_non_exhaustive()
    }
}

/// The interface `hermes.log/1`, which a plugin may export: the host tells it how loud to be.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct LogFns {
    /// `size_of::<LogFns>()` of the plugin.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Sets the loudest level that is worth a call. `[any-thread]`, never unwinds.
    pub set_level: Option<unsafe extern "C" fn(level: Level)>,
}

impl fmt::Debug for LogFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The host's half of `hermes.tools/1` in its JSON form, for plugins that have no `abi_stable`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct JsonTools {
    /// `size_of::<JsonTools>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Offers a tool: `name`, `toolset`, `description` and `parameters` (a JSON schema) as a JSON object.
    /// Its handler is called with `tool_execute` events. Unless it answers OK the handler stays the
    /// plugin's.
    pub register: Option<
        unsafe extern "C" fn(
            instance: u64,
            description: Str,
            handler: *const Handler,
        ) -> ServiceCode,
    >,
    /// Says how the host can ask whether a tool of this plugin can be used just now: the handler is called
    /// with `tool_check` events and answers a boolean. A tool without one counts as usable. Unless it
    /// answers OK the handler stays the plugin's. Since ABI 1.1.
    pub check: Option<
        unsafe extern "C" fn(instance: u64, name: Str, handler: *const Handler) -> ServiceCode,
    >,
}

impl fmt::Debug for JsonTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonTools")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
