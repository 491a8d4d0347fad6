//! Calls a handler that a plugin handed over for one purpose: a tool, a command.

use hermes_plugin_api::abi::host::{Dispatch, Limits, OwnedHandler, Record};
use hermes_plugin_api::catalogue::Hook;
use serde_json::{Map, Value};

use super::{Entered, Entering, Instance, Parent};

/// Calls it on this thread, from inside whatever call runs there. The answer may come later.
pub(super) fn call_back(
    handler: &OwnedHandler,
    id: u64,
    instance: &Instance,
    hook: &'static Hook,
    payload: &Map<String, Value>,
) -> Entered {
    let record = Record::from_json(Some(hook), payload);
    let event = record.event();
    let dispatch = Dispatch::new(&event, Some(hook), Limits::default());
    Entering::plain(handler, id, instance).enter(&dispatch, Parent::current())
}
