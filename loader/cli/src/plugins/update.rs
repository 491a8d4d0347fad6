//! `hermes plugins update`: fetches the newest commit of a plugin that was installed from git.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::json;

use super::git;
use super::install::{Origin, Stage, copy_file, examples, settle_checkout, shown};
use crate::args::UpdateArgs;
use crate::excerpt::safe;
use crate::inventory::Installed;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{DIM, GOOD, styled};

/// A plugin's checkout, and where it came from.
struct Checkout<'p> {
    key: &'p str,
    dir: &'p Path,
    url: String,
    branch: String,
    head: String,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &UpdateArgs) -> anyhow::Result<Exit> {
    to.screen.only_json(args.json);
    let inventory = to.inventory();
    let plugin = inventory.resolve(&args.name, &to.home)?;
    let key = &plugin.key;
    if plugin.source() != "git" {
        return Err(Problem::new(format!(
            "Plugin '{key}' was not installed from git. Cannot update."
        ))
        .cure(format!(
            "to replace it: {} plugins install PATH --force",
            to.program
        ))
        .into());
    }
    if plugin.dir.is_symlink() {
        return Err(Problem::new(format!(
            "plugin `{key}`: {} is a link, and what it leads to is not changed",
            plugin.dir.display()
        ))
        .cure("update what it leads to: git pull in it")
        .into());
    }
    let old = Checkout::of(plugin)?;
    old.expect_unchanged()?;
    to.screen
        .hint(format!("Fetching {} …", safe(&shown(&old.url))));
    let mut stage = Stage::beside(&to.home.plugins_dir())?;
    let name = directory(&plugin.dir);
    let fetched = stage.fetched(name)?;
    let told = |problem: Problem| {
        let place = fetched.display().to_string();
        problem
            .relocated(&place, &shown(&old.url))
            .relocated("nothing is installed", "the plugin is as it was")
    };
    git::clone(&old.url, Some(&old.branch), &fetched).map_err(told)?;
    let head = git::ask(&fetched, &["rev-parse", "HEAD"]).map_err(told)?;
    if head == old.head {
        to.screen.line(styled(
            DIM,
            &format!("Plugin '{key}' is already up to date."),
        ))?;
        return report(to, plugin, &old.head, &head, &plugin.version);
    }
    settle_checkout(&fetched).map_err(|error| told(Problem::from(error)))?;
    let origin = Origin::check(&fetched).map_err(told)?;
    if origin.name() != plugin.name {
        return Err(Problem::new(format!(
            "plugin `{key}` calls itself `{}` in its newest commit; the plugin is as it was",
            origin.name()
        ))
        .cure(format!(
            "install it anew, and remove this one: {} plugins install {}",
            to.program,
            shown(&old.url)
        ))
        .into());
    }
    let dir = stage.dir(name)?.to_owned();
    let moved = fs::remove_dir(&dir).and_then(|()| fs::rename(&fetched, &dir));
    moved.map_err(|error| Problem::new(format!("{}: {error}", dir.display())))?;
    let kept = old.carry_over(&dir)?;
    let made = examples(&dir).map_err(|error| told(Problem::from(error)))?;
    origin.check_copy(&dir).map_err(told)?;
    stage.put(&plugin.dir)?;
    tracing::info!(plugin = key, from = old.head, to = head, "updated");

    to.screen.line(format!(
        "{} Plugin {} {} updated ({} → {}). Takes effect on next session.",
        styled(GOOD, "✓"),
        safe(key),
        safe(origin.version()),
        short(&old.head),
        short(&head)
    ))?;
    if !kept.is_empty() {
        to.screen.hint(format!("  kept {}", safe(&kept.join(", "))));
    }
    for file in &made {
        to.screen.hint(format!(
            "  made {} from its example: look through it",
            safe(file)
        ));
    }
    report(to, plugin, &old.head, &head, origin.version())
}

