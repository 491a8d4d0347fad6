//! Listens in groups without answering, and turns what was said into one prompt when it is mentioned.
//!
//! **Hook**: `pre_gateway_dispatch`. Messages of a group are kept and skipped; the one that mentions the agent
//! is rewritten, so that the model reads the conversation before the question.
//!
//! **Why**: an agent that answers every line of a group is a nuisance, and one that has not listened asks what
//! was just said.
//!
//! **Switch on**: `hermes plugins install … --enable`. Direct messages and commands go through as they are.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     ambient-buffer:
//!       config:
//!         names: ["@hermes"]    # what counts as a mention, whatever its case
//!         max_messages: 50      # kept per chat; the oldest go first
//!         max_chars: 8000       # kept per chat
//!         chats: 200            # remembered at a time
//! ```

use std::collections::VecDeque;

use hermes_cookbook::{Sessions, cut};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    names: Vec<String>,
    max_messages: usize,
    max_chars: usize,
    chats: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            names: vec!["@hermes".to_owned()],
            max_messages: 50,
            max_chars: 8000,
            chats: 200,
        }
    }
}

/// What was said since the last mention.
#[derive(Default)]
struct Buffer {
    lines: VecDeque<String>,
    chars: usize,
}

impl Buffer {
    fn keep(&mut self, line: &str, config: &Config) {
        let (line, _) = cut(line, config.max_chars);
        self.chars += line.chars().count();
        self.lines.push_back(line.to_owned());
        while self.lines.len() > config.max_messages || self.chars > config.max_chars {
            let Some(oldest) = self.lines.pop_front() else {
                break;
            };
            self.chars -= oldest.chars().count();
        }
    }
}

/// Whether a text contains a name as a word of its own, whatever its case.
fn mentions(text: &str, names: &[String]) -> bool {
    let text = text.to_lowercase();
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    names.iter().filter(|name| !name.is_empty()).any(|name| {
        text.match_indices(name.as_str()).any(|(at, name)| {
            let (before, after) = (text.get(..at), text.get(at + name.len()..));
            !before.is_some_and(|before| before.ends_with(part_of_word))
                && !after.is_some_and(|after| after.starts_with(part_of_word))
        })
    })
}

/// Where it was said: threads of a chat are conversations of their own.
fn place(source: TreeRef<'_>) -> Option<String> {
    let chat = source.get("chat_id").as_id()?;
    let platform = source.str("platform").unwrap_or_default();
    let thread = source.str("thread_id").unwrap_or_default();
    Some(format!("{platform}\n{chat}\n{thread}"))
}

fn listen(
    message: PreGatewayDispatchView<'_>,
    buffers: &Sessions<Buffer>,
    config: &Config,
) -> Flow {
    let event = message.event();
    let source = event.tree("source").unwrap_or(TreeRef::EMPTY);
    let text = event.str("text").unwrap_or_default();
    let kind = event.str("message_type").unwrap_or("text");
    let group = source
        .str("chat_type")
        .is_some_and(|chat| matches!(chat, "group" | "channel" | "thread"));
    let command = kind == "command" || text.starts_with('/');
    let (true, false, Some(place)) = (group, command, place(source)) else {
        return Flow::Pass;
    };
    let who = ["user_name", "user_id"]
        .into_iter()
        .find_map(|name| source.get(name).as_id())
        .unwrap_or("somebody");
    let said = if text.is_empty() {
        format!("[{kind}]")
    } else {
        text.to_owned()
    };
    let line = format!("{who}: {said}");
    if !mentions(text, &config.names) {
        buffers.with(Some(&place), Buffer::default, |buffer| {
            buffer.keep(&line, config)
        });
        return Flow::Skip {
            reason: Some("kept until somebody mentions the agent".to_owned()),
        };
    }
    // Taken as a whole: of two mentions at once, one gets what was said, and none of it comes twice.
    let said_before = buffers
        .take(Some(&place))
        .map(|buffer| Vec::from(buffer.lines));
    match said_before.filter(|lines| !lines.is_empty()) {
        None => Flow::Pass,
        Some(lines) => Flow::Rewrite {
            text: format!(
                "Said in this chat before:\n{}\n\nNow to you:\n{line}",
                lines.join("\n")
            ),
        },
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let mut config: Config = ctx.config()?;
    for name in &mut config.names {
        *name = name.trim().to_lowercase();
    }
    let buffers = Sessions::new(config.chats);
    ctx.on(PreGatewayDispatch, move |message| {
        listen(message, &buffers, &config)
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "ambient-buffer",
    description =
        "Listens in groups, and turns what was said into one prompt when the agent is mentioned.",
    hooks = ["pre_gateway_dispatch"]
);
