//! Keeps a line of each child agent: what it was to do, and what became of it.
//!
//! **Hooks**: `subagent_start` has the goal, `subagent_stop` the end; the child's session ties the two.
//! Stops come after *all* children of a call are done, in task order, on the parent's thread.
//!
//! **Why**: delegated work is invisible in the parent's conversation but for the summaries.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `subagents.jsonl` of the plugin's data
//! directory.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     subagent-log:
//!       config:
//!         max_chars: 2000      # of goals and summaries
//!         children: 1000       # that run at a time
//!         max_file_bytes: 10485760
//! ```

use std::sync::Arc;

use hermes_cookbook::{Journal, Sessions, cut};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    max_chars: usize,
    children: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_chars: 2000,
            children: 1000,
            max_file_bytes: 10 << 20,
        }
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let Config {
        max_chars,
        children,
        max_file_bytes,
    } = ctx.config()?;
    let journal = Arc::new(Journal::new(&ctx.data_dir()?, "subagents", max_file_bytes));
    // What running children are to do, by the child's session.
    let goals = Arc::new(Sessions::<String>::new(children));

    let (starting, file) = (Arc::clone(&goals), Arc::clone(&journal));
    ctx.on(SubagentStart, move |child| {
        let goal = child.child_goal().map(|goal| cut(goal, max_chars).0);
        if let (Some(session), Some(goal)) = (child.child_session_id(), goal) {
            starting.with(Some(session), String::new, |kept| goal.clone_into(kept));
        }
        file.append(&json!({
            "event": "start",
            "parent": child.parent_session_id(),
            "child": child.child_session_id(),
            "role": child.child_role(),
            "goal": goal,
        }))
    });

    ctx.on(SubagentStop, move |child| {
        let session = child.child_session_id();
        let goal = session.and_then(|session| goals.take(Some(session)));
        let status = child.child_status();
        if status != "completed" {
            tracing::warn!(child = session, status, "a child agent did not complete");
        }
        journal.append(&json!({
            "event": "stop",
            "parent": child.parent_session_id(),
            "child": session,
            "role": child.child_role(),
            "status": status,
            "duration_ms": child.duration_ms(),
            "goal": goal,
            "summary": child.child_summary().map(|summary| cut(summary, max_chars).0),
        }))
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "subagent-log",
    description = "Ties the end of each child agent to its goal.",
    role = "observer",
    hooks = ["subagent_start", "subagent_stop"]
);
