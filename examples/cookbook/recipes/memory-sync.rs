//! Stores each exchange, so that another program can learn from it.
//!
//! **Hook**: `post_llm_call`, which comes once per turn with what the user said and what was delivered, after
//! all transforms; not for turns that were interrupted or came to nothing.
//!
//! **Why**: to feed a memory (an index, a database, a person) without being in the way of the answer.
//! `recall` is the other direction.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `exchanges.jsonl` of the plugin's data
//! directory.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     memory-sync:
//!       config:
//!         platforms: [telegram]      # only from there; all when empty
//!         max_chars: 8000            # of each side
//!         max_file_bytes: 52428800
//! ```

use hermes_cookbook::{Journal, cut, message_text};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    platforms: Vec<String>,
    max_chars: usize,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            platforms: Vec::new(),
            max_chars: 8000,
            max_file_bytes: 50 << 20,
        }
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let journal = Journal::new(&ctx.data_dir()?, "exchanges", config.max_file_bytes);
    ctx.on(PostLlmCall, move |turn| {
        let from_here = |platform: &str| config.platforms.iter().any(|wanted| wanted == platform);
        if !config.platforms.is_empty() && !turn.platform().is_some_and(from_here) {
            return Ok(());
        }
        // A picture without a word is an exchange too.
        let message = message_text(&turn.user_message()).unwrap_or_default();
        let (user, user_whole) = cut(&message, config.max_chars);
        let (assistant, assistant_whole) = cut(turn.assistant_response(), config.max_chars);
        journal.append(&json!({
            "session_id": turn.session_id(),
            "turn_id": turn.turn_id(),
            "platform": turn.platform(),
            "model": turn.model(),
            "user": user,
            "assistant": assistant,
            "whole": user_whole && assistant_whole,
        }))
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "memory-sync",
    description = "Stores each exchange for another program.",
    role = "observer",
    hooks = ["post_llm_call"]
);
