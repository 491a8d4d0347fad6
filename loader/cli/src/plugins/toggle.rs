//! `hermes plugins` alone: a list of plugins to switch by number, for a person at a terminal.

use std::io::{self, IsTerminal};

use super::switch;
use crate::excerpt::safe;
use crate::inventory::{Installed, Inventory, Status};
use crate::invocation::Invocation;
use crate::problem::Exit;
use crate::screen::{DIM, GOOD, WARN, styled};

pub(super) fn run(to: &mut Invocation<'_>) -> anyhow::Result<Exit> {
    let program = to.program;
    if !io::stdin().is_terminal() {
        let text = format!(
            "Choosing plugins interactively needs a terminal. Use `{program} plugins list`, `enable NAME`, \
             `disable NAME`; all commands: `{program} plugins --help`."
        );
        to.screen.line(styled(DIM, &text))?;
        return Ok(Exit::Fine);
    }
    loop {
        let inventory = to.inventory();
        if inventory.plugins.is_empty() {
            to.screen.line("No plugins installed.")?;
            to.screen
                .hint(format!("Install with: {program} plugins install PATH"));
            return Ok(Exit::Fine);
        }
        show(to, &inventory)?;
        let Some(answer) = to
            .screen
            .ask_text("Number to switch, Enter to end: ", false)
        else {
            return Ok(Exit::Fine);
        };
        if matches!(answer.as_str(), "q" | "quit" | "exit") {
            return Ok(Exit::Fine);
        }
        let chosen = answer
            .parse::<usize>()
            .ok()
            .and_then(|number| inventory.plugins.get(number.checked_sub(1)?));
        match chosen {
            Some(plugin) => flip(to, plugin)?,
            None => to.screen.warning(
                &format!("`{answer}` is no number of the list"),
                Some(&format!(
                    "type a number from 1 to {}",
                    inventory.plugins.len()
                )),
            ),
        }
    }
}

fn show(to: &mut Invocation<'_>, inventory: &Inventory) -> io::Result<()> {
    for (number, plugin) in (1..).zip(&inventory.plugins) {
        let mark = match plugin.status {
            Status::Enabled => styled(GOOD, "✓"),
            Status::Disabled => styled(WARN, "⊘"),
            Status::NotEnabled => " ".to_owned(),
        };
        let version = safe(&plugin.version);
        let key = safe(&plugin.key);
        to.screen.line(format!(
            "{number:>3} {mark} {key} {version}  {}",
            styled(
                DIM,
                &format!("({}, {})", plugin.status.word(), plugin.source())
            )
        ))?;
    }
    Ok(())
}

fn flip(to: &mut Invocation<'_>, plugin: &Installed) -> anyhow::Result<()> {
    if plugin.status == Status::Enabled {
        switch::turn_off(to, plugin)?;
    } else {
        switch::turn_on(to, plugin, None)?;
    }
    Ok(())
}
