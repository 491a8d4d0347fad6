//! `hermes plugins …`: which command does what.

mod check;
mod inspect;
mod install;
mod list;
mod remove;
mod switch;

use hermes_loader::inspect::{Check, Outcome};

use crate::args::PluginsCommand;
use crate::doctor;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{DIM, styled};

pub(crate) use self::install::{Enabling, Order, install};

pub(crate) fn run(
    to: &mut Invocation<'_>,
    command: Option<PluginsCommand>,
) -> anyhow::Result<Exit> {
    match command {
        None => alone(to),
        Some(PluginsCommand::List(args)) => list::run(to, &args),
        Some(PluginsCommand::Inspect(args)) => inspect::run(to, &args),
        Some(PluginsCommand::Check(args)) => check::run(to, &args),
        Some(PluginsCommand::Install(args)) => install::run(to, &args),
        Some(PluginsCommand::Enable(args)) => switch::enable(to, &args.name),
        Some(PluginsCommand::Disable(args)) => switch::disable(to, &args.name),
        Some(PluginsCommand::Remove(args)) => remove::run(to, &args),
        Some(PluginsCommand::Update(args)) => update(to, &args.name),
        Some(PluginsCommand::Doctor(args)) => doctor::run(to, &args),
    }
}

/// Hermes Agent lets one choose here, which needs a terminal.
fn alone(to: &mut Invocation<'_>) -> anyhow::Result<Exit> {
    let program = to.program;
    let text = format!(
        "Choosing plugins interactively needs a terminal and Hermes Agent. Use `{program} plugins list`, \
         `enable NAME`, `disable NAME`; all commands: `{program} plugins --help`."
    );
    to.screen.line(styled(DIM, &text))?;
    Ok(Exit::Fine)
}

/// This program installs nothing from git, so there is nothing it could update.
fn update(to: &mut Invocation<'_>, name: &str) -> anyhow::Result<Exit> {
    let inventory = to.inventory();
    let plugin = inventory.resolve(name, &to.home)?;
    let key = &plugin.key;
    if plugin.source() == "git" {
        let dir = plugin.dir.display();
        return Err(Problem::new(format!(
            "plugin `{key}` is a git checkout, which this program does not update"
        ))
        .cure(format!("git -C {dir} pull, then build it"))
        .into());
    }
    Err(Problem::new(format!(
        "Plugin '{key}' was not installed from git. Cannot update."
    ))
    .cure(format!(
        "to replace it: {} plugins install PATH --force",
        to.program
    ))
    .into())
}

/// A check as lists show it: its name, how it went, and why it was not made.
fn check_words(check: &Check) -> (&'static str, &'static str, Option<&'static str>) {
    match check.outcome {
        Outcome::Passed => (check.name, "passed", None),
        Outcome::NotCheckedHere(why) => (check.name, "not checked here", Some(why)),
        _ => (check.name, "unknown", None),
    }
}
