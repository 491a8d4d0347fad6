//! Things tried on purpose that would be unsound if the boundary let them be: events kept too long,
//! services used too late, handlers entered from inside themselves and by several threads at once.

#![cfg(target_os = "linux")]

use std::{
    sync::{Arc, Barrier},
    time::{Duration, Instant},
};

use hermes_loader::{FaultKind, Host, Outcome, catalogue};
use hermes_tests::{
    Fixture, Placed, TestHome, block_on,
    home::loaded,
    records::Records,
    until,
    wait::{poll_once, until_written},
};
use serde_json::{Value, json};

fn host_with(plugin: impl Into<Placed>) -> (TestHome, Host) {
    let plugin = plugin.into();
    let home = TestHome::new().plugin(plugin);
    let host = home.load();
    assert!(host.report().is_healthy(), "{:#?}", host.report());
    (home, host)
}

fn with_config(fixture: &str, config: Value) -> (TestHome, Host) {
    host_with(Placed::new(&Fixture::built(fixture)).config(config))
}

/// The answer of the only handler of a hook.
#[track_caller]
fn ask(host: &Host, hook: &str, payload: &Value) -> Value {
    let outcome = host
        .fire_json(hook, payload)
        .expect("the payload is an object");
    serde_json::to_value(outcome.replies).expect("JSON")[0]["answer"].clone()
}

#[track_caller]
fn keeper(host: &Host, word: &str, id: &str) -> Value {
    ask(host, "keeper.do", &json!({"word": word, "id": id}))
}

fn told(outcome: &Outcome) -> Value {
    serde_json::to_value(outcome).expect("JSON")["message"].clone()
}

/// A tool call with a payload that is long gone when the plugin reads its copy.
fn call(id: &str) -> Value {
    json!({"tool_name": "terminal", "tool_call_id": id, "args": {"text": "x".repeat(10_000), "deep": [[1, {"a": null}]]}, "unheard_of": [1.5]})
}

#[track_caller]
fn check_look(seen: &Value, cancelled: bool, writes: &str) {
    assert_eq!(
        (&seen["tool"], &seen["length"], &seen["sum"]),
        (&json!("terminal"), &json!(10_000), &json!(1_200_000))
    );
    assert_eq!(
        (&seen["args"], &seen["extra"]),
        (&json!(2), &json!({"unheard_of": [1.5]}))
    );
    assert_eq!(
        (&seen["cancelled"], &seen["writes"]),
        (&json!(cancelled), &json!(writes)),
        "{seen}"
    );
}

const GONE: &str = "the call is over; its answer is no longer wanted";

#[test]
fn a_future_that_is_forgotten_leaves_the_event_to_the_plugin() {
    let (_home, host) = host_with(&Fixture::built("keeps-events"));
    let mut future = Box::pin(host.fire_json_async("pre_tool_call", call("forgotten")));
    assert!(poll_once(&mut future).is_pending());
    std::mem::forget(future);
    check_look(&keeper(&host, "look", "forgotten"), false, "ok");

    // It holds its snapshot for ever, so the plugin cannot end: that is said, and bounded.
    let start = Instant::now();
    assert!(!host.shutdown());
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(host.faults(), []);
}

#[test]
fn a_future_that_is_dropped_cancels_its_call() {
    let (_home, host) = host_with(&Fixture::built("keeps-events"));
    let mut future = Box::pin(host.fire_json_async("pre_tool_call", call("dropped")));
    assert!(poll_once(&mut future).is_pending());
    check_look(&keeper(&host, "look", "dropped"), false, "ok");
    drop(future);
    check_look(&keeper(&host, "look", "dropped"), true, GONE);
    assert_eq!(
        keeper(&host, "dropped", ""),
        1,
        "the plugin's future was dropped too"
    );
    assert_eq!(keeper(&host, "release", "dropped"), true);
    assert!(host.shutdown());
}

#[test]
fn a_future_that_is_never_polled_does_nothing() {
    let (_home, host) = host_with(&Fixture::built("keeps-events"));
    let future = host.fire_json_async("pre_tool_call", call("unpolled"));
    assert_eq!(keeper(&host, "kept", ""), json!([]));
    drop(future);
    let late = host.fire_json_async("pre_tool_call", call("late"));
    assert!(host.shutdown());
    drop(host);
    // Nobody is there any more, so nobody objects.
    assert_eq!(block_on(late).expect("an object"), Outcome::default());
}

