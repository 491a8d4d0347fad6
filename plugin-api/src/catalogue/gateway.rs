//! Messages that arrive at the gateway.

use super::hooks;
use crate::answers::Flow;

hooks! {
    /// Each inbound message, before authorisation, commands and the agent. The first recognised
    /// action wins: `skip` drops it without a reply, `rewrite` changes its text, `allow` lets it pass.
    14 PreGatewayDispatch PreGatewayDispatchView "pre_gateway_dispatch" Hermes "inbound_preauth" {
        Modify Flow OPEN 0 since 1 "S 13 19"
        answer Flow;
        fields {
            /// The message: `text`, `message_type`, `source`, `message_id`, `media_urls`, …
            0 event: object Event 1 "S 13 19";
            /// Live object: the gateway, for sending.
            1 gateway: gateway Event 1 "S 13 19";
            /// Live object: the session store, for transcripts.
            2 session_store: session_store Event 1 "S 13 19";
            /// `hermes.observer.v1`.
            3 telemetry_schema_version: text Event 1 "19";
        }
        answers {
            /// `skip`, `rewrite` or `allow`.
            0 action: text 1;
            /// Why it is skipped, for the log.
            1 reason: text 1;
            /// The new text.
            2 text: any 1;
        }
    }
}
