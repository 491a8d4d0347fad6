//! What the demo claims, checked while it plays.

use hermes_loader::{Decision, Outcome};

use super::audit::Log;
use crate::excerpt::{count, difference, excerpt, safe};
use crate::replay::{Event, Step};
use crate::screen::{BAD, GOOD, Screen, styled};

/// How many lines of masked text are shown.
const MOST_MASKS: usize = 6;

/// Claims, and whether they came true.
pub(super) struct Proof<'s> {
    secrets: &'s [String],
    /// The command, and what was said to it.
    blocked: Vec<(String, String)>,
    masks: Vec<(String, String)>,
    /// Secrets in what is handed on to the model.
    leaks: usize,
    calls: usize,
    log: Option<(usize, usize)>,
}

impl<'s> Proof<'s> {
    pub(super) fn new(secrets: &'s [String]) -> Self {
        Self {
            secrets,
            blocked: Vec::new(),
            masks: Vec::new(),
            leaks: 0,
            calls: 0,
            log: None,
        }
    }

    pub(super) fn look_at(&mut self, event: &Event, step: &Step) {
        self.calls += usize::from(event.hook == "pre_tool_call");
        let Step::Fired(traced) = step else { return };
        self.block(event, &traced.outcome);
        self.mask(event, &traced.outcome);
    }

    fn block(&mut self, event: &Event, outcome: &Outcome) {
        if let Decision::Block { message, .. } = &outcome.decision {
            let command = event
                .kwargs
                .get("args")
                .and_then(|args| args.get("command")?.as_str());
            self.blocked
                .push((command.unwrap_or_default().to_owned(), message.clone()));
        }
    }

    fn mask(&mut self, event: &Event, outcome: &Outcome) {
        let transforms = matches!(
            event.hook.as_str(),
            "transform_tool_result" | "transform_terminal_output" | "transform_llm_output"
        );
        let Some(before) = crate::replay::original(event).filter(|_| transforms) else {
            return;
        };
        let after = match &outcome.decision {
            Decision::Replace { text, .. } => text.as_str(),
            _ => before,
        };
        self.leaks += self
            .secrets
            .iter()
            .filter(|secret| after.contains(secret.as_str()))
            .count();
        let lines = before
            .lines()
            .zip(after.lines())
            .filter(|(before, after)| before != after);
        self.masks
            .extend(lines.map(|(before, after)| difference(before, after, 60)));
    }

    pub(super) fn audited(&mut self, log: &Log) {
        self.log = Some((log.records, log.calls));
    }

    /// Lines before and after; what was masked is only hinted at.
    pub(super) fn show_masks(&self, screen: &mut Screen) -> std::io::Result<()> {
        for (before, after) in self.masks.iter().take(MOST_MASKS) {
            screen.line(format!("  {} {before}", styled(BAD, "-")))?;
            screen.line(format!("  {} {after}", styled(GOOD, "+")))?;
        }
        let more = self.masks.len().saturating_sub(MOST_MASKS);
        if more > 0 {
            screen.line(format!("  and {} more", count(more, "line")))?;
        }
        if self.masks.is_empty() {
            screen.line("  nothing was masked")
        } else {
            Ok(())
        }
    }

    /// Writes the claims; true when all came true.
    pub(super) fn show(&self, screen: &mut Screen) -> std::io::Result<bool> {
        let blocked = |words: &[&str]| {
            self.blocked
                .iter()
                .find(|(command, _)| words.iter().all(|word| command.contains(word)))
        };
        let mut all = true;
        for (name, words) in [
            ("rm -rf", &["rm", "-rf"][..]),
            ("a forced push", &["push", "--force"][..]),
        ] {
            let found = blocked(words);
            let told = found.map_or_else(String::new, |(command, message)| {
                format!(": `{}`: {}", safe(command), excerpt(message, 160))
            });
            all &= claim(screen, found.is_some(), &format!("{name} is blocked{told}"))?;
        }
        let masked = !self.masks.is_empty() && self.leaks == 0;
        all &= claim(
            screen,
            masked,
            &format!(
                "no secret of the .env reaches the model ({} masked)",
                count(self.masks.len(), "line")
            ),
        )?;
        let (records, calls) = self.log.unwrap_or_default();
        let audited = calls == self.calls;
        all &= claim(
            screen,
            audited,
            &format!(
                "{calls} of {} are in the audit log, and its {records} records are one whole chain",
                count(self.calls, "tool call")
            ),
        )?;
        Ok(all)
    }
}

fn claim(screen: &mut Screen, is_true: bool, text: &str) -> std::io::Result<bool> {
    let mark = if is_true {
        styled(GOOD, "✓")
    } else {
        styled(BAD, "✗")
    };
    screen.line(format!("  {mark} {text}"))?;
    Ok(is_true)
}
