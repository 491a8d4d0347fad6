//! What the loader makes of a config.yaml.

use std::path::Path;
use std::time::Duration;

use hermes_loader::config::{
    Compat, Config, HookDefaults, Problem, Severity, expand, truthy, truthy_value,
};
use hermes_loader::home::Home;
use hermes_loader::manifest::{Isolation, OnFailure, Role};
use serde_json::json;

fn read(text: &str) -> Config {
    Config::parse(text, Path::new("config.yaml"), &|name| match name {
        "NAME" => Some("value".to_owned()),
        "EMPTY" => Some(String::new()),
        "NESTED" => Some("${NAME}".to_owned()),
        _ => None,
    })
}

fn names<'c>(list: impl IntoIterator<Item = &'c String>) -> Vec<&'c str> {
    list.into_iter().map(String::as_str).collect()
}

/// Reads `text` and finds exactly one problem, with this code and severity, at this key.
#[track_caller]
fn one_problem(text: &str, severity: Severity, code: &str, key: &str) -> (Config, Problem) {
    let config = read(text);
    let [problem] = config.problems() else {
        panic!("expected one problem, got {:#?}", config.problems());
    };
    let problem = problem.clone();
    let found = (problem.severity, problem.code, problem.place.key.as_deref());
    assert_eq!(found, (severity, code, Some(key)));
    assert!(problem.message.contains(key), "{}", problem.message);
    assert!(problem.cure.is_some(), "{}", problem.message);
    assert!(problem.place.position.is_some(), "{}", problem.message);
    (config, problem)
}

#[track_caller]
fn clean(text: &str) -> Config {
    let config = read(text);
    assert_eq!(config.problems(), [], "{text}");
    config
}

#[test]
fn no_content_means_defaults() {
    for text in ["", "# only this\n", "---\n", "\u{feff}", "~\n", "{}\n"] {
        let config = clean(text);
        assert_eq!(config.value(), Config::defaults().value(), "{text:?}");
    }
    assert_eq!(
        Config::defaults().value(),
        &json!({"hooks": {}, "hooks_auto_accept": false})
    );
}

#[test]
fn a_missing_file_means_defaults() {
    let dir = tempfile::tempdir().expect("temp dir");
    let config = Config::load(&Home::at(dir.path()), &|_| None);
    assert_eq!(config.value(), Config::defaults().value());
    assert_eq!(config.problems(), []);
}

#[test]
fn an_unreadable_text_is_a_warning_and_defaults() {
    for text in [
        "a: [\n",
        "plugins:\n\t- x\n",
        "- a list\n",
        "just text\n",
        "a: 1\n---\nb: 2\n",
        "a: *nobody\n",
        "a: !!python/object:os.system {}\n",
        "? [a]\n: b\n",
        "a: \u{0}\n",
    ] {
        let config = read(text);
        assert_eq!(config.value(), Config::defaults().value(), "{text:?}");
        let [problem] = config.problems() else {
            panic!("{text:?}: {:?}", config.problems());
        };
        assert_eq!(problem.severity, Severity::Warning);
        assert_eq!(problem.code, "config_unreadable");
        assert!(problem.cure.is_some());
    }
}

#[test]
fn hostile_texts_end_soon() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        laughs += &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 9].join(", "));
    }
    let chain: String = (1..5000)
        .map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1))
        .collect();
    for text in [
        laughs,
        format!("a0: &a0 [x]\n{chain}"),
        "a: &a [*a]\n".to_owned(),
        "a: &a\n  <<: *a\n".to_owned(),
        format!(
            "a: &a {}\nb: [{}]\n",
            "x".repeat(100_000),
            "*a , ".repeat(1000)
        ),
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{a: ".repeat(100_000),
        "? ".repeat(100_000),
    ] {
        let config = read(&text);
        assert_eq!(config.value(), Config::defaults().value());
        assert_eq!(config.problems().len(), 1);
    }
    let many: String = (0..20_000).map(|n| format!("  k{n}: 1\n")).collect();
    assert_eq!(read(&format!("plugins:\n{many}")).problems().len(), 100);
}

