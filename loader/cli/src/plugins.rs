//! `hermes plugins …`: which command does what.

mod check;
mod firing;
mod git;
mod inspect;
mod install;
mod list;
mod remove;
mod switch;
mod toggle;
mod update;

use hermes_loader::inspect::{Check, Outcome};

use crate::args::PluginsCommand;
use crate::doctor;
use crate::invocation::Invocation;
use crate::problem::Exit;

pub(crate) use self::firing::{declared, firing, words};
pub(crate) use self::install::{Enabling, Order, install};

pub(crate) fn run(
    to: &mut Invocation<'_>,
    command: Option<PluginsCommand>,
) -> anyhow::Result<Exit> {
    match command {
        None => toggle::run(to),
        Some(PluginsCommand::List(args)) => list::run(to, &args),
        Some(PluginsCommand::Inspect(args)) => inspect::run(to, &args),
        Some(PluginsCommand::Check(args)) => check::run(to, &args),
        Some(PluginsCommand::Install(args)) => install::run(to, &args),
        Some(PluginsCommand::Enable(args)) => switch::enable(to, &args),
        Some(PluginsCommand::Disable(args)) => switch::disable(to, &args),
        Some(PluginsCommand::Remove(args)) => remove::run(to, &args),
        Some(PluginsCommand::Update(args)) => update::run(to, &args),
        Some(PluginsCommand::Doctor(args)) => doctor::run(to, &args),
    }
}

/// A check as lists show it: its name, how it went, and why it was not made.
fn check_words(check: &Check) -> (&'static str, &'static str, Option<&'static str>) {
    match check.outcome {
        Outcome::Passed => (check.name, "passed", None),
        Outcome::NotCheckedHere(why) => (check.name, "not checked here", Some(why)),
        _ => (check.name, "unknown", None),
    }
}
