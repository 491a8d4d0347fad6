//! `hermes plugins remove`: deletes a plugin, and what config.yaml says of it.

use std::fs;
use std::io;
use std::path::Path;

use hermes_loader::config::edit::{Change, apply};
use hermes_loader::discover::Source;
use hermes_loader::manifest::check_name;
use serde_json::json;

use crate::args::RemoveArgs;
use crate::inventory::Installed;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{GOOD, styled};

pub(super) fn run(to: &mut Invocation<'_>, args: &RemoveArgs) -> anyhow::Result<Exit> {
    to.screen.only_json(args.json);
    let inventory = to.inventory();
    let plugin = match inventory.resolve(&args.name, &to.home) {
        Ok(plugin) => plugin,
        Err(error) => {
            return Err(match check_name(&args.name) {
                Err(expected) => Problem::new(format!(
                    "`{}` names no plugin: expected {expected}; nothing is deleted",
                    args.name
                ))
                .into(),
                Ok(()) => error,
            });
        }
    };
    let key = &plugin.key;
    check_place(to, plugin)?;
    delete(&to.home.plugins_dir(), &plugin.dir).map_err(|error| {
        Problem::new(format!(
            "plugin `{key}`: {}: cannot be deleted: {error}",
            plugin.dir.display()
        ))
    })?;
    tracing::info!(plugin = key, "removed");
    to.screen
        .line(format!("{} Plugin {key} removed.", styled(GOOD, "✓")))?;
    forget(to, plugin, args.purge)?;
    data(to, plugin, args.purge)?;
    if to.screen.is_json() {
        to.screen.json(&json!({
            "action": "removed", "key": key, "name": plugin.name, "dir": plugin.dir, "purged": args.purge,
        }))?;
    }
    Ok(Exit::Fine)
}

/// Only what lies in the home's plugins directory is ours to delete.
fn check_place(to: &Invocation<'_>, plugin: &Installed) -> Result<(), Problem> {
    let key = &plugin.key;
    let inside =
        plugin.dir.starts_with(to.home.plugins_dir()) && plugin.dir != to.home.plugins_dir();
    match plugin.source {
        Some(Source::User) | None if inside => Ok(()),
        Some(Source::Bundled) => Err(Problem::new(format!(
            "plugin `{key}` is shipped with the program; nothing is deleted"
        ))
        .cure(format!(
            "to keep it from loading: {} plugins disable {key}",
            to.program
        ))),
        _ => Err(Problem::new(format!(
            "plugin `{key}` lies in {}, outside the home; nothing is deleted",
            plugin.dir.display()
        ))
        .cure("delete it there")),
    }
}

/// Moves the directory away before it is deleted: no agent that starts meanwhile finds half a plugin.
fn delete(plugins: &Path, dir: &Path) -> io::Result<()> {
    if dir.symlink_metadata()?.is_symlink() {
        // A plugin under development: the link goes, what it leads to stays.
        return fs::remove_file(dir);
    }
    let aside = tempfile::Builder::new()
        .prefix(".removing-")
        .tempdir_in(plugins)?;
    // Two levels down, where discovery does not look.
    let deep = aside.path().join("old");
    fs::create_dir(&deep)?;
    fs::rename(dir, deep.join("plugin"))?;
    if let Some(category) = dir.parent().filter(|parent| *parent != plugins) {
        // It fails when there are other plugins in it.
        let _ = fs::remove_dir(category);
    }
    aside.close()
}

fn forget(to: &mut Invocation<'_>, plugin: &Installed, purge: bool) -> anyhow::Result<()> {
    let mut lists = Vec::new();
    let mut entries = Vec::new();
    for name in [&plugin.key, &plugin.name] {
        for change in Change::forget(name) {
            let into = if matches!(change, Change::RemoveEntry(_)) {
                &mut entries
            } else {
                &mut lists
            };
            if !into.contains(&change) {
                into.push(change);
            }
        }
    }
    let failed = |error| {
        let problem = Problem::from(error);
        let cure = problem.hint().unwrap_or_default().to_owned();
        Problem::new(format!(
            "the plugin is deleted, but its name stays in the configuration: {problem}"
        ))
        .cure(cure)
    };
    if apply(&to.home, &lists).map_err(failed)? {
        to.screen
            .line("  its name is out of `plugins.enabled` and `plugins.disabled` in config.yaml")?;
    }
    let has_settings = [&plugin.key, &plugin.name]
        .iter()
        .any(|name| to.config().plugins().entries.contains_key(*name));
    if !has_settings {
        return Ok(());
    }
    let key = &plugin.key;
    if purge {
        apply(&to.home, &entries).map_err(failed)?;
        to.screen.line(format!(
            "  its settings `plugins.entries.{key}` are deleted"
        ))?;
    } else {
        to.screen.hint(format!(
            "  its settings `plugins.entries.{key}` stay (--purge deletes them)"
        ));
    }
    Ok(())
}

fn data(to: &mut Invocation<'_>, plugin: &Installed, purge: bool) -> anyhow::Result<()> {
    let dir = to.home.data_dir(&plugin.name);
    if dir.symlink_metadata().is_err() {
        return Ok(());
    }
    if !purge {
        to.screen.hint(format!(
            "  its data in {} stay (--purge deletes them)",
            dir.display()
        ));
        return Ok(());
    }
    let deleted = if dir.is_symlink() {
        fs::remove_file(&dir)
    } else {
        fs::remove_dir_all(&dir)
    };
    deleted.map_err(|error| {
        Problem::new(format!(
            "the plugin is deleted, but not its data in {}: {error}",
            dir.display()
        ))
        .cure("delete them by hand")
    })?;
    to.screen
        .line(format!("  its data in {} are deleted", dir.display()))?;
    Ok(())
}
