//! `docs/hooks.md`: one section per hook, out of the table.

use std::{collections::BTreeMap, fmt::Write as _};

use hermes_plugin_api::abi::OnFailure;
use hermes_plugin_api::catalogue::{
    self, CATALOGUE_REVISION, Dialect, Field, FieldType, Hook, Kind, Part,
};

use hermes_plugin_api::extension::middleware::PREFIX;

use super::answers::{Choice, rule};
use super::{c_names, recipes, rules};

const TYPES: [(FieldType, &str); 14] = [
    (FieldType::Str, "text that is always there"),
    (
        FieldType::Id,
        "an id; `\"\"` when there is none, which the Rust view shows as `None`",
    ),
    (FieldType::Text, "text, or null"),
    (FieldType::Int, "a whole number"),
    (FieldType::OptInt, "a whole number, or null"),
    (FieldType::Float, "a number"),
    (FieldType::OptFloat, "a number, or null"),
    (FieldType::Bool, "true or false"),
    (FieldType::OptBool, "true, false or null"),
    (FieldType::Object, "an object"),
    (FieldType::OptObject, "an object, or null"),
    (FieldType::List, "an array"),
    (FieldType::Any, "whatever JSON can hold"),
    (
        FieldType::Callback,
        "a handler that the host calls later; not in JSON",
    ),
];

/// The whole page.
pub(crate) fn text() -> String {
    let mut page = head();
    let hooks: Vec<&Hook> = catalogue::all().collect();
    let recipes = recipes::read();
    for dialect in dialects(&hooks) {
        line(&mut page, &format!("\n### {}\n", dialect_name(dialect)));
        line(&mut page, "| hook | kind | when |\n| --- | --- | --- |");
        for hook in hooks.iter().filter(|hook| hook.dialect == dialect) {
            let name = hook.name;
            let when = first_sentence(&prose(hook.docs));
            line(
                &mut page,
                &format!(
                    "| [`{name}`](#{}) | {} | {} |",
                    // As GitHub makes it.
                    name.replace(':', ""),
                    kind_word(hook.kind),
                    cell(&when)
                ),
            );
        }
    }
    for hook in hooks {
        page.push_str(&section(hook, &recipes));
    }
    page
}

fn head() -> String {
    let mut page = format!(
        "<!-- Generated from plugin-api/src/catalogue. Do not edit; renew it with\n     \
         UPDATE_GENERATED=1 cargo test -p hermes-plugin-api --test generated -->\n\n\
         # Hooks\n\n\
         Every hook point of catalogue revision {CATALOGUE_REVISION}: what its event carries, and what an answer to it does.\n\n\
         A plugin registers for a hook by its name. A field that the host did not send is absent: empty in the\n\
         typed view, `HERMES_TAG_ABSENT` in C. Numbers never change; what is new is added at the end.\n\n\
         In C a hook is `HERMES_` and its name in capitals, a field that and the field's name, an answer has\n\
         `_ANSWER_` between the two: `HERMES_PRE_TOOL_CALL`, `HERMES_PRE_TOOL_CALL_TOOL_NAME`,\n\
         `HERMES_PRE_TOOL_CALL_ANSWER_ACTION`.\n\n\
         The kinds of middleware are hook points whose names begin with `middleware:`, so that they cannot be\n\
         mistaken for hooks: `ctx.middleware(ToolRequest, …)` and `ctx.register_middleware(\"tool_request\", …)`\n\
         both register for `middleware:tool_request`.\n\n\
         ## Words\n\n\
         | kind | how its handlers are called |\n| --- | --- |\n"
    );
    for kind in [
        Kind::Observe,
        Kind::Modify,
        Kind::Claim,
        Kind::Gate,
        Kind::Sync,
        Kind::Transform,
    ] {
        line(
            &mut page,
            &format!("| {} | {} |", kind_word(kind), kind_words(kind)),
        );
    }
    line(&mut page, "\n| type | what it holds |\n| --- | --- |");
    for (ty, words) in TYPES {
        line(&mut page, &format!("| {} | {words} |", type_cell(ty)));
    }
    page.push_str(
        "\n| source | who defines it |\n| --- | --- |\n\
         | S | Hermes Agent, the published page |\n\
         | 13, 19 | Hermes Agent 0.13, 0.19 |\n\
         | seed | OpenClaw, the published page |\n\
         | 5.12, 9.6 | OpenClaw 2026.5.12, 2026.9.6 |\n\
         | host | this host |\n\n\
         *event* and *ctx* say which of the two arguments of an OpenClaw handler a field belongs to; at the\n\
         boundary they are one record.\n\n\
         A handler that fails is a fault of its plugin. *Open*: it counts as if it had said nothing. *Closed*:\n\
         the event is refused. The handlers of guards fail closed wherever an answer decides, and\n\
         `on_failure` in the manifest or the configuration overrides both.\n\n\
         ## Rules of every hook\n\n\
         Here and at each hook: *Hermes* is what Hermes Agent does, by its published page or, where that is\n\
         silent, by its code. *Ours* is where this host goes further, or had to decide.\n\n",
    );
    page.push_str(&rule_lines(rules::EVERYWHERE));
    page.push_str("\n## Index\n");
    page
}

