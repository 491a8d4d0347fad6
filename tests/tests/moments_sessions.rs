//! The life of sessions and of children: the numbered cases, through compiled plugins.

use std::{
    sync::{Barrier, Mutex, PoisonError, mpsc},
    time::Duration,
};

use hermes_loader::moments::{
    Boundary, ChildEnd, ChildStatus, Delegation, Exit, Reply, Scope, Session, Sessions, Surface,
    Task, Turn, TurnError, TurnSetup,
    memory::{Conversations, Script},
};
use hermes_tests::{Fixture, Stage, TestHome, until, wait::BOUND};
use serde_json::{Value, json};

const KEY: &str = "agent:main:telegram:dm:7";

fn session(id: &str) -> Session {
    Session::new(id).under(KEY).on("telegram").with("u1")
}

/// Hook and session of the events of sessions, in order.
fn life(stage: &Stage) -> Vec<(String, Value)> {
    let journal = stage.journal().into_iter();
    journal
        .filter(|seen| seen.hook.starts_with("on_session"))
        .map(|seen| (seen.hook, seen.payload["session_id"].clone()))
        .collect()
}

fn event(hook: &str, session: impl Into<Value>) -> (String, Value) {
    (hook.to_owned(), session.into())
}

fn chat(sessions: &Sessions, history: &Conversations) {
    let model = Script::of([Reply::text("hello")]);
    let mut turn = Turn::begin(sessions, KEY, TurnSetup::new(&model, history), "hi")
        .expect("the session is open");
    turn.ask().expect("the model answers");
    assert!(turn.finish().completed);
}

/// Ends well within the time that tests have, also on a machine that is busy.
fn exit() -> Exit {
    Exit {
        plugins: BOUND,
        ..Exit::keyboard_interrupt()
    }
}

#[test]
fn case_33_an_exit_in_mid_turn_ends_the_turn_and_then_the_session() {
    let stage = Stage::new("case33", []);
    let sessions = Sessions::new(&stage.moments);
    let history = Conversations::new();
    sessions.open(Session::new("s1").under(KEY).on("cli"));
    let model = Script::of([Reply::text("too late")]);
    let setup = TurnSetup::new(&model, &history);
    let mut turn = Turn::begin(&sessions, KEY, setup, "hi").expect("the session is open");
    assert!(sessions.shutdown(exit()), "plugins were done in time");
    let expected = [
        event("on_session_start", "s1"),
        event("on_session_end", "s1"),
        event("on_session_finalize", "s1"),
    ];
    assert_eq!(life(&stage), expected);
    let end = &stage.seen("on_session_end")[0];
    assert_eq!(
        json!([end["completed"], end["interrupted"], end["reason"]]),
        json!([false, true, "keyboard_interrupt"])
    );
    let finalized = &stage.seen("on_session_finalize")[0];
    assert_eq!(
        json!([finalized["platform"], finalized["reason"]]),
        json!(["cli", "shutdown"])
    );
    // The turn finds out at its next step, and nothing fires twice.
    assert_eq!(turn.ask(), Err(TurnError::Interrupted));
    drop(turn);
    assert!(sessions.shutdown(exit()));
    assert!(!sessions.close(KEY));
    assert_eq!(sessions.reset(KEY, "s2", Boundary::Command), None);
    assert_eq!(life(&stage), expected);
    let again = Turn::begin(&sessions, KEY, TurnSetup::new(&model, &history), "hi");
    assert!(matches!(again, Err(TurnError::NotOpen { .. })));
}

#[test]
fn a_turn_may_be_given_time_to_end() {
    let stage = Stage::new("patience", []);
    let sessions = Sessions::new(&stage.moments);
    let history = Conversations::new();
    sessions.open(session("s1"));
    let (begun, wait) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let model = Script::of([Reply::text("done")]);
            let setup = TurnSetup::new(&model, &history);
            let mut turn = Turn::begin(&sessions, KEY, setup, "hi").expect("it is open");
            begun.send(()).expect("the test waits");
            // It works until it notices that it was interrupted.
            until("the interruption", || turn.is_interrupted().then_some(()));
            assert_eq!(turn.ask(), Err(TurnError::Interrupted));
            drop(turn);
        });
        wait.recv().expect("the turn begins");
        let patient = Exit {
            turns: BOUND,
            ..exit()
        };
        assert!(sessions.shutdown(patient));
    });
    let end = &stage.seen("on_session_end")[0];
    assert_eq!(end["interrupted"], true);
    assert_eq!(end.get("reason"), None, "it ended by itself");
    assert_eq!(
        stage.fired().last().map(String::as_str),
        Some("on_session_finalize")
    );
}