#[test]
fn an_answer_comes_from_another_thread() {
    let (_home, host) = host_with(&Fixture::built("keeps-events"));
    let host = Arc::new(host);
    let other = Arc::clone(&host);
    // Once without holding a thread, once holding one.
    let waiting =
        std::thread::spawn(move || block_on(other.fire_json_async("pre_tool_call", call("async"))));
    let answer = |id: &str| {
        until(id, || {
            (ask(
                &host,
                "keeper.do",
                &json!({"word": "answer", "id": id, "text": id}),
            ) == true)
                .then_some(())
        })
    };
    until("the handler to run", || {
        (keeper(&host, "kept", "") == json!(["async"])).then_some(())
    });
    answer("async");
    assert_eq!(
        told(&waiting.join().expect("no panic").expect("an object")),
        "async"
    );

    let other = Arc::clone(&host);
    let waiting = std::thread::spawn(move || other.fire_json("pre_tool_call", &call("sync")));
    until("the handler to run", || {
        (keeper(&host, "kept", "") == json!(["async", "sync"])).then_some(())
    });
    answer("sync");
    assert_eq!(
        told(&waiting.join().expect("no panic").expect("an object")),
        "sync"
    );

    // Both calls are over: what the plugin still holds can be read, and not be answered.
    check_look(&keeper(&host, "look", "async"), false, GONE);
    for id in ["async", "sync"] {
        assert_eq!(keeper(&host, "release", id), true);
    }
    assert!(host.shutdown());
    assert_eq!(host.faults(), []);
}

#[test]
fn many_answers_are_waited_for_at_once() {
    let (_home, host) = host_with(&Fixture::built("keeps-events"));
    let ids: Vec<String> = (0..20).map(|n| format!("n{n:02}")).collect();
    let mut futures: Vec<_> = ids
        .iter()
        .map(|id| Box::pin(host.fire_json_async("pre_tool_call", call(id))))
        .collect();
    assert!(
        futures
            .iter_mut()
            .all(|future| poll_once(future).is_pending())
    );
    // In an order of their own.
    for id in ids.iter().rev() {
        assert_eq!(
            ask(
                &host,
                "keeper.do",
                &json!({"word": "answer", "id": id, "text": id})
            ),
            true
        );
    }
    for (id, future) in ids.iter().zip(futures) {
        assert_eq!(told(&block_on(future).expect("an object")), json!(id));
        assert_eq!(keeper(&host, "release", id), true);
    }
    assert!(host.shutdown());
}

#[test]
fn the_end_of_the_host_cancels_what_is_pending() {
    let home = TestHome::new();
    let trace = home.path().join("trace");
    let plugin =
        Placed::new(&Fixture::built("keeps-events")).config(json!({"until_cancelled": trace}));
    let home = home.plugin(plugin);
    let host = Arc::new(home.load());
    loaded(&host, "keeps-events");
    // A plugin thread reads the event as fast as it can; the host ends under it.
    let other = Arc::clone(&host);
    let waiting = std::thread::spawn(move || other.fire_json("pre_tool_call", &call("cancelled")));
    until("the handler to run", || {
        (keeper(&host, "kept", "") == json!(["cancelled"])).then_some(())
    });
    let start = Instant::now();
    assert!(host.shutdown(), "the plugin lets go once it is told");
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "nothing timed out: {:?}",
        start.elapsed()
    );
    let outcome = waiting.join().expect("no panic").expect("an object");
    assert_eq!(
        outcome.decision.word(),
        "proceed",
        "a handler without a role fails open"
    );
    let seen: Value = serde_json::from_str(&until_written(&trace)).expect("JSON");
    check_look(&seen, true, GONE);
    let faults = host.faults();
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert_eq!(
        (faults[0].kind, faults[0].hook.as_str()),
        (FaultKind::Cancelled, "pre_tool_call")
    );
}

#[test]
fn a_guard_that_is_cancelled_has_not_agreed() {
    let home = TestHome::new();
    let trace = home.path().join("trace");
    let plugin = Placed::new(&Fixture::built("keeps-events"))
        .config(json!({"until_cancelled": trace}))
        .guard();
    let home = home.plugin(plugin);
    let host = Arc::new(home.load());
    let other = Arc::clone(&host);
    let waiting = std::thread::spawn(move || other.fire_json("pre_tool_call", &call("guarded")));
    until("the handler to run", || {
        (keeper(&host, "kept", "") == json!(["guarded"])).then_some(())
    });
    assert!(host.shutdown());
    let outcome = waiting.join().expect("no panic").expect("an object");
    assert_eq!(
        (outcome.decision.word(), outcome.decision.by()),
        ("block", Some("keeps-events"))
    );
    until_written(&trace);
}

