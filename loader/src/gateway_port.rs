//! The gateway as an embedder brings it: what handlers of `pre_gateway_dispatch` may send and append with.

pub use hermes_plugin_api::extension::gateway::{
    GatewayPort, MemoryGateway, NotDone, Outgoing, SendReceipt, TranscriptEntry,
};
