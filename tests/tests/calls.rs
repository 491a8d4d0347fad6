//! Tool calls and their ids: each event is delivered once, halves are paired, sessions are filled in, and what
//! plugins keep with a call is dropped once.

use std::{collections::BTreeMap, fs, sync::Barrier};

use hermes_loader::{
    CallsReport, Host, Outcome, ToolOutcome, Why,
    catalogue::{self, payload},
};
use hermes_tests::{
    Fixture, Placed, TestHome, block_on, home::loaded, records::Records, wait::poll_once,
};
use serde_json::{Map, Value, json};

fn case(name: &str, file: &str) -> String {
    let path = format!("{}/cases/{name}/{file}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The scripted plugins of a case.
fn host_of(name: &str) -> (TestHome, Host) {
    let plugins: Vec<Value> =
        serde_json::from_str(&case(name, "plugins.json")).expect("a list of plugins");
    let placed = plugins.iter().map(|plugin| {
        let name = plugin["name"].as_str().expect("a name");
        let role = plugin["role"].as_str().expect("a role");
        Placed::new(&Fixture::built("scripted").named(name))
            .config(json!({"on": plugin["on"]}))
            .manifest("role", role)
    });
    let home = TestHome::with(placed);
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    (home, host)
}

fn events(name: &str) -> Vec<(String, Value)> {
    let event = |line: &str| {
        let mut event: Value = serde_json::from_str(line).expect("an event");
        let hook = event["hook"].as_str().expect("a hook").to_owned();
        (hook, event["kwargs"].take())
    };
    case(name, "events.jsonl").lines().map(event).collect()
}

/// The plugin that keeps things with calls, under a name, and so in an image, of its own.
fn keeper(name: &str) -> (TestHome, Host) {
    let home = TestHome::new().plugin(&Fixture::built("keeps-with-calls").named(name));
    let host = home.load();
    loaded(&host, name);
    (home, host)
}

/// One scripted plugin.
fn scripted(name: &str, on: Value) -> (TestHome, Host) {
    let placed = Placed::new(&Fixture::built("scripted").named(name)).config(json!({"on": on}));
    let home = TestHome::new().plugin(placed);
    let host = home.load();
    loaded(&host, name);
    (home, host)
}

fn outcome(host: &Host, hook: &str, payload: Value) -> Outcome {
    host.fire_json(hook, &payload).expect("an object")
}

fn fire(host: &Host, hook: &str, payload: Value) {
    let _ = outcome(host, hook, payload);
}

fn call(id: &str, args: Value) -> Value {
    json!({"tool_name": "terminal", "args": args, "session_id": "s", "tool_call_id": id})
}

/// What the keeper saw since it was last asked.
fn seen(host: &Host) -> Vec<Value> {
    let outcome = outcome(host, "keeper.seen", json!({}));
    let reply = serde_json::to_value(&outcome.replies[0]).expect("JSON");
    reply["answer"].as_array().expect("a list").clone()
}

/// The labels that were dropped so far.
fn dropped(home: &TestHome, name: &str) -> Vec<String> {
    let file = home.path().join("plugin-data").join(name).join("dropped");
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn unpaired(report: &CallsReport) -> Vec<(&str, Why)> {
    let call = |unpaired: &hermes_loader::Unpaired| unpaired.why;
    report
        .unpaired
        .iter()
        .map(|unpaired| (unpaired.tool_call_id.as_str(), call(unpaired)))
        .collect()
}

#[test]
fn a_call_with_no_result_and_a_result_with_no_call() {
    let records = Records::capture();
    let (_home, host) = host_of("03-pre-without-post");
    let events = events("03-pre-without-post");
    let (end, calls) = events.split_last().expect("events");
    for (hook, payload) in calls {
        fire(&host, hook, payload.clone());
    }
    let report = host.calls();
    assert_eq!((report.open, report.complete), (1, 1));
    assert_eq!(unpaired(&report), [("call_p9", Why::NoPreSeen)], "at once");
    fire(&host, &end.0, end.1.clone());
    fire(&host, &end.0, end.1.clone());
    let report = host.calls();
    assert_eq!((report.open, report.complete, report.attached), (0, 1, 0));
    let both = [("call_p9", Why::NoPreSeen), ("call_m1", Why::NoResultSeen)];
    assert_eq!(unpaired(&report), both, "once");
    let told = serde_json::to_value(&report.unpaired[1]).expect("JSON");
    let expected = json!({
        "tool_call_id": "call_m1", "tool_name": "memory", "session_id": "ses_01", "why": "no_result_seen",
    });
    assert_eq!(told, expected);
    for (id, word) in [("call_m1", "no_result_seen"), ("call_p9", "no_pre_seen")] {
        let named = records.with("tool_call_id", id);
        assert_eq!(named.len(), 1, "{named:#?}");
        let message = &named[0].message;
        assert!(message.contains(id) && message.contains(word), "{message}");
    }
    assert!(records.with("tool_call_id", "call_r1").is_empty());
}

#[test]
fn one_call_reported_twice_is_delivered_once() {
    let (_home, host) = host_of("04-same-call-fires-twice");
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for (hook, payload) in events("04-same-call-fires-twice") {
        let traced = host.trace_json(&hook, &payload).expect("an object");
        for called in traced.calls {
            *calls.entry(called.plugin.to_string()).or_default() += 1;
        }
    }
    let expected = [("audit".to_owned(), 4), ("rate".to_owned(), 4)];
    assert_eq!(calls, BTreeMap::from(expected));
    assert_eq!(host.calls().duplicates, 1);
}

#[test]
fn every_way_to_fire_is_told_apart_by_id_alone() {
    let (_home, host) = keeper("every-way");
    let args = json!({"block": "not today"});
    let event = payload::PreToolCall::new()
        .tool_name("terminal")
        .args(&args)
        .session_id("s")
        .tool_call_id("c");
    let whole = call("c", args.clone());
    let map = whole.as_object().expect("an object");
    let first = host.fire(&event);
    let ToolOutcome::Block { message, by } = &first else {
        panic!("{first:?}");
    };
    assert_eq!((message.as_str(), &**by), ("not today", "every-way"));
    assert_eq!(host.fire(&event), first);
    assert_eq!(block_on(host.fire_async(&event)), first);
    let dynamic = host.fire_map(catalogue::PreToolCall, map);
    let shared = map.clone().into();
    for again in [
        host.fire_shared(catalogue::PreToolCall, &shared),
        outcome(&host, "pre_tool_call", whole.clone()),
        block_on(host.fire_json_async("pre_tool_call", whole.clone())).expect("an object"),
        host.trace_json("pre_tool_call", &whole)
            .expect("an object")
            .outcome,
    ] {
        assert_eq!(again, dynamic);
        assert!(again.is_refused());
    }
    assert_eq!(seen(&host).len(), 1, "it was called once");
    assert_eq!(host.calls().duplicates, 7);
}

#[test]
fn results_that_come_twice_are_delivered_once() {
    let (_home, host) = keeper("twice");
    for _ in 0..3 {
        fire(&host, "pre_tool_call", call("c", json!({})));
        fire(&host, "post_tool_call", call("c", json!({})));
    }
    let expected = [
        json!({"pre": "c", "session": "s", "inferred": false}),
        json!({"post": "c", "session": "s", "inferred": false}),
    ];
    assert_eq!(seen(&host), expected);
    let report = host.calls();
    assert_eq!((report.complete, report.duplicates), (1, 4));
}

#[test]
fn eight_threads_with_the_same_calls_meet_one_verdict_each() {
    let (_home, host) = scripted(
        "judge",
        json!({"pre_tool_call": [{"record": "judged", "return": {"action": "block", "message": "no"}}]}),
    );
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                start.wait();
                for number in 0..200 {
                    let outcome =
                        outcome(&host, "pre_tool_call", call(&number.to_string(), json!({})));
                    assert!(outcome.is_refused(), "call {number} passed unjudged");
                }
            });
        }
    });
    let recorded = outcome(&host, "scripted.recorded", json!({"label": "judged"}));
    let reply = serde_json::to_value(&recorded.replies[0]).expect("JSON");
    let judged = reply["answer"].as_array().expect("a list");
    let mut ids: Vec<&str> = judged
        .iter()
        .filter_map(|event| event["tool_call_id"].as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((judged.len(), ids.len()), (200, 200), "each call once");
    assert_eq!(host.calls().duplicates, 7 * 200);
}