#[test]
fn what_is_no_file_is_not_opened() {
    let dir = tempfile::tempdir().expect("temp dir");
    let home = Home::at(dir.path());
    std::fs::create_dir(home.config_file()).expect("directory");
    let config = Config::load(&home, &|_| None);
    assert_eq!(config.problems().len(), 1);
    assert!(config.problems()[0].message.contains("found a directory"));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let dir = tempfile::tempdir().expect("temp dir");
    let home = Home::at(dir.path());
    let made = std::process::Command::new("mkfifo")
        .arg(home.config_file())
        .status();
    assert!(made.expect("mkfifo").success());
    let config = Config::load(&home, &|_| None);
    assert_eq!(config.problems().len(), 1);
    assert!(config.problems()[0].message.contains("found a pipe"));
}

#[test]
fn user_values_merge_into_defaults() {
    let config = clean("hooks:\n  pre_tool_call: []\nmodel: x\n");
    assert_eq!(
        config.value(),
        &json!({"hooks": {"pre_tool_call": []}, "hooks_auto_accept": false, "model": "x"})
    );
    assert_eq!(clean("hooks: null\n").get(&["hooks"]), Some(&json!(null)));
    assert_eq!(
        clean("hooks:\n  a: {b: 1}\n").get(&["hooks", "a", "b"]),
        Some(&json!(1))
    );
    assert_eq!(clean("x: 1\n").get(&["x", "y"]), None);
}

#[test]
fn variables_are_expanded_in_values_only() {
    let config = clean(
        "a: ${NAME}\nb: [\"x${NAME}y${NAME}\", 1, true]\nc: {\"${NAME}\": $NAME}\nd: ${NOBODY}\n\
         e: \"${}\"\nf: ${NESTED}\ng: \"${NAME\"\nh: \"<${EMPTY}>\"\ni: \"${NOBODY}${NAME}\"\nj: \"${ NAME }\"\n\
         k: $${NAME}\nl: \"${A${NAME}}\"\n",
    );
    let mut wanted = json!({
        "a": "value", "b": ["xvalueyvalue", 1, true], "c": {"${NAME}": "$NAME"}, "d": "${NOBODY}",
        "e": "${}", "f": "${NAME}", "g": "${NAME", "h": "<>", "i": "${NOBODY}value", "j": "${ NAME }",
        "k": "$value", "l": "${A${NAME}}",
    });
    wanted["hooks"] = json!({});
    wanted["hooks_auto_accept"] = json!(false);
    assert_eq!(config.value(), &wanted);

    let mut value = json!("${X}");
    expand(&mut value, &|name| Some(name.repeat(2)));
    assert_eq!(value, json!("XX"));
}

#[test]
fn expanded_values_count_where_they_mean_something() {
    let config = clean("plugins:\n  enabled: [\"${NAME}\"]\nhooks_auto_accept: on\n");
    assert_eq!(names(&config.plugins().enabled), ["value"]);
    assert!(config.hooks_auto_accept());
}

#[test]
fn truthy_words() {
    for text in ["1", "true", "yes", "on", " YES ", "On", "\ttrue\n"] {
        assert!(truthy(text), "{text:?}");
    }
    for text in [
        "", "0", "false", "no", "off", "y", "t", "2", "enabled", "yes!",
    ] {
        assert!(!truthy(text), "{text:?}");
    }
    assert!(truthy_value(&json!("on")) && truthy_value(&json!(true)));
    assert!(!truthy_value(&json!(1)) && !truthy_value(&json!(null)));
    // Case 81: the text is yes, the number is not.
    assert!(clean("hooks_auto_accept: \"on\"\n").hooks_auto_accept());
    assert!(!clean("hooks_auto_accept: 1\n").hooks_auto_accept());
}

#[test]
fn lists_of_plugins() {
    let config =
        clean("plugins:\n  enabled: [b, a, b]\n  disabled:\n  - c\n  deny: [d]\n  allow: [e]\n");
    let rules = config.plugins();
    assert_eq!(names(&rules.enabled), ["a", "b"]);
    assert_eq!(names(&rules.disabled), ["c"]);
    assert_eq!(names(&rules.denied), ["d"]);
    assert_eq!(names(&rules.allowed), ["e"]);
    assert!(!rules.all_off);
    for text in [
        "plugins:\n",
        "plugins: {}\n",
        "plugins:\n  enabled:\n  disabled: ~\n",
    ] {
        assert!(clean(text).plugins().enabled.is_empty());
    }
}

