//! `hermes hooks catalogue`: every hook, and how many handlers it has.

use hermes_loader::catalogue::{self, Dialect, Hook};
use serde::Serialize;

use crate::args::CatalogueArgs;
use crate::excerpt::excerpt;
use crate::invocation::Invocation;
use crate::problem::Exit;
use crate::table::{Mood, Rows, plain};

#[derive(Serialize)]
struct Row {
    name: String,
    dialect: &'static str,
    kind: &'static str,
    /// Whether an answer can change what happens.
    decides: bool,
    known: bool,
    handlers: usize,
    docs: String,
}

pub(super) fn run(to: &mut Invocation<'_>, args: &CatalogueArgs) -> anyhow::Result<Exit> {
    let host = to.load(None)?;
    let mut rows: Vec<Row> = catalogue::all()
        .filter(|hook| hook.dialect != Dialect::Host || hook.is_middleware())
        .map(|hook| known(hook, host.count(hook.name)))
        .collect();
    let mut strange: Vec<String> = Vec::new();
    for hook in host
        .report()
        .plugins
        .iter()
        .flat_map(|plugin| &plugin.hooks)
    {
        if catalogue::by_name(&hook.name).is_none() && !strange.contains(&hook.name) {
            strange.push(hook.name.clone());
        }
    }
    rows.extend(strange.into_iter().map(|name| Row {
        handlers: host.count(&name),
        name,
        dialect: "",
        kind: "",
        decides: false,
        known: false,
        docs: "in no catalogue; only a plugin can fire it".to_owned(),
    }));
    if args.json {
        to.screen.json(&rows)?;
        return Ok(Exit::Fine);
    }
    let mut table = Rows::new(["Hook", "Dialect", "Kind", "Handlers", "When"]);
    for row in &rows {
        let handlers = if row.handlers > 0 {
            (Mood::Good, row.handlers.to_string())
        } else {
            (Mood::Dim, "0".to_owned())
        };
        let name = if row.known {
            plain(&*row.name)
        } else {
            (Mood::Warn, row.name.clone())
        };
        table.add([
            name,
            plain(row.dialect),
            plain(row.kind),
            handlers,
            plain(excerpt(&row.docs, 72)),
        ]);
    }
    table.show(to.screen)?;
    Ok(Exit::Fine)
}

fn known(hook: &Hook, handlers: usize) -> Row {
    let dialect = match hook.dialect {
        Dialect::Hermes => "hermes",
        Dialect::OpenClaw => "openclaw",
        Dialect::Host => "host",
        _ => "",
    };
    let kind = match hook.kind {
        catalogue::Kind::Observe => "observe",
        catalogue::Kind::Modify => "modify",
        catalogue::Kind::Claim => "claim",
        catalogue::Kind::Gate => "gate",
        catalogue::Kind::Sync => "sync",
        catalogue::Kind::Transform => "transform",
        _ => "",
    };
    let words: Vec<&str> = hook.docs.split_whitespace().collect();
    let docs = words.join(" ");
    let first = docs
        .split_once(". ")
        .map_or(docs.as_str(), |(first, _)| first)
        .trim_end_matches('.')
        .to_owned();
    Row {
        name: hook.name.to_owned(),
        dialect,
        kind,
        decides: hook.decides(),
        known: true,
        handlers,
        docs: first,
    }
}