#[test]
fn a_duplicate_waits_for_a_verdict_that_is_not_there_yet() {
    let home = TestHome::new().plugin(&Fixture::built("keeps-events"));
    let host = home.load();
    let event = call("c", json!({"text": "", "deep": []}));
    let mut first = Box::pin(host.fire_json_async("pre_tool_call", event.clone()));
    assert!(poll_once(&mut first).is_pending(), "the plugin keeps it");
    let mut second = Box::pin(host.fire_json_async("pre_tool_call", event.clone()));
    assert!(
        poll_once(&mut second).is_pending(),
        "it may not pass unjudged"
    );
    // Nobody wants the first any more, so the second is judged in its place: the plugin keeps that, too.
    drop(first);
    assert!(poll_once(&mut second).is_pending());
    let report = host.calls();
    assert_eq!((report.open, report.duplicates), (1, 0));
    drop(second);
    fire(&host, "keeper.do", json!({"word": "release", "id": "c"}));
    assert!(host.shutdown());
}

#[test]
fn from_inside_its_own_handler_a_call_is_delivered_again() {
    let (_home, host) = keeper("inside");
    fire(&host, "pre_tool_call", call("c", json!({"again": "yes"})));
    let delivered = json!({"pre": "c", "session": "s", "inferred": false});
    assert_eq!(
        seen(&host),
        [delivered.clone(), delivered, json!({"again": true})]
    );
    assert_eq!(host.calls().duplicates, 0);
}

