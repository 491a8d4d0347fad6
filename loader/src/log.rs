//! Puts what plugins log into the host's `tracing` subscriber, and tells them how loud to be.

use hermes_plugin_api::abi::Level;
use hermes_plugin_api::abi::host::Logged;
use serde_json::Value;
use tracing::level_filters::LevelFilter;

/// Emits a record. `tracing` fixes target and field names at compile time, so the plugin's own become
/// values: `plugin`, `from`, and `fields` as JSON.
pub(crate) fn from_plugin(plugin: &str, record: &Logged) {
    let fields = Value::Object(record.fields.clone());
    let (from, message) = (&*record.target, &*record.message);
    let place = format_args!("{}:{}", record.file, record.line);
    macro_rules! emit {
        ($level:ident) => {
            if record.fields.is_empty() {
                tracing::$level!(target: "hermes::plugin", plugin, from, "{message}")
            } else {
                tracing::$level!(target: "hermes::plugin", plugin, from, %fields, "{message}")
            }
        };
    }
    match record.level {
        Level::ERROR => emit!(error),
        Level::WARN => emit!(warn),
        Level::INFO => emit!(info),
        Level::DEBUG => emit!(debug),
        _ => tracing::trace!(target: "hermes::plugin", plugin, from, %fields, %place, "{message}"),
    }
}

/// The loudest level anybody listens to.
pub(crate) fn level() -> Level {
    match LevelFilter::current() {
        LevelFilter::OFF => Level::OFF,
        LevelFilter::ERROR => Level::ERROR,
        LevelFilter::WARN => Level::WARN,
        LevelFilter::INFO => Level::INFO,
        LevelFilter::DEBUG => Level::DEBUG,
        _ => Level::TRACE,
    }
}