fn report(
    to: &mut Invocation<'_>,
    plugin: &Installed,
    before: &str,
    after: &str,
    version: &str,
) -> anyhow::Result<Exit> {
    if to.screen.is_json() {
        let action = if before == after {
            "up to date"
        } else {
            "updated"
        };
        to.screen.json(&json!({
            "action": action, "key": plugin.key, "name": plugin.name, "version": version, "dir": plugin.dir,
            "before": before, "after": after,
        }))?;
    }
    Ok(Exit::Fine)
}

impl<'p> Checkout<'p> {
    fn of(plugin: &'p Installed) -> Result<Self, Problem> {
        let (key, dir) = (plugin.key.as_str(), plugin.dir.as_path());
        let head = git::ask(dir, &["rev-parse", "HEAD"])?;
        let url = git::ask(dir, &["config", "--get", "remote.origin.url"]).map_err(|_| {
            Problem::new(format!(
                "plugin `{key}`: its repository does not say where it was cloned from"
            ))
            .cure(format!("git -C {} remote add origin URL", dir.display()))
        })?;
        // On a branch, or at a tag that was asked for.
        let branch = git::ask(dir, &["symbolic-ref", "--quiet", "--short", "HEAD"])
            .or_else(|_| git::ask(dir, &["describe", "--tags", "--exact-match", "HEAD"]))
            .map_err(|_| {
                Problem::new(format!("plugin `{key}`: its repository is on no branch"))
                    .cure(format!("git -C {} checkout BRANCH", dir.display()))
            })?;
        Ok(Self {
            key,
            dir,
            url,
            branch,
            head,
        })
    }

    /// What somebody changed in files that git knows would be lost. Files that were made from an example are
    /// the user's in any case.
    fn expect_unchanged(&self) -> Result<(), Problem> {
        let changed: Vec<String> = self
            .changed()?
            .iter()
            .filter(|path| !self.has_example(path))
            .map(|path| path.display().to_string())
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        Err(Problem::new(format!(
            "plugin `{}` has local changes in {}; the plugin is as it was",
            self.key,
            changed.join(", ")
        ))
        .cure(format!(
            "undo them (git -C {} checkout .), or commit and update by hand",
            self.dir.display()
        )))
    }

    fn changed(&self) -> Result<Vec<PathBuf>, Problem> {
        git::paths(
            self.dir,
            &[
                "diff",
                "--name-only",
                "-z",
                "--no-ext-diff",
                "--ignore-submodules",
                "HEAD",
            ],
        )
    }

    fn has_example(&self, path: &Path) -> bool {
        let mut name = path.as_os_str().to_owned();
        name.push(".example");
        self.dir.join(name).is_file()
    }

    /// Copies what git does not know, or what is the user's, into the new checkout.
    fn carry_over(&self, new: &Path) -> Result<Vec<String>, Problem> {
        let mut paths = git::paths(self.dir, &["ls-files", "-z", "--others"])?;
        paths.extend(
            self.changed()?
                .into_iter()
                .filter(|path| self.has_example(path)),
        );
        let mut kept = Vec::new();
        for path in paths {
            let plain = path
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
            // What builds leave behind is not the user's.
            let built = path
                .ancestors()
                .any(|dir| self.dir.join(dir).join("CACHEDIR.TAG").exists());
            if plain && !built {
                carry(&self.dir.join(&path), &new.join(&path)).map_err(|error| {
                    Problem::new(format!(
                        "{}: cannot be kept: {error}; the plugin is as it was",
                        path.display()
                    ))
                })?;
                kept.push(path.display().to_string());
            }
        }
        Ok(kept)
    }
}

fn carry(from: &Path, to: &Path) -> io::Result<()> {
    let facts = match from.symlink_metadata() {
        Ok(facts) => facts,
        // A file that was deleted is not the user's wish to have it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if to.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
        fs::remove_file(to)?;
    }
    if facts.is_symlink() {
        #[cfg(unix)]
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    copy_file(from, to).map_err(|error| io::Error::other(error.to_string()))?;
    fs::set_permissions(to, facts.permissions())
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

fn directory(path: &Path) -> &str {
    path.file_name()
        .and_then(std::ffi::OsStr::to_str)
        .unwrap_or("plugin")
}
