//! One plugin, written for people.

use hermes_loader::{HookReport, Liveness};

use super::View;
use crate::commands::rows;
use crate::excerpt::safe;
use crate::invocation::Invocation;
use crate::plugins::{check_words, firing, words};
use crate::screen::{BAD, BOLD, DIM, WARN, styled};
use crate::table::{Mood, Rows, plain};

impl View<'_> {
    pub(super) fn show(&self, to: &mut Invocation<'_>) -> anyhow::Result<()> {
        let plugin = self.plugin;
        to.screen.line(format!(
            "{} {}",
            styled(BOLD, &safe(&plugin.key)),
            safe(self.version())
        ))?;
        let guard = if self.guard() { ", a guard" } else { "" };
        let facts = [
            ("description", safe(&plugin.description)),
            (
                "state",
                format!(
                    "{}{guard} ({} in config.yaml)",
                    self.state(),
                    plugin.status.word()
                ),
            ),
            (
                "source",
                format!(
                    "{} {}",
                    plugin.source(),
                    safe(&plugin.dir.display().to_string())
                ),
            ),
        ];
        facts
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .try_for_each(|(name, text)| fact(to, name, text))?;
        if let Some(Ok(checked)) = &self.checked {
            let about = &checked.inspection.metadata;
            let target = about.target.as_deref().unwrap_or(std::env::consts::ARCH);
            let built = about.compiler.as_deref().unwrap_or(&about.language);
            fact(
                to,
                "library",
                &format!(
                    "{} (sha256 {})",
                    safe(&checked.path.display().to_string()),
                    checked.sha256
                ),
            )?;
            fact(
                to,
                "built",
                &format!(
                    "{} for {}, plugin ABI {}, catalogue {}",
                    safe(built),
                    safe(target),
                    about.abi,
                    about.catalogue
                ),
            )?;
            let all: Vec<_> = checked
                .file_checks
                .iter()
                .chain(&checked.inspection.checks)
                .map(check_words)
                .collect();
            let open: Vec<String> = all
                .iter()
                .filter_map(|(name, _, why)| Some(format!("{name} ({})", (*why)?)))
                .collect();
            let passed = all.len() - open.len();
            let open = if open.is_empty() {
                String::new()
            } else {
                format!("; not checked here: {}", open.join(", "))
            };
            fact(to, "checks", &format!("{passed} passed{open}"))?;
        }
        self.show_hooks(to)?;
        self.show_offers(to)?;
        if let Some(line) = self.line()
            && let Some(why) = &line.tools_off
        {
            fact(to, "tools off", &styled(WARN, &safe(why)))?;
        }
        for fault in self.faults() {
            fact(
                to,
                "fault",
                &styled(
                    BAD,
                    &format!("{} ({} times)", safe(&fault.to_string()), fault.count),
                ),
            )?;
        }
        if self.plugin.is_python() {
            to.screen
                .hint("Written in Python: only Hermes Agent loads it.");
        } else if let (None, None, Some((why, cure))) =
            (&self.host, self.refusal(), self.plugin.off())
        {
            to.screen.hint(format!("Not loaded: {}", safe(&why)));
            cure.into_iter()
                .for_each(|cure| to.screen.hint(format!("To load it: {}", safe(&cure))));
        }
        Ok(())
    }

    /// Its commands, tools and skills; a plugin that is inspected is loaded alone.
    fn show_offers(&self, to: &mut Invocation<'_>) -> anyhow::Result<()> {
        let Some(host) = &self.host else {
            return Ok(());
        };
        let mut table = Rows::new(["Offers", "Name", "About"]);
        for [kind, name, _, about] in rows(host, &self.commands(), to.program) {
            table.add([kind, name, about]);
        }
        if !table.is_empty() {
            table.show(to.screen)?;
        }
        Ok(())
    }

    fn show_hooks(&self, to: &mut Invocation<'_>) -> anyhow::Result<()> {
        if self.line().is_some() {
            let mut table = Rows::new([
                "Hook",
                "Fired here",
                "Priority",
                "Guard",
                "Fails closed",
                "Tools",
                "Budget",
            ]);
            self.hooks()
                .iter()
                .for_each(|hook| table.add(hook_cells(hook)));
            return if table.is_empty() {
                fact(to, "hooks", "none registered")
            } else {
                Ok(table.show(to.screen)?)
            };
        }
        let declared = self
            .metadata()
            .map_or(&[][..], |metadata| metadata.hooks.as_slice());
        if declared.is_empty() {
            return Ok(());
        }
        let named: Vec<String> = declared
            .iter()
            .map(|name| {
                let (words, advice) = firing(name);
                format!("{} ({})", safe(name), fired(words, advice))
            })
            .collect();
        fact(to, "hooks", &format!("declared: {}", named.join(", ")))
    }
}

fn hook_cells(hook: &HookReport) -> [(Mood, String); 7] {
    let mood = match hook.liveness {
        Liveness::Live => Mood::Good,
        _ => Mood::Warn,
    };
    let yes = |is: bool| plain(if is { "yes" } else { "" });
    let tools = hook
        .tools
        .as_ref()
        .map_or_else(|| "all".to_owned(), |tools| tools.join(", "));
    let budget = if hook.budget_ms == 0 {
        String::new()
    } else {
        format!("{} ms", hook.budget_ms)
    };
    [
        plain(&*hook.name),
        (
            mood,
            fired(words(hook.liveness, hook.suggestion), hook.advice()),
        ),
        plain(hook.priority.to_string()),
        yes(hook.guard),
        yes(hook.fails_closed),
        plain(tools),
        plain(budget),
    ]
}

/// Whether it is fired here, and if not, what to do.
fn fired(words: &str, advice: Option<String>) -> String {
    match advice {
        None => words.to_owned(),
        Some(advice) => format!("{words}: {}", safe(&advice)),
    }
}

fn fact(to: &mut Invocation<'_>, name: &str, text: &str) -> anyhow::Result<()> {
    to.screen
        .line(format!("  {} {text}", styled(DIM, &format!("{name:<12}"))))?;
    Ok(())
}
