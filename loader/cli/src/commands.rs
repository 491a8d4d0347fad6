//! `hermes commands`, and the sub-commands that plugins add to the program.

use hermes_loader::{CommandInfo, CommandKind, Host};
use serde_json::json;

use crate::args::{CommandsArgs, PluginCommand, is_own};
use crate::excerpt::excerpt;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::table::{Mood, Rows, plain};

/// Lists what plugins offer: commands, tools, skills.
pub(crate) fn list(to: &mut Invocation<'_>, args: &CommandsArgs) -> anyhow::Result<Exit> {
    let host = to.load(None)?;
    let commands = host.commands();
    if args.json {
        let value = json!({
            "commands": commands, "tools": host.tool_infos(), "skills": host.skills(),
        });
        to.screen.json(&value)?;
        return Ok(Exit::Fine);
    }
    let mut table = Rows::new(["Kind", "Name", "Plugin", "About"]);
    for row in rows(&host, &commands, to.program) {
        table.add(row);
    }
    if table.is_empty() {
        to.screen
            .line("no plugin offers a command, a tool or a skill")?;
        to.screen.hint(format!(
            "What is installed and enabled: {} plugins list",
            to.program
        ));
        return Ok(Exit::Fine);
    }
    table.show(to.screen)?;
    Ok(Exit::Fine)
}

/// One row for everything that plugins offer.
pub(crate) fn rows(
    host: &Host,
    commands: &[CommandInfo],
    program: &str,
) -> Vec<[(Mood, String); 4]> {
    let mut rows = Vec::new();
    for info in commands {
        let hidden = info.kind == CommandKind::Cli && is_own(&info.name);
        let (kind, name) = match info.kind {
            CommandKind::Slash => ("slash", format!("/{} {}", info.name, info.hint)),
            _ => ("cli", format!("{program} {}", info.name)),
        };
        let about = if hidden {
            let own = "hidden: the program has one of this name itself";
            (Mood::Warn, own.to_owned())
        } else {
            plain(excerpt(&info.description, 72))
        };
        rows.push([
            plain(kind),
            plain(name.trim_end()),
            plain(&*info.plugin),
            about,
        ]);
    }
    for info in host.tool_infos() {
        let about = if info.is_available() {
            plain(excerpt(&info.description, 72))
        } else if info.missing_env.is_empty() {
            (Mood::Warn, "unavailable: it says so itself".to_owned())
        } else {
            let missing = info.missing_env.join(", ");
            (Mood::Warn, format!("unavailable: {missing} is not set"))
        };
        rows.push([plain("tool"), plain(info.name), plain(info.plugin), about]);
    }
    for info in host.skills() {
        let about = plain(excerpt(&info.description, 72));
        rows.push([plain("skill"), plain(info.name), plain(info.plugin), about]);
    }
    rows
}

/// Runs a sub-command that the program does not have itself. Only for that are plugins loaded.
pub(crate) fn run(to: &mut Invocation<'_>, command: PluginCommand) -> anyhow::Result<Exit> {
    let PluginCommand { words, otherwise } = command;
    let Some((name, argv)) = words.split_first() else {
        return Err(otherwise.into());
    };
    let host = to.load(None)?;
    let named = |info: &&CommandInfo| {
        info.kind == CommandKind::Cli && (info.name == *name || info.name == name.replace('_', "-"))
    };
    let commands = host.commands();
    let Some(info) = commands.iter().find(named) else {
        return Err(otherwise.into());
    };
    if let [word] = argv
        && matches!(word.as_str(), "-h" | "--help")
    {
        return help(to, info);
    }
    let output = host.run_cli_command(&info.name, argv).map_err(|error| {
        let logs = format!("{} logs --plugin {}", to.program, info.plugin);
        Problem::new(error.to_string()).cure(format!("see `{logs}`"))
    })?;
    if !output.text.is_empty() {
        let text = output.text.strip_suffix('\n').unwrap_or(&output.text);
        to.screen.line(text)?;
    }
    Ok(Exit::Code(u8::try_from(output.code).unwrap_or(1)))
}

fn help(to: &mut Invocation<'_>, info: &CommandInfo) -> anyhow::Result<Exit> {
    for text in [&info.description, &info.hint] {
        if !text.is_empty() {
            to.screen.line(text)?;
        }
    }
    to.screen
        .line(format!("A command of the plugin {}.", info.plugin))?;
    Ok(Exit::Fine)
}