#[test]
fn what_is_required_is_said_in_the_list_or_in_the_entry() {
    let config = clean(
        "plugins:\n  required: [guard, cat/x]\n  entries:\n    audit: {required: true}\n    hello: {required: false}\n",
    );
    let rules = config.plugins();
    assert_eq!(names(&rules.required), ["cat/x", "guard"]);
    for (key, name, wanted) in [
        ("guard", "guard", true),
        ("cat/x", "ex", true),
        ("cat/y", "guard", true),
        ("audit", "audit", true),
        ("cat/audit", "audit", true),
        ("hello", "hello", false),
        ("x", "x", false),
    ] {
        assert_eq!(rules.is_required(key, name), wanted, "{key} {name}");
    }
    let error = Severity::Error;
    let (config, problem) = one_problem(
        "plugins:\n  required: guard\n",
        error,
        "config_value",
        "plugins.required",
    );
    assert!(config.plugins().required.is_empty());
    assert!(
        problem
            .cure
            .is_some_and(|cure| cure.contains("required: [name]"))
    );
    let (config, _) = one_problem(
        "plugins:\n  required: [guard, 7]\n",
        error,
        "config_value",
        "plugins.required.1",
    );
    assert_eq!(names(&config.plugins().required), ["guard"]);
    let text = "plugins:\n  entries:\n    g: {required: 'yes'}\n";
    let (config, _) = one_problem(text, error, "config_value", "plugins.entries.g.required");
    assert_eq!(config.entry("g").required, None);
}

#[test]
fn enabled_as_a_truth_value() {
    assert!(clean("plugins:\n  enabled: false\n").plugins().all_off);
    assert!(clean("plugins:\n  enabled: off\n").plugins().all_off);
    let text = "plugins:\n  enabled: true\n";
    let (config, problem) =
        one_problem(text, Severity::Error, "enabled_is_true", "plugins.enabled");
    assert!(config.plugins().enabled.is_empty() && !config.plugins().all_off);
    assert_eq!(
        problem.place.position.map(|at| (at.line, at.column)),
        Some((2, 3))
    );
    assert!(problem.cure.is_some_and(|cure| cure.contains("enabled: [")));
}

#[test]
fn values_that_do_not_fit_are_named_and_not_used() {
    let error = Severity::Error;
    for (text, key) in [
        ("plugins: nonsense\n", "plugins"),
        ("plugins: [a]\n", "plugins"),
        ("plugins:\n  enabled: a\n", "plugins.enabled"),
        ("plugins:\n  enabled: {a: 1}\n", "plugins.enabled"),
        ("plugins:\n  enabled: [a, 1]\n", "plugins.enabled.1"),
        ("plugins:\n  enabled: [' ']\n", "plugins.enabled.0"),
        ("plugins:\n  disabled: a\n", "plugins.disabled"),
        ("plugins:\n  deny: 3\n", "plugins.deny"),
        ("plugins:\n  allow: yes\n", "plugins.allow"),
        ("plugins:\n  entries: [g]\n", "plugins.entries"),
        ("plugins:\n  entries:\n    g: 1\n", "plugins.entries.g"),
        (
            "plugins:\n  entries:\n    g: {config: 1}\n",
            "plugins.entries.g.config",
        ),
        (
            "plugins:\n  entries:\n    g: {enabled: \"false\"}\n",
            "plugins.entries.g.enabled",
        ),
        (
            "plugins:\n  entries:\n    g: {role: gaurd}\n",
            "plugins.entries.g.role",
        ),
        (
            "plugins:\n  entries:\n    g: {on_failure: shut}\n",
            "plugins.entries.g.on_failure",
        ),
        (
            "plugins:\n  entries:\n    g: {isolation: 1}\n",
            "plugins.entries.g.isolation",
        ),
        (
            "plugins:\n  entries:\n    g: {priority: high}\n",
            "plugins.entries.g.priority",
        ),
        (
            "plugins:\n  entries:\n    g: {priority: 3000000000}\n",
            "plugins.entries.g.priority",
        ),
        (
            "plugins:\n  entries:\n    g: {tools: terminal}\n",
            "plugins.entries.g.tools",
        ),
        (
            "plugins:\n  entries:\n    g: {hooks: no}\n",
            "plugins.entries.g.hooks",
        ),
        ("compat: \"0.14\"\n", "compat"),
        ("compat: [x]\n", "compat"),
        ("hooks:\n  defaults: \"2025\"\n", "hooks.defaults"),
    ] {
        one_problem(text, error, "config_value", key);
    }
}

