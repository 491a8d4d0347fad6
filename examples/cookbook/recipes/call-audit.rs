//! Keeps a line of every tool call: which tool, with what, how it ended, how long it took.
//!
//! **Hook**: `post_tool_call`, since it comes for every call, also for those that were blocked, cancelled
//! or timed out, and before anything rewrites the result.
//!
//! **Why**: to be able to say afterwards what the agent did. `plugins/audit-log` is the same with a chain of
//! hashes, for those who must be able to prove it.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `calls.jsonl` of the plugin's data
//! directory. Everything below may be left out.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     call-audit:
//!       config:
//!         tools: [terminal, write_file]   # only these; all when empty
//!         args: true                      # false keeps what tools were called with out of the file
//!         max_text: 2000                  # characters of arguments and error texts that are kept
//!         max_file_bytes: 10485760        # then the file is turned over, and the older half goes
//! ```

use hermes_cookbook::{Journal, cut};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    tools: Vec<String>,
    args: bool,
    max_text: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            args: true,
            max_text: 2000,
            max_file_bytes: 10 << 20,
        }
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Journal::new(&ctx.data_dir()?, "calls", config.max_file_bytes);
    let tools = config.tools.clone();
    let audit = ctx.on(PostToolCall, move |call| {
        journal.append(&entry(call, &config))
    });
    if !tools.is_empty() {
        audit.tools(tools);
    }
    Ok(())
}

fn entry(call: PostToolCallView<'_>, config: &Config) -> Value {
    let mut entry = json!({
        "tool": call.tool_name(),
        "status": call.status(),
        "duration_ms": call.duration_ms(),
        "session_id": call.session_id(),
        "task_id": call.task_id(),
        "tool_call_id": call.tool_call_id(),
        "turn_id": call.turn_id(),
        "result_bytes": call.result().as_str().map(str::len),
    });
    if config.args {
        let text = call.args().to_json_text();
        let (kept, whole) = cut(&text, config.max_text);
        // Cut arguments are no JSON any more, so they are a text.
        entry["args"] = if whole {
            call.args().to_json()
        } else {
            kept.into()
        };
        entry["args_whole"] = whole.into();
    }
    if let Some(kind) = call.error_type() {
        entry["error_type"] = kind.into();
        let message = call.error_message().unwrap_or_default();
        entry["error"] = cut(message, config.max_text).0.into();
    }
    entry
}

hermes_plugin!(
    register,
    name = "call-audit",
    description = "Writes one line of JSON for each tool call.",
    role = "observer",
    hooks = ["post_tool_call"]
);
