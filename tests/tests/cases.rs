//! Cases made from public reports, played through compiled plugins: `cases/<name>/` holds the plugins'
//! behaviour, the events, and what is expected.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hermes_tests::{
    cases::{self, Finding, Need, Verdict, Went},
    fixture,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Time limits are for two idle cores.
const SLACK: f64 = 3.0;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

fn needs(key: &str, need: Need) -> Finding {
    Finding {
        key: key.to_owned(),
        went: Went::Needs(need),
    }
}

/// What does not hold yet, and why; every other case passes whole.
fn known() -> Vec<(&'static str, Vec<Finding>)> {
    let shell = || vec![needs("config.yaml", Need::ShellHooks)];
    vec![
        (
            "07-panic-in-one-plugin",
            vec![
                needs("set_aside", Need::Quarantine),
                needs("warn_lines_max", Need::Quarantine),
            ],
        ),
        (
            "08-exit-inside-plugin",
            vec![
                needs("plugins.json", Need::Breadcrumb),
                needs("out_of_process", Need::ProcessIsolation),
            ],
        ),
        ("10-shell-odd-output", shell()),
        ("11-shell-exit-codes", shell()),
        ("13-shell-leaves-child-running", shell()),
        ("23-guard-not-consented", shell()),
    ]
}

#[test]
fn every_case_comes_to_what_is_known_of_it() {
    let known = known();
    let all = cases::at(&folder()).expect("there are cases");
    assert_eq!(all.len(), 14, "{all:#?}");
    for dir in all {
        let verdict = cases::run(&dir, SLACK);
        let expected = known.iter().find(|(case, _)| *case == verdict.case);
        let expected = expected
            .map(|(_, failures)| failures.as_slice())
            .unwrap_or_default();
        let found: Vec<Finding> = verdict.failures().cloned().collect();
        assert_eq!(found, expected, "{verdict:#?}");
        assert_eq!(verdict.passed(), expected.is_empty(), "{verdict:#?}");
    }
}

/// A copy of a case that may be changed.
struct Copy {
    dir: TempDir,
}

impl Copy {
    fn of(case: &str) -> Self {
        let dir = tempfile::tempdir().expect("the system has a temporary directory");
        let to = dir.path().join(case);
        fs::create_dir_all(&to).expect("the copy's directory is made");
        for entry in fs::read_dir(folder().join(case)).expect("the case is there") {
            let from = entry.expect("it can be listed").path();
            if from.is_file() {
                fs::copy(&from, to.join(from.file_name().expect("a name"))).expect("it is copied");
            }
        }
        if case.starts_with("21") {
            for profile in ["work", "home"] {
                let from = folder().join(case).join("profiles").join(profile);
                let to = to.join("profiles").join(profile);
                fs::create_dir_all(&to).expect("the profile's directory is made");
                fs::copy(from.join("config.yaml"), to.join("config.yaml")).expect("it is copied");
            }
        }
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.dir.path()).expect("it is there");
        entries
            .next()
            .expect("one case")
            .expect("it can be listed")
            .path()
    }

    fn change(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let file = self.path().join(file);
        let text = fs::read_to_string(&file).unwrap_or_default();
        fs::write(&file, change(&text)).expect("it is written");
    }

    fn expect(&self, expected: &Value) {
        self.change("expected.md", |_| {
            format!("```json expected\n{expected}\n```\n")
        });
    }

    fn run(&self) -> Verdict {
        cases::run(&self.path(), SLACK)
    }
}

fn expected(case: &str) -> Value {
    let text = fs::read_to_string(folder().join(case).join("expected.md")).expect("it is there");
    let (_, block) = text.split_once("```json expected").expect("a block");
    serde_json::from_str(block.split_once("```").expect("an end").0).expect("JSON")
}

