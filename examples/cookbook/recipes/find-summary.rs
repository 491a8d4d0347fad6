//! Turns a very long output of `find` into a summary with counts per directory.
//!
//! **Hook**: `transform_terminal_output`, which comes before the output is truncated. Truncation keeps head and
//! tail; a count of everything says more than either.
//!
//! **Why**: fifty thousand characters of paths cost as much as a long conversation, and the model needs to
//! know where things are, not every one of them.
//!
//! **Switch on**: `hermes plugins install … --enable`. Only plain `find` is summarised: its output in a pipe, or
//! together with that of other commands, is somebody else's.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     find-summary:
//!       config:
//!         over_chars: 50000    # shorter output stays as it is
//!         directories: 40      # named, those with most entries first
//!         samples: 5           # complaints of `find` that are kept
//! ```

use std::{cmp::Reverse, collections::HashMap};

use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    over_chars: usize,
    directories: usize,
    samples: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            over_chars: 50_000,
            directories: 40,
            samples: 5,
        }
    }
}

/// What makes `find` print something else than one path a line.
const OTHER_OUTPUT: [&str; 9] = [
    "-exec", "-execdir", "-ok", "-okdir", "-printf", "-fprintf", "-print0", "-ls", "-fls",
];

/// Whether a command is one `find` that prints paths; `cd DIR && find …` is.
fn prints_paths(command: &str) -> bool {
    let command = command.trim();
    let find = match command.split_once("&&") {
        Some((before, after)) if before.trim_start().starts_with("cd ") => after.trim_start(),
        _ => command,
    };
    let mut words = find.split_whitespace();
    let program = match words.next() {
        Some("sudo") => words.next(),
        program => program,
    };
    let is_find = program.is_some_and(|program| program.rsplit('/').next() == Some("find"));
    // Inside quotes these may be harmless; then the output stays as it is, and nothing is wrong.
    let alone = !find.contains(['|', ';', '\n', '`', '&']) && !find.contains("$(");
    is_find && alone && !words.any(|word| OTHER_OUTPUT.contains(&word))
}

fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    }
}

fn summary(output: &str, config: &Config) -> String {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut entries, mut complaints) = (0, Vec::new());
    for line in output.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("find: ") {
            complaints.push(line);
        } else {
            entries += 1;
            *counts.entry(directory(line)).or_default() += 1;
        }
    }
    let mut counted: Vec<(&str, usize)> = counts.into_iter().collect();
    counted.sort_unstable_by_key(|(directory, count)| (Reverse(*count), *directory));
    let mut text = format!(
        "[`find` printed {} characters; this is a summary. Search more narrowly to see paths.]\n\
         {entries} entries in {} directories:\n",
        output.chars().count(),
        counted.len(),
    );
    let (named, others) = counted.split_at(config.directories.min(counted.len()));
    for (directory, count) in named {
        text.push_str(&format!(
            "{count:>8}  {}/\n",
            directory.trim_end_matches('/')
        ));
    }
    if !others.is_empty() {
        let count: usize = others.iter().map(|(_, count)| count).sum();
        text.push_str(&format!(
            "{count:>8}  in {} more directories\n",
            others.len()
        ));
    }
    if !complaints.is_empty() {
        text.push_str(&format!("{} complaints, e.g.:\n", complaints.len()));
        for complaint in complaints.into_iter().take(config.samples) {
            text.push_str(&format!("  {complaint}\n"));
        }
    }
    text
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    ctx.on(TransformTerminalOutput, move |run| {
        let output = run.output();
        // Bytes are never fewer than characters: most outputs are not even counted.
        let long =
            output.len() > config.over_chars && output.chars().nth(config.over_chars).is_some();
        (long && prints_paths(run.command())).then(|| summary(output, &config))
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "find-summary",
    description = "Shows the model counts per directory in place of very long `find` output.",
    hooks = ["transform_terminal_output"]
);
