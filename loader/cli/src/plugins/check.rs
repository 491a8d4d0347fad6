//! `hermes plugins check`: whether a plugin would load here, without running any of it.

use std::path::{Path, PathBuf};

use hermes_loader::{Checked, Refusal, check_directory, check_file};
use serde_json::{Value, json};

use super::check_words;
use crate::args::CheckArgs;
use crate::excerpt::safe;
use crate::invocation::{Invocation, absolute};
use crate::problem::Exit;
use crate::screen::{BAD, BOLD, DIM, GOOD, WARN, styled};

/// What is to be checked.
enum Target {
    File(PathBuf),
    Directory(PathBuf),
    Python(PathBuf),
    Unknown(anyhow::Error),
}

pub(super) fn run(to: &mut Invocation<'_>, args: &CheckArgs) -> anyhow::Result<Exit> {
    let mut refused = false;
    let mut all = Vec::new();
    for typed in &args.targets {
        let (value, is_refused) = one(to, typed, args.json)?;
        refused |= is_refused;
        all.extend(value);
    }
    if args.json {
        to.screen.json(&all)?;
    }
    Ok(Exit::problem_if(refused))
}

fn one(to: &mut Invocation<'_>, typed: &str, json: bool) -> anyhow::Result<(Option<Value>, bool)> {
    let (path, checked) = match target(to, typed) {
        Target::File(path) => (path.clone(), check_file(&path)),
        Target::Directory(dir) => (
            dir.clone(),
            check_directory(&dir).map(|(_, checked)| checked),
        ),
        Target::Python(dir) => {
            if json {
                return Ok((
                    Some(
                        json!({"argument": typed, "path": dir, "ok": true, "form": "python", "checks": []}),
                    ),
                    false,
                ));
            }
            to.screen.line(format!(
                "{}: written in Python; only Hermes Agent loads it, and nothing is checked here",
                safe(typed)
            ))?;
            return Ok((None, false));
        }
        Target::Unknown(error) => {
            if json {
                let hint = error
                    .downcast_ref::<crate::problem::Problem>()
                    .and_then(crate::problem::Problem::hint);
                let problem =
                    json!({"code": "unknown_name", "message": error.to_string(), "cure": hint});
                return Ok((
                    Some(json!({"argument": typed, "ok": false, "problem": problem})),
                    true,
                ));
            }
            to.screen.error(&error);
            return Ok((None, true));
        }
    };
    let is_refused = checked.is_err();
    if json {
        return Ok((Some(value(typed, &path, &checked)), is_refused));
    }
    match checked {
        Ok(checked) => passed(to, &path, &checked)?,
        Err(refusal) => failed(to, &path, &refusal)?,
    }
    Ok((None, is_refused))
}

/// A path if there is one, else the name of a plugin.
fn target(to: &Invocation<'_>, typed: &str) -> Target {
    let path = absolute(Path::new(typed));
    if path.is_dir() {
        return directory(path);
    }
    let is_path = path.exists()
        || typed.contains(std::path::MAIN_SEPARATOR)
        || typed.ends_with(std::env::consts::DLL_SUFFIX);
    let inventory = to.inventory();
    match inventory.resolve(typed, &to.home) {
        Ok(plugin) if !path.exists() => directory(plugin.dir.clone()),
        _ if is_path => Target::File(path),
        Ok(plugin) => directory(plugin.dir.clone()),
        Err(error) => Target::Unknown(error),
    }
}

fn directory(dir: PathBuf) -> Target {
    let python =
        dir.join("__init__.py").is_file() && matches!(check_directory(&dir), Err(Refusal::Load(_)));
    if python {
        Target::Python(dir)
    } else {
        Target::Directory(dir)
    }
}

fn value(typed: &str, path: &Path, checked: &Result<Checked, Refusal>) -> Value {
    match checked {
        Ok(checked) => {
            let checks: Vec<Value> = checks(checked)
                .map(|(name, went, why)| json!({"check": name, "went": went, "why": why}))
                .collect();
            let (about, inspection) = (&checked.inspection.metadata, &checked.inspection);
            json!({
                "argument": typed, "path": path, "ok": true, "form": "native",
                "name": about.name, "version": about.version, "library": checked.path,
                "sha256": checked.sha256.to_string(), "abi": about.abi.to_string(), "catalogue": about.catalogue,
                "target": about.target, "glibc_floor": inspection.glibc_floor.map(|floor| floor.to_string()), "checks": checks,
            })
        }
        Err(refusal) => json!({
            "argument": typed, "path": path, "ok": false,
            "problem": {"code": refusal.code(), "message": refusal.to_string(), "cure": refusal.cure()},
        }),
    }
}

fn checks(
    checked: &Checked,
) -> impl Iterator<Item = (&'static str, &'static str, Option<&'static str>)> {
    checked
        .file_checks
        .iter()
        .chain(&checked.inspection.checks)
        .map(check_words)
}

fn passed(to: &mut Invocation<'_>, path: &Path, checked: &Checked) -> anyhow::Result<()> {
    let about = &checked.inspection.metadata;
    let head = format!("{} {}", safe(&about.name), safe(&about.version));
    to.screen.line(format!(
        "{} {}",
        styled(BOLD, &head),
        styled(DIM, &safe(&path.display().to_string()))
    ))?;
    for (name, went, why) in checks(checked) {
        let (style, why) = match why {
            Some(why) => (WARN, format!(": {why}")),
            None => (GOOD, String::new()),
        };
        to.screen.line(format!(
            "  {} {name}{why}",
            styled(style, &format!("{went:<16}"))
        ))?;
    }
    to.screen
        .line("  would load here; what its `register` does shows only when it is loaded")?;
    Ok(())
}

fn failed(to: &mut Invocation<'_>, path: &Path, refusal: &Refusal) -> anyhow::Result<()> {
    to.screen
        .line(styled(BOLD, &safe(&path.display().to_string())))?;
    let code = styled(DIM, &format!("[{}]", refusal.code()));
    to.screen.line(format!(
        "  {} {} {code}",
        styled(BAD, "refused:"),
        safe(&refusal.to_string())
    ))?;
    for line in refusal.cure().lines() {
        to.screen
            .line(format!("  {} {}", styled(DIM, "hint:"), safe(line)))?;
    }
    let is_crate = path.is_dir() && path.join("Cargo.toml").is_file();
    if is_crate {
        to.screen.line("  this is a crate: build it with `cargo build --release`, and check the library in target/release")?;
    }
    Ok(())
}
