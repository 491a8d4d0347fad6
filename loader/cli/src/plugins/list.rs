//! `hermes plugins list`: what is installed, and what config.yaml says of it.

use serde::Serialize;
use serde_json::Value;

use super::firing::{firing, named};
use crate::args::ListArgs;
use crate::excerpt::{count, excerpt, safe};
use crate::inventory::{Installed, Status};
use crate::invocation::Invocation;
use crate::problem::Exit;
use crate::screen::{BOLD, styled};
use crate::table::{Mood, Rows, plain};

/// The members of Hermes' own list, then ours.
#[derive(Serialize)]
struct Row<'p> {
    name: &'p str,
    status: &'static str,
    version: &'p str,
    description: &'p str,
    source: &'static str,
    key: &'p str,
    form: &'static str,
    loads: bool,
    problem: Option<&'static str>,
    /// What it says it uses, each with whether it is fired here.
    hooks: Vec<Value>,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &ListArgs) -> anyhow::Result<Exit> {
    let inventory = to.inventory();
    let wanted = |plugin: &&Installed| {
        let source = plugin.source();
        // Hermes' list has none of the project; `doctor` and `inspect` know them.
        source != "project"
            && !(args.enabled && plugin.status != Status::Enabled
                || args.user && !matches!(source, "user" | "git")
                || args.no_bundled && source == "bundled")
    };
    let shown: Vec<&Installed> = inventory.plugins.iter().filter(wanted).collect();
    let project = inventory
        .plugins
        .iter()
        .filter(|plugin| plugin.source() == "project")
        .count();
    if args.plain {
        for plugin in shown {
            let (status, source, version) =
                (plugin.status.word(), plugin.source(), safe(&plugin.version));
            to.screen.line(format!(
                "{status:<12} {source:<8} {version:<8} {}",
                safe(&plugin.name)
            ))?;
        }
        return Ok(Exit::Fine);
    }
    let rows: Vec<Row<'_>> = shown.iter().map(|plugin| row(plugin)).collect();
    if project > 0 {
        to.screen.hint(format!(
            "{} of the project not listed: see `{} doctor`",
            count(project, "plugin"),
            to.program
        ));
    }
    if args.json {
        to.screen.json(&rows)?;
        return Ok(Exit::Fine);
    }
    if rows.is_empty() {
        return nothing(to, inventory.plugins.len());
    }
    table(to, &rows)?;
    Ok(Exit::Fine)
}

fn row(plugin: &Installed) -> Row<'_> {
    let (fate, hooks) = plugin.look();
    Row {
        name: &plugin.name,
        status: plugin.status.word(),
        version: &plugin.version,
        description: &plugin.description,
        source: plugin.source(),
        key: &plugin.key,
        form: plugin.form(),
        loads: plugin.loads(),
        problem: fate.map(|fate| fate.code),
        hooks: hooks.iter().map(|name| named(name)).collect(),
    }
}

/// How many of its hooks are live, and how many are not.
fn hooks(row: &Row<'_>) -> (Mood, String) {
    let of = |word: &str| {
        let fires = row
            .hooks
            .iter()
            .filter(|hook| hook.get("fires").and_then(Value::as_str) == Some(word));
        fires.count()
    };
    let counted: Vec<String> = ["live", "never fires here", "unknown"]
        .into_iter()
        .filter(|word| of(word) > 0)
        .map(|word| format!("{} {}", of(word), word.replace("fires", "fired")))
        .collect();
    let mood = if of("live") == row.hooks.len() {
        Mood::Plain
    } else {
        Mood::Warn
    };
    (mood, counted.join(", "))
}

fn nothing(to: &mut Invocation<'_>, installed: usize) -> anyhow::Result<Exit> {
    if installed > 0 {
        to.screen.line("No plugin fits.")?;
        to.screen.hint(format!(
            "{} installed; see all with `{} plugins list`",
            count(installed, "plugin"),
            to.program
        ));
        return Ok(Exit::Fine);
    }
    to.screen.line("No plugins installed.")?;
    let (program, dir) = (to.program, to.home.plugins_dir());
    to.screen.hint(format!(
        "Install with: {program} plugins install PATH   (into {})",
        dir.display()
    ));
    Ok(Exit::Fine)
}

fn table(to: &mut Invocation<'_>, rows: &[Row<'_>]) -> anyhow::Result<()> {
    let mut table = Rows::new([
        "Name",
        "Status",
        "Version",
        "Description",
        "Source",
        "Hooks",
        "Problem",
    ]);
    for row in rows {
        let mood = match row.status {
            "enabled" => Mood::Good,
            "disabled" => Mood::Bad,
            _ => Mood::Dim,
        };
        let problem = row
            .problem
            .unwrap_or(if row.form == "python" { "python" } else { "" });
        table.add([
            plain(row.key),
            (mood, row.status.to_owned()),
            plain(row.version),
            plain(excerpt(row.description, 60)),
            plain(row.source),
            hooks(row),
            (
                if row.problem.is_some() {
                    Mood::Bad
                } else {
                    Mood::Dim
                },
                problem.to_owned(),
            ),
        ]);
    }
    to.screen.line(styled(BOLD, "Plugins"))?;
    table.show(to.screen)?;
    for row in rows {
        for hook in row
            .hooks
            .iter()
            .filter_map(|hook| hook.get("name")?.as_str())
        {
            if let (fires, Some(advice)) = firing(hook) {
                to.screen.hint(format!(
                    "{}: hook {}: {fires}: {}",
                    safe(row.key),
                    safe(hook),
                    safe(&advice)
                ));
            }
        }
    }
    let program = to.program;
    let bad = rows.iter().filter(|row| row.problem.is_some()).count();
    if bad > 0 {
        to.screen.hint(format!(
            "{} cannot load: `{program} plugins check NAME` says why",
            count(bad, "plugin")
        ));
    }
    to.screen.hint(format!(
        "The status is what config.yaml says; `{program} doctor` loads them and says what works"
    ));
    to.screen.hint(format!(
        "Enable or disable: {program} plugins enable|disable NAME"
    ));
    Ok(())
}
