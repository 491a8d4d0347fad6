//! What a plugin logged.

use serde_json::{Map, Value as Json};

use crate::abi::{Level, host::Logged};

/// One record of a plugin's log.
///
/// ```
/// use hermes_plugin_api::{abi::Level, prelude::*, testing::{Host, event}};
///
/// let host = Host::new("hello").register(|ctx| {
///     ctx.on(OnSessionStart, |event| tracing::info!(session = event.session_id(), "hello"));
///     Ok(())
/// })?;
/// host.fire("on_session_start", event::session("ses_1")).sound();
///
/// let logs = host.logs();
/// assert_eq!((logs[0].level, logs[0].message.as_str()), (Level::INFO, "hello"));
/// assert_eq!(logs[0].fields["session"], "ses_1");
/// # Ok::<(), hermes_plugin_api::testing::Fault>(())
/// ```
///
/// Records come through the `tracing` subscriber that plugins have in an agent. In a test program that
/// installed a subscriber of its own before, they go there instead. Records of threads that a plugin
/// started itself go to the plugin that was loaded last.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Log {
    /// Whose.
    pub plugin: String,
    /// How loud.
    pub level: Level,
    /// Where in the plugin it comes from, e.g. a module path.
    pub target: String,
    /// The text.
    pub message: String,
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Its fields.
    pub fields: Map<String, Json>,
}

impl Log {
    pub(super) fn new(plugin: &str, logged: Logged) -> Self {
        let Logged {
            level,
            target,
            message,
            file,
            line,
            fields,
        } = logged;
        Self {
            plugin: plugin.to_owned(),
            level,
            target,
            message,
            file,
            line,
            fields,
        }
    }
}
