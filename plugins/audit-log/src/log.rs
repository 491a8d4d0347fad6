//! The log as an agent's hooks use it: calls, results, ends of turns.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::canonical;
use crate::chain;
use crate::clock::{self, Clock};
use crate::config::{Config, RecordArgs};
use crate::error::AuditError;
use crate::event::{Approval, Mark, SessionMark, ToolCall, ToolResult, TurnEnd};
use crate::ledger::{CallKey, Counts, Finished, Ledger, Open, Started};
use crate::record::{Draft, Pair, PairState};
use crate::store::Store;

/// An append-only, hash-chained log of tool calls and their results.
///
/// # Threads
///
/// May be used from any number of threads. What can be computed without the files is computed
/// before they are locked; between processes the files are guarded by an advisory lock.
///
/// # Examples
///
/// ```
/// use audit_log::{AuditLog, Config, Ids, SystemClock, ToolCall, ToolResult, TurnEnd, verify};
///
/// let dir = tempfile::tempdir()?;
/// let log = AuditLog::open(&Config::default(), dir.path(), Box::new(SystemClock))?;
/// let ids = Ids { session_id: "ses_01", task_id: "", tool_call_id: "call_01" };
/// let args = serde_json::json!({"command": "make test"});
/// let call = ToolCall { ids, tool_name: "terminal", args: &args };
/// log.call(&call)?;
/// log.result(&ToolResult { call, result: "ok", status: "ok", error_type: "", duration_ms: Some(9) })?;
/// log.turn_end(&TurnEnd { session_id: "ses_01", task_id: "", completed: true, interrupted: false })?;
///
/// let report = verify(dir.path())?;
/// assert_eq!((report.records, report.first_bad), (3, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuditLog {
    config: Config,
    clock: Box<dyn Clock>,
    ledger: Mutex<Ledger>,
    store: Mutex<Store>,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// It is the record with this number.
    Written {
        /// The record's number in the chain.
        seq: u64,
    },
    /// It was reported before, and is counted only.
    Duplicate,
}

/// What a turn held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnSummary {
    /// The number of the record that closes the turn.
    pub seq: u64,
    /// What was counted in this turn.
    pub counts: Counts,
}

impl AuditLog {
    /// A log in `config.dir`, or else in `dir`. Nothing is written until the first record.
    ///
    /// # Errors
    ///
    /// [`AuditError::Config`] if the configuration cannot be honoured.
    pub fn open(config: &Config, dir: &Path, clock: Box<dyn Clock>) -> Result<Self, AuditError> {
        config.check()?;
        let dir = config.dir.as_deref().unwrap_or(dir);
        Ok(Self {
            ledger: Mutex::new(Ledger::new(config.max_open_calls)),
            store: Mutex::new(Store::new(dir, config)),
            config: config.clone(),
            clock,
        })
    }

    /// Records that a tool is about to run.
    ///
    /// # Errors
    ///
    /// The record could not be written. The call is kept open all the same, so its result is not
    /// taken for one without a call.
    pub fn call(&self, call: &ToolCall<'_>) -> Result<Recorded, AuditError> {
        let canonical = canonical::text(call.args);
        let key = key(call, &canonical);
        let (token, evicted) = match self.ledger().start(&key) {
            Started::Duplicate => return Ok(Recorded::Duplicate),
            Started::New { token, evicted } => (token, evicted),
        };
        let time = self.time();
        let mut drafts: Vec<_> = evicted
            .iter()
            .map(|open| closing("evicted", PairState::Evicted, open, &time))
            .collect();
        drafts.push(Draft {
            event: "tool_call",
            ..self.described(call, &key, &canonical, time)
        });
        let seq = self.append(&drafts)?;
        self.ledger().written(token, seq);
        Ok(Recorded::Written { seq })
    }

    /// Records what a tool returned, and with which call it belongs.
    ///
    /// # Errors
    ///
    /// The record could not be written; the call is closed all the same.
    pub fn result(&self, result: &ToolResult<'_>) -> Result<Recorded, AuditError> {
        let canonical = canonical::text(result.call.args);
        let key = key(&result.call, &canonical);
        let result_sha256 = chain::digest(result.result.as_bytes());
        let (state, call_seq, duplicates) = match self.ledger().finish(&key, &result_sha256) {
            Finished::Duplicate => return Ok(Recorded::Duplicate),
            Finished::Paired(open) => (PairState::Complete, open.seq, open.duplicates),
            Finished::Repeat { call_seq } => (PairState::Repeat, call_seq, 0),
            Finished::NoPreSeen => (PairState::NoPreSeen, None, 0),
        };
        let time = self.time();
        // The call's own record has the arguments, unless there is none.
        let described = match state {
            PairState::NoPreSeen => self.described(&result.call, &key, &canonical, time),
            _ => identified(&key, time),
        };
        let draft = Draft {
            event: "tool_result",
            status: result.status.to_owned(),
            error_type: result.error_type.to_owned(),
            duration_ms: result.duration_ms,
            result_bytes: Some(result.result.len() as u64),
            result_sha256: Some(result_sha256),
            pair: Some(Pair { state, call_seq }),
            duplicates,
            ..described
        };
        let seq = self.append(&[draft])?;
        Ok(Recorded::Written { seq })
    }

