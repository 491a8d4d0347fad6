//! Reads the project's briefing once per session, serves it from memory, and forgets it when the session ends.
//!
//! **Hooks**: `on_session_start` builds the cache; `pre_llm_call` uses it, and builds it for sessions that
//! were resumed, since those do not start again; `on_session_finalize` cleans up.
//!
//! **Why**: something that is costly to get (here files; elsewhere a query, a log-in) is got once and is the
//! same for the whole session, even when the file changes in between.
//!
//! **Switch on**: `hermes plugins install … --enable`.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     session-cache:
//!       config:
//!         files: [AGENTS.md, docs/glossary.md]   # from the agent's working directory, or absolute
//!         max_chars: 8000                        # of all files together
//!         every_turn: false                      # true repeats it with every message, not just the first
//!         sessions: 200                          # remembered at a time
//! ```

use std::{fs, path::PathBuf, sync::Arc};

use hermes_cookbook::{Sessions, cut, session_of};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    files: Vec<PathBuf>,
    max_chars: usize,
    every_turn: bool,
    sessions: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            files: vec!["AGENTS.md".into()],
            max_chars: 8000,
            every_turn: false,
            sessions: 200,
        }
    }
}

/// Larger files are no briefing, and are not read.
const LARGEST: u64 = 1 << 20;

struct Briefing {
    text: Arc<str>,
    told: bool,
}

impl Config {
    /// What there is of the files. One that is missing is lawful: not every project has it.
    fn read(&self) -> Briefing {
        let mut text = String::new();
        for path in &self.files {
            let small =
                fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() <= LARGEST);
            let Some(bytes) = small.then(|| fs::read(path).ok()).flatten() else {
                tracing::debug!(file = %path.display(), "no such file, or too large to be a briefing");
                continue;
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let file = String::from_utf8_lossy(&bytes);
            if !file.trim().is_empty() {
                text = format!("{text}[{name}]\n{}\n\n", file.trim());
            }
        }
        Briefing {
            text: cut(text.trim_end(), self.max_chars).0.into(),
            told: false,
        }
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Arc<Config> = Arc::new(ctx.config()?);
    let cache = Arc::new(Sessions::<Briefing>::new(config.sessions));

    let (building, files) = (Arc::clone(&cache), Arc::clone(&config));
    ctx.on(OnSessionStart, move |session| {
        let briefing = files.read();
        // An id that comes again is a new session.
        building.take(session.session_id());
        building.with(session.session_id(), || briefing, |_| ());
    });

    let telling = Arc::clone(&cache);
    ctx.on(PreLlmCall, move |turn| {
        let id = turn.session_id();
        // Files are read outside the lock: other sessions need not wait for them.
        if telling.with_known(id, |_| ()).is_none() {
            let briefing = config.read();
            telling.with(id, || briefing, |_| ());
        }
        let text = telling.with_known(id, |briefing| {
            let again = std::mem::replace(&mut briefing.told, true) && !config.every_turn;
            (!again && !briefing.text.is_empty()).then(|| Arc::clone(&briefing.text))
        });
        text.flatten()
            .map_or(ContextPiece::NONE, |text| ContextPiece::append(&*text))
    });

    ctx.on(OnSessionFinalize, move |end| {
        cache.take(session_of(end.old_session_id(), end.session_id()));
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "session-cache",
    description = "Gets what is costly once per session, and cleans up after it.",
    hooks = ["on_session_start", "pre_llm_call", "on_session_finalize"]
);