#[test]
fn a_plugin_that_hangs_does_not_hang_the_exit() {
    let home = TestHome::new().plugin(&Fixture::built("stuck-in-finalize"));
    let stage = Stage::beside(home, Surface::Cli, "stuck", []);
    let sessions = Sessions::new(&stage.moments);
    sessions.open(session("s1"));
    let impatient = Exit {
        plugins: Duration::from_millis(1),
        ..exit()
    };
    assert!(!sessions.shutdown(impatient), "it gave up waiting");
    assert!(
        life(&stage).is_empty(),
        "the plugin is still in its handler"
    );
    let host = stage.moments.host();
    let released = host.fire_json("stuck.release", &json!({}));
    assert!(released.is_ok());
    until("the end that was begun", || {
        (life(&stage) == [event("on_session_finalize", "s1")]).then_some(())
    });
}

#[test]
fn a_reset_in_mid_turn_ends_the_turn_first() {
    let stage = Stage::on(Surface::Gateway, "mid-turn", []);
    let sessions = Sessions::new(&stage.moments);
    let history = Conversations::new();
    sessions.open(session("old"));
    let model = Script::of([Reply::text("too late"), Reply::text("hello")]);
    let setup = || TurnSetup::new(&model, &history);
    let mut turn = Turn::begin(&sessions, KEY, setup(), "hi").expect("it is open");
    assert!(sessions.reset(KEY, "new", Boundary::Command).is_some());
    let expected = [
        event("on_session_start", "old"),
        event("on_session_end", "old"),
        event("on_session_finalize", "old"),
        event("on_session_reset", "new"),
    ];
    assert_eq!(life(&stage), expected);
    let end = &stage.seen("on_session_end")[0];
    assert_eq!(
        json!([end["completed"], end["interrupted"], end.get("reason")]),
        json!([false, true, null])
    );
    assert_eq!(turn.ask(), Err(TurnError::Interrupted));
    let finished = turn.finish();
    assert!(finished.interrupted && finished.text.is_none());
    assert_eq!(life(&stage), expected, "nothing fires twice");
    chat(&sessions, &history);
    assert_eq!(
        life(&stage).len(),
        6,
        "the new one starts and ends its own turn"
    );
}

#[test]
fn case_34_new_finalizes_then_resets_and_the_next_message_starts() {
    let stage = Stage::on(Surface::Gateway, "case34", []);
    let sessions = Sessions::new(&stage.moments);
    let history = Conversations::new();
    assert_eq!(sessions.open(session("old")).id(), "old");
    chat(&sessions, &history);
    let new = sessions.reset(KEY, "new", Boundary::Command);
    assert_eq!(new.as_ref().map(Session::id), Some("new"));
    let mut expected = vec![
        event("on_session_start", "old"),
        event("on_session_end", "old"),
        event("on_session_finalize", "old"),
        event("on_session_reset", "new"),
    ];
    assert_eq!(life(&stage), expected, "the new one has not started");
    for hook in ["on_session_finalize", "on_session_reset"] {
        let seen = &stage.seen(hook)[0];
        for (field, value) in [
            ("platform", "telegram"),
            ("reason", "new_session"),
            ("old_session_id", "old"),
            ("new_session_id", "new"),
        ] {
            assert_eq!(seen[field], value, "{hook}: {field}");
        }
    }
    // Whoever opens it again gets the one that is open.
    assert_eq!(sessions.open(session("another")).id(), "new");
    assert_eq!(sessions.current(KEY).as_ref().map(Session::id), Some("new"));
    chat(&sessions, &history);
    expected.extend([
        event("on_session_start", "new"),
        event("on_session_end", "new"),
    ]);
    assert_eq!(life(&stage), expected);

    // An idle session rotates the same way; its platform stands in its key.
    let rotated = sessions.reset(KEY, "third", Boundary::Expired);
    assert_eq!(rotated.as_ref().map(Session::id), Some("third"));
    expected.extend([
        event("on_session_finalize", "new"),
        event("on_session_reset", "third"),
    ]);
    assert_eq!(life(&stage), expected);
    let seen = &stage.seen("on_session_finalize")[1];
    assert_eq!(seen["reason"], "session_expired");
    assert_eq!(seen["platform"], "telegram");

    // The end of the gateway finalizes, resets nothing, and calls itself the platform.
    assert!(sessions.shutdown(exit()));
    expected.push(event("on_session_finalize", "third"));
    assert_eq!(life(&stage), expected);
    assert_eq!(stage.seen("on_session_finalize")[2]["platform"], "gateway");
    assert_eq!(sessions.reset("unknown", "x", Boundary::Command), None);
}

