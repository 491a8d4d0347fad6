//! What a replay came to, and what it cost.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_loader::{Decision, Liveness, liveness};
use serde_json::{Value, json};

use super::player::Step;
use super::recording::Event;
use crate::excerpt::{count, duration};
use crate::problem::Exit;
use crate::screen::Screen;
use crate::table::{Mood, Rows, plain};

/// Everything that is counted.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) events: usize,
    withheld: usize,
    pub(crate) handlers: usize,
    pub(crate) blocks: usize,
    approvals: usize,
    pub(crate) replacements: usize,
    modified: usize,
    faults: usize,
    pub(super) bad_lines: usize,
    hooks: BTreeMap<String, Hook>,
}

#[derive(Debug, Default)]
struct Hook {
    fired: usize,
    handlers: usize,
    took: Vec<Duration>,
}

impl Hook {
    /// The median and the greatest time of the events that had handlers.
    fn cost(&self) -> Option<(Duration, Duration)> {
        let mut took = self.took.clone();
        took.sort_unstable();
        Some((*took.get(took.len() / 2)?, *took.last()?))
    }
}

impl Summary {
    pub(crate) fn add(&mut self, event: &Event, step: &Step) {
        self.events += 1;
        let hook = self.hooks.entry(event.hook.clone()).or_default();
        let Step::Fired(traced) = step else {
            self.withheld += 1;
            return;
        };
        hook.fired += 1;
        hook.handlers += traced.calls.len();
        if !traced.calls.is_empty() {
            hook.took.push(traced.total);
        }
        self.handlers += traced.calls.len();
        self.faults += traced
            .calls
            .iter()
            .filter(|call| call.fault.is_some())
            .count();
        self.blocks += usize::from(traced.outcome.is_refused());
        self.modified += usize::from(traced.outcome.args.is_some());
        match traced.outcome.decision {
            Decision::Approve { .. } => self.approvals += 1,
            Decision::Replace { .. } | Decision::Rewrite { .. } => self.replacements += 1,
            _ => {}
        }
    }

    /// Bad lines and faults are problems; blocks are what guards are for.
    pub(crate) fn exit(&self) -> Exit {
        Exit::problem_if(self.bad_lines > 0 || self.faults > 0)
    }

    /// Names that nothing fires, with how often they came.
    fn unknown(&self) -> impl Iterator<Item = (&String, &Hook)> {
        self.hooks
            .iter()
            .filter(|(name, _)| liveness(name).0 == Liveness::Unknown)
    }

    pub(super) fn value(&self) -> Value {
        let ns = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let hooks: serde_json::Map<String, Value> = self
            .hooks
            .iter()
            .map(|(name, hook)| {
                let cost = hook.cost();
                let value = json!({
                    "events": hook.fired, "handlers": hook.handlers,
                    "median_ns": cost.map(|(median, _)| ns(median)), "max_ns": cost.map(|(_, max)| ns(max)),
                });
                (name.clone(), value)
            })
            .collect();
        let unknown: Vec<&String> = self.unknown().map(|(name, _)| name).collect();
        json!({
            "events": self.events, "withheld": self.withheld, "handlers": self.handlers, "blocks": self.blocks,
            "approvals": self.approvals, "replacements": self.replacements, "modified": self.modified,
            "faults": self.faults, "bad_lines": self.bad_lines, "unknown_hooks": unknown, "hooks": hooks,
        })
    }

    pub(crate) fn show(&self, screen: &mut Screen) -> std::io::Result<()> {
        self.show_costs(screen)?;
        let counted = |number: usize, thing: &str| (number > 0).then(|| count(number, thing));
        let parts = [
            Some(count(self.events, "event")),
            Some(format!("{} called", count(self.handlers, "handler"))),
            Some(count(self.blocks, "block")),
            counted(self.approvals, "approval"),
            Some(count(self.replacements, "replacement")),
            counted(self.modified, "change").map(|text| format!("{text} of arguments")),
            counted(self.withheld, "event")
                .map(|text| format!("{text} that would not have come about")),
            Some(count(self.faults, "fault")),
            counted(self.bad_lines, "bad line"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        screen.line(parts.join(", "))?;
        for (name, hook) in self.unknown() {
            let text = format!(
                "`{name}` ({}) is not in the catalogue",
                count(hook.fired, "event")
            );
            let cure = liveness(name)
                .1
                .map(|meant| format!("did you mean `{meant}`?"));
            screen.warning(&text, cure.as_deref());
        }
        Ok(())
    }

    pub(crate) fn show_costs(&self, screen: &mut Screen) -> std::io::Result<()> {
        let mut table = Rows::new(["Hook", "Events", "Handlers called", "Median", "Longest"]);
        for (name, hook) in &self.hooks {
            let cost = |pick: fn((Duration, Duration)) -> Duration| {
                hook.cost()
                    .map(|cost| duration(pick(cost)))
                    .unwrap_or_default()
            };
            let mood = if hook.handlers > 0 {
                Mood::Plain
            } else {
                Mood::Dim
            };
            table.add([
                (mood, name.clone()),
                plain(hook.fired.to_string()),
                plain(hook.handlers.to_string()),
                plain(cost(|(median, _)| median)),
                plain(cost(|(_, longest)| longest)),
            ]);
        }
        if table.is_empty() {
            Ok(())
        } else {
            table.show(screen)
        }
    }
}
