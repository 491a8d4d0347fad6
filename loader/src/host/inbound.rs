//! Firing a message that arrives, with the gateway and the session store as live objects.

use hermes_plugin_api::answers::Flow;
use hermes_plugin_api::catalogue::{HookPoint as _, Payload as _, PreGatewayDispatch, payload};
use hermes_plugin_api::extension::gateway::{GatewayPort, LiveGateway};

use super::Host;
use crate::boundary::Parent;
use crate::dispatch::{Unobserved, run};
use crate::outcome::{FlowOutcome, Folded as _, Outcome};

impl Host {
    /// Fires `pre_gateway_dispatch` with live objects: while a handler runs, it may send and append to
    /// transcripts by way of `port`. What the event itself holds in `gateway` and `session_store` is replaced.
    ///
    /// The port is called on this thread, from inside the handler, and with no lock of the host held, so it may
    /// fire events itself.
    ///
    /// ```no_run
    /// # use hermes_loader::{Host, catalogue::payload, gateway_port::MemoryGateway};
    /// # fn f(host: &Host, message: &serde_json::Value) {
    /// let gateway = MemoryGateway::new();
    /// let outcome = host.fire_inbound(&payload::PreGatewayDispatch::new().event(message), &gateway);
    /// # }
    /// ```
    pub fn fire_inbound(
        &self,
        event: &payload::PreGatewayDispatch<'_>,
        port: &dyn GatewayPort,
    ) -> FlowOutcome {
        let snapshot = self.inner.snapshot.load();
        let Some(chain) = snapshot.chain(PreGatewayDispatch::HOOK) else {
            return Flow::typed(Outcome::default());
        };
        let parent = Parent::current();
        let outcome = LiveGateway(port).lend(event.record(), parent, |record| {
            run(
                chain,
                record,
                None,
                parent,
                self.inner.around(),
                &mut Unobserved,
            )
        });
        Flow::typed(outcome)
    }
}
