//! Keeps a line of each approval: what was asked, what was decided, and how long the agent waited for it.
//!
//! **Hooks**: `post_approval_response` has the decision; `pre_approval_request` is only watched to know since
//! when somebody was asked. Where the question could not be put, the second never comes, so what waits is
//! bounded.
//!
//! **Why**: `always` is a decision one may want to look up later, and many `timeout`s say that nobody is there.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `decisions.jsonl` of the plugin's data
//! directory.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     decision-log:
//!       config:
//!         max_chars: 2000      # of a command
//!         open: 1000           # questions that wait for their answer at a time
//!         max_file_bytes: 10485760
//! ```

use std::{sync::Arc, time::Instant};

use hermes_cookbook::{Journal, Sessions, cut};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    max_chars: usize,
    open: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_chars: 2000,
            open: 1000,
            max_file_bytes: 10 << 20,
        }
    }
}

/// Which question it is: the call's id where there is one, else the command in its conversation.
fn question(tool_call_id: Option<&str>, session_key: &str, command: &str) -> String {
    tool_call_id.map_or_else(
        || format!("{session_key}\n{}", cut(command, 500).0),
        |id| format!("{session_key}\n#{id}"),
    )
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Journal::new(&ctx.data_dir()?, "decisions", config.max_file_bytes);
    let open = Arc::new(Sessions::<Instant>::new(config.open));

    let asked = Arc::clone(&open);
    ctx.on(PreApprovalRequest, move |request| {
        let question = question(
            request.tool_call_id(),
            request.session_key(),
            request.command(),
        );
        asked.with(Some(&question), Instant::now, |since| {
            *since = Instant::now()
        });
    });

    ctx.on(PostApprovalResponse, move |response| {
        let question = question(
            response.tool_call_id(),
            response.session_key(),
            response.command(),
        );
        let waited = open.take(Some(&question)).map(|since| since.elapsed());
        let (command, whole) = cut(response.command(), config.max_chars);
        journal.append(&json!({
            "choice": response.choice(),
            "decided_by": response.decided_by(),
            "waited_ms": waited.map(|waited| u64::try_from(waited.as_millis()).unwrap_or(u64::MAX)),
            "command": command,
            "whole": whole,
            "rule": response.pattern_key(),
            "rules": response.pattern_keys().to_json(),
            "session_key": response.session_key(),
            "surface": response.surface(),
            "tool_call_id": response.tool_call_id(),
        }))
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "decision-log",
    description = "Keeps what people decided on approvals.",
    role = "observer",
    hooks = ["pre_approval_request", "post_approval_response"]
);