    /// Records the end of a turn, after one `no_result_seen` for each call it left open.
    ///
    /// # Errors
    ///
    /// The records could not be written; the calls are closed all the same.
    pub fn turn_end(&self, end: &TurnEnd<'_>) -> Result<TurnSummary, AuditError> {
        let (left, counts) = self.ledger().end(end.session_id, end.task_id);
        let time = self.time();
        let mut drafts: Vec<_> = left
            .iter()
            .map(|open| closing("no_result_seen", PairState::NoResultSeen, open, &time))
            .collect();
        drafts.push(Draft {
            time,
            event: "turn_end",
            session_id: end.session_id.to_owned(),
            task_id: end.task_id.to_owned(),
            completed: Some(end.completed),
            interrupted: Some(end.interrupted),
            counts: Some(counts),
            ..Draft::default()
        });
        let seq = self.append(&drafts)?;
        Ok(TurnSummary { seq, counts })
    }

    /// Records that a session begins or is given up, and returns the record's number.
    ///
    /// # Errors
    ///
    /// The record could not be written.
    pub fn session(&self, session: &SessionMark<'_>) -> Result<u64, AuditError> {
        self.append(&[Draft {
            time: self.time(),
            event: match session.mark {
                Mark::Start => "session_start",
                Mark::Finalize => "session_finalize",
            },
            session_id: session.session_id.to_owned(),
            reason: session.reason.to_owned(),
            ..Draft::default()
        }])
    }

    /// Records that an approval is asked for or given, and returns the record's number.
    ///
    /// # Errors
    ///
    /// The record could not be written.
    pub fn approval(&self, approval: &Approval<'_>) -> Result<u64, AuditError> {
        let command = approval.command;
        let kept = self.config.record_args;
        let preview = kept == RecordArgs::Digest && self.config.preview_chars > 0;
        self.append(&[Draft {
            time: self.time(),
            event: match approval.choice {
                None => "approval_request",
                Some(_) => "approval_response",
            },
            tool_call_id: approval.tool_call_id.to_owned(),
            session_key: approval.session_key.to_owned(),
            command_sha256: (kept != RecordArgs::None).then(|| chain::digest(command.as_bytes())),
            command_preview: preview
                .then(|| canonical::preview(command, self.config.preview_chars)),
            command: (kept == RecordArgs::Full).then(|| command.to_owned()),
            pattern_key: approval.pattern_key.to_owned(),
            surface: approval.surface.to_owned(),
            choice: approval.choice.unwrap_or_default().to_owned(),
            decided_by: approval.decided_by.to_owned(),
            ..Draft::default()
        }])
    }

    /// What was counted since the log was opened.
    pub fn counts(&self) -> Counts {
        self.ledger().total()
    }

    /// How many calls wait for their result.
    pub fn open_calls(&self) -> usize {
        self.ledger().open_calls()
    }

    /// Appends all, and returns the number of the last.
    fn append(&self, drafts: &[Draft]) -> Result<u64, AuditError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.append(drafts)?.last().copied().unwrap_or(0))
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn time(&self) -> String {
        clock::rfc3339(self.clock.now())
    }

    fn described(
        &self,
        call: &ToolCall<'_>,
        key: &CallKey,
        canonical: &str,
        time: String,
    ) -> Draft {
        let mut draft = identified(key, time);
        let kept = self.config.record_args;
        if kept != RecordArgs::None {
            draft.args_sha256 = Some(key.args_sha256.clone());
        }
        if kept == RecordArgs::Full {
            draft.args = Some(call.args.clone());
        }
        if kept == RecordArgs::Digest && self.config.preview_chars > 0 {
            draft.args_preview = Some(canonical::preview(canonical, self.config.preview_chars));
        }
        draft
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

fn key(call: &ToolCall<'_>, canonical: &str) -> CallKey {
    CallKey {
        session_id: call.ids.session_id.to_owned(),
        task_id: call.ids.task_id.to_owned(),
        tool_call_id: call.ids.tool_call_id.to_owned(),
        tool_name: call.tool_name.to_owned(),
        args_sha256: chain::digest(canonical.as_bytes()),
    }
}

fn identified(key: &CallKey, time: String) -> Draft {
    Draft {
        time,
        session_id: key.session_id.clone(),
        task_id: key.task_id.clone(),
        tool_call_id: key.tool_call_id.clone(),
        tool_name: key.tool_name.clone(),
        ..Draft::default()
    }
}

fn closing(event: &'static str, state: PairState, open: &Open, time: &str) -> Draft {
    Draft {
        event,
        pair: Some(Pair {
            state,
            call_seq: open.seq,
        }),
        duplicates: open.duplicates,
        ..identified(&open.key, time.to_owned())
    }
}