fn rule_lines(rules: &[rules::Rule]) -> String {
    let lines = rules
        .iter()
        .map(|(whose, text)| format!("- **{}**: {text}\n", whose.word()));
    lines.collect()
}

/// Links to the recipes that register for a hook.
fn recipe_links(hook: &Hook, recipes: &BTreeMap<String, Vec<String>>) -> String {
    let place = recipes::PLACE;
    let links: Vec<String> = recipes
        .iter()
        .filter(|(_, hooks)| hooks.iter().any(|name| name == hook.name))
        .map(|(name, _)| format!("[{name}](../{place}/{name}.rs)"))
        .collect();
    if links.is_empty() {
        "none".to_owned()
    } else {
        links.join(", ")
    }
}

fn section(hook: &Hook, recipes: &BTreeMap<String, Vec<String>>) -> String {
    let rule = rule(hook.merge);
    let mut page = format!("\n## {}\n\n{}\n\n", hook.name, prose(hook.docs));
    line(&mut page, "| | |\n| --- | --- |");
    let rust = format!(
        "`{}`, answered with `{}`",
        rust_name(hook.name),
        rule.rust_type
    );
    let rows = [
        ("number", hook.number.to_string()),
        ("C", format!("`{}`", c_names::hook(hook))),
        ("Rust", rust),
        ("dialect", dialect_name(hook.dialect).to_owned()),
        ("moment", format!("`{}`", hook.canonical)),
        (
            "kind",
            format!("{}: {}", kind_word(hook.kind), kind_words(hook.kind)),
        ),
        ("merge", rule.words.to_owned()),
        ("on failure", failure(hook.on_failure).to_owned()),
        (
            "budget",
            if hook.budget_ms == 0 {
                "none".to_owned()
            } else {
                format!("{} ms", hook.budget_ms)
            },
        ),
        ("since", format!("catalogue revision {}", hook.since)),
        ("source", hook.source.to_owned()),
        ("recipes", recipe_links(hook, recipes)),
    ];
    for (what, fact) in rows {
        line(&mut page, &format!("| {what} | {} |", cell(&fact)));
    }
    let rules = rules::rules(hook);
    if !rules.is_empty() {
        line(&mut page, "\n### Rules\n");
        page.push_str(&rule_lines(&rules));
    }
    line(&mut page, "\n### Event\n");
    line(
        &mut page,
        "| # | field | type | part | since | source | same as | meaning |",
    );
    line(
        &mut page,
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    );
    for field in hook.fields {
        let part = if field.part == Part::Ctx {
            "ctx"
        } else {
            "event"
        };
        let alias = field
            .alias
            .map_or_else(String::new, |alias| format!("`{alias}`"));
        let Field {
            number,
            name,
            since,
            source,
            ..
        } = field;
        let (ty, docs) = (type_cell(field.ty), cell(&prose(field.docs)));
        line(
            &mut page,
            &format!(
                "| {number} | `{name}` | {ty} | {part} | {since} | {source} | {alias} | {docs} |"
            ),
        );
    }
    if rule.choices.is_empty() {
        return page;
    }
    line(&mut page, "\n### Answer\n");
    if !hook.answers.is_empty() {
        line(
            &mut page,
            "| # | field | type | since | meaning |\n| --- | --- | --- | --- | --- |",
        );
        for field in hook.answers {
            let Field {
                number,
                name,
                since,
                ..
            } = field;
            let (ty, docs) = (type_cell(field.ty), cell(&prose(field.docs)));
            line(
                &mut page,
                &format!("| {number} | `{name}` | {ty} | {since} | {docs} |"),
            );
        }
        page.push('\n');
    }
    line(
        &mut page,
        "| Rust | JSON | what it does |\n| --- | --- | --- |",
    );
    for Choice { rust, json, effect } in rule.choices {
        let rust = if rust.is_empty() {
            String::new()
        } else {
            format!("`{rust}`")
        };
        let json = json.map_or_else(
            || "nothing, or `null`".to_owned(),
            |json| format!("`{json}`"),
        );
        line(
            &mut page,
            &format!("| {} | {} | {effect} |", cell(&rust), cell(&json)),
        );
    }
    page
}