#[test]
fn unknown_and_unused_keys_warn() {
    let warning = Severity::Warning;
    one_problem(
        "plugins:\n  enable: [a]\n",
        warning,
        "unknown_key",
        "plugins.enable",
    );
    one_problem(
        "plugins:\n  load: {}\n",
        warning,
        "unused_key",
        "plugins.load",
    );
    let text = "plugins:\n  entries:\n    g: {prio: 1}\n";
    one_problem(text, warning, "unknown_key", "plugins.entries.g.prio");
    let text = "plugins:\n  entries:\n    g: {hooks: {timeout: 1}}\n";
    one_problem(
        text,
        warning,
        "unknown_key",
        "plugins.entries.g.hooks.timeout",
    );
    let (config, _) = one_problem("a: 1\na: 2\n", warning, "duplicate_key", "a");
    assert_eq!(config.get(&["a"]), Some(&json!(2)));
}

#[test]
fn entry_of_one_plugin() {
    let config = clean(
        "plugins:\n  entries:\n    g:\n      enabled: false\n      config: {deep: [1, \"${NAME}\"]}\n      role: Guard\n      \
         on_failure: closed\n      isolation: process\n      priority: -5\n      tools: [terminal, patch]\n      \
         allow_tool_override: true\n      hooks: {allowPromptInjection: false, allowConversationAccess: true}\n    cat/x:\n",
    );
    let entry = config.entry("g");
    assert_eq!(entry.enabled, Some(false));
    assert_eq!(entry.config.get("deep"), Some(&json!([1, "value"])));
    assert_eq!(entry.role, Some(Role::Guard));
    assert_eq!(entry.on_failure, Some(OnFailure::Closed));
    assert_eq!(entry.isolation, Some(Isolation::Process));
    assert_eq!(entry.priority, Some(-5));
    assert_eq!(
        entry.tools.as_deref().map(names),
        Some(vec!["terminal", "patch"])
    );
    assert_eq!(entry.allow_tool_override, Some(true));
    assert_eq!(entry.hooks.allow_prompt_injection, Some(false));
    assert_eq!(entry.hooks.allow_conversation_access, Some(true));
    assert_eq!(config.entry("nobody"), config.entry("cat/x"));
    let rules = config.plugins();
    assert_eq!(rules.entry_for("cat/g", "g"), rules.entry("g"));
    assert_eq!(rules.entry_for("cat/x", "g").enabled, None);
}

#[test]
fn rights_over_models() {
    let config = clean(
        "plugins:\n  entries:\n    g:\n      llm: {allow_model_override: true, allowed_models: [a, b]}\n    h:\n      llm:\n",
    );
    let llm = &config.entry("g").llm;
    assert!(llm.allow_model_override && !llm.allow_provider_override);
    let models = llm.allowed_models.as_deref().map(names);
    assert_eq!(
        (models, &llm.allowed_providers),
        (Some(vec!["a", "b"]), &None)
    );
    assert_eq!(config.entry("h").llm, config.entry("nobody").llm);
    assert!(!config.entry("h").llm.allow_model_override);

    // What cannot be read allows nothing.
    let (config, _) = one_problem(
        "plugins:\n  entries:\n    g:\n      llm: {allow_model_override: true, allowed_models: a}\n",
        Severity::Error,
        "config_value",
        "plugins.entries.g.llm.allowed_models",
    );
    assert_eq!(config.entry("g").llm.allowed_models, Some(Vec::new()));
    let (config, _) = one_problem(
        "plugins:\n  entries:\n    g:\n      llm: {allow_provider_override: \"yes\"}\n",
        Severity::Error,
        "config_value",
        "plugins.entries.g.llm.allow_provider_override",
    );
    assert!(!config.entry("g").llm.allow_provider_override);
    one_problem(
        "plugins:\n  entries:\n    g:\n      llm: {model: x}\n",
        Severity::Warning,
        "unknown_key",
        "plugins.entries.g.llm.model",
    );
}

