//! Says how long each session was, and how many turns it had.
//!
//! **Hooks**: `on_session_start` starts the watch; `on_session_end`, which comes at the end of every *turn*,
//! counts; `on_session_finalize` is where a session really ends, and writes the line.
//!
//! **Why**: the shortest useful example of how the three hooks belong together, and of what their names hide.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `sessions.jsonl` of the plugin's data
//! directory.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     session-duration:
//!       config:
//!         sessions: 10000      # remembered at a time
//!         max_file_bytes: 10485760
//! ```

use std::{sync::Arc, time::Instant};

use hermes_cookbook::{Journal, Sessions, session_of};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    sessions: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            sessions: 10_000,
            max_file_bytes: 10 << 20,
        }
    }
}

/// A clock that nobody can set back.
struct Watch {
    since: Instant,
    /// False for a session that was resumed: it began before this process did.
    from_the_start: bool,
    turns: u64,
    unfinished: u64,
}

impl Watch {
    fn start(from_the_start: bool) -> Self {
        Self {
            since: Instant::now(),
            from_the_start,
            turns: 0,
            unfinished: 0,
        }
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Journal::new(&ctx.data_dir()?, "sessions", config.max_file_bytes);
    let watches = Arc::new(Sessions::<Watch>::new(config.sessions));

    let starting = Arc::clone(&watches);
    ctx.on(OnSessionStart, move |session| {
        // An id that comes again is a new session.
        starting.take(session.session_id());
        starting.with(session.session_id(), || Watch::start(true), |_| ());
    });

    let counting = Arc::clone(&watches);
    ctx.on(OnSessionEnd, move |turn| {
        counting.with(
            turn.session_id(),
            || Watch::start(false),
            |watch| {
                watch.turns += 1;
                watch.unfinished += u64::from(!turn.completed() || turn.interrupted());
            },
        );
    });

    ctx.on(OnSessionFinalize, move |end| {
        let id = session_of(end.old_session_id(), end.session_id());
        // A session that nobody saw has no duration.
        watches.take(id).map_or(Ok(()), |watch| {
            journal.append(&json!({
                "session_id": id,
                "platform": end.platform(),
                "reason": end.reason(),
                "seconds": watch.since.elapsed().as_secs_f64(),
                "from_the_start": watch.from_the_start,
                "turns": watch.turns,
                "unfinished": watch.unfinished,
            }))
        })
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "session-duration",
    description = "Logs how long sessions and their turns took.",
    role = "observer",
    hooks = ["on_session_start", "on_session_end", "on_session_finalize"]
);
