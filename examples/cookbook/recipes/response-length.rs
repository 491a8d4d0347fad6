//! Watches how long answers are, and writes the figures down when a session ends.
//!
//! **Hooks**: `post_llm_call` measures what is really delivered, after all transforms (a
//! `transform_llm_output` handler would see the text before later ones change it, and would have to answer);
//! `on_session_finalize` writes the session's line and frees it.
//!
//! **Why**: to notice a model, or a platform, that has become talkative.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `lengths.jsonl` of the plugin's data
//! directory, long answers in the agent's log.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     response-length:
//!       config:
//!         warn_over: 4000      # characters, from which on an answer is worth a line in the log; 0 for never
//!         sessions: 1000       # remembered at a time
//!         max_file_bytes: 10485760
//! ```

use std::sync::Arc;

use hermes_cookbook::{Journal, Sessions, session_of};
use hermes_plugin_api::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    warn_over: u64,
    sessions: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            warn_over: 4000,
            sessions: 1000,
            max_file_bytes: 10 << 20,
        }
    }
}

/// Figures that need no list of all answers.
#[derive(Default, Serialize)]
struct Lengths {
    answers: u64,
    empty: u64,
    chars: u64,
    words: u64,
    shortest: Option<u64>,
    longest: u64,
}

impl Lengths {
    fn measure(&mut self, text: &str) -> u64 {
        let chars = text.chars().count() as u64;
        self.answers += 1;
        self.empty += u64::from(text.trim().is_empty());
        self.chars += chars;
        self.words += text.split_whitespace().count() as u64;
        self.shortest = Some(self.shortest.map_or(chars, |shortest| shortest.min(chars)));
        self.longest = self.longest.max(chars);
        chars
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Journal::new(&ctx.data_dir()?, "lengths", config.max_file_bytes);
    let sessions = Arc::new(Sessions::<Lengths>::new(config.sessions));

    let measuring = Arc::clone(&sessions);
    ctx.on(PostLlmCall, move |turn| {
        let chars = measuring.with(turn.session_id(), Lengths::default, |lengths| {
            lengths.measure(turn.assistant_response())
        });
        if config.warn_over > 0 && chars > config.warn_over {
            let (session, model) = (turn.session_id(), turn.model());
            tracing::warn!(chars, session, model, "a long answer");
        }
    });

    ctx.on(OnSessionFinalize, move |end| {
        let id = session_of(end.old_session_id(), end.session_id());
        sessions.take(id).map_or(Ok(()), |lengths| {
            let mean = lengths.chars.checked_div(lengths.answers);
            journal.append(&json!({
                "session_id": id,
                "platform": end.platform(),
                "mean": mean,
                "lengths": lengths,
            }))
        })
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "response-length",
    description = "Keeps figures of how long answers are.",
    role = "observer",
    hooks = ["post_llm_call", "on_session_finalize"]
);
