//! The host's half of `hermes.agent/1`: what only the agent around the plugins can do.

use std::fmt;

use super::{ServiceCode, Sink, Str};

/// The host's half of `hermes.agent/1`.
///
/// The functions may be called as long as the instance lives, and answer GONE afterwards. They return when
/// the agent has done what it was asked; the host holds no lock meanwhile.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct AgentFns {
    /// `size_of::<AgentFns>()` of the host.
    pub size: u32,
    /// Zero.
    pub reserved: u32,
    /// Writes what the host read of the plugin as a JSON object: `key`, `name`, `version`, `description`,
    /// `source` and `path`, its directory. A plugin that is linked in has no `source` and no `path`.
    pub manifest: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// Writes the name of the active profile; `default` when there are no profiles.
    pub profile_name: Option<unsafe extern "C" fn(instance: u64, sink: *const Sink) -> ServiceCode>,
    /// Runs a tool, of a plugin or of the agent itself, and writes its result. Fires no hooks. The
    /// arguments are a JSON object. A tool that fails, or that nobody has, is no failure of the call: the
    /// result is then a JSON object with an `error`.
    pub dispatch_tool: Option<
        unsafe extern "C" fn(
            instance: u64,
            name: Str,
            args_json: Str,
            result: *const Sink,
        ) -> ServiceCode,
    >,
    /// Hands the agent a message as if the user had typed it. `role` is `user`, or a word that is put
    /// before the text. Writes 1 if the agent took it, else 0: during `register`, and where nobody types.
    pub inject_message: Option<
        unsafe extern "C" fn(
            instance: u64,
            content: Str,
            role: Str,
            taken: *mut u32,
        ) -> ServiceCode,
    >,
    /// Asks the agent's model. The request is a JSON object: `messages` (each with `role` and `content`),
    /// and where wanted `system`, `model`, `provider`, `max_tokens`, `temperature` and `schema`, the JSON
    /// schema of the answer. The reply is a JSON object: `text`, `model`, `provider`, `usage`. When it
    /// answers anything but OK it writes the reason instead.
    pub complete: Option<
        unsafe extern "C" fn(instance: u64, request_json: Str, reply: *const Sink) -> ServiceCode,
    >,
}

impl fmt::Debug for AgentFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentFns")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}
