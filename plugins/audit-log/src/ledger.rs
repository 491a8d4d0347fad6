//! Pairs tool calls with their results. Pure: it holds no file and no clock.
//!
//! A result belongs to the call with its id. Hosts that send no id with the call are served by the
//! content: task, tool name and digest of the arguments, first come first served.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::Serialize;

/// How many of each there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Calls, each counted once.
    pub calls: u64,
    /// Results, each counted once.
    pub results: u64,
    /// Calls or results that were reported again.
    pub duplicates: u64,
    /// Results without a call.
    pub no_pre_seen: u64,
    /// Calls without a result when their turn ended.
    pub no_result_seen: u64,
    /// Calls that were given up because too many were waiting.
    pub evicted: u64,
}

/// What tells a call from others. An empty text means that the host did not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallKey {
    pub(crate) session_id: String,
    pub(crate) task_id: String,
    pub(crate) tool_call_id: String,
    pub(crate) tool_name: String,
    pub(crate) args_sha256: String,
}

/// A call that waits for its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) key: CallKey,
    /// The record of the call; `None` while it is being written, or if that failed.
    pub(crate) seq: Option<u64>,
    /// How often the call was reported again.
    pub(crate) duplicates: u64,
}

/// Stands for an open call between its start and the writing of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token(u64);

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Started {
    New { token: Token, evicted: Option<Open> },
    Duplicate,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Finished {
    /// The call, now closed.
    Paired(Open),
    /// A second result of this call, other than the first.
    Repeat {
        call_seq: Option<u64>,
    },
    /// The same result once more.
    Duplicate,
    NoPreSeen,
}

struct Closed {
    session_id: String,
    tool_call_id: String,
    call_seq: Option<u64>,
    result_sha256: String,
}

/// All calls that wait, and the ids of the last ones that do not.
pub(crate) struct Ledger {
    limit: usize,
    next: u64,
    open: BTreeMap<Token, Open>,
    by_id: HashMap<String, Vec<Token>>,
    by_content: HashMap<(String, String), VecDeque<Token>>,
    /// For telling a repeated result from one without a call.
    closed: VecDeque<Closed>,
    counts: BTreeMap<String, Counts>,
    total: Counts,
}

/// How many closed calls are remembered.
const CLOSED: usize = 256;

impl Ledger {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            next: 0,
            open: BTreeMap::new(),
            by_id: HashMap::new(),
            by_content: HashMap::new(),
            closed: VecDeque::new(),
            counts: BTreeMap::new(),
            total: Counts::default(),
        }
    }

    pub(crate) fn total(&self) -> Counts {
        self.total
    }

    pub(crate) fn open_calls(&self) -> usize {
        self.open.len()
    }

    /// A call is about to run.
    ///
    /// An open call with the same id, tool and arguments is the same call. One id with other
    /// arguments is another call: some models number the calls of each response from zero.
    pub(crate) fn start(&mut self, key: &CallKey) -> Started {
        let same = self.with_id(key).find(|token| {
            self.open.get(token).is_some_and(|open| {
                open.key.tool_name == key.tool_name && open.key.args_sha256 == key.args_sha256
            })
        });
        if let Some(open) = same.and_then(|token| self.open.get_mut(&token)) {
            open.duplicates += 1;
            self.count(&key.session_id, |counts| counts.duplicates += 1);
            return Started::Duplicate;
        }
        let evicted = match self.open.len() >= self.limit {
            true => self
                .open
                .keys()
                .next()
                .copied()
                .and_then(|oldest| self.close(oldest)),
            false => None,
        };
        if let Some(open) = &evicted {
            let session = open.key.session_id.clone();
            self.count(&session, |counts| counts.evicted += 1);
        }
        let token = Token(self.next);
        self.next += 1;
        if !key.tool_call_id.is_empty() {
            self.by_id
                .entry(key.tool_call_id.clone())
                .or_default()
                .push(token);
        }
        self.by_content
            .entry(content(key))
            .or_default()
            .push_back(token);
        let open = Open {
            key: key.clone(),
            seq: None,
            duplicates: 0,
        };
        self.open.insert(token, open);
        self.count(&key.session_id, |counts| counts.calls += 1);
        Started::New { token, evicted }
    }

    /// The record of the call was written as `seq`.
    pub(crate) fn written(&mut self, token: Token, seq: u64) {
        if let Some(open) = self.open.get_mut(&token) {
            open.seq = Some(seq);
        }
    }

    /// A call has run.
    pub(crate) fn finish(&mut self, key: &CallKey, result_sha256: &str) -> Finished {
        let found = self.best_with_id(key).or_else(|| self.with_content(key));
        if let Some(open) = found.and_then(|token| self.close(token)) {
            self.count(&key.session_id, |counts| counts.results += 1);
            self.remember(key, &open, result_sha256);
            return Finished::Paired(open);
        }
        let before = self.closed.iter().rev().find(|closed| {
            !key.tool_call_id.is_empty()
                && closed.tool_call_id == key.tool_call_id
                && closed.session_id == key.session_id
        });
        match before {
            Some(closed) if closed.result_sha256 == result_sha256 => {
                self.count(&key.session_id, |counts| counts.duplicates += 1);
                Finished::Duplicate
            }
            Some(closed) => {
                let call_seq = closed.call_seq;
                self.count(&key.session_id, |counts| counts.results += 1);
                Finished::Repeat { call_seq }
            }
            None => {
                self.count(&key.session_id, |counts| {
                    counts.results += 1;
                    counts.no_pre_seen += 1;
                });
                Finished::NoPreSeen
            }
        }
    }

    /// The turn of this session and task is over: its open calls are closed and returned.
    pub(crate) fn end(&mut self, session_id: &str, task_id: &str) -> (Vec<Open>, Counts) {
        let ends = |key: &CallKey| match key.session_id.as_str() {
            // Hosts that send no session with the call send the task, which often is the session.
            "" => key.task_id.is_empty() || key.task_id == task_id || key.task_id == session_id,
            session => session == session_id,
        };
        let tokens: Vec<_> = self
            .open
            .iter()
            .filter(|(_, open)| ends(&open.key))
            .map(|(t, _)| *t)
            .collect();
        let left: Vec<_> = tokens
            .into_iter()
            .filter_map(|token| self.close(token))
            .collect();
        self.closed.retain(|closed| closed.session_id != session_id);
        self.count(session_id, |counts| {
            counts.no_result_seen += left.len() as u64
        });
        let counts = self.counts.remove(session_id).unwrap_or_default();
        (left, counts)
    }

    fn with_id(&self, key: &CallKey) -> impl Iterator<Item = Token> {
        let tokens = self
            .by_id
            .get(&key.tool_call_id)
            .into_iter()
            .flatten()
            .copied();
        tokens.filter(|token| {
            let open = self.open.get(token);
            open.is_some_and(|open| agree(&open.key.session_id, &key.session_id))
        })
    }

    /// The open call with this id: of several the one with these arguments, else the oldest.
    fn best_with_id(&self, key: &CallKey) -> Option<Token> {
        self.with_id(key).min_by_key(|token| {
            let open = self.open.get(token).map(|open| &open.key);
            let other_session = open.is_some_and(|open| open.session_id != key.session_id);
            let other_content = open.is_some_and(|open| content(open) != content(key));
            (other_session, other_content, *token)
        })
    }

    /// The oldest open call with this content, unless both name different ids.
    fn with_content(&self, key: &CallKey) -> Option<Token> {
        let tokens = self.by_content.get(&content(key))?;
        tokens.iter().copied().find(|token| {
            self.open.get(token).is_some_and(|open| {
                agree(&open.key.session_id, &key.session_id)
                    && agree(&open.key.task_id, &key.task_id)
                    && agree(&open.key.tool_call_id, &key.tool_call_id)
            })
        })
    }

    fn close(&mut self, token: Token) -> Option<Open> {
        let open = self.open.remove(&token)?;
        if let Some(tokens) = self.by_id.get_mut(&open.key.tool_call_id) {
            tokens.retain(|other| *other != token);
            if tokens.is_empty() {
                self.by_id.remove(&open.key.tool_call_id);
            }
        }
        let content = content(&open.key);
        if let Some(tokens) = self.by_content.get_mut(&content) {
            tokens.retain(|other| *other != token);
            if tokens.is_empty() {
                self.by_content.remove(&content);
            }
        }
        Some(open)
    }

    fn remember(&mut self, key: &CallKey, open: &Open, result_sha256: &str) {
        if key.tool_call_id.is_empty() {
            return;
        }
        if self.closed.len() >= CLOSED {
            self.closed.pop_front();
        }
        self.closed.push_back(Closed {
            session_id: key.session_id.clone(),
            tool_call_id: key.tool_call_id.clone(),
            call_seq: open.seq,
            result_sha256: result_sha256.to_owned(),
        });
    }

    fn count(&mut self, session_id: &str, add: impl Fn(&mut Counts)) {
        add(&mut self.total);
        // Sessions that never end must not pile up; the first in order goes, the total stays.
        if self.counts.len() >= self.limit && !self.counts.contains_key(session_id) {
            self.counts.pop_first();
        }
        add(self.counts.entry(session_id.to_owned()).or_default());
    }
}

fn content(key: &CallKey) -> (String, String) {
    (key.tool_name.clone(), key.args_sha256.clone())
}

/// Equal, or one of them not known.
fn agree(a: &str, b: &str) -> bool {
    a == b || a.is_empty() || b.is_empty()
}

#[cfg(test)]
mod tests;
