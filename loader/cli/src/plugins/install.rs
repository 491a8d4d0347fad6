//! `hermes plugins install`: fetches a plugin, checks it, then puts it into the home.

mod archive;
mod copy;
mod fetch;
mod identifier;
mod needs;
mod origin;
mod place;

use std::path::Path;

use serde_json::json;

use crate::args::InstallArgs;
use crate::excerpt::safe;
use crate::inventory::Status;
use crate::invocation::{Invocation, absolute};
use crate::problem::{Exit, Problem};
use crate::screen::{GOOD, styled};

pub(super) use self::copy::{examples, file as copy_file, settle as settle_checkout};
use self::fetch::Fetched;
use self::identifier::Identifier;
pub(super) use self::identifier::shown;
pub(super) use self::origin::Origin;
pub(super) use self::place::Stage;
use super::switch;

/// Whether the file is called as an archive that can be installed.
pub(super) fn is_archive(path: &Path) -> bool {
    archive::stem(path).is_some()
}

/// Whether the plugin is to be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enabling {
    Yes,
    No,
    /// Ask, if there is somebody to ask.
    Ask,
}

/// What is to be installed, and how.
#[derive(Debug)]
pub(crate) struct Order<'a> {
    /// A path, or a place in a git repository.
    pub(crate) what: &'a str,
    pub(crate) force: bool,
    pub(crate) enabling: Enabling,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &InstallArgs) -> anyhow::Result<Exit> {
    let enabling = match (args.enable, args.no_enable) {
        (true, _) => Enabling::Yes,
        (_, true) => Enabling::No,
        _ => Enabling::Ask,
    };
    to.screen.only_json(args.json);
    install(
        to,
        &Order {
            what: &args.identifier,
            force: args.force,
            enabling,
        },
    )?;
    Ok(Exit::Fine)
}

/// Installs a plugin: every check first, then a copy beside its place, then one rename.
pub(crate) fn install(to: &mut Invocation<'_>, order: &Order<'_>) -> anyhow::Result<()> {
    let identifier = Identifier::parse(order.what, Path::exists)?;
    // What lies there unpacked is looked at before anything is made in the home.
    let early = match &identifier {
        Identifier::Path(path) if archive::stem(path).is_none() || path.is_dir() => {
            Some(Origin::check(&absolute(path))?)
        }
        Identifier::Path(path) if !path.exists() => {
            return Err(origin::missing(&absolute(path)).into());
        }
        _ => None,
    };
    if let Some(origin) = &early {
        expect_free(to, origin.name(), order)?;
    }
    let plugins = to.home.plugins_dir();
    let mut stage = Stage::beside(&plugins)?;
    let fetched = match &identifier {
        Identifier::Path(path) if early.is_some() => Fetched::in_place(absolute(path)),
        Identifier::Path(path) => Fetched::unpacked(&absolute(path), &stage)?,
        Identifier::Git(repository) => {
            if let Some(warning) = repository.warning {
                to.screen.warning(warning, None);
            }
            to.screen
                .hint(format!("Cloning {} …", safe(&repository.shown())));
            Fetched::cloned(repository, &stage)?
        }
    };
    let origin = match early {
        Some(origin) => origin,
        None => Origin::check(&fetched.path).map_err(|problem| fetched.told(problem))?,
    };
    let name = origin.name().to_owned();
    let target = expect_free(to, &name, order)?;
    let dir = stage.dir(&name)?.to_owned();
    let made = fetched
        .fill(&origin, &dir)
        .map_err(|problem| fetched.told(problem))?;
    // Between the check and the copy the origin may have changed; what counts is the copy.
    origin
        .check_copy(&dir)
        .map_err(|problem| fetched.told(problem))?;
    let replaced = stage.put(&target)?;
    tracing::info!(plugin = name, from = fetched.shown, replaced, "installed");

    let done = if replaced { "replaced" } else { "installed" };
    let version = safe(origin.version());
    to.screen.line(format!(
        "{} Plugin {} {version} {done} in {}.",
        styled(GOOD, "✓"),
        safe(&name),
        safe(&target.display().to_string())
    ))?;
    for file in &made {
        to.screen.hint(format!(
            "  made {} from {}.example: look through it",
            safe(file),
            safe(file)
        ));
    }
    if origin.is_python() {
        to.screen
            .hint("  It is written in Python: Hermes Agent loads it, this program does not.");
    }
    let missing = needs::settle(to, origin.needs());
    let enabled = enable(to, &name, order.enabling)?;
    if to.screen.is_json() {
        to.screen.json(&json!({
            "action": done, "name": name, "version": origin.version(), "dir": target, "from": fetched.shown,
            "enabled": enabled, "made": made, "missing_env": missing,
        }))?;
    }
    Ok(())
}

/// Where the plugin is to be, if nothing is there that must stay.
fn expect_free(
    to: &Invocation<'_>,
    name: &str,
    order: &Order<'_>,
) -> Result<std::path::PathBuf, Problem> {
    let target = to.home.plugins_dir().join(name);
    if target.symlink_metadata().is_err() || order.force {
        return Ok(target);
    }
    Err(Problem::new(format!(
        "plugin `{name}` is installed already, in {}; nothing is changed",
        target.display()
    ))
    .cure(format!(
        "to replace it: {} plugins install {} --force",
        to.program, order.what
    )))
}

/// Switches the plugin on if that is wanted; says whether it is on now.
fn enable(to: &mut Invocation<'_>, name: &str, enabling: Enabling) -> anyhow::Result<bool> {
    let inventory = to.inventory();
    let Some(plugin) = inventory
        .plugins
        .iter()
        .find(|plugin| plugin.dir == to.home.plugins_dir().join(name))
    else {
        to.screen.warning(
            &format!(
                "plugin `{name}` is installed, but another one with this name comes before it"
            ),
            Some("see `hermes doctor`"),
        );
        return Ok(false);
    };
    let key = plugin.key.clone();
    if plugin.status == Status::Enabled && enabling != Enabling::No {
        to.screen
            .hint("  It is enabled. Takes effect on next session.");
    } else if enabling == Enabling::Yes
        || enabling == Enabling::Ask && to.screen.ask(&format!("Enable {} now?", safe(name)))
    {
        switch::switch_on(to, &key, name).map_err(|error| {
            let problem = error.downcast_ref::<Problem>();
            let cure = problem.and_then(Problem::hint).map(str::to_owned);
            Problem::new(format!(
                "plugin `{name}` is installed, but not enabled: {error}"
            ))
            .perhaps(cure)
        })?;
        to.screen.line(format!(
            "{} Plugin {} enabled. Takes effect on next session.",
            styled(GOOD, "✓"),
            safe(&key)
        ))?;
    } else {
        to.screen.hint(format!(
            "  It is not enabled: {} plugins enable {}",
            to.program,
            safe(&key)
        ));
        return Ok(plugin.status == Status::Enabled);
    }
    let inventory = to.inventory();
    let doubt = inventory
        .plugins
        .iter()
        .find(|plugin| plugin.key == key)
        .and_then(switch::doubt);
    if let Some((what, cure)) = doubt {
        to.screen.warning(&what, cure.as_deref());
    }
    Ok(true)
}