#[test]
fn idle_sessions_rotate_and_busy_ones_do_not() {
    let stage = Stage::on(Surface::Gateway, "idle", []);
    let sessions = Sessions::new(&stage.moments);
    let history = Conversations::new();
    let hour = Duration::from_secs(3600);
    for key in ["idle", "busy", "young"] {
        if key == "young" {
            stage.clock.advance(hour);
        }
        sessions.open(Session::new(format!("{key}-1")).under(key).on("discord"));
    }
    let model = Script::default();
    let setup = TurnSetup::new(&model, &history);
    let turn = Turn::begin(&sessions, "busy", setup, "hi").expect("it is open");
    stage.clock.advance(hour);
    let fresh = |old: &Session| format!("{}-2", old.key());
    let rotated = sessions.rotate_idle(2 * hour, fresh);
    let ids: Vec<&str> = rotated.iter().map(Session::id).collect();
    assert_eq!(ids, ["idle-2"]);
    // A turn that ends is something that happens.
    drop(turn);
    assert_eq!(sessions.rotate_idle(2 * hour, fresh), []);
    stage.clock.advance(2 * hour);
    assert_eq!(sessions.rotate_idle(2 * hour, fresh).len(), 3);
    let finalized: Vec<Value> = stage
        .seen("on_session_finalize")
        .iter()
        .map(|seen| json!([seen["session_id"], seen["reason"], seen["platform"]]))
        .collect();
    assert_eq!(
        finalized,
        [
            json!(["idle-1", "session_expired", "discord"]),
            json!(["busy-1", "session_expired", "discord"]),
            json!(["idle-2", "session_expired", "discord"]),
            json!(["young-1", "session_expired", "discord"]),
        ]
    );
    assert_eq!(
        stage.seen("on_session_reset").len(),
        4,
        "each has its other half"
    );
}

#[test]
fn a_session_is_finalized_once_whoever_asks() {
    let stage = Stage::on(Surface::Gateway, "once", []);
    let sessions = Sessions::new(&stage.moments);
    sessions.open(session("s1"));
    let both = Barrier::new(2);
    std::thread::scope(|scope| {
        let ask = || {
            both.wait();
            sessions.close(KEY)
        };
        let (one, two) = (scope.spawn(ask), scope.spawn(ask));
        let closed = [one.join().expect("no panic"), two.join().expect("no panic")];
        assert_eq!(closed.iter().filter(|closed| **closed).count(), 1);
    });
    assert_eq!(life(&stage), [event("on_session_finalize", "s1")]);
    assert_eq!(
        stage.seen("on_session_finalize")[0]["reason"],
        "session_boundary"
    );
}

#[test]
fn case_35_an_exit_without_any_agent_says_so() {
    let stage = Stage::new("case35", []);
    let sessions = Sessions::new(&stage.moments);
    assert!(sessions.shutdown(exit()));
    assert_eq!(life(&stage), [event("on_session_finalize", Value::Null)]);
    assert_eq!(stage.seen("on_session_finalize")[0]["platform"], "cli");
    // One whose session was closed before has nothing left to say.
    let stage = Stage::new("case35b", []);
    let sessions = Sessions::new(&stage.moments);
    sessions.open(session("s1"));
    assert!(sessions.close(KEY));
    assert!(sessions.shutdown(exit()));
    assert_eq!(life(&stage), [event("on_session_finalize", "s1")]);
}

