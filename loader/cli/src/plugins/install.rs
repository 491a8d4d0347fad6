//! `hermes plugins install`: checks a plugin, then copies it into the home.

mod copy;
mod origin;
mod place;

use std::path::Path;

use crate::args::InstallArgs;
use crate::excerpt::safe;
use crate::inventory::Status;
use crate::invocation::{Invocation, absolute};
use crate::log::make_private;
use crate::problem::{Exit, Problem};
use crate::screen::{GOOD, styled};

use self::origin::Origin;
use super::switch;

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
    pub(crate) path: &'a Path,
    pub(crate) force: bool,
    pub(crate) enabling: Enabling,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &InstallArgs) -> anyhow::Result<Exit> {
    let enabling = match (args.enable, args.no_enable) {
        (true, _) => Enabling::Yes,
        (_, true) => Enabling::No,
        _ => Enabling::Ask,
    };
    install(
        to,
        &Order {
            path: &args.path,
            force: args.force,
            enabling,
        },
    )?;
    Ok(Exit::Fine)
}

/// Installs a plugin: every check first, then a copy beside its place, then one rename.
pub(crate) fn install(to: &mut Invocation<'_>, order: &Order<'_>) -> anyhow::Result<()> {
    let path = absolute(order.path);
    if let Some(problem) = from_git(order.path) {
        return Err(problem.into());
    }
    let origin = Origin::check(&path)?;
    let name = origin.name().to_owned();
    let plugins = to.home.plugins_dir();
    let target = plugins.join(&name);
    if target.symlink_metadata().is_ok() && !order.force {
        let dir = target.display();
        return Err(Problem::new(format!(
            "plugin `{name}` is installed already, in {dir}; nothing is changed"
        ))
        .cure(format!(
            "to replace it: {} plugins install {} --force",
            to.program,
            order.path.display()
        ))
        .into());
    }
    make_private(&plugins).map_err(|error| {
        Problem::new(format!("{}: cannot be made: {error}", plugins.display()))
            .cure("give --home a directory that you may write to")
    })?;
    let stage = place::Stage::beside(&plugins, &name)?;
    let created = origin.copy_to(stage.dir())?;
    // Between the check and the copy the origin may have changed; what counts is the copy.
    origin.check_copy(stage.dir())?;
    let replaced = stage.put(&target)?;
    tracing::info!(plugin = name, from = %path.display(), replaced, "installed");

    let done = if replaced { "replaced" } else { "installed" };
    let version = safe(origin.version());
    to.screen.line(format!(
        "{} Plugin {} {version} {done} in {}.",
        styled(GOOD, "✓"),
        safe(&name),
        safe(&target.display().to_string())
    ))?;
    for file in created {
        to.screen.hint(format!(
            "  made {} from {}.example: look through it",
            safe(&file),
            safe(&file)
        ));
    }
    if origin.is_python() {
        to.screen
            .hint("  It is written in Python: Hermes Agent loads it, this program does not.");
    }
    needs(to, &origin);
    enable(to, &name, order.enabling)
}

/// Environment variables that the plugin asks for.
fn needs(to: &mut Invocation<'_>, origin: &Origin) {
    for need in origin.needs() {
        if std::env::var_os(&need.name).is_none() {
            let for_what = if need.description.is_empty() {
                String::new()
            } else {
                format!(" ({})", safe(&need.description))
            };
            to.screen.hint(format!(
                "  It asks for {}{for_what}: set it in {}",
                safe(&need.name),
                to.home.env_file().display()
            ));
        }
    }
}

fn enable(to: &mut Invocation<'_>, name: &str, enabling: Enabling) -> anyhow::Result<()> {
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
        return Ok(());
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
        return Ok(());
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
    Ok(())
}

/// Hermes Agent clones repositories; this program installs what is there.
fn from_git(typed: &Path) -> Option<Problem> {
    let text = typed.to_str()?;
    let schemes = ["https://", "http://", "git@", "ssh://", "file://"];
    let is_url = schemes.iter().any(|scheme| text.starts_with(scheme));
    let is_shorthand = !typed.exists()
        && !text.starts_with(['.', '/', '~'])
        && text.split('/').count() == 2
        && !text.ends_with(std::env::consts::DLL_SUFFIX);
    (is_url || is_shorthand).then(|| {
        Problem::new(format!("`{text}`: there is no such path, and this program does not install from git"))
            .cure("clone it, build it with `cargo build --release`, and install the library from target/release")
    })
}