/// Every way to change one value at the end of a path.
fn alterations(at: &str, value: &Value) -> Vec<(String, Value)> {
    let inner = |at: String, value: &Value, put: &dyn Fn(Value) -> Value| -> Vec<(String, Value)> {
        let altered = alterations(&at, value);
        altered
            .into_iter()
            .map(|(at, value)| (at, put(value)))
            .collect()
    };
    match value {
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| {
                inner(format!("{at}/{key}"), value, &|new| {
                    let mut map = map.clone();
                    map.insert(key.clone(), new);
                    map.into()
                })
            })
            .collect(),
        Value::Array(items) => (0..items.len())
            .flat_map(|index| {
                inner(format!("{at}/{index}"), &items[index], &|new| {
                    let mut items = items.clone();
                    items[index] = new;
                    items.into()
                })
            })
            .collect(),
        Value::Bool(word) => vec![(at.to_owned(), json!(!word))],
        // What is not there cannot be missed by one letter.
        Value::String(_) if at.contains("contains_none_of") => vec![(at.to_owned(), json!("e"))],
        Value::String(text) => vec![(at.to_owned(), json!(format!("{text}~")))],
        Value::Number(_) if at.ends_with("_max") => vec![(at.to_owned(), json!(0))],
        Value::Number(number) => {
            vec![(
                at.to_owned(),
                json!(number.as_u64().unwrap_or_default() + 100),
            )]
        }
        Value::Null => Vec::new(),
    }
}

#[test]
fn whatever_is_changed_in_what_is_expected_fails() {
    let known = known();
    let all = cases::at(&folder()).expect("there are cases");
    let mut changes = 0;
    for dir in all {
        let case = dir
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if known.iter().any(|(one, _)| *one == case) {
            continue;
        }
        let copy = Copy::of(&case);
        assert!(copy.run().passed(), "{case} passes as it is");
        for (at, altered) in alterations("", &expected(&case)) {
            copy.expect(&altered);
            let verdict = copy.run();
            assert!(!verdict.passed(), "{case}: {at} was changed: {altered}");
            changes += 1;
        }
    }
    assert!(changes > 40, "{changes} changes were tried");
}

#[track_caller]
fn refused(copy: &Copy, words: &str) {
    let line = copy.run().line();
    assert!(line.starts_with("fail ") && line.contains(words), "{line}");
}

#[test]
fn what_is_not_understood_is_a_failure() {
    let copy = Copy::of("01-block-beats-approve");
    copy.expect(&json!({"event_1": {"decision": "block", "colour": "red"}}));
    refused(&copy, "event_1.colour: this key is not understood");
    copy.expect(&json!({"event_9": "block"}));
    refused(&copy, "event_9: there is no event 9");
    copy.expect(&json!({"moon_phase": 3}));
    refused(&copy, "moon_phase: this key is not understood");
    copy.expect(&json!({}));
    refused(&copy, "nothing is expected");
    copy.change("expected.md", |_| "no block".to_owned());
    refused(&copy, "expected.md: no block");

    let copy = Copy::of("01-block-beats-approve");
    copy.change("plugins.json", |text| {
        text.replacen("\"when\"", "\"wehn\"", 1)
    });
    refused(&copy, "plugin `ask-first`: `wehn` is not understood");
    let copy = Copy::of("01-block-beats-approve");
    copy.change("plugins.json", |text| {
        text.replacen("\"priority\"", "\"prio\"", 1)
    });
    refused(&copy, "plugin `ask-first`: `prio` is not understood");
    let copy = Copy::of("01-block-beats-approve");
    copy.change("events.jsonl", |text| {
        text.replacen("\"t_ms\": 0", "\"colour\": 1", 1)
    });
    refused(&copy, "events.jsonl:1: `colour` is not understood");
    let copy = Copy::of("16-env-values-redacted");
    copy.change("plugins.json", |text| {
        text.replacen("\"builtin\"", "\"record\": \"x\", \"builtin\"", 1)
    });
    refused(
        &copy,
        "`builtin` beside other rules or keys is not understood",
    );
    let copy = Copy::of("15-two-redactors-chain");
    copy.change("plugins.json", |text| {
        text.replacen("[A-Za-z0-9]{20}", "[A-Za-z0-9", 1)
    });
    refused(&copy, "plugin `secrets`: its `register` failed");
    let copy = Copy::of("01-block-beats-approve");
    copy.change("gen.py", |_| {
        "raise SystemExit('no big file today')".to_owned()
    });
    refused(&copy, "gen.py: no big file today");
    let copy = Copy::of("01-block-beats-approve");
    copy.change("events.jsonl", |text| {
        format!("{text}{{\"t_ms\": 9, \"control\": \"flood\", \"plugin\": \"x\"}}\n")
    });
    refused(&copy, "`flood` is not understood");
}

