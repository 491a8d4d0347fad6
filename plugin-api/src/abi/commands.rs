//! The host's half of `hermes.commands/1`: slash commands, and sub-commands of the terminal program.

use std::fmt;

use super::{Handler, ServiceCode, Str};

/// The host's half of `hermes.commands/1`.
///
/// A host that ignores a command (its name is empty, or the host's own) answers INVALID, and its log says
/// which it was; the plugin may go on. A name that is given twice is the later one's.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct CommandFns {
    /// `size_of::<CommandFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Offers a slash command: `name`, `description` and `args_hint` as a JSON object. Its handler is
    /// called with `command_execute` events. Unless it answers OK the handler stays the plugin's.
    pub slash: Option<
        unsafe extern "C" fn(
            instance: u64,
            description: Str,
            handler: *const Handler,
        ) -> ServiceCode,
    >,
    /// Offers a sub-command of the terminal program: `name`, `help` and `description` as a JSON object.
    /// Its handler is called with `cli_execute` events. Unless it answers OK the handler stays the
    /// plugin's.
    pub cli: Option<
        unsafe extern "C" fn(
            instance: u64,
            description: Str,
            handler: *const Handler,
        ) -> ServiceCode,
    >,
}

impl fmt::Debug for CommandFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
