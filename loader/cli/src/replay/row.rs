//! One event of a replay as a row: who decided what.

use hermes_loader::{Decision, Outcome, Traced};
use serde::Serialize;
use serde_json::Value;

use super::player::Step;
use super::recording::Event;
use crate::excerpt::{difference, excerpt};
use crate::screen::Screen;
use crate::table::{Mood, Rows, plain};

/// How much of a message a row shows.
const LIMIT: usize = 120;

/// What is shown of an event.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// The event's line in the recording.
    pub(crate) line: usize,
    pub(crate) t_ms: Option<f64>,
    pub(crate) hook: String,
    pub(crate) tool: Option<String>,
    pub(crate) tool_call_id: Option<String>,
    pub(crate) decision: &'static str,
    pub(crate) by: Option<String>,
    /// The message, or what was changed; never the whole of what was there before.
    pub(crate) what: String,
    pub(crate) faults: Vec<String>,
    pub(crate) handlers: usize,
    pub(crate) ns: Option<u64>,
}

impl Row {
    /// The row of an event; none when nothing happened, unless all are wanted.
    pub(crate) fn of(event: &Event, step: &Step, all: bool) -> Option<Self> {
        let mut row = Self {
            line: event.line,
            t_ms: event.t_ms,
            hook: event.hook.clone(),
            tool: event.tool().map(str::to_owned),
            tool_call_id: event.call_id().map(str::to_owned),
            decision: "would not have run",
            by: None,
            what: "its call is blocked".to_owned(),
            faults: Vec::new(),
            handlers: 0,
            ns: None,
        };
        let Step::Fired(traced) = step else {
            return Some(row);
        };
        row.fill(event, traced);
        let happened = row.decision != "proceed" || !row.faults.is_empty();
        (all || happened).then_some(row)
    }

    fn fill(&mut self, event: &Event, traced: &Traced) {
        let outcome = &traced.outcome;
        self.handlers = traced.calls.len();
        self.ns = Some(u64::try_from(traced.total.as_nanos()).unwrap_or(u64::MAX));
        self.faults = faults(traced);
        self.decision = outcome.decision.word();
        self.by = outcome
            .decision
            .by()
            .map(str::to_owned)
            .or_else(|| speaker(outcome));
        self.what = what(event, &outcome.decision);
        if let Some(args) = &outcome.args {
            if matches!(outcome.decision, Decision::Proceed) {
                self.decision = "modify";
            }
            let args = excerpt(&Value::Object(args.clone()).to_string(), LIMIT);
            let gap = if self.what.is_empty() { "" } else { "; " };
            self.what.push_str(&format!("{gap}arguments now {args}"));
        }
        if self.what.is_empty() {
            self.what = self.faults.join(", ");
        }
    }
}

fn faults(traced: &Traced) -> Vec<String> {
    let faulted = traced
        .calls
        .iter()
        .filter_map(|call| Some((call, call.fault?)));
    faulted
        .map(|(call, kind)| format!("fault of {}: {}", call.plugin, kind.as_str()))
        .collect()
}

/// Who said something, for outcomes that have no single author.
fn speaker(outcome: &Outcome) -> Option<String> {
    let mut names: Vec<&str> = outcome.replies.iter().map(|reply| &*reply.plugin).collect();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The words of a decision; of another text, what is different in it.
fn what(event: &Event, decision: &Decision) -> String {
    match decision {
        Decision::Replace { text, .. } | Decision::Rewrite { text, .. } => changed(event, text),
        Decision::Block { message, .. } | Decision::Continue { message, .. } => {
            excerpt(message, LIMIT)
        }
        Decision::Approve {
            message, rule_key, ..
        } => {
            let key = rule_key
                .as_ref()
                .map(|key| format!(" [{key}]"))
                .unwrap_or_default();
            format!(
                "{}{key}",
                excerpt(message.as_deref().unwrap_or("asks a person"), LIMIT)
            )
        }
        Decision::Context { text } => format!("adds: {}", excerpt(text, LIMIT)),
        Decision::Skip { reason, .. } | Decision::Cancel { reason, .. } => {
            excerpt(reason.as_deref().unwrap_or_default(), LIMIT)
        }
        _ => String::new(),
    }
}

/// The text that an event is about.
pub(crate) fn original(event: &Event) -> Option<&str> {
    ["result", "output", "response_text", "text", "content"]
        .iter()
        .find_map(|name| event.kwargs.get(*name)?.as_str())
}

fn changed(event: &Event, text: &str) -> String {
    match original(event) {
        Some(before) if before == text => "the same text".to_owned(),
        Some(before) => format!("now {}", difference(before, text, LIMIT).1),
        None => format!("now {}", excerpt(text, LIMIT)),
    }
}

/// Writes the rows as a table.
pub(crate) fn show(screen: &mut Screen, rows: &[Row]) -> std::io::Result<()> {
    let mut table = Rows::new(["#", "Hook", "Tool", "Decision", "By", "What"]);
    for row in rows {
        let mood = match row.decision {
            "block" | "skip" | "cancel" => Mood::Bad,
            "approve" => Mood::Warn,
            "would not have run" | "proceed" => Mood::Dim,
            _ => Mood::Good,
        };
        let decision = if row.faults.is_empty() {
            (mood, row.decision.to_owned())
        } else {
            (Mood::Bad, format!("{}, fault", row.decision))
        };
        table.add([
            plain(row.line.to_string()),
            plain(&*row.hook),
            plain(row.tool.clone().unwrap_or_default()),
            decision,
            plain(row.by.clone().unwrap_or_default()),
            plain(&*row.what),
        ]);
    }
    if table.is_empty() {
        Ok(())
    } else {
        table.show(screen)
    }
}