#[test]
fn what_the_product_lacks_is_named() {
    let case = "01-block-beats-approve";
    let copy = Copy::of(case);
    copy.change("events.jsonl", |text| {
        text.replacen("\"t_ms\"", "\"gateway\": true, \"t_ms\"", 1)
    });
    refused(&copy, "needs gateway hooks, which this build does not have");
    let copy = Copy::of(case);
    copy.change("config.yaml", |_| {
        "hooks: {pre_tool_call: [{command: ./x.sh}]}\n".to_owned()
    });
    refused(&copy, "needs shell hooks, which this build does not have");
    let copy = Copy::of(case);
    copy.change("plugins.json", |text| {
        text.replacen("\"when\"", "\"sleep_ms\": 500, \"when\"", 1)
            .replacen("\"priority\"", "\"deadline_ms\": 100, \"priority\"", 1)
    });
    refused(&copy, "needs time budgets, which this build does not have");
}

/// One case with one plugin and one event, and what must come of it.
#[track_caller]
fn passes(name: &str, plugins: &Value, events: &[Value], expected: &Value) {
    let dir = tempfile::tempdir().expect("the system has a temporary directory");
    let at = dir.path().join(name);
    fs::create_dir_all(&at).expect("the case's directory is made");
    fs::write(at.join("plugins.json"), plugins.to_string()).expect("it is written");
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    fs::write(at.join("events.jsonl"), events.join("\n")).expect("it is written");
    fs::write(
        at.join("expected.md"),
        format!("```json expected\n{expected}\n```\n"),
    )
    .expect("it is written");
    let verdict = cases::run(&at, SLACK);
    assert!(verdict.passed(), "{}", verdict.line());
}

fn event(t_ms: u64, hook: &str, kwargs: &Value) -> Value {
    json!({"t_ms": t_ms, "hook": hook, "kwargs": kwargs})
}

fn call(id: &str, args: &Value) -> Value {
    json!({"tool_name": "terminal", "args": args, "session_id": "s", "tool_call_id": id})
}

