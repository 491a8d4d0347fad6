//! Finds the hook that was probably meant by a name that is none.

use hermes_plugin_api::catalogue::{self, Hook};

use super::liveness::is_fired;

/// Names this alike differ by a slip of the finger. Below it letters say little: `on_cron_start` shares
/// three quarters of its letters with `on_session_start`.
const SLIP: f64 = 0.85;

/// The most characters of a name that are looked at.
const LONGEST: usize = 64;

/// The hook that was probably meant, if any was: a slip of the finger, else the same thing in other words.
///
/// # Examples
///
/// ```
/// use hermes_loader::suggest;
/// assert_eq!(suggest("pre_tool_cal"), Some("pre_tool_call"));
/// assert_eq!(suggest("on_subagent_spawn"), Some("subagent_start"));
/// assert_eq!(suggest("on_cron_start"), None);
/// ```
#[must_use]
pub fn suggest(name: &str) -> Option<&'static str> {
    let hooks = || catalogue::all().filter(|hook| is_fired(hook));
    let letters = hooks().map(|hook| (similarity(name, hook.name), hook));
    let words = Words::of(name);
    best(letters.filter(|(ratio, _)| *ratio >= SLIP)).or_else(|| {
        best(hooks().filter_map(|hook| Some((words.likeness(&Words::of(hook.name))?, hook))))
    })
}

/// The first of those with the highest rating.
fn best(rated: impl Iterator<Item = (f64, &'static Hook)>) -> Option<&'static str> {
    let higher =
        |best: Option<(f64, &'static str)>, (rating, hook): (f64, &'static Hook)| match best {
            Some((known, _)) if known >= rating => best,
            _ => Some((rating, hook.name)),
        };
    rated.fold(None, higher).map(|(_, name)| name)
}

/// A name taken apart: what it is about, and which moment of it.
struct Words {
    /// Neither a moment nor a filler, in alphabetical order.
    about: Vec<String>,
    moments: Vec<Moment>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    After,
    Begin,
    End,
    Reset,
}

impl Words {
    /// Words are parted by anything that is no letter, and by capitals (`PreToolUse`).
    fn of(name: &str) -> Self {
        let mut words = Self {
            about: Vec::new(),
            moments: Vec::new(),
        };
        let mut word = String::new();
        for c in name.chars().take(LONGEST).chain(['_']) {
            if (!c.is_alphanumeric() || c.is_uppercase()) && !word.is_empty() {
                words.take(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        }
        words.about.sort();
        words
    }

    fn take(&mut self, word: String) {
        let moment = match word.as_str() {
            "on" | "hermes" | "hook" | "event" => return,
            "pre" | "before" => Moment::Before,
            "post" | "after" => Moment::After,
            "start" | "started" | "begin" | "spawn" | "spawned" | "create" | "created"
            | "launch" | "open" => Moment::Begin,
            "stop" | "stopped" | "end" | "ended" | "finish" | "finished" | "complete"
            | "completed" | "done" | "exit" | "close" | "closed" => Moment::End,
            "reset" | "clear" | "new" => Moment::Reset,
            _ => {
                self.about.push(if word == "use" {
                    "call".to_owned()
                } else {
                    word
                });
                return;
            }
        };
        self.moments.push(moment);
    }

    /// How alike two names are that are about the same thing; `None` when they are not.
    fn likeness(&self, hook: &Self) -> Option<f64> {
        if self.about.is_empty() || self.about != hook.about {
            return None;
        }
        let shared = self
            .moments
            .iter()
            .filter(|moment| hook.moments.contains(moment))
            .count();
        Some(shared as f64)
    }
}

/// Twice the matching characters over all characters, matches being taken longest block first: the
/// ratio that Hermes' own suggestions go by.
fn similarity(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.chars().take(LONGEST).collect(),
        b.chars().take(LONGEST).collect(),
    );
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    2.0 * matching(&a, &b) as f64 / (a.len() + b.len()) as f64
}

fn matching(a: &[char], b: &[char]) -> usize {
    let mut best = (0, 0, 0);
    for i in 0..a.len() {
        for j in 0..b.len() {
            let length = a[i..]
                .iter()
                .zip(&b[j..])
                .take_while(|(x, y)| x == y)
                .count();
            if length > best.2 {
                best = (i, j, length);
            }
        }
    }
    let (i, j, length) = best;
    if length == 0 {
        return 0;
    }
    length + matching(&a[..i], &b[..j]) + matching(&a[i + length..], &b[j + length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_other_words_get_a_suggestion() {
        for (name, meant) in [
            ("pre_tool_cal", Some("pre_tool_call")),
            ("pre_tool_calls", Some("pre_tool_call")),
            ("on_session_started", Some("on_session_start")),
            ("middleware:tool_reqest", Some("middleware:tool_request")),
            ("session_begin", Some("on_session_start")),
            ("on_subagent_spawn", Some("subagent_start")),
            ("on_subagent_done", Some("subagent_stop")),
            ("PreToolUse", Some("pre_tool_call")),
            ("PostToolUse", Some("post_tool_call")),
            ("after_llm_call", Some("post_llm_call")),
            ("session_new", Some("on_session_reset")),
            ("on_cron_start", None),
            ("on_start", None),
            ("foo", None),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(suggest(name), meant, "{name}");
        }
    }
}