#[test]
fn a_call_that_is_kept_for_ever_keeps_its_plugin() {
    let records = Records::capture();
    let (home, host) = host_with(&Fixture::built("keeps-events"));
    let mut future = Box::pin(host.fire_json_async("pre_tool_call", call("kept")));
    assert!(poll_once(&mut future).is_pending());
    assert_eq!(
        ask(
            &host,
            "keeper.do",
            &json!({"word": "answer", "id": "kept", "text": "done"})
        ),
        true
    );
    assert_eq!(told(&block_on(future).expect("an object")), "done");
    // The dispatch is over, but a clone of the event is not.
    let start = Instant::now();
    assert!(!host.shutdown(), "the plugin stays");
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
    let said = records.of("keeps-events");
    assert!(
        said.iter()
            .any(|record| record.message.contains("its `destroy` is skipped")),
        "{said:#?}"
    );
    drop(host);
    drop(records);

    // The same image, met again by a new instance in the same home, still has the old event: it is read,
    // found cancelled, and released, long after its host ended.
    let host = home.load();
    loaded(&host, "keeps-events");
    check_look(&keeper(&host, "look", "kept"), false, GONE);
    assert_eq!(keeper(&host, "release", "kept"), true);
    assert!(host.shutdown());
}

#[test]
fn services_answer_gone_when_there_is_no_host() {
    let home = TestHome::new();
    let trace = home.path().join("trace");
    let home = home
        .plugin(Placed::new(&Fixture::built("lingering-thread")).config(json!({"trace": trace})));
    let host = home.load();
    loaded(&host, "lingering-thread");
    until("some rounds", || {
        ask(&host, "lingering.rounds", &json!({}))
            .as_u64()
            .filter(|rounds| *rounds > 20)
    });
    assert!(!trace.exists());
    assert!(host.shutdown(), "a thread of the plugin does not keep it");
    assert_eq!(until_written(&trace), "gone");
    drop(host);
}

#[test]
fn hosts_come_and_go_under_a_thread_that_does_not_care() {
    let home = TestHome::new();
    let traces: Vec<_> = (0..4)
        .map(|n| home.path().join(format!("trace{n}")))
        .collect();
    let fixture = Fixture::built("lingering-thread");
    let mut home = home;
    for trace in &traces {
        home = home.plugin(Placed::new(&fixture).config(json!({"trace": trace})));
        let host = home.load();
        loaded(&host, "lingering-thread");
        // Without waiting for anything: right in the middle of whatever the thread does.
        drop(host);
    }
    traces
        .iter()
        .for_each(|trace| assert_eq!(until_written(trace), "gone"));
}

#[track_caller]
fn check_nesting(config: Value, entered: u64, deepest: u64, text: &str) {
    for asynchronous in [false, true] {
        let (_home, host) = with_config("fires-itself", config.clone());
        let payload = json!({"tool_name": "t", "args": {"depth": 0}});
        let outcome = if asynchronous {
            block_on(host.fire_json_async("pre_tool_call", payload)).expect("an object")
        } else {
            host.fire_json("pre_tool_call", &payload)
                .expect("an object")
        };
        assert_eq!(outcome.decision.word(), "proceed");
        assert_eq!(
            ask(&host, "nesting", &json!({})),
            json!({"entered": entered, "deepest": deepest}),
            "{config}"
        );
        let faults = host.faults();
        assert_eq!(faults.len(), 1, "{config}: {faults:#?}");
        assert_eq!(
            (faults[0].kind, faults[0].text.as_str(), faults[0].count),
            (FaultKind::Nested, text, 1)
        );
        assert!(host.shutdown());
    }
}

#[test]
fn a_handler_that_fires_its_own_event_is_not_entered_again() {
    check_nesting(json!({}), 1, 0, "fired an event that leads back to itself");
    check_nesting(
        json!({"hides_parent": true}),
        1,
        0,
        "fired an event that leads back to itself",
    );
    check_nesting(
        json!({"serial": true}),
        1,
        0,
        "fired an event that leads back to itself",
    );
}

#[test]
fn a_reentrant_handler_is_entered_eight_deep() {
    check_nesting(
        json!({"reentrant": true}),
        8,
        7,
        "events are fired from inside events, 8 deep",
    );
    check_nesting(
        json!({"reentrant": true, "hides_parent": true}),
        8,
        7,
        "events are fired from inside events, 8 deep",
    );
    // It takes turns with others, not with itself.
    check_nesting(
        json!({"reentrant": true, "serial": true}),
        8,
        7,
        "events are fired from inside events, 8 deep",
    );
}