#[test]
fn pairs_need_handlers_of_one_half_only() {
    let rule = || json!([{"record": "seen"}]);
    for hook in ["pre_tool_call", "post_tool_call"] {
        let (_home, host) = scripted("half", json!({hook: rule()}));
        for id in ["1", "2"] {
            fire(&host, "pre_tool_call", call(id, json!({})));
        }
        fire(&host, "post_tool_call", call("1", json!({})));
        fire(&host, "post_tool_call", call("3", json!({})));
        fire(&host, "on_session_end", json!({"session_id": "s"}));
        let report = host.calls();
        assert_eq!((report.open, report.complete), (0, 1), "{hook}");
        let expected = [("3", Why::NoPreSeen), ("2", Why::NoResultSeen)];
        assert_eq!(unpaired(&report), expected, "{hook}");
    }
    // Typed and awaited, nobody listening to this half.
    let (_home, host) = scripted("half", json!({"post_tool_call": rule()}));
    let event = payload::PreToolCall::new()
        .session_id("s")
        .tool_call_id("1");
    assert!(matches!(
        block_on(host.fire_async(&event)),
        ToolOutcome::Proceed { .. }
    ));
    assert_eq!(host.calls().open, 1);

    let (_home, host) = scripted("elsewhere", json!({"on_session_start": rule()}));
    fire(&host, "pre_tool_call", call("1", json!({})));
    fire(&host, "post_tool_call", call("2", json!({})));
    fire(&host, "on_session_end", json!({"session_id": "s"}));
    assert_eq!(host.calls(), CallsReport::default(), "nobody is interested");
}

#[test]
fn a_call_that_was_refused_needs_no_result() {
    let (_home, host) = keeper("refused");
    for id in ["1", "2"] {
        fire(&host, "pre_tool_call", call(id, json!({"block": "no"})));
    }
    assert_eq!(host.calls().open, 0);
    // Some hosts tell one all the same.
    fire(&host, "post_tool_call", call("1", json!({})));
    fire(&host, "on_session_end", json!({"session_id": "s"}));
    let report = host.calls();
    assert_eq!((report.complete, report.unpaired), (1, Vec::new()));
}

