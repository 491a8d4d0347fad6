//! Reminds the model of standing rules with every message of the user.
//!
//! **Hook**: `pre_llm_call`. The rules stand at the end of the user's message, where models heed them most,
//! and nothing of them is stored: a rule that is taken out of the configuration is gone with the next turn,
//! and the system prompt stays the same, so its cache does too.
//!
//! **Why**: for what the model should keep in mind. What it must not be *able* to do is a guard's business
//! (`pre_tool_call`), since a model may forget what it was told.
//!
//! **Switch on**: `hermes plugins install … --enable`.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     guardrail-context:
//!       config:
//!         rules: [Never print secrets., Ask before you delete anything.]
//!         platforms:                       # more rules, only there
//!           telegram: [Answer in at most three sentences.]
//!         first_turn_only: false
//! ```

use std::collections::BTreeMap;

use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    rules: Vec<String>,
    platforms: BTreeMap<String, Vec<String>>,
    first_turn_only: bool,
}

impl Default for Config {
    fn default() -> Self {
        let rules = [
            "Never print passwords, keys or tokens; name where they are instead.",
            "Ask before you delete or overwrite what you did not make yourself.",
            "Say so when you are not sure.",
        ];
        Self {
            rules: rules.map(str::to_owned).to_vec(),
            platforms: BTreeMap::new(),
            first_turn_only: false,
        }
    }
}

/// The rules as one text; none when there are none.
fn reminder<'r>(rules: impl Iterator<Item = &'r String>) -> Option<String> {
    let lines: Vec<String> = rules
        .map(|rule| rule.trim())
        .filter(|rule| !rule.is_empty())
        .map(|rule| format!("- {rule}"))
        .collect();
    (!lines.is_empty()).then(|| format!("Standing rules:\n{}", lines.join("\n")))
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    // Written once: a turn only looks the text up.
    let general = reminder(config.rules.iter());
    let platforms: BTreeMap<String, Option<String>> = config
        .platforms
        .iter()
        .map(|(platform, more)| (platform.clone(), reminder(config.rules.iter().chain(more))))
        .collect();
    ctx.on(PreLlmCall, move |turn| {
        if config.first_turn_only && !turn.is_first_turn() {
            return ContextPiece::NONE;
        }
        let text = turn
            .platform()
            .and_then(|platform| platforms.get(platform))
            .unwrap_or(&general);
        text.as_ref()
            .map_or(ContextPiece::NONE, ContextPiece::append)
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "guardrail-context",
    description = "Adds standing rules to every message of the user.",
    hooks = ["pre_llm_call"]
);
