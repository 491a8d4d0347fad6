//! `catalogue.lock`: what the table has promised, one line per promise, and never one line less.

use std::collections::BTreeSet;

use hermes_plugin_api::catalogue::{self, Field, Hook};

use super::repository;

const HEAD: &str = "\
# Promises of the catalogue: plugins are built against these numbers, so lines are only ever added.
# Generated from plugin-api/src/catalogue by `cargo test -p hermes-plugin-api --test generated`.
#
# hook <name> <number> since <revision>
# field|answer <hook> <hook's number> <name> <number> <type> since <revision>
";

/// The lock of the table as it is.
pub(crate) fn text() -> String {
    let mut hooks: Vec<&Hook> = catalogue::all().collect();
    hooks.sort_by_key(|hook| hook.number);
    let mut text = HEAD.to_owned();
    for hook in hooks {
        text.push('\n');
        for line in promises(hook) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

fn promises(hook: &Hook) -> Vec<String> {
    let line = |word: &str, field: &Field| {
        let (name, number, ty, since) = (field.name, field.number, field.ty.name(), field.since);
        format!(
            "{word} {} {} {name} {number} {ty} since {since}",
            hook.name, hook.number
        )
    };
    let mut lines = vec![format!(
        "hook {} {} since {}",
        hook.name, hook.number, hook.since
    )];
    lines.extend(hook.fields.iter().map(|field| line("field", field)));
    lines.extend(hook.answers.iter().map(|field| line("answer", field)));
    lines
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .collect()
}

/// The lines that `new` lacks.
fn forgotten<'a>(old: &'a str, new: &str) -> Vec<&'a str> {
    let new = lines(new);
    lines(old)
        .into_iter()
        .filter(|line| !new.contains(line))
        .collect()
}

/// Fails when the committed lock promises something that the table no longer keeps.
#[track_caller]
pub(crate) fn check_only_additions() {
    let committed =
        std::fs::read_to_string(repository().join("catalogue.lock")).unwrap_or_default();
    let forgotten = forgotten(&committed, &text());
    assert!(
        forgotten.is_empty(),
        "catalogue.lock promises what the table no longer says; plugins built against it would break:\n    {}\n\
         put it back, and add what is new beside it",
        forgotten.join("\n    "),
    );
}

#[test]
fn the_table_keeps_every_promise() {
    check_only_additions();
}

#[track_caller]
fn check(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(forgotten(old, new), expected);
}

#[test]
fn a_promise_is_a_whole_line() {
    let old = "# head\nfield pre_tool_call 1 args 1 obj since 1\n";
    check(
        old,
        "field pre_tool_call 1 args 1 obj since 1\nfield pre_tool_call 1 more 2 str since 2",
        &[],
    );
    check("", old, &[]);
    check("\n# only words\n", "", &[]);
    let broken = ["field pre_tool_call 1 args 1 obj since 1"];
    check(old, "", &broken);
    check(old, "field pre_tool_call 1 args 2 obj since 1", &broken);
    check(old, "field pre_tool_call 1 args 1 any since 1", &broken);
    check(
        old,
        "field pre_tool_call 1 arguments 1 obj since 1",
        &broken,
    );
    check(old, "field pre_tool_call 2 args 1 obj since 1", &broken);
    check(old, "field pre_tool_call 1 args 1 obj since 2", &broken);
    check(old, "answer pre_tool_call 1 args 1 obj since 1", &broken);
}
