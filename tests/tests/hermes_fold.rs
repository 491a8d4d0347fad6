//! The rules by which answers become one outcome, through compiled plugins: the numbered cases of the
//! behavioural specification, as a table.

use hermes_loader::{FaultKind, Host};
use hermes_tests::{Fixture, Placed, TestHome, home::loaded, records::Records};
use serde_json::{Map, Value, json};

/// What one plugin does when its turn comes.
#[derive(Clone)]
enum Does {
    Nothing,
    Returns(Value),
    Panics,
    Errs,
}

use Does::{Errs, Nothing, Panics};

fn returns(value: Value) -> Does {
    Does::Returns(value)
}

/// One row: the plugins answer in this order, and this is what it comes to.
struct Row {
    case: &'static str,
    hook: &'static str,
    /// Fields of the event besides the row's id.
    event: Value,
    plugins: Vec<Does>,
    /// The outcome, without the replies.
    expected: Value,
}

fn row(
    case: &'static str,
    hook: &'static str,
    plugins: impl Into<Vec<Does>>,
    expected: Value,
) -> Row {
    let event = match hook {
        "transform_tool_result" => json!({"tool_name": "t", "args": {}, "result": "the original"}),
        "transform_terminal_output" => json!({"command": "c", "output": "the original"}),
        "transform_llm_output" => json!({"response_text": "the original"}),
        "pre_llm_call" => json!({"user_message": "hi"}),
        "pre_gateway_dispatch" => json!({"event": {"text": "hi"}}),
        _ => json!({"tool_name": "terminal", "args": {"command": "ls"}}),
    };
    Row {
        case,
        hook,
        event,
        plugins: plugins.into(),
        expected,
    }
}

fn block(message: impl Into<Value>) -> Does {
    returns(json!({"action": "block", "message": message.into()}))
}

fn blocked(message: &str, by: &str) -> Value {
    json!({"decision": "block", "message": message, "by": by})
}

fn replaced(text: &str, by: &str) -> Value {
    json!({"decision": "replace", "text": text, "by": by})
}

fn context(text: &str) -> Value {
    json!({"decision": "context", "text": text})
}

