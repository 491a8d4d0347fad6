//! Commands that plugins offer.

use std::fmt;
use std::sync::Arc;

use hermes_plugin_api::abi::host::{CommandOffer, OwnedHandler};
use hermes_plugin_api::catalogue::Hook;
use serde_json::{Map, Value};

use super::callback::call_back;
use super::instance::StagedCommand;
use super::{Entered, Instance};

/// One command that a plugin offers.
pub(crate) struct CommandHandle {
    pub(crate) offer: CommandOffer,
    id: u64,
    handler: OwnedHandler,
    /// After the handler, so that it is dropped after it.
    pub(crate) instance: Arc<Instance>,
}

impl fmt::Debug for CommandHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandHandle")
            .field("offer", &self.offer)
            .finish_non_exhaustive()
    }
}

impl CommandHandle {
    pub(crate) fn new(staged: StagedCommand, instance: &Arc<Instance>) -> Self {
        let StagedCommand { id, offer, handler } = staged;
        Self {
            offer,
            id,
            handler,
            instance: Arc::clone(instance),
        }
    }

    /// Calls the command on this thread. Its answer may come later.
    pub(crate) fn enter(&self, hook: &'static Hook, payload: &Map<String, Value>) -> Entered {
        call_back(&self.handler, self.id, &self.instance, hook, payload)
    }
}