#[test]
fn case_36_children_are_reported_in_task_order_on_the_parents_thread() {
    let stage = Stage::new("case36", []);
    let task = |number: u32| Task {
        subagent_id: format!("child-{number}"),
        session_id: Some(format!("s-{number}")),
        role: Some("leaf".to_owned()),
        goal: format!("part {number}"),
    };
    // They finish in the order 3, 1, 2: each waits for the one before it.
    let finished = Mutex::new(Vec::new());
    let (third_done, third) = mpsc::channel();
    let (first_done, first) = mpsc::channel();
    let third = Mutex::new(third);
    let first = Mutex::new(first);
    let wait = |what: &Mutex<mpsc::Receiver<()>>| {
        let what = what.lock().unwrap_or_else(PoisonError::into_inner);
        what.recv_timeout(BOUND).expect("the one before is done");
    };
    let clock = &stage.clock;
    let run = |task: &Task| {
        let end = match task.subagent_id.as_str() {
            "child-3" => {
                clock.advance(Duration::from_micros(1_500_900));
                ChildEnd::completed("third part")
            }
            "child-1" => {
                wait(&third);
                ChildEnd::without_answer(ChildStatus::TimedOut)
            }
            _ => {
                wait(&first);
                ChildEnd::without_answer(ChildStatus::Abandoned)
            }
        };
        let mut order = finished.lock().unwrap_or_else(PoisonError::into_inner);
        order.push(task.subagent_id.clone());
        let next = match task.subagent_id.as_str() {
            "child-3" => third_done.send(()),
            "child-1" => first_done.send(()),
            _ => Ok(()),
        };
        next.expect("the next one waits");
        assert!(
            stage.seen("subagent_stop").is_empty(),
            "nothing is reported before all are done"
        );
        end
    };
    let parent = Scope::session("parent").turn("parent:t:1");
    let tasks = (1..=3).map(task).collect();
    let children = Delegation::of(parent).run(&stage.moments, tasks, run);
    let names: Vec<&str> = children
        .iter()
        .map(|child| child.task.subagent_id.as_str())
        .collect();
    assert_eq!(names, ["child-1", "child-2", "child-3"]);
    let order = finished.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(
        *order,
        ["child-3", "child-1", "child-2"],
        "they did finish out of order"
    );

    let stops = stage.seen("subagent_stop");
    let reported: Vec<Value> = stops
        .iter()
        .map(|stop| {
            json!([
                stop["child_session_id"],
                stop["child_status"],
                stop["child_summary"],
                stop["parent_session_id"],
                stop["child_role"],
                stop["parent_turn_id"],
            ])
        })
        .collect();
    assert_eq!(
        reported,
        [
            json!(["s-1", "timeout", null, "parent", "leaf", "parent:t:1"]),
            json!(["s-2", "interrupted", null, "parent", "leaf", "parent:t:1"]),
            json!([
                "s-3",
                "completed",
                "third part",
                "parent",
                "leaf",
                "parent:t:1"
            ]),
        ]
    );
    assert_eq!(stops[1]["duration_ms"], 0, "nobody waited for it");
    assert_eq!(stops[2]["duration_ms"], 1_500, "cut off");
    // The witness answers on this thread, which is the parent's.
    let session = stage.seen("subagent_start");
    assert_eq!(session.len(), 3);
    assert_eq!(session[2]["child_goal"], "part 3");
    let sessions = Sessions::new(&stage.moments);
    sessions.open(self::session("here"));
    assert!(
        sessions.close(KEY),
        "an event on this thread, to compare with"
    );
    let journal = stage.journal();
    let here = &journal.last().expect("just now").thread;
    assert!(
        journal.iter().all(|seen| seen.thread == *here),
        "{journal:?}"
    );
}

#[test]
fn a_child_that_panics_is_an_error() {
    let stage = Stage::new("child-panics", []);
    let tasks = vec![Task::default(), Task::default()];
    let children = Delegation::of(Scope::default())
        .by_subagent("parent-1")
        .run(&stage.moments, tasks, |_| panic!("the child's own panic"));
    assert!(
        children
            .iter()
            .all(|child| child.end.status == ChildStatus::Error)
    );
    let stops = stage.seen("subagent_stop");
    assert_eq!(stops.len(), 2);
    assert_eq!(stops[0]["child_status"], "error");
    assert_eq!(stops[0]["parent_session_id"], Value::Null);
    assert_eq!(
        stage.seen("subagent_start")[0]["parent_subagent_id"],
        "parent-1"
    );
}
