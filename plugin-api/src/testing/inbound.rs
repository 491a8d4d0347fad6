//! A message that arrives, with a gateway that its handlers may use.

use serde_json::Value as Json;

use super::{Host, Outcome};
use crate::{
    abi::{
        Datum, HandleKind,
        host::{Parent, lend},
    },
    extension::gateway::{GatewayPort, LiveGateway},
};

impl Host {
    /// Fires `pre_gateway_dispatch` with live objects: what handlers send and append goes to `gateway`.
    ///
    /// ```
    /// use hermes_plugin_api::{prelude::*, testing::{Host, MemoryGateway, event}};
    /// use serde_json::json;
    ///
    /// let host = Host::new("porter").register(|ctx| {
    ///     ctx.on(PreGatewayDispatch, |call| -> Result<Flow, LiveError> {
    ///         call.gateway().send(&Outgoing::new("telegram", "c1", "we are closed"))?;
    ///         Ok(Flow::Skip { reason: Some("closed".to_owned()) })
    ///     });
    ///     Ok(())
    /// })?;
    /// let gateway = MemoryGateway::new();
    /// let outcome = host.fire_inbound(event::empty().field("event", json!({"text": "hello?"})), &gateway);
    /// assert_eq!(outcome.answers()[0]["action"], "skip");
    /// assert_eq!(gateway.sent()[0].text, "we are closed");
    /// # Ok::<(), hermes_plugin_api::testing::Fault>(())
    /// ```
    ///
    /// # Panics
    /// When the payload is no object.
    #[track_caller]
    pub fn fire_inbound(&self, payload: impl Into<Json>, gateway: &dyn GatewayPort) -> Outcome {
        let Json::Object(mut payload) = payload.into() else {
            panic!("the payload of `pre_gateway_dispatch` is no JSON object")
        };
        let parent = Parent::current();
        lend(&LiveGateway(gateway), parent, None, |number| {
            for (name, HandleKind(kind)) in [
                ("gateway", HandleKind::GATEWAY),
                ("session_store", HandleKind::SESSION_STORE),
            ] {
                payload.insert(name.to_owned(), Datum::Handle { kind, number }.to_json());
            }
            self.chains.fire(parent, "pre_gateway_dispatch", payload)
        })
    }
}
