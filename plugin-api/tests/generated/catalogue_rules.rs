//! What holds of every entry of the table.

use std::collections::BTreeMap;

use hermes_plugin_api::catalogue::{self, CATALOGUE_REVISION, Field, Hook};

use super::{c_names, source};

/// As many as the host's record holds.
const MAX_FIELDS: usize = 32;

/// Letters, digits and `_`, beginning with a letter; gateway names have a `:` between two such words.
fn is_name(name: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split(':').all(word)
}

/// Every rule that the entry breaks.
fn broken(hook: &Hook) -> Vec<String> {
    let mut broken = Vec::new();
    if !is_name(hook.name) || hook.name.chars().any(|c| c.is_ascii_uppercase()) {
        broken.push(format!("`{}` is no name for a hook", hook.name));
    }
    if hook.canonical.is_empty() || hook.source.is_empty() || hook.docs.trim().is_empty() {
        broken.push("says too little of itself".to_owned());
    }
    if hook.since == 0 || hook.since > CATALOGUE_REVISION {
        broken.push(format!(
            "since {}, and the catalogue is at {CATALOGUE_REVISION}",
            hook.since
        ));
    }
    if !hook.decides() && !hook.answers.is_empty() {
        broken.push("has answers, and a merge rule that ignores them".to_owned());
    }
    for (what, fields) in [("field", hook.fields), ("answer", hook.answers)] {
        if fields.len() > MAX_FIELDS {
            broken.push(format!(
                "{} {what}s, at most {MAX_FIELDS} are possible",
                fields.len()
            ));
        }
        for (index, field) in fields.iter().enumerate() {
            let wrong = |why: String| format!("{what} `{}` {why}", field.name);
            broken.extend(
                broken_field(hook, index, field, fields)
                    .into_iter()
                    .map(wrong),
            );
        }
    }
    broken
}

fn broken_field(hook: &Hook, index: usize, field: &Field, among: &[Field]) -> Vec<String> {
    let mut broken = Vec::new();
    if field.number as usize != index {
        broken.push(format!("has number {}, expected {index}", field.number));
    }
    if !is_name(field.name) || field.name.contains(':') {
        broken.push("is no name for a field".to_owned());
    }
    if among
        .iter()
        .filter(|other| other.name == field.name)
        .count()
        > 1
    {
        broken.push("is there twice".to_owned());
    }
    if field.docs.trim().is_empty() {
        broken.push("says nothing of itself".to_owned());
    }
    if field.since < hook.since || field.since > CATALOGUE_REVISION {
        broken.push(format!(
            "since {}, and the hook since {}",
            field.since, hook.since
        ));
    }
    // A record is indexed by number: what is added later must stand behind what was there.
    if index > 0 && among[index - 1].since > field.since {
        broken.push("stands behind a field that was added later".to_owned());
    }
    if let Some(alias) = field.alias {
        let target = among.iter().find(|other| other.name == alias);
        if target.is_none_or(|target| target.name == field.name) {
            broken.push(format!("is the alias of `{alias}`, which there is not"));
        }
        if target.is_some_and(|target| target.ty != field.ty) {
            broken.push(format!(
                "is the alias of `{alias}`, which is of another type"
            ));
        }
    }
    broken
}

#[test]
fn every_entry_keeps_the_rules() {
    let broken: Vec<String> = catalogue::all()
        .flat_map(|hook| {
            broken(hook)
                .into_iter()
                .map(|why| format!("{}: {why}", hook.name))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[track_caller]
fn check_unique<K: Ord + std::fmt::Display>(
    what: &str,
    entries: impl IntoIterator<Item = (K, String)>,
) {
    let mut seen = BTreeMap::new();
    for (key, owner) in entries {
        let text = format!("{what} {key} is both {owner} and ");
        if let Some(other) = seen.insert(key, owner) {
            panic!("{text}{other}");
        }
    }
}

#[test]
fn names_and_numbers_of_hooks_are_unique() {
    check_unique(
        "name",
        catalogue::all().map(|hook| (hook.name, format!("hook {}", hook.number))),
    );
    check_unique(
        "number",
        catalogue::all().map(|hook| (hook.number, hook.name.to_owned())),
    );
}

#[test]
fn constants_of_the_header_are_unique() {
    let mut names = Vec::new();
    for number in source::read().numbers {
        for constant in &number.constants {
            let name = c_names::constant(&number.name, &constant.name);
            names.push((name, format!("{}::{}", number.name, constant.name)));
        }
    }
    for hook in catalogue::all() {
        let name = c_names::hook(hook);
        for suffix in ["", "_HOOK", "_FIELD_COUNT"] {
            names.push((format!("{name}{suffix}"), format!("hook {}", hook.name)));
        }
        for field in hook.fields {
            names.push((
                c_names::field(hook, field),
                format!("field {}.{}", hook.name, field.name),
            ));
        }
        for field in hook.answers {
            names.push((
                c_names::answer(hook, field),
                format!("answer {}.{}", hook.name, field.name),
            ));
        }
    }
    check_unique("constant", names);
}

#[track_caller]
fn check(change: impl FnOnce(&mut Hook), expected: Option<&str>) {
    let mut hook = *catalogue::by_name("transform_tool_result").expect("the table has it");
    change(&mut hook);
    let found = broken(&hook);
    match expected {
        None => assert!(found.is_empty(), "{found:?}"),
        Some(text) => assert!(found.iter().any(|why| why.contains(text)), "{found:?}"),
    }
}

/// The entry's fields after a change, for as long as the test runs.
fn changed(hook: &Hook, change: impl FnOnce(&mut Vec<Field>)) -> &'static [Field] {
    let mut fields = hook.fields.to_vec();
    change(&mut fields);
    fields.leak()
}

#[test]
fn each_rule_finds_its_breach() {
    check(|_| {}, None);
    check(|hook| hook.name = "Pre_tool", Some("no name for a hook"));
    check(|hook| hook.name = "1st", Some("no name for a hook"));
    check(|hook| hook.name = "agent:start", None);
    check(|hook| hook.name = "agent:", Some("no name for a hook"));
    check(
        |hook| hook.since = CATALOGUE_REVISION + 1,
        Some("the catalogue is at"),
    );
    check(|hook| hook.since = 0, Some("the catalogue is at"));
    check(|hook| hook.since = 2, Some("and the hook since 2"));
    check(
        |hook| hook.merge = catalogue::Merge::Ignore,
        Some("ignores them"),
    );
    check(|hook| hook.docs = "\n", Some("too little"));
    check(
        |hook| hook.fields = changed(hook, |fields| fields.swap(4, 5)),
        Some("has number 5, expected 4"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].name = "result"),
        Some("is there twice"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].name = "a-b"),
        Some("no name for a field"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].since = 2),
        Some("behind a field"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].docs = ""),
        Some("says nothing"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].alias = Some("gone")),
        Some("which there is not"),
    );
    check(
        |hook| hook.fields = changed(hook, |fields| fields[4].alias = Some("args")),
        Some("another type"),
    );
    let many = |fields: &mut Vec<Field>| {
        while fields.len() <= MAX_FIELDS {
            fields.push(fields[0]);
        }
    };
    check(|hook| hook.fields = changed(hook, many), Some("at most 32"));
}