#[test]
fn without_ids_before_calls_a_result_alone_says_nothing() {
    let (_home, host) = keeper("nameless");
    let mut nameless = call("", json!({}));
    fire(&host, "pre_tool_call", nameless.clone());
    fire(&host, "post_tool_call", call("1", json!({})));
    nameless["tool_call_id"].take();
    fire(&host, "post_tool_call", nameless);
    assert_eq!(host.calls(), CallsReport::default());
    assert_eq!(seen(&host).len(), 3);
}

fn of_task(id: &str) -> Value {
    json!({"tool_name": "terminal", "args": {}, "session_id": "", "task_id": "t", "tool_call_id": id})
}

#[test]
fn a_task_s_session_is_filled_in_and_marked() {
    let (_home, host) = keeper("of-task");
    let unknown = outcome(&host, "pre_tool_call", of_task("0"));
    assert_eq!(unknown.inferred, [""; 0]);
    // Nobody handles this one, and the host has heard it.
    fire(
        &host,
        "pre_llm_call",
        json!({"session_id": "ses_1", "task_id": "t"}),
    );

    let known = outcome(&host, "pre_tool_call", of_task("1"));
    assert_eq!(known.inferred, ["session_id"]);
    let traced = host
        .trace_json("post_tool_call", &of_task("1"))
        .expect("an object");
    let traced = serde_json::to_value(traced).expect("JSON");
    assert_eq!(traced["inferred"], json!(["session_id"]));
    let later = block_on(host.fire_json_async("pre_tool_call", of_task("2"))).expect("an object");
    assert_eq!(later.inferred, ["session_id"]);
    let shared: Map<String, Value> = of_task("3").as_object().expect("an object").clone();
    let shared = host.fire_shared(catalogue::PreToolCall, &shared.into());
    assert_eq!(shared.inferred, ["session_id"]);
    let own = payload::PreToolCall::new()
        .task_id("t")
        .session_id("own")
        .tool_call_id("4");
    let _ = host.fire(&own);

    let event = |half: &str, id: &str, session: Value, inferred: bool| json!({half: id, "session": session, "inferred": inferred});
    let expected = [
        event("pre", "0", Value::Null, false),
        event("pre", "1", json!("ses_1"), true),
        event("post", "1", json!("ses_1"), true),
        event("pre", "2", json!("ses_1"), true),
        event("pre", "3", json!("ses_1"), true),
        event("pre", "4", json!("own"), false),
    ];
    assert_eq!(seen(&host), expected);
    assert_eq!(
        outcome(&host, "pre_tool_call", of_task("5")).inferred,
        ["session_id"]
    );
    assert_eq!(seen(&host)[0]["session"], "own", "the last word counts");
    let silent = serde_json::to_value(outcome(&host, "pre_tool_call", call("6", json!({}))));
    assert_eq!(silent.expect("JSON").get("inferred"), None);
}

#[test]
fn a_rewrite_keeps_what_was_filled_in() {
    let rewrite = json!({"pre_tool_call": [{"return": {"action": "modify", "args": {"a": 1}}}]});
    let rewriter = Placed::new(&Fixture::built("scripted").named("rewriter"))
        .config(json!({"on": rewrite, "priority": 9}));
    let home = TestHome::new()
        .plugin(rewriter)
        .plugin(&Fixture::built("keeps-with-calls").named("rewritten"));
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    fire(
        &host,
        "pre_tool_call",
        json!({"session_id": "ses_1", "task_id": "t"}),
    );
    fire(&host, "pre_tool_call", of_task("1"));
    let later = block_on(host.fire_json_async("pre_tool_call", of_task("2")));
    assert_eq!(later.expect("an object").inferred, ["session_id"]);
    let event = payload::PreToolCall::new().task_id("t").tool_call_id("3");
    let _ = host.fire(&event);
    let seen = seen(&host);
    assert_eq!(seen.len(), 4);
    for event in &seen[1..] {
        assert_eq!(
            (&event["session"], &event["inferred"]),
            (&json!("ses_1"), &json!(true)),
            "{event}"
        );
    }
}

