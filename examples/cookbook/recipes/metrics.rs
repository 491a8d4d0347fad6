//! Counts calls per tool with errors and latency, and writes the figures down when a session ends.
//!
//! **Hooks**: `post_tool_call` counts; `on_session_end` comes at the end of every *turn* and writes what is
//! new, so that little is lost with a process that dies; `on_session_finalize` writes the last line and
//! frees the session.
//!
//! **Why**: to see which tool fails, and which one everybody waits for.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `metrics.jsonl` of the plugin's data
//! directory. Figures of a line are those of the whole session so far.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     metrics:
//!       config:
//!         samples: 200         # latest latencies kept per tool, for p50 and p95
//!         tools: 50            # tools told apart in a session; all others are counted as one
//!         sessions: 500        # sessions remembered at a time
//!         max_file_bytes: 10485760
//! ```

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use hermes_cookbook::{Journal, Sessions, session_of};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, Clone, Copy)]
#[serde(default, deny_unknown_fields)]
struct Config {
    samples: usize,
    tools: usize,
    sessions: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            samples: 200,
            tools: 50,
            sessions: 500,
            max_file_bytes: 10 << 20,
        }
    }
}

/// Where the tools go that are too many to be told apart.
const OTHERS: &str = "(others)";

#[derive(Default)]
struct Session {
    tools: BTreeMap<String, Tool>,
    /// Something was counted since the last line.
    fresh: bool,
}

#[derive(Default)]
struct Tool {
    calls: u64,
    errors: u64,
    blocked: u64,
    /// The latest ones; the figures are about now, and memory is bounded.
    latencies: VecDeque<u64>,
}

impl Session {
    fn count(&mut self, call: PostToolCallView<'_>, config: Config) {
        let name = call.tool_name();
        let known = self.tools.contains_key(name) || self.tools.len() < config.tools;
        let tool = self
            .tools
            .entry(if known { name } else { OTHERS }.to_owned())
            .or_default();
        self.fresh = true;
        tool.calls += 1;
        match call.status() {
            // It did not run: no latency, and no error of the tool's.
            Some("blocked") => {
                tool.blocked += 1;
                return;
            }
            Some("ok") => {}
            Some(_) => tool.errors += 1,
            // Older agents say nothing of how a call ended, but in the result.
            None => tool.errors += u64::from(is_error(&call.result())),
        }
        if tool.latencies.len() >= config.samples.max(1) {
            tool.latencies.pop_front();
        }
        tool.latencies
            .push_back(u64::try_from(call.duration_ms()).unwrap_or(0));
    }

    fn figures(&self) -> Value {
        let tools = self.tools.iter().map(|(name, tool)| {
            let mut sorted: Vec<u64> = tool.latencies.iter().copied().collect();
            sorted.sort_unstable();
            let figures = json!({
                "calls": tool.calls,
                "errors": tool.errors,
                "blocked": tool.blocked,
                "p50_ms": percentile(&sorted, 50),
                "p95_ms": percentile(&sorted, 95),
                "max_ms": sorted.last(),
            });
            (name.clone(), figures)
        });
        Value::Object(tools.collect())
    }
}

/// A result text that is an object with an error in it.
fn is_error(result: &Datum<'_>) -> bool {
    let Some(text) = result.as_str().filter(|text| text.starts_with('{')) else {
        return false;
    };
    let error = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|mut object| object.get_mut("error").map(Value::take));
    !matches!(error, None | Some(Value::Null | Value::Bool(false))) && error != Some("".into())
}

/// The nearest rank: the smallest value that is not below so many percent of all.
fn percentile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Arc::new(Journal::new(
        &ctx.data_dir()?,
        "metrics",
        config.max_file_bytes,
    ));
    let sessions = Arc::new(Sessions::<Session>::new(config.sessions));

    let counting = Arc::clone(&sessions);
    ctx.on(PostToolCall, move |call| {
        counting.with(call.session_id(), Session::default, |session| {
            session.count(call, config)
        });
    });

    let (known, file) = (Arc::clone(&sessions), Arc::clone(&journal));
    ctx.on(OnSessionEnd, move |turn| {
        let figures = known
            .with_known(turn.session_id(), |session| {
                std::mem::take(&mut session.fresh).then(|| session.figures())
            })
            .flatten();
        figures.map_or(Ok(()), |tools| {
            file.append(&json!({"session_id": turn.session_id(), "final": false, "tools": tools}))
        })
    });

    ctx.on(OnSessionFinalize, move |end| {
        let id = session_of(end.old_session_id(), end.session_id());
        sessions.take(id).map_or(Ok(()), |session| {
            journal.append(&json!({"session_id": id, "final": true, "tools": session.figures()}))
        })
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "metrics",
    description = "Counts calls, errors and latency per tool.",
    role = "observer",
    hooks = ["post_tool_call", "on_session_end", "on_session_finalize"]
);
