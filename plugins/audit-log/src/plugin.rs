//! The plugin around the log: what an agent reports becomes records.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_plugin_api::prelude::*;

use crate::clock::SystemClock;
use crate::config::Config;
use crate::error::AuditError;
use crate::event::{Approval, Ids, Mark, SessionMark, ToolCall, ToolResult, TurnEnd};
use crate::log::AuditLog;

hermes_plugin!(
    register,
    role = "observer",
    hooks = [
        "pre_tool_call",
        "post_tool_call",
        "on_session_start",
        "on_session_end",
        "on_session_finalize",
        "pre_approval_request",
        "post_approval_response"
    ],
    unless = "linked"
);

/// After whoever changes the arguments, so that they are recorded as the tool gets them.
const PRIORITY: f64 = -1000.0;

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let dir = match &config.dir {
        Some(_) => PathBuf::new(),
        None => ctx.data_dir()?,
    };
    let log = AuditLog::open(&config, &dir, Box::new(SystemClock)).map_err(|error| {
        Error::new(format!(
            "`plugins.entries.{}.config`: {error}",
            ctx.plugin()
        ))
    })?;
    let recorder = Arc::new(Recorder {
        log,
        told: Mutex::default(),
    });

    let on = Arc::clone(&recorder);
    ctx.on(PreToolCall, move |call| {
        on.call(call);
        Verdict::pass()
    })
    .priority(PRIORITY);
    let on = Arc::clone(&recorder);
    ctx.on(PostToolCall, move |event| on.result(event))
        .priority(PRIORITY);
    let on = Arc::clone(&recorder);
    ctx.on(OnSessionEnd, move |event| on.turn_end(event))
        .priority(PRIORITY);
    let on = Arc::clone(&recorder);
    ctx.on(OnSessionStart, move |event| {
        on.session(event.session_id(), Mark::Start, None);
    });
    let on = Arc::clone(&recorder);
    ctx.on(OnSessionFinalize, move |event| {
        on.session(event.session_id(), Mark::Finalize, event.reason());
    });
    let on = Arc::clone(&recorder);
    ctx.on(PreApprovalRequest, move |event| {
        on.approval(&Approval {
            session_key: event.session_key(),
            tool_call_id: event.tool_call_id().unwrap_or_default(),
            command: event.command(),
            pattern_key: event.pattern_key(),
            surface: event.surface(),
            choice: None,
            decided_by: "",
        });
    });
    ctx.on(PostApprovalResponse, move |event| {
        recorder.approval(&Approval {
            session_key: event.session_key(),
            tool_call_id: event.tool_call_id().unwrap_or_default(),
            command: event.command(),
            pattern_key: event.pattern_key(),
            surface: event.surface(),
            choice: Some(event.choice()),
            decided_by: event.decided_by().unwrap_or_default(),
        });
    });
    Ok(())
}

/// The log, and the sorts of failure that the agent's log was told of.
struct Recorder {
    log: AuditLog,
    told: Mutex<BTreeSet<&'static str>>,
}

impl Recorder {
    fn call(&self, event: PreToolCallView<'_>) {
        let args = event.args().to_json();
        self.note(self.log.call(&ToolCall {
            ids: Ids {
                session_id: event.session_id().unwrap_or_default(),
                task_id: event.task_id().unwrap_or_default(),
                tool_call_id: event.tool_call_id().unwrap_or_default(),
            },
            tool_name: event.tool_name(),
            args: &args,
        }));
    }

    fn result(&self, event: PostToolCallView<'_>) {
        let args = event.args().to_json();
        let call = ToolCall {
            ids: Ids {
                session_id: event.session_id().unwrap_or_default(),
                task_id: event.task_id().unwrap_or_default(),
                tool_call_id: event.tool_call_id().unwrap_or_default(),
            },
            tool_name: event.tool_name(),
            args: &args,
        };
        // Multimodal results are objects.
        let written;
        let result = match event.result() {
            Datum::Str(text) => text,
            Datum::Absent => "",
            other => {
                written = other.to_json().to_string();
                &written
            }
        };
        self.note(self.log.result(&ToolResult {
            call,
            result,
            status: event.status().unwrap_or_default(),
            error_type: event.error_type().unwrap_or_default(),
            duration_ms: u64::try_from(event.duration_ms()).ok(),
        }));
    }

    fn turn_end(&self, event: OnSessionEndView<'_>) {
        self.note(self.log.turn_end(&TurnEnd {
            session_id: event.session_id().unwrap_or_default(),
            task_id: event.task_id().unwrap_or_default(),
            completed: event.completed(),
            interrupted: event.interrupted(),
        }));
    }

    fn session(&self, session_id: Option<&str>, mark: Mark, reason: Option<&str>) {
        self.note(self.log.session(&SessionMark {
            session_id: session_id.unwrap_or_default(),
            mark,
            reason: reason.unwrap_or_default(),
        }));
    }

    fn approval(&self, approval: &Approval<'_>) {
        self.note(self.log.approval(approval));
    }

    /// A record that cannot be written must not stop the agent, nor fill its log: each sort is told once.
    /// The next record that can be written says how many are missing.
    fn note<T>(&self, written: Result<T, AuditError>) {
        let Err(error) = written else { return };
        let sort = match &error {
            AuditError::Config(_) => "config",
            AuditError::Busy { .. } => "busy",
            AuditError::Io { action, .. } => action,
            AuditError::Encode(_) => "encode",
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(sort) {
            tracing::error!("a record is missing: {error}");
        } else {
            tracing::debug!("a record is missing: {error}");
        }
    }
}
