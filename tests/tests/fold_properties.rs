//! What is promised of answers, through compiled plugins: cases that nobody wrote down, each fired twice and in
//! two orders of the plugins. The rules themselves are tried in `loader/src/fold/properties.rs`.

use hermes_loader::{Host, Outcome};
use hermes_tests::{Fixture, Placed, TestHome};
use proptest::{prelude::*, sample::select, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::{Map, Value, json};

const PLUGINS: usize = 4;
const CASES: usize = 150;

/// A hook whose answers decide, its event, and words that are actions there.
const HOOKS: [(&str, &[&str]); 5] = [
    ("pre_tool_call", &["block", "approve", "modify"]),
    ("pre_llm_call", &["context"]),
    ("transform_tool_result", &["x"]),
    ("transform_llm_output", &["x"]),
    ("pre_gateway_dispatch", &["skip", "rewrite", "allow"]),
];

fn payload(hook: &str, case: usize) -> Value {
    let mut payload = match hook {
        "pre_tool_call" => json!({"tool_name": "terminal", "args": {"command": "ls"}}),
        "pre_llm_call" => json!({"user_message": "hi"}),
        "transform_tool_result" => json!({"tool_name": "t", "args": {}, "result": "the original"}),
        "transform_llm_output" => json!({"response_text": "the original"}),
        _ => json!({"event": {"text": "hi"}}),
    };
    payload["case"] = case.into();
    payload
}

/// What a plugin does in a case, as a rule of the scripted plugin; nothing when it says nothing.
fn does(words: &'static [&'static str]) -> impl Strategy<Value = Option<Value>> {
    let text = select(&["", "  ", "why", "ä\n"][..]);
    let action = (select(words), text.clone()).prop_map(
        |(word, text)| json!({"action": word, "message": text, "text": text, "args": {word: text}}),
    );
    let answer = prop_oneof![
        3 => action,
        1 => text.clone().prop_map(Value::from),
        1 => text.prop_map(|text| json!({"context": text})),
        1 => any::<i32>().prop_map(Value::from),
        1 => Just(json!([true, null])),
    ];
    prop_oneof![
        4 => answer.prop_map(|answer| Some(json!({"return": answer}))),
        2 => Just(None),
        1 => Just(Some(json!({"error": "no idea"}))),
    ]
}

/// The same answers in every run: what fails can be looked at.
fn cases(words: &'static [&'static str]) -> Vec<Vec<Option<Value>>> {
    let mut runner = TestRunner::deterministic();
    let strategy = prop::collection::vec(does(words), PLUGINS);
    let case = |_| strategy.new_tree(&mut runner).expect("a case").current();
    (0..CASES).map(case).collect()
}

/// Four plugins that do their part of every case; of those of the second half, texts chain.
fn host(cases: &[(&str, Vec<Vec<Option<Value>>>)], backwards: bool) -> (TestHome, Host) {
    let placed = (0..PLUGINS).map(|n| {
        let mut on = Map::new();
        for (hook, cases) in cases {
            let rules = cases.iter().enumerate().filter_map(|(case, plugins)| {
                let mut rule = plugins[n].clone()?;
                rule["when"] = json!({"case": case});
                Some(rule)
            });
            on.insert((*hook).to_owned(), rules.collect());
        }
        let place = if backwards { PLUGINS - n } else { n };
        Placed::new(&Fixture::built("scripted").named(&format!("p{n}")))
            .directory(&format!("{place}"))
            .config(json!({"on": on, "chain": n * 2 >= PLUGINS}))
    });
    let home = TestHome::with(placed.collect::<Vec<_>>());
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    (home, host)
}

fn fire(host: &Host, hook: &str, case: usize) -> Outcome {
    host.fire_json(hook, &payload(hook, case))
        .expect("an object")
}

/// Everybody who said something, with what they said; `None` for a fault.
fn said(outcome: &Outcome) -> Vec<(String, Option<Value>)> {
    let replies = serde_json::to_value(&outcome.replies).expect("JSON");
    let replies = replies.as_array().expect("a list").iter();
    replies
        .map(|reply| {
            let plugin = reply["plugin"].as_str().expect("a name").to_owned();
            (plugin, reply.get("answer").cloned())
        })
        .collect()
}

#[test]
fn no_answer_is_lost_and_order_matters_only_where_it_may() {
    let cases: Vec<_> = HOOKS
        .iter()
        .map(|(hook, words)| (*hook, cases(words)))
        .collect();
    let (_home, host_one) = host(&cases, false);
    let (_other_home, host_two) = host(&cases, true);
    let mut words = std::collections::BTreeSet::new();
    for (hook, cases) in &cases {
        for (n, plugins) in cases.iter().enumerate() {
            let outcome = fire(&host_one, hook, n);
            let why = || format!("{hook}, case {n}: {plugins:?} came to {outcome:#?}");
            words.insert(outcome.decision.word());
            assert_eq!(
                fire(&host_one, hook, n),
                outcome,
                "the same twice: {}",
                why()
            );

            let spoken: Vec<(String, Option<Value>)> = plugins
                .iter()
                .enumerate()
                .filter_map(|(p, rule)| {
                    Some((format!("p{p}"), rule.as_ref()?.get("return").cloned()))
                })
                .collect();
            assert_eq!(said(&outcome), spoken, "no answer is lost: {}", why());

            let other = fire(&host_two, hook, n);
            let backwards: Vec<_> = said(&other).into_iter().rev().collect();
            assert_eq!(backwards, spoken, "in the other order neither: {}", why());
            if *hook == "pre_tool_call" {
                let (one, two) = (outcome.decision.word(), other.decision.word());
                assert_eq!(one, two, "block beats approve in any order: {}", why());
                let keys = |outcome: &Outcome| outcome.args.as_ref().map(Map::len);
                assert_eq!(keys(&outcome), keys(&other), "{}", why());
            }
        }
    }
    let expected = [
        "allow", "approve", "block", "context", "proceed", "replace", "rewrite", "skip",
    ];
    assert_eq!(
        words.into_iter().collect::<Vec<_>>(),
        expected,
        "the cases reach everything"
    );
}
