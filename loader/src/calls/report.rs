//! What became of the calls: counts, and those that have no other half.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// How many calls without another half are listed.
const LISTED: usize = 256;

/// What became of the tool calls that a host was told of, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CallsReport {
    /// How many of the last 4,096 calls wait for their result. A call that was refused does not.
    pub open: usize,
    /// How many calls were told before and after.
    pub complete: u64,
    /// How many events came a second time and were not delivered again.
    pub duplicates: u64,
    /// How many things plugins have attached to calls just now.
    pub attached: usize,
    /// How many calls were without another half, also those that are no longer listed.
    pub unpaired_total: u64,
    /// The last of them, the newest at the end.
    pub unpaired: Vec<Unpaired>,
}

/// A call of which only one half was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unpaired {
    /// The provider's id of the call; its first 48 bytes where it is longer.
    pub tool_call_id: String,
    /// The tool; the first 32 bytes of its name.
    pub tool_name: String,
    /// The session, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Which half is missing.
    pub why: Why,
}

/// Which half of a call is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// Its turn ended without a `post_tool_call`.
    NoResultSeen,
    /// A `post_tool_call` came, and no `pre_tool_call` had.
    NoPreSeen,
}

impl Unpaired {
    fn log(&self) {
        let (tool_call_id, tool_name) = (&*self.tool_call_id, &*self.tool_name);
        let session_id = self.session_id.as_deref().unwrap_or_default();
        match self.why {
            Why::NoResultSeen => tracing::warn!(
                tool_call_id,
                tool_name,
                session_id,
                "the turn of call `{tool_call_id}` of `{tool_name}` ended without a `post_tool_call`: no_result_seen"
            ),
            Why::NoPreSeen => tracing::warn!(
                tool_call_id,
                tool_name,
                session_id,
                "call `{tool_call_id}` of `{tool_name}` has a result, but no `pre_tool_call` was seen: no_pre_seen"
            ),
        }
    }
}

/// The list, bounded.
#[derive(Debug, Default)]
pub(super) struct List {
    inner: Mutex<(VecDeque<Unpaired>, u64)>,
}

impl List {
    fn inner(&self) -> MutexGuard<'_, (VecDeque<Unpaired>, u64)> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a call and logs it.
    #[cold]
    pub(super) fn add(&self, unpaired: Unpaired) {
        unpaired.log();
        let mut inner = self.inner();
        inner.1 += 1;
        if inner.0.len() == LISTED {
            inner.0.pop_front();
        }
        inner.0.push_back(unpaired);
    }

    /// Those that are listed, and how many there were.
    pub(super) fn all(&self) -> (Vec<Unpaired>, u64) {
        let inner = self.inner();
        (inner.0.iter().cloned().collect(), inner.1)
    }
}
