//! `hermes plugins check`: whether a plugin would load here, without running any of it.

use std::path::{Path, PathBuf};

use hermes_loader::config::{Problem as Trouble, Severity};
use hermes_loader::manifest::{Manifest, Role};
use hermes_loader::{Checked, Refusal, check_directory, check_file};
use serde_json::{Value, json};

use super::check_words;
use super::firing::{GUARDS_NOTHING, Idle, declared, firing, idle, named};
use super::install::is_archive;
use crate::args::CheckArgs;
use crate::excerpt::safe;
use crate::inventory::Installed;
use crate::invocation::{Invocation, absolute};
use crate::problem::{Exit, Problem};
use crate::screen::{BAD, BOLD, DIM, GOOD, WARN, styled};

/// One thing that was checked, and how it went.
struct Checkup {
    argument: String,
    path: PathBuf,
    went: Went,
}

enum Went {
    Python,
    Unknown(anyhow::Error),
    Refused(Refusal),
    Passed(Box<Passed>),
}

struct Passed {
    manifest: Option<Manifest>,
    checked: Checked,
    idle: Option<Idle>,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &CheckArgs) -> anyhow::Result<Exit> {
    let checkups: Vec<Checkup> = if args.targets.is_empty() {
        let inventory = to.inventory();
        let all = inventory.plugins.iter();
        all.map(|plugin| installed(to, &plugin.key, plugin))
            .collect()
    } else {
        args.targets.iter().map(|typed| target(to, typed)).collect()
    };
    let mut bad = checkups.iter().any(Checkup::is_bad);
    let config = to.config();
    let troubles = config.problems();
    let mut all: Vec<Value> = Vec::new();
    if args.targets.is_empty() {
        let errors = troubles
            .iter()
            .any(|trouble| trouble.severity == Severity::Error);
        bad |= errors;
        all.push(json!({
            "argument": "config.yaml", "path": to.home.config_file(), "ok": !errors,
            "problems": troubles.iter().map(trouble).collect::<Vec<_>>(),
        }));
    }
    if args.json {
        all.splice(0..0, checkups.iter().map(Checkup::value));
        to.screen.json(&all)?;
    } else {
        for checkup in &checkups {
            checkup.show(to)?;
        }
        if checkups.is_empty() {
            to.screen.line("No plugins installed.")?;
        }
        for trouble in troubles {
            let place = trouble.place.to_string();
            to.screen.warning(
                &format!("{place}: {} [{}]", trouble.message, trouble.code),
                trouble.cure.as_deref(),
            );
        }
    }
    Ok(Exit::problem_if(bad))
}

fn trouble(trouble: &Trouble) -> Value {
    json!({
        "code": trouble.code, "severity": trouble.severity.to_string(), "message": trouble.message,
        "place": trouble.place.to_string(), "cure": trouble.cure,
    })
}

/// A path if there is one, else the name of a plugin.
fn target(to: &Invocation<'_>, typed: &str) -> Checkup {
    let path = absolute(Path::new(typed));
    if path.is_dir() {
        let went = directory(&path, None);
        return Checkup {
            argument: typed.to_owned(),
            path,
            went,
        };
    }
    let is_path = path.exists()
        || typed.contains(std::path::MAIN_SEPARATOR)
        || typed.ends_with(std::env::consts::DLL_SUFFIX);
    let inventory = to.inventory();
    match inventory.resolve(typed, &to.home) {
        Ok(plugin) if !path.exists() => installed(to, typed, plugin),
        _ if is_path => {
            let went = file(&path);
            Checkup {
                argument: typed.to_owned(),
                path,
                went,
            }
        }
        Ok(plugin) => installed(to, typed, plugin),
        Err(error) => Checkup {
            argument: typed.to_owned(),
            path,
            went: Went::Unknown(error),
        },
    }
}

fn installed(to: &Invocation<'_>, typed: &str, plugin: &Installed) -> Checkup {
    let config = to.config();
    let said = config.plugins().entry_for(&plugin.key, &plugin.name).role;
    Checkup {
        argument: typed.to_owned(),
        path: plugin.dir.clone(),
        went: directory(&plugin.dir, said),
    }
}

fn directory(dir: &Path, said: Option<Role>) -> Went {
    match check_directory(dir) {
        Err(Refusal::Load(_)) if dir.join("__init__.py").is_file() => Went::Python,
        Err(refusal) => Went::Refused(refusal),
        Ok((manifest, checked)) => passed(Some(manifest), checked, said),
    }
}

fn file(path: &Path) -> Went {
    match check_file(path) {
        Err(refusal) => Went::Refused(refusal),
        Ok(checked) => passed(None, checked, None),
    }
}

fn passed(manifest: Option<Manifest>, checked: Checked, said: Option<Role>) -> Went {
    let idle = idle(&checked, manifest.as_ref(), said);
    Went::Passed(Box::new(Passed {
        manifest,
        checked,
        idle,
    }))
}

impl Passed {
    fn hooks(&self) -> &[String] {
        declared(Some(&self.checked), self.manifest.as_ref())
    }

    fn checks(&self) -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
        let file = self.checked.file_checks.iter();
        file.chain(&self.checked.inspection.checks).map(check_words)
    }
}

