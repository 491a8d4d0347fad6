//! `hermes hooks …`: which command does what.

mod catalogue;
mod fire;
mod synthetic;

use hermes_loader::{Liveness, advice, liveness};

use crate::args::HooksCommand;
use crate::invocation::Invocation;
use crate::problem::Exit;

pub(crate) fn run(to: &mut Invocation<'_>, command: HooksCommand) -> anyhow::Result<Exit> {
    match command {
        HooksCommand::Fire(args) => fire::run(to, &args),
        HooksCommand::Catalogue(args) => catalogue::run(to, &args),
    }
}

/// Says that nobody fires this hook, and which one was probably meant.
fn warn_unknown(to: &mut Invocation<'_>, hook: &str) {
    if let (Liveness::Unknown | Liveness::Gateway, Some(cure)) = (liveness(hook).0, advice(hook)) {
        to.screen.warning(&format!("`{hook}` is not in the catalogue; it is fired all the same, for plugins that registered it"), Some(&cure));
    }
}