#[test]
fn what_is_kept_with_a_call_comes_back_with_its_result() {
    let (home, host) = keeper("taken");
    fire(
        &host,
        "pre_tool_call",
        call("1", json!({"attach": "one", "peek": "yes"})),
    );
    fire(&host, "pre_tool_call", call("2", json!({"attach": "two"})));
    assert_eq!(
        (host.calls().attached, dropped(&home, "taken").len()),
        (2, 0)
    );
    fire(&host, "post_tool_call", call("1", json!({"take": "yes"})));
    assert_eq!(dropped(&home, "taken"), ["one"]);
    fire(&host, "post_tool_call", call("3", json!({"take": "yes"})));
    let said: Vec<Value> = seen(&host)
        .into_iter()
        .filter(|said| said.get("session").is_none())
        .collect();
    let expected = [
        json!({"attached": "one", "code": null}),
        json!({"another_type": null}),
        json!({"attached": "two", "code": null}),
        json!({"taken": "one"}),
        json!({"taken": null}),
    ];
    assert_eq!(said, expected);
    assert_eq!(
        (host.calls().attached, dropped(&home, "taken").len()),
        (1, 1)
    );
    assert_eq!(host.faults(), []);
}

#[test]
fn what_is_kept_with_a_call_comes_back_without_a_thread() {
    let (home, host) = keeper("taken-later");
    let later = |hook: &str, args: Value| {
        block_on(host.fire_json_async(hook, call("1", args))).expect("an object")
    };
    assert_eq!(later("pre_tool_call", json!({"attach": "one"})).replies, []);
    assert_eq!(later("post_tool_call", json!({"take": "yes"})).replies, []);
    assert_eq!(
        (host.calls().attached, dropped(&home, "taken-later")),
        (0, vec!["one".to_owned()])
    );
}

#[test]
fn the_turn_s_end_drops_what_nobody_took() {
    let (home, host) = keeper("turn-end");
    for (session, id) in [("s", "1"), ("s", "2"), ("other", "3")] {
        let mut event = call(id, json!({"attach": id}));
        event["session_id"] = json!(session);
        fire(&host, "pre_tool_call", event);
    }
    // Complete or not: the turn is over.
    fire(&host, "post_tool_call", call("2", json!({})));
    for _ in 0..2 {
        fire(&host, "on_session_end", json!({"session_id": "s"}));
        assert_eq!(dropped(&home, "turn-end"), ["1", "2"]);
    }
    assert_eq!(host.calls().attached, 1, "of the other session");
}

#[test]
fn newer_calls_drop_what_nobody_took() {
    let (home, host) = keeper("newer");
    fire(
        &host,
        "pre_tool_call",
        call("first", json!({"attach": "first"})),
    );
    let newer = |number: u64| {
        let id = number.to_string();
        let event = payload::PreToolCall::new()
            .session_id("s")
            .tool_call_id(&*id);
        let _ = host.fire(&event);
    };
    (1..4096).for_each(newer);
    assert_eq!(
        (host.calls().attached, dropped(&home, "newer").len()),
        (1, 0)
    );
    newer(4096);
    assert_eq!(
        (host.calls().attached, dropped(&home, "newer")),
        (0, vec!["first".to_owned()])
    );
}

#[test]
fn the_plugin_s_end_drops_what_nobody_took() {
    let (home, host) = keeper("ended");
    for id in ["1", "2"] {
        fire(&host, "pre_tool_call", call(id, json!({"attach": id})));
    }
    assert!(host.shutdown());
    assert_eq!(dropped(&home, "ended"), ["1", "2"]);
    assert_eq!(host.calls().attached, 0);
    drop(host);
    assert_eq!(dropped(&home, "ended").len(), 2, "once");
}

#[test]
fn one_place_for_each_call_and_none_without_an_id() {
    let (home, host) = keeper("one-place");
    fire(
        &host,
        "pre_tool_call",
        call("1", json!({"attach_twice": "a"})),
    );
    assert_eq!(dropped(&home, "one-place"), ["a 1"], "it was replaced");
    fire(
        &host,
        "pre_tool_call",
        call("", json!({"attach": "nameless"})),
    );
    assert_eq!(
        dropped(&home, "one-place"),
        ["a 1", "nameless"],
        "it stayed the plugin's"
    );
    let seen = seen(&host);
    assert_eq!(
        seen[3],
        json!({"attached": "nameless", "code": 4}),
        "unsupported"
    );
    assert_eq!(host.calls().attached, 1);
}