#[test]
fn two_handlers_that_fire_each_other_s_events_end() {
    let scripted = Fixture::built("fires-itself");
    let home = TestHome::with([
        Placed::new(&scripted.named("one")).config(json!({})),
        Placed::new(&scripted.named("two")).config(json!({})),
    ]);
    let host = home.load();
    loaded(&host, "two");
    let outcome = host
        .fire_json(
            "pre_tool_call",
            &json!({"tool_name": "t", "args": {"depth": 0}}),
        )
        .expect("an object");
    assert_eq!(outcome.decision.word(), "proceed");
    let faulty: Vec<_> = host
        .faults()
        .into_iter()
        .map(|fault| (fault.plugin, fault.kind))
        .collect();
    assert_eq!(
        faulty,
        [
            ("one".to_owned(), FaultKind::Nested),
            ("two".to_owned(), FaultKind::Nested)
        ]
    );
}

/// Two threads fire the same event at the same moment; how many were inside its handler at once.
fn most_inside(config: Value) -> u64 {
    let (_home, host) = with_config("meets", config);
    let start = Barrier::new(2);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                start.wait();
                host.fire_json("pre_tool_call", &json!({"tool_name": "t", "args": {}}))
                    .expect("an object")
            });
        }
    });
    ask(&host, "meets.most", &json!({}))
        .as_u64()
        .expect("a number")
}

#[test]
fn threads_meet_inside_a_handler_unless_it_is_serial() {
    assert_eq!(most_inside(json!({"wait_ms": 20_000})), 2);
    assert_eq!(most_inside(json!({"wait_ms": 50, "serial": true})), 1);
}

#[test]
fn a_serial_handler_that_waits_does_not_hold_the_thread_it_needs() {
    let (_home, host) = with_config("keeps-events", json!({"serial": true}));
    let mut first = Box::pin(host.fire_json_async("pre_tool_call", call("first")));
    assert!(poll_once(&mut first).is_pending());
    // On the same thread: if this one held it, the first one could never be finished.
    let mut second = Box::pin(host.fire_json_async("pre_tool_call", call("second")));
    assert!(poll_once(&mut second).is_pending());
    assert_eq!(
        keeper(&host, "kept", ""),
        json!(["first"]),
        "the second one waits outside"
    );
    assert_eq!(
        ask(
            &host,
            "keeper.do",
            &json!({"word": "answer", "id": "first", "text": "1"})
        ),
        true
    );
    assert_eq!(told(&block_on(first).expect("an object")), "1");
    assert!(poll_once(&mut second).is_pending());
    assert_eq!(keeper(&host, "kept", ""), json!(["first", "second"]));
    // Who gives up inside leaves the way free.
    drop(second);
    let mut third = Box::pin(host.fire_json_async("pre_tool_call", call("third")));
    assert!(poll_once(&mut third).is_pending());
    assert_eq!(
        keeper(&host, "kept", ""),
        json!(["first", "second", "third"])
    );
    drop(third);
    for id in ["first", "second", "third"] {
        assert_eq!(keeper(&host, "release", id), true);
    }
    assert!(host.shutdown());
}