#[test]
fn budgets() {
    let config = clean(
        "plugins:\n  entries:\n    g:\n      hooks:\n        timeoutMs: 5000\n        timeouts: {pre_tool_call: 1, any: 600000.0}\n",
    );
    let hooks = &config.entry("g").hooks;
    let ms = Duration::from_millis;
    assert_eq!(hooks.budget("pre_tool_call"), Some(ms(1)));
    assert_eq!(hooks.budget("any"), Some(ms(600_000)));
    assert_eq!(hooks.budget("other"), Some(ms(5000)));
    assert_eq!(config.entry("h").hooks.budget("other"), None);
}

#[test]
fn bad_budgets_are_named_and_the_next_source_applies() {
    for bad in [
        "0",
        "-1",
        "0.5",
        "600001",
        "\"30\"",
        "true",
        "null",
        "[1]",
        ".inf",
        "1e3",
        "9999999999999999999999",
    ] {
        let text = format!(
            "plugins:\n  entries:\n    g:\n      hooks:\n        timeoutMs: 7\n        timeouts: {{h: {bad}}}\n"
        );
        let key = "plugins.entries.g.hooks.timeouts.h";
        let (config, problem) = one_problem(&text, Severity::Error, "config_value", key);
        let hooks = &config.entry("g").hooks;
        assert_eq!(hooks.budget("h"), Some(Duration::from_millis(7)), "{bad}");
        assert_eq!(problem.place.position.map(|at| at.line), Some(6));
        let text =
            format!("plugins:\n  entries:\n    g:\n      hooks:\n        timeoutMs: {bad}\n");
        let key = "plugins.entries.g.hooks.timeoutMs";
        let (config, _) = one_problem(&text, Severity::Error, "config_value", key);
        assert_eq!(config.entry("g").hooks.budget("h"), None, "{bad}");
    }
}

#[test]
fn releases() {
    assert_eq!(clean("").compat(), Compat::Current);
    for text in ["compat: \"0.13\"\n", "compat: 0.13\n"] {
        assert_eq!(clean(text).compat(), Compat::V13);
    }
    for text in ["compat: current\n", "compat: '0.19'\n", "compat: ~\n"] {
        assert_eq!(clean(text).compat(), Compat::Current);
    }
    for text in ["compat: 13\n", "compat: [0.13]\n", "compat: '0.13.0'\n"] {
        let (config, problem) = one_problem(text, Severity::Error, "config_value", "compat");
        assert_eq!(config.compat(), Compat::Current);
        assert!(problem.cure.is_some_and(|cure| cure.contains("0.13")));
    }
    assert_eq!(clean("").hook_defaults(), HookDefaults::V2026_5_12);
    for text in [
        "hooks: {defaults: 9.6}\n",
        "hooks: {defaults: '2026.9.6'}\n",
    ] {
        assert_eq!(clean(text).hook_defaults(), HookDefaults::V2026_9_6);
    }
}

#[test]
fn yaml_as_hermes_reads_it() {
    let config = clean(
        "base: &b {x: 1, y: 2}\nm: {<<: *b, y: 3}\nyes: no\n1: one\nd: 2024-01-01\no: 0755\nt: !!str 7\n? k\n: v\n",
    );
    let at = |key: &str| config.get(&[key]).cloned();
    assert_eq!(at("m"), Some(json!({"x": 1, "y": 3})));
    assert_eq!(at("yes"), Some(json!(false)));
    assert_eq!(at("1"), Some(json!("one")));
    assert_eq!(at("d"), Some(json!("2024-01-01")));
    assert_eq!(at("o"), Some(json!(493)));
    assert_eq!(at("t"), Some(json!("7")));
    assert_eq!(at("k"), Some(json!("v")));
}