#[test]
fn each_plugin_has_its_own_place() {
    let other = Fixture::built("keeps-with-calls").named("other-place");
    let home = TestHome::new()
        .plugin(&Fixture::built("keeps-with-calls").named("own-place"))
        .plugin(&other);
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    fire(&host, "pre_tool_call", call("1", json!({"attach": "mine"})));
    assert_eq!(host.calls().attached, 2);
    fire(&host, "post_tool_call", call("1", json!({"take": "yes"})));
    assert_eq!(host.calls().attached, 0);
    assert_eq!(dropped(&home, "own-place"), ["mine"]);
}

#[test]
fn a_drop_that_panics_is_a_fault_and_no_more() {
    let (home, host) = keeper("bomb");
    fire(&host, "pre_tool_call", call("1", json!({"attach": "bomb"})));
    fire(&host, "pre_tool_call", call("2", json!({"attach": "two"})));
    fire(&host, "on_session_end", json!({"session_id": "s"}));
    let faults: Vec<_> = host
        .faults()
        .into_iter()
        .map(|fault| (fault.plugin, fault.hook, fault.count))
        .collect();
    let expected = ("bomb".to_owned(), "drop".to_owned(), 1);
    assert_eq!(faults, [expected]);
    assert_eq!(
        (host.calls().attached, dropped(&home, "bomb")),
        (0, vec!["two".to_owned()])
    );
}

#[test]
fn a_verdict_on_some_arguments_is_none_on_others() {
    // A model or its server may give one id to two calls of one request.
    let (_home, host) = scripted(
        "judges-args",
        json!({"pre_tool_call": [
            {"when": {"args.command": "wipe"}, "return": {"action": "block", "message": "no"}},
        ]}),
    );
    let judged = |args: Value| outcome(&host, "pre_tool_call", call("call_0", args)).decision;
    assert_eq!(judged(json!({"command": "ls"})).word(), "proceed");
    assert_eq!(judged(json!({"command": "wipe"})).word(), "block");
    assert_eq!(judged(json!({"command": "ls"})).word(), "proceed");
    assert_eq!(host.calls().duplicates, 1);
    let typed = json!({"command": "wipe"});
    let event = payload::PreToolCall::new()
        .tool_name("terminal")
        .args(&typed);
    let again = host.fire(&event.session_id("s").tool_call_id("call_0"));
    assert!(matches!(again, ToolOutcome::Block { .. }), "{again:?}");
    assert_eq!(
        host.calls().duplicates,
        2,
        "a typed event is the same event"
    );

    // Arguments that are too long to be compared are judged each time.
    let long = |end: &str| json!({"command": "wipe", "text": "x".repeat(4096) + end});
    for end in ["a", "b", "b"] {
        assert_eq!(judged(long(end)).word(), "block");
    }
    assert_eq!(host.calls().duplicates, 2);
}

#[test]
fn results_of_two_calls_with_one_id_are_two_results() {
    let (_home, host) = scripted(
        "hears-results",
        json!({"post_tool_call": [{"record": "result"}]}),
    );
    let twin = |command: &str| call("call_0", json!({"command": command}));
    for command in ["ls", "pwd"] {
        fire(&host, "pre_tool_call", twin(command));
    }
    for command in ["ls", "ls", "pwd", "pwd"] {
        fire(&host, "post_tool_call", twin(command));
    }
    let report = host.calls();
    assert_eq!((report.complete, report.duplicates, report.open), (2, 2, 0));
    let recorded = outcome(&host, "scripted.recorded", json!({"label": "result"}));
    let recorded = serde_json::to_value(recorded.replies).expect("JSON");
    let heard: Vec<&Value> = recorded[0]["answer"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|payload| &payload["args"]["command"])
        .collect();
    assert_eq!(heard, ["ls", "pwd"]);
}