impl Checkup {
    fn is_bad(&self) -> bool {
        match &self.went {
            Went::Python => false,
            Went::Unknown(_) | Went::Refused(_) => true,
            Went::Passed(passed) => passed.idle.is_some(),
        }
    }

    fn value(&self) -> Value {
        let (argument, path) = (&self.argument, &self.path);
        match &self.went {
            Went::Python => {
                json!({"argument": argument, "path": path, "ok": true, "form": "python", "checks": []})
            }
            Went::Unknown(error) => {
                let hint = error.downcast_ref::<Problem>().and_then(Problem::hint);
                let problem =
                    json!({"code": "unknown_name", "message": error.to_string(), "cure": hint});
                json!({"argument": argument, "ok": false, "problem": problem})
            }
            Went::Refused(refusal) => json!({
                "argument": argument, "path": path, "ok": false,
                "problem": {"code": refusal.code(), "message": refusal.to_string(), "cure": refusal.cure()},
            }),
            Went::Passed(passed) => {
                let checks: Vec<Value> = passed
                    .checks()
                    .map(|(name, went, why)| json!({"check": name, "went": went, "why": why}))
                    .collect();
                let hooks: Vec<Value> = passed.hooks().iter().map(|name| named(name)).collect();
                let inspection = &passed.checked.inspection;
                let about = &inspection.metadata;
                let mut value = json!({
                    "argument": argument, "path": path, "ok": passed.idle.is_none(), "form": "native",
                    "name": about.name, "version": about.version, "library": passed.checked.path,
                    "sha256": passed.checked.sha256.to_string(), "abi": about.abi.to_string(),
                    "catalogue": about.catalogue, "target": about.target,
                    "glibc_floor": inspection.glibc_floor.map(|floor| floor.to_string()), "hooks": hooks,
                    "checks": checks,
                });
                if let (Some(idle), Some(members)) = (&passed.idle, value.as_object_mut()) {
                    let problem =
                        json!({"code": GUARDS_NOTHING, "message": idle.message, "cure": idle.cure});
                    members.insert("problem".to_owned(), problem);
                }
                value
            }
        }
    }

    fn show(&self, to: &mut Invocation<'_>) -> anyhow::Result<()> {
        match &self.went {
            Went::Python => to.screen.line(format!(
                "{}: written in Python; only Hermes Agent loads it, and nothing is checked here",
                safe(&self.argument)
            ))?,
            Went::Unknown(error) => to.screen.error(error),
            Went::Refused(refusal) => self.show_refusal(to, refusal)?,
            Went::Passed(passed) => self.show_passed(to, passed)?,
        }
        Ok(())
    }

    fn show_passed(&self, to: &mut Invocation<'_>, passed: &Passed) -> anyhow::Result<()> {
        let about = &passed.checked.inspection.metadata;
        let head = format!("{} {}", safe(&about.name), safe(&about.version));
        to.screen.line(format!(
            "{} {}",
            styled(BOLD, &head),
            styled(DIM, &safe(&self.path.display().to_string()))
        ))?;
        for (name, went, why) in passed.checks() {
            let (style, why) = match why {
                Some(why) => (WARN, format!(": {why}")),
                None => (GOOD, String::new()),
            };
            to.screen.line(format!(
                "  {} {name}{why}",
                styled(style, &format!("{went:<16}"))
            ))?;
        }
        for name in passed.hooks() {
            let (fires, advice) = firing(name);
            let (style, advice) = match advice {
                Some(advice) => (WARN, format!(": {advice}")),
                None => (GOOD, String::new()),
            };
            to.screen.line(format!(
                "  {} hook {}{}",
                styled(style, &format!("{fires:<16}")),
                safe(name),
                safe(&advice)
            ))?;
        }
        match &passed.idle {
            Some(idle) => told(to, &idle.message, GUARDS_NOTHING, &idle.cure),
            None => {
                to.screen.line(
                    "  would load here; what its `register` does shows only when it is loaded",
                )?;
                Ok(())
            }
        }
    }

    fn show_refusal(&self, to: &mut Invocation<'_>, refusal: &Refusal) -> anyhow::Result<()> {
        let path = &self.path;
        to.screen
            .line(styled(BOLD, &safe(&path.display().to_string())))?;
        told(to, &refusal.to_string(), refusal.code(), &refusal.cure())?;
        let is_crate = path.is_dir() && path.join("Cargo.toml").is_file();
        if is_crate {
            to.screen.line("  this is a crate: build it with `cargo build --release`, and check the library in target/release")?;
        }
        if is_archive(path) && path.is_file() {
            let program = to.program;
            to.screen.line(format!(
                "  this is an archive: `{program} plugins install` unpacks it, and checks what is in it"
            ))?;
        }
        Ok(())
    }
}

/// Why it would not do, and what to do about it.
fn told(to: &mut Invocation<'_>, message: &str, code: &str, cure: &str) -> anyhow::Result<()> {
    let code = styled(DIM, &format!("[{code}]"));
    to.screen.line(format!(
        "  {} {} {code}",
        styled(BAD, "refused:"),
        safe(message)
    ))?;
    for line in cure.lines() {
        to.screen
            .line(format!("  {} {}", styled(DIM, "hint:"), safe(line)))?;
    }
    Ok(())
}