/// Ends the host while something is inside the plugin; the plugin counts what comes too late.
#[track_caller]
fn check_end(inside: impl Fn(&Host) + Send + Sync, then: impl FnOnce(&Host), drops: u64) {
    let (home, host) = host_with(&Fixture::built("ends-badly"));
    // A second instance of the same image, which opens the gate when the first one answers nothing any more.
    let other = home.load();
    let ended = std::thread::scope(|threads| {
        threads.spawn(|| inside(&host));
        until("somebody to be inside", || {
            (ask(&host, "ends.report", &json!({}))["inside"] == 1).then_some(())
        });
        then(&host);
        let ending = threads.spawn(|| host.shutdown());
        until("the handlers to be unpublished", || {
            (!host.has("ends.open")).then_some(())
        });
        // Nothing tells that somebody goes on waiting but time; a host that does not wait is done long before.
        let end = Instant::now() + Duration::from_millis(300);
        while Instant::now() < end && !ending.is_finished() {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let _ = other.fire_json("ends.open", &json!({})).expect("an object");
        ending.join().expect("no panic")
    });
    assert!(ended, "it ended in time");
    let fault = host
        .faults()
        .into_iter()
        .find(|fault| fault.hook == "destroy")
        .expect("`destroy` failed");
    assert_eq!(
        fault.text, "the disk is full; 0 violations",
        "something was entered or dropped after `destroy`"
    );
    let report = ask(&other, "ends.report", &json!({}));
    assert_eq!(
        (&report["violations"], &report["inside"]),
        (&json!(0), &json!(0)),
        "{report}"
    );
    assert!(
        report["drops"].as_u64().is_some_and(|count| count >= drops),
        "{report}"
    );
}

#[test]
fn a_handler_that_is_inside_is_waited_for() {
    let fire = |host: &Host| {
        let _ = host
            .fire_json("post_tool_call", &json!({"tool_name": "t"}))
            .expect("an object");
    };
    check_end(fire, |_| (), 6);
}

#[test]
fn a_timer_that_is_inside_is_waited_for() {
    let set = |host: &Host| {
        let _ = host.fire_json("ends.timer", &json!({})).expect("an object");
    };
    check_end(set, |_| (), 7);
}

#[test]
fn an_unregistered_handler_that_is_inside_is_waited_for() {
    let fire = |host: &Host| {
        let _ = host
            .fire_json("post_tool_call", &json!({"tool_name": "t"}))
            .expect("an object");
    };
    let unregister = |host: &Host| {
        let _ = host
            .fire_json("ends.unregister", &json!({}))
            .expect("an object");
        assert!(!host.has("post_tool_call"));
    };
    check_end(fire, unregister, 6);
}

#[test]
fn a_tool_that_is_inside_is_waited_for() {
    let run = |host: &Host| assert_eq!(host.run_tool("slow", &json!({})), Ok(String::new()));
    check_end(run, |_| (), 6);
}

#[test]
fn many_threads_fire_while_the_host_ends() {
    let home = TestHome::with([
        Placed::new(&Fixture::built("witness")),
        Placed::new(&Fixture::built("panic-in-handler")),
        Placed::new(&Fixture::built("panic-in-future-poll")),
    ]);
    for _ in 0..5 {
        let host = home.load();
        let start = Barrier::new(5);
        std::thread::scope(|threads| {
            for n in 0..4 {
                let (host, start) = (&host, &start);
                threads.spawn(move || {
                    let args = json!({"how": "literal", "late": n % 2 == 0, "witness": "there"});
                    let payload = json!({"tool_name": "t", "args": args});
                    start.wait();
                    for round in 0..200 {
                        let outcome = if round % 3 == 0 {
                            block_on(host.fire_json_async("pre_tool_call", payload.clone()))
                                .expect("an object")
                        } else {
                            host.fire_map(
                                catalogue::PreToolCall,
                                payload.as_object().expect("an object"),
                            )
                        };
                        let told = outcome.decision.by();
                        assert!(told.is_none() || told == Some("witness"), "{outcome:?}");
                    }
                });
            }
            start.wait();
            until("some faults", || {
                (host.faults().iter().map(|fault| fault.count).sum::<u64>() > 50).then_some(())
            });
            assert!(host.shutdown());
        });
    }
}

#[test]
fn a_runtime_of_its_own() {
    let (_home, host) = host_with(&Fixture::built("sleeps-on-tokio"));
    let payload = |how: &str| json!({"tool_name": "t", "args": {"how": how}});
    assert_eq!(
        told(
            &host
                .fire_json("pre_tool_call", &payload("sync"))
                .expect("an object")
        ),
        "slept, then saw sync"
    );
    let outcome =
        block_on(host.fire_json_async("pre_tool_call", payload("async"))).expect("an object");
    assert_eq!(told(&outcome), "slept, then saw async");
    assert_eq!(host.faults(), []);

    let _ = host
        .fire_json("pre_tool_call", &payload("panic"))
        .expect("an object");
    let _ = host
        .fire_json("pre_tool_call", &payload("error"))
        .expect("an object");
    let faults = host.faults();
    let kinds: Vec<_> = faults
        .iter()
        .map(|fault| (fault.kind, fault.text.as_str()))
        .collect();
    assert_eq!(
        kinds,
        [
            (FaultKind::Error, "the service is down"),
            (FaultKind::Panic, "boom on the plugin's runtime")
        ]
    );
    assert!(
        faults[1].place.contains("sleeps-on-tokio.rs:"),
        "{faults:#?}"
    );

    // A task that nobody waits for any more ends.
    let mut future =
        Box::pin(host.fire_json_async("post_tool_call", json!({"tool_name": "never"})));
    assert!(poll_once(&mut future).is_pending());
    drop(future);
    assert!(host.shutdown());
}
