//! The members of a record, in the order they are written.

use serde::Serialize;
use serde_json::Value;

/// A record without its place in the chain.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Draft {
    pub(crate) time: String,
    pub(crate) event: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) session_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) task_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) tool_call_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) tool_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) error_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pair: Option<Pair>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) duplicates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) completed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) interrupted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counts: Option<crate::ledger::Counts>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) session_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command_preview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) pattern_key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) surface: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) choice: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) decided_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovered: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovered_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovered_sha256: Option<String>,
}

/// How a result and its call belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Pair {
    pub(crate) state: PairState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call_seq: Option<u64>,
}

/// What is known of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PairState {
    /// Call and result were seen.
    Complete,
    /// The result came without a call.
    NoPreSeen,
    /// The turn ended without a result.
    NoResultSeen,
    /// Too many calls were waiting, and this was the oldest.
    Evicted,
    /// A second, different result of a call that had one.
    Repeat,
}

/// A record in its place.
#[derive(Serialize)]
pub(crate) struct Placed<'d> {
    pub(crate) seq: u64,
    pub(crate) pid: u32,
    #[serde(flatten)]
    pub(crate) draft: &'d Draft,
    /// Records that could not be written between the last one of this process and this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) missed: u64,
    pub(crate) prev: &'d str,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