#[test]
fn every_key_of_a_rule_is_served() {
    let one = |rules: Value| json!([{"name": "p", "on": {"pre_tool_call": rules}}]);
    let no = json!({"action": "block", "message": "no"});
    let pre = |t_ms: u64, args: Value| event(t_ms, "pre_tool_call", &call("", &args));
    let ls = || pre(0, json!({"command": "ls"}));
    passes(
        "when: equals, dotted",
        &one(json!([{"when": {"args.command": "ls"}, "return": no}])),
        &[ls(), pre(1, json!({"command": "pwd"}))],
        &json!({"decisions": ["block", "allow"]}),
    );
    passes(
        "when: a pattern",
        &one(json!([{"when": {"args.command": {"regex": "^l"}}, "return": no}])),
        &[ls(), pre(1, json!({"command": "pwd"})), pre(2, json!({}))],
        &json!({"decisions": ["block", "allow", "allow"]}),
    );
    passes(
        "when: the number of the call",
        &one(json!([{"when": {"nth_call": [2, 3]}, "return": no}])),
        &[ls(), ls(), ls(), ls()],
        &json!({"decisions": ["allow", "block", "block", "allow"]}),
    );
    passes(
        "set_args",
        &one(json!([{"set_args": {"command": "ls -l"}}])),
        &[pre(0, json!({"command": "ls", "cwd": "/srv"}))],
        &json!({"event_1": "modify", "args_1": {"command": "ls -l", "cwd": "/srv"}}),
    );
    passes(
        "count_per, limit, over_limit_return",
        &one(json!([{"count_per": "session", "limit": 1, "over_limit_return": no}])),
        &[ls(), ls()],
        &json!({"decisions": ["allow", "block"], "event_2": {"reason": "no"}}),
    );
    passes(
        "count_per call",
        &one(json!([{"count_per": "call", "limit": 1}])),
        &[
            event(0, "pre_tool_call", &call("a", &json!({"x": 1}))),
            event(1, "pre_tool_call", &call("b", &json!({"x": 1}))),
        ],
        &json!({"decisions": ["allow", "allow"]}),
    );
    passes(
        "find_in and regex",
        &one(json!([{"find_in": "args.command", "regex": "s$", "record": "hit"}])),
        &[ls(), pre(1, json!({"command": "pwd"}))],
        &json!({"p_seen": 1, "decisions": ["allow", "allow"]}),
    );
    passes(
        "panic, and what fails closed",
        &json!([{"name": "p", "role": "guard", "on": {"pre_tool_call": [{"panic": "boom"}]}}]),
        &[ls()],
        // Nothing of the panic's text.
        &json!({"event_1": {"decision": "block", "by": "p", "class": "hook_failed", "reason":
            "blocked: `p` could not check this call, and calls it cannot check are refused"}}),
    );
    let result = |text: &str| json!({"tool_name": "t", "args": {}, "result": text});
    passes(
        "a redactor that fails, and fails closed by choice, lets nothing through",
        &json!([
            {"name": "pii", "role": "transform", "on_failure": "closed",
             "on": {"transform_tool_result": [{"panic": "no memory for a pattern"}]}},
            {"name": "upper", "role": "transform", "on": {"transform_tool_result": [{"replace": ["a", "A"]}]}},
        ]),
        &[event(0, "transform_tool_result", &result("a secret"))],
        &json!({"contains_none_of": ["secret", "memory"], "event_1": {"decision": "replace", "by": "pii"}}),
    );
    let text = |rule: Value| json!([{"name": "p", "on": {"transform_tool_result": [rule]}}]);
    for (rule, becomes) in [
        (json!({"replace": "new"}), "new"),
        (json!({"replace": ["a", "b"]}), "bbb cd"),
        (json!({"regex_replace": ["[ac]", "x"]}), "xbx xd"),
        (json!({"truncate": 3}), "aba"),
        (json!({"replace": ["a", "b"], "truncate": 2}), "bb"),
    ] {
        passes(
            "texts",
            &text(rule),
            &[event(0, "transform_tool_result", &result("aba cd"))],
            &json!({"results": [becomes], "event_1": {"decision": "replace", "by": "p"}}),
        );
    }
    passes(
        "null is no answer",
        &text(json!({"return": null})),
        &[event(0, "transform_tool_result", &result("x"))],
        &json!({"event_1": "unchanged", "results": ["x"]}),
    );
}

#[test]
fn every_key_of_a_plugin_is_served() {
    let no = json!({"action": "block", "message": "no"});
    let ls = event(
        0,
        "pre_tool_call",
        &call("", &json!({"command": "ls", "cwd": "/srv"})),
    );
    let on = json!({"pre_tool_call": [{"return": no}]});
    passes(
        "enabled, init_fails",
        &json!([
            {"name": "off", "enabled": false, "on": on},
            {"name": "bad", "init_fails": "the moon is full", "on": on},
        ]),
        std::slice::from_ref(&ls),
        &json!({"event_1": "allow", "off": {"loaded": false}, "bad": {"loaded": false}}),
    );
    passes(
        "priority",
        &json!([
            {"name": "low", "on": {"pre_tool_call": [{"return": {"action": "block", "message": "low"}}]}},
            {"name": "high", "priority": 5,
             "on": {"pre_tool_call": [{"return": {"action": "block", "message": "high"}}]}},
        ]),
        std::slice::from_ref(&ls),
        &json!({"event_1": {"by": "high", "reason": "high"}}),
    );
    passes(
        "on_failure",
        &json!([{"name": "p", "on_failure": "closed", "on": {"pre_tool_call": [{"panic": "x"}]}}]),
        std::slice::from_ref(&ls),
        &json!({"event_1": {"decision": "block", "by": "p"}}),
    );
    passes(
        "wants: nothing else is seen",
        &json!([{"name": "p", "wants": ["args.cwd"], "on": {"pre_tool_call": [
            {"find_in": "args.command", "regex": ".", "record": "read"},
        ]}}]),
        std::slice::from_ref(&ls),
        &json!({"p_seen": 1}),
    );
    passes(
        "limit_bytes: no more of a text is taken",
        &json!([{"name": "p", "limit_bytes": 2, "on": {"transform_tool_result": [
            {"replace": ["a", "x"]},
        ]}}]),
        &[event(
            0,
            "transform_tool_result",
            &json!({"tool_name": "t", "args": {}, "result": "aéa"}),
        )],
        &json!({"results": ["xéa"]}),
    );
    passes(
        "state and flush",
        &json!([{"name": "p", "version": "0.7.1", "state": "per_session", "on": {"pre_tool_call": [
            {"count_per": "profile", "limit": 1, "flush": true},
        ]}}]),
        &[
            ls.clone(),
            event(
                1,
                "pre_tool_call",
                &json!({"tool_name": "t", "args": {}, "session_id": "other"}),
            ),
            ls.clone(),
        ],
        &json!({"decisions": ["allow", "allow", "block"], "data_dirs": ["plugin-data/p"]}),
    );
    passes(
        "the shipped guard",
        &json!([{"name": "guard", "role": "guard", "on": {"pre_tool_call": [{"builtin": "command_guard"}]}}]),
        &[
            ls,
            event(
                1,
                "pre_tool_call",
                &call("", &json!({"command": "git push --force origin main"})),
            ),
        ],
        &json!({"decisions": ["allow", "block"], "event_2": {"by": "guard"}}),
    );
}