fn rows() -> Vec<Row> {
    let proceed = || json!({"decision": "proceed"});
    let pre = "pre_tool_call";
    let result = "transform_tool_result";
    let output = "transform_terminal_output";
    let answer = "transform_llm_output";
    let llm = "pre_llm_call";
    let gateway = "pre_gateway_dispatch";
    vec![
        row(
            "1: the first block is told",
            pre,
            [block("a"), block("b")],
            blocked("a", "p1"),
        ),
        row(
            "2: the first usable message is told",
            pre,
            [block(""), block(5), block("c")],
            blocked("c", "p3"),
        ),
        row(
            "2: a block without a usable message",
            pre,
            [block(""), Nothing],
            blocked("blocked by plugin `p1`, which gave no reason", "p1"),
        ),
        row(
            "3: actions are spelt exactly",
            pre,
            [returns(json!({"action": "Block", "message": "x"}))],
            proceed(),
        ),
        row("3: a bare word", pre, [returns(json!("block"))], proceed()),
        row(
            "3: another action",
            pre,
            [returns(json!({"action": "allow"}))],
            proceed(),
        ),
        row("3: a number", pre, [returns(json!(42))], proceed()),
        row(
            "3: a list, a bool and null",
            pre,
            [
                returns(json!([{"action": "block", "message": "x"}])),
                returns(json!(true)),
                returns(Value::Null),
            ],
            proceed(),
        ),
        row(
            "4: a panic and a block",
            pre,
            [Panics, block("x")],
            blocked("x", "p2"),
        ),
        row(
            "4: an error and a block",
            pre,
            [Errs, block("x")],
            blocked("x", "p2"),
        ),
        row("5: only a panic", pre, [Panics], proceed()),
        row(
            "a block beats an approve before it",
            pre,
            [
                returns(json!({"action": "approve", "message": "sure?"})),
                block("no"),
            ],
            blocked("no", "p2"),
        ),
        row(
            "a block beats an approve after it",
            pre,
            [block("no"), returns(json!({"action": "approve"}))],
            blocked("no", "p1"),
        ),
        row(
            "an approve beats a modify",
            pre,
            [
                returns(json!({"action": "modify", "args": {"a": 1}})),
                returns(json!({"action": "approve", "message": "m", "rule_key": " k "})),
            ],
            json!({"decision": "approve", "message": "m", "rule_key": "k", "by": "p2", "args": {"a": 1}}),
        ),
        row(
            "a blank rule key is none",
            pre,
            [returns(
                json!({"action": "approve", "message": "", "rule_key": "  "}),
            )],
            json!({"decision": "approve", "message": null, "rule_key": null, "by": "p1"}),
        ),
        row(
            "later rewrites over earlier ones, key by key",
            pre,
            [
                returns(json!({"action": "modify", "args": {"a": 1, "b": 1}})),
                returns(json!({"action": "modify", "args": {"b": 2}})),
            ],
            json!({"decision": "proceed", "args": {"a": 1, "b": 2}, "changes": [
                {"key": "a", "by": "p1"}, {"key": "b", "by": "p2"}
            ]}),
        ),
        row(
            "10: an observer's answer has no effect",
            "post_tool_call",
            [block("x"), returns(json!("x"))],
            proceed(),
        ),
        row(
            "17: the first text wins",
            result,
            [Nothing, returns(json!("X")), returns(json!("Y"))],
            replaced("X", "p2"),
        ),
        row(
            "17: null is nothing",
            result,
            [
                returns(Value::Null),
                returns(json!("X")),
                returns(json!("Y")),
            ],
            replaced("X", "p2"),
        ),
        row(
            "18: an empty text counts",
            result,
            [returns(json!("")), returns(json!("Y"))],
            replaced("", "p1"),
        ),
        row(
            "18: in a terminal too",
            output,
            [returns(json!("")), returns(json!("Y"))],
            replaced("", "p1"),
        ),
        row(
            "19: an object",
            result,
            [returns(json!({"text": "X"}))],
            proceed(),
        ),
        row(
            "19: a number",
            result,
            [returns(json!(7)), returns(json!("Y"))],
            replaced("Y", "p2"),
        ),
        row(
            "a transform that panics",
            result,
            [Panics, returns(json!("Y"))],
            replaced("Y", "p2"),
        ),
        row(
            "25: an empty answer does not count",
            answer,
            [returns(json!("")), returns(json!("A")), returns(json!("B"))],
            replaced("A", "p2"),
        ),
        row(
            "25: only an empty answer",
            answer,
            [returns(json!(""))],
            proceed(),
        ),
        row(
            "27: all contexts, joined",
            llm,
            [
                returns(json!({"context": "one"})),
                returns(json!("two")),
                returns(json!({"context": "three"})),
            ],
            context("one\n\ntwo\n\nthree"),
        ),
        row(
            "27: one that says nothing and one that panics",
            llm,
            [returns(json!("one")), Nothing, Panics],
            context("one"),
        ),
        row(
            "28: blank text is no context",
            llm,
            [returns(json!("  \n"))],
            proceed(),
        ),
        row(
            "28: an empty context",
            llm,
            [returns(json!({"context": ""}))],
            proceed(),
        ),
        row(
            "28: a number is a text",
            llm,
            [returns(json!({"context": 7}))],
            context("7"),
        ),
        row(
            "28: falsy contexts",
            llm,
            [
                returns(json!({"context": 0})),
                returns(json!({"context": false})),
                returns(json!({"context": []})),
            ],
            proceed(),
        ),
        row(
            "28: blank text in an object is accepted",
            llm,
            [returns(json!({"context": " "}))],
            context(" "),
        ),
        row(
            "28: another key",
            llm,
            [returns(json!({"kontext": "x"}))],
            proceed(),
        ),
        row(
            "38: unknown actions are passed over",
            gateway,
            [
                returns(json!({"action": "maybe"})),
                returns(json!({"action": "rewrite", "text": "new"})),
                returns(json!({"action": "skip"})),
            ],
            json!({"decision": "rewrite", "text": "new", "by": "p2"}),
        ),
        row(
            "39: a rewrite without a text ends the walk",
            gateway,
            [
                returns(json!({"action": "rewrite", "text": 5})),
                returns(json!({"action": "skip"})),
            ],
            json!({"decision": "allow", "by": "p1"}),
        ),
        row(
            "39: an empty text is a text",
            gateway,
            [returns(json!({"action": "rewrite", "text": ""}))],
            json!({"decision": "rewrite", "text": "", "by": "p1"}),
        ),
        row(
            "40: allow, then skip",
            gateway,
            [
                returns(json!({"action": "allow"})),
                returns(json!({"action": "skip"})),
            ],
            json!({"decision": "allow", "by": "p1"}),
        ),
        row(
            "37: skip with a reason",
            gateway,
            [Nothing, returns(json!({"action": "skip", "reason": "r"}))],
            json!({"decision": "skip", "reason": "r", "by": "p2"}),
        ),
        row(
            "42: a panic lets the message pass",
            gateway,
            [Panics],
            proceed(),
        ),
    ]
}