fn line(page: &mut String, text: &str) {
    // Writing into a `String` has no way to fail.
    let _ = writeln!(page, "{text}");
}

fn dialects(hooks: &[&Hook]) -> Vec<Dialect> {
    let mut dialects = Vec::new();
    for hook in hooks {
        if !dialects.contains(&hook.dialect) {
            dialects.push(hook.dialect);
        }
    }
    dialects
}

fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Hermes => "Hermes Agent",
        Dialect::OpenClaw => "OpenClaw",
        Dialect::Host => "The host's own",

        other => panic!("say in tests/generated/hooks_page.rs what {other:?} is called"),
    }
}

fn kind_word(kind: Kind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Observe => "they watch; what they answer is ignored",
        Kind::Modify => "they may change or refuse the event",
        Kind::Claim => "the first that takes the event ends the matter",
        Kind::Gate => "each must let the event pass, and an unreadable answer refuses it",
        Kind::Sync => "they work on the caller's thread and may not wait",
        Kind::Transform => "the first acceptable text replaces the original",
        other => panic!("say in tests/generated/hooks_page.rs what {other:?} means"),
    }
}

fn failure(policy: OnFailure) -> &'static str {
    match policy {
        OnFailure::CLOSED => "closed: a handler that faults refuses the event",
        _ => "open: a handler that faults counts as if it had said nothing",
    }
}

fn type_cell(ty: FieldType) -> String {
    format!("`{}`", ty.name().replace('|', "\\|"))
}

/// The type that `ctx.on` is told: `pre_tool_call` → `PreToolCall`, `middleware:llm_request` → `LlmRequest`.
fn rust_name(hook: &str) -> String {
    let hook = hook.strip_prefix(PREFIX).unwrap_or(hook);
    let words = hook.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

/// Doc comments as one paragraph.
fn prose(docs: &str) -> String {
    docs.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first_sentence(prose: &str) -> String {
    prose
        .split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}

/// Text that stays inside its cell.
fn cell(text: &str) -> String {
    text.replace("\\|", "|").replace('|', "\\|")
}

#[test]
fn the_words_for_types_are_the_tables() {
    for hook in catalogue::all() {
        for field in hook.fields.iter().chain(hook.answers) {
            assert!(
                TYPES.iter().any(|(ty, _)| *ty == field.ty),
                "{:?} is not explained",
                field.ty
            );
        }
    }
}

#[test]
fn the_rust_names_are_the_tables() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalogue");
    let mut table = String::new();
    for entry in std::fs::read_dir(dir).expect("src/catalogue is a directory of this package") {
        let path = entry.expect("src/catalogue can be read").path();
        let text = std::fs::read_to_string(&path).expect("a source file can be read");
        table.push_str(&prose(&text));
    }
    for Hook { number, name, .. } in catalogue::all() {
        let point = rust_name(name);
        let entry = format!("{number} {point} {point}View \"{name}\"");
        assert!(table.contains(&entry), "the table has no `{entry}`");
    }
}