#[test]
fn events_of_one_moment_are_there_at_once() {
    // Each waits for the other, in effect: one after the other would take twice as long.
    let slow = json!([{"name": "p", "on": {"pre_tool_call": [{"sleep_ms": 300}]}}]);
    let on = |thread: u64, t_ms: u64| {
        json!({"t_ms": t_ms, "hook": "pre_tool_call", "thread": thread,
               "kwargs": call("", &json!({"command": "ls"}))})
    };
    passes(
        "at once",
        &slow,
        &[on(0, 0), on(1, 0), on(2, 0)],
        &json!({"wall_ms_max": 190, "dropped": 0}),
    );
    // An hour without events is not waited for.
    let began = std::time::Instant::now();
    passes(
        "an hour later",
        &json!([{"name": "p", "on": {}}]),
        &[on(0, 0), on(0, 3_600_000)],
        &json!({"decisions": ["allow", "allow"]}),
    );
    assert!(began.elapsed() < hermes_tests::wait::BOUND);
}

#[test]
fn plugins_are_changed_between_events() {
    let on = |message: &str| json!({"pre_tool_call": [{"record": "x", "return": {"action": "block", "message": message}}]});
    let ls = |t_ms: u64| event(t_ms, "pre_tool_call", &call("", &json!({"command": "ls"})));
    passes(
        "a library is replaced, then its directory goes",
        &json!([
            {"name": "p", "version": "0.1.0", "on": on("old")},
            {"name": "p", "version": "0.2.0", "on": on("new")},
        ]),
        &[
            ls(0),
            json!({"t_ms": 1, "control": "replace_library", "plugin": "p", "to": "0.2.0"}),
            ls(2),
            json!({"t_ms": 3, "control": {"half_written_file": {"plugin": "p"}}}),
            ls(4),
            json!({"t_ms": 5, "control": "remove_directory", "plugin": "p"}),
            ls(6),
        ],
        &json!({
            "event_1": {"by": "p", "reason": "old"},
            "event_2": {"by": "p", "reason": "new"},
            "decisions": ["block", "block", "allow", "allow"],
            "p_seen": 2,
        }),
    );
}

#[test]
fn the_program_prints_a_line_for_each_case() {
    let run = |args: &[&Path]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_run-case"));
        command
            .args(args)
            .env(fixture::PLACE, fixture::place())
            .env("CI", "1");
        let output = command.output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, out, err) = run(&[&folder().join("01-block-beats-approve")]);
    assert_eq!(
        (code, out.as_str()),
        (Some(0), "pass 01-block-beats-approve\n"),
        "{err}"
    );

    let (code, out, err) = run(&[&folder()]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert_eq!(out.lines().count(), 14, "{out}");
    let wanted =
        "fail 10-shell-odd-output: config.yaml: needs shell hooks, which this build does not have";
    assert!(out.lines().any(|line| line == wanted), "{out}");

    for args in [
        vec![],
        vec![Path::new("no-such-folder")],
        vec![Path::new("--fast")],
    ] {
        let (code, out, err) = run(&args);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
        assert!(!err.is_empty(), "{args:?}");
    }
}