const PLUGINS: [&str; 3] = ["p1", "p2", "p3"];

/// Three scripted plugins; a row's event names the row, and each plugin's configuration says what to do.
fn host(rows: &[Row]) -> (TestHome, Host) {
    let scripted = Fixture::built("scripted");
    let placed = PLUGINS.iter().enumerate().map(|(number, name)| {
        let mut on = Map::new();
        for row in rows {
            let mut rule = json!({"when": {"row": row.case}, "record": row.case});
            match row.plugins.get(number).unwrap_or(&Nothing) {
                Nothing => {}
                Does::Returns(value) => rule["return"] = value.clone(),
                Panics => rule["panic"] = format!("boom in {}", row.case).into(),
                Errs => rule["error"] = "it failed".into(),
            }
            let rules = on.entry(row.hook).or_insert_with(|| json!([]));
            rules.as_array_mut().expect("a list").push(rule);
        }
        Placed::new(&scripted.named(name)).config(json!({ "on": on }))
    });
    let home = TestHome::with(placed);
    let host = home.load();
    PLUGINS.iter().for_each(|plugin| loaded(&host, plugin));
    (home, host)
}

fn payload(row: &Row) -> Value {
    let mut payload = row.event.clone();
    payload["row"] = row.case.into();
    payload
}

#[track_caller]
fn check(host: &Host, row: &Row) {
    let outcome = host.fire_json(row.hook, &payload(row)).expect("an object");
    let asynchronous =
        hermes_tests::block_on(host.fire_json_async(row.hook, payload(row))).expect("an object");
    assert_eq!(outcome, asynchronous, "{}: both ways of firing", row.case);
    let mut outcome = serde_json::to_value(outcome).expect("JSON");
    let replies = outcome
        .as_object_mut()
        .and_then(|outcome| outcome.remove("replies"))
        .unwrap_or_default();
    // Who changed what is asked for where a row says it.
    if let (Some(outcome), None) = (outcome.as_object_mut(), row.expected.get("changes")) {
        outcome.remove("changes");
    }
    assert_eq!(outcome, row.expected, "{}: {replies:#}", row.case);
}

fn recorded(host: &Host, label: &str) -> Vec<Vec<Value>> {
    let outcome = host
        .fire_json("scripted.recorded", &json!({"label": label}))
        .expect("an object");
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    let lists = replies.as_array().expect("one reply a plugin").iter();
    lists
        .map(|reply| reply["answer"].as_array().cloned().unwrap_or_default())
        .collect()
}

#[test]
fn the_table() {
    let rows = rows();
    let (_home, host) = host(&rows);
    for row in &rows {
        check(&host, row);
        // Every handler is called, also after a block, and each sees the event as it was: what one does to
        // the arguments is for the handlers after it (case 13: a copy is a copy).
        let seen = recorded(&host, row.case);
        assert_eq!(
            seen.iter().map(Vec::len).collect::<Vec<_>>(),
            [2, 2, 2],
            "{}: both times, every plugin",
            row.case
        );
        for (name, value) in row.event.as_object().expect("an object") {
            let unchanged =
                |plugin: &Vec<Value>| plugin.iter().all(|payload| payload[name] == *value);
            let rewrites = row.case.contains("modify") || row.case.contains("rewrites");
            assert!(
                seen.iter().all(unchanged) || rewrites,
                "{}: {name}: {seen:#?}",
                row.case
            );
        }
    }
}

#[test]
fn a_case_of_its_own() {
    // 4: one warning that names event and plugin. 12: arguments that are no object. 15: a field added later.
    let rows = rows();
    let records = Records::capture();
    let (_home, host) = host(&rows);
    let panics = rows
        .iter()
        .find(|row| row.case.starts_with("5:"))
        .expect("in the table");
    check(&host, panics);
    let warnings: Vec<_> = records
        .of("p1")
        .into_iter()
        .filter(|record| record.message.starts_with("plugin fault: boom in 5"))
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert_eq!(
        (warnings[0].level, warnings[0].fields["hook"].as_str()),
        (tracing::Level::WARN, "pre_tool_call")
    );
    let fault = host
        .faults()
        .into_iter()
        .find(|fault| fault.plugin == "p1")
        .expect("it panicked");
    assert_eq!(
        (fault.kind, fault.hook.as_str(), fault.count),
        (FaultKind::Panic, "pre_tool_call", 2)
    );

    let blocks = rows
        .iter()
        .find(|row| row.case.starts_with("1:"))
        .expect("in the table");
    let mut odd = payload(blocks);
    odd["args"] = json!("not an object");
    odd["field_of_tomorrow"] = json!({"deep": [1, 2]});
    let outcome = host.fire_json("pre_tool_call", &odd).expect("an object");
    assert_eq!(outcome.decision.by(), Some("p1"));
    let seen = recorded(&host, blocks.case);
    assert_eq!(
        seen[0][0]["field_of_tomorrow"],
        json!({"deep": [1, 2]}),
        "a dynamic handler sees what nobody knows"
    );
}

#[test]
fn guards_judge_what_will_run() {
    // One plugin, one handler in each phase: the rewrite of the first counts, and the guard sees it.
    let home = TestHome::with([Placed::new(&Fixture::built("own-guard"))]);
    let host = home.load();
    loaded(&host, "own-guard");
    let outcome = host.fire_json(
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"command": "ls", "cwd": "/"}}),
    );
    let outcome = serde_json::to_value(outcome.expect("an object")).expect("JSON");
    assert_eq!(outcome["decision"], "proceed", "{outcome}");
    assert_eq!(outcome["args"], json!({"command": "ls -l"}), "{outcome}");

    // A whole plugin that is a guard may not rewrite, and says so in the log.
    let records = Records::capture();
    let says = |answer: Value| json!({"on": {"pre_tool_call": [{"return": answer}]}});
    let scripted = Fixture::built("scripted");
    let home = TestHome::with([
        Placed::new(&scripted.named("rewriter"))
            .guard()
            .config(says(json!({"action": "modify", "args": {"a": 1}}))),
        Placed::new(&scripted.named("other"))
            .config(says(json!({"action": "modify", "args": {"b": 2}}))),
    ]);
    let host = home.load();
    loaded(&host, "rewriter");
    let outcome = host
        .fire_json("pre_tool_call", &json!({"tool_name": "t", "args": {}}))
        .expect("an object");
    assert_eq!(outcome.args.map(Value::Object), Some(json!({"b": 2})));
    let said = records.of("rewriter");
    assert!(
        said.iter()
            .any(|record| record.message.contains("may not rewrite")),
        "{said:#?}"
    );
}
