//! The ledger over events as a host makes them.

use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll, Wake, Waker};

use hermes_plugin_api::catalogue::by_name;

use super::*;
use crate::outcome::{Body, Reply};

fn hook(name: &str) -> &'static Hook {
    by_name(name).expect("a hook of the catalogue")
}

/// In the names of both dialects.
fn payload(session: &str, call: &str) -> Map<String, Value> {
    let payload = json!({
        "tool_name": "terminal", "session_id": session, "task_id": "t", "tool_call_id": call,
        "toolName": "terminal", "sessionId": session, "toolCallId": call,
    });
    payload.as_object().expect("an object").clone()
}

fn begin<'l>(ledger: &'l Ledger, name: &str, payload: &Map<String, Value>) -> Begun<'l> {
    let hook = hook(name);
    let fields = ledger.fields(hook).expect("a hook of calls");
    ledger.begin_now(fields, &Record::from_json(Some(hook), payload), false)
}

/// Delivers an event, and says whether it was the first of its call.
fn fire(ledger: &Ledger, name: &str, session: &str, call: &str) -> bool {
    match begin(ledger, name, &payload(session, call)) {
        Begun::Judge(judging) => {
            judging.finish(&Outcome::default());
            true
        }
        Begun::Duplicate(_) => false,
    }
}

fn said(plugin: &str) -> Outcome {
    Outcome {
        replies: vec![Reply {
            plugin: plugin.into(),
            guard: false,
            body: Body::Answer(json!("no")),
        }],
        ..Outcome::default()
    }
}

fn pairs(ledger: &Ledger) -> (usize, u64, u64, Vec<(String, Why)>) {
    let report = ledger.report();
    let unpaired = report
        .unpaired
        .into_iter()
        .map(|unpaired| (unpaired.tool_call_id, unpaired.why));
    (
        report.open,
        report.complete,
        report.duplicates,
        unpaired.collect(),
    )
}

#[test]
fn a_second_event_of_a_call_is_a_duplicate() {
    let ledger = Ledger::default();
    for name in ["pre_tool_call", "before_tool_call", "post_tool_call"] {
        assert!(fire(&ledger, name, "s", "c"), "{name}");
        assert!(!fire(&ledger, name, "s", "c"), "{name}");
        assert!(fire(&ledger, name, "s2", "c"), "{name} of another session");
        assert!(fire(&ledger, name, "", "c"), "{name} of a task");
        assert!(!fire(&ledger, name, "", "c"), "{name} of a task");
        assert!(fire(&ledger, name, "s", ""), "{name} without an id");
        assert!(fire(&ledger, name, "s", ""), "{name} without an id");
    }
    assert_eq!(ledger.report().duplicates, 6);
}

#[test]
fn the_last_calls_are_merged_exactly() {
    let ledger = Ledger::default();
    let name = |number: u64| format!("call_{number}");
    for number in 0..ring::CALLS {
        assert!(fire(&ledger, "pre_tool_call", "s", &name(number)));
    }
    assert!(!fire(&ledger, "pre_tool_call", "s", &name(0)));
    assert!(fire(&ledger, "pre_tool_call", "s", "one more"));
    assert!(fire(&ledger, "pre_tool_call", "s", &name(0)));
    assert!(!fire(&ledger, "pre_tool_call", "s", &name(2)));
}

#[test]
fn a_duplicate_is_answered_with_what_the_first_came_to() {
    let ledger = Ledger::default();
    for name in ["pre_tool_call", "post_tool_call"] {
        let Begun::Judge(judging) = begin(&ledger, name, &payload("s", "c")) else {
            panic!("it is the first");
        };
        judging.finish(&said(name));
        let Begun::Duplicate(outcome) = begin(&ledger, name, &payload("s", "c")) else {
            panic!("it is the second");
        };
        assert_eq!(*outcome, said(name));
    }
    // As many as are remembered, and no more.
    for number in 0..2 * ring::CALLS {
        let call = payload("s", &number.to_string());
        if let Begun::Judge(judging) = begin(&ledger, "pre_tool_call", &call) {
            judging.finish(&said("p"));
        }
    }
    let kept = ledger.outcomes.lock().expect("nobody panicked").len();
    assert_eq!(kept as u64, ring::CALLS);
}

#[test]
fn an_id_that_comes_again_in_another_turn_is_another_call() {
    let ledger = Ledger::default();
    let of_turn = |turn: &str| {
        let mut payload = payload("s", "call_0");
        payload.insert("turn_id".to_owned(), json!(turn));
        payload
    };
    for turn in ["1", "2"] {
        for name in ["pre_tool_call", "post_tool_call"] {
            let begun = begin(&ledger, name, &of_turn(turn));
            assert!(matches!(begun, Begun::Judge(_)), "{name} of turn {turn}");
        }
    }
    assert_eq!(ledger.report().complete, 0, "nothing of it was finished");
}

#[test]
fn a_result_of_another_tool_is_another_result() {
    let ledger = Ledger::default();
    let of_tool = |tool: &str| {
        let mut payload = payload("s", "call_0");
        payload.insert("tool_name".to_owned(), json!(tool));
        payload
    };
    assert!(fire(&ledger, "pre_tool_call", "s", "call_0"));
    for (tool, first) in [
        ("terminal", true),
        ("patch", true),
        ("patch", false),
        ("terminal", false),
    ] {
        let begun = begin(&ledger, "post_tool_call", &of_tool(tool));
        assert_eq!(matches!(begun, Begun::Judge(_)), first, "{tool}");
    }
    let alone = ("call_0".to_owned(), Why::NoPreSeen);
    assert_eq!(pairs(&ledger), (0, 1, 2, vec![alone]));
}

#[test]
fn halves_are_paired_and_the_turn_closes_the_rest() {
    let ledger = Ledger::default();
    // Some hosts send no id before the call: then a result alone says nothing.
    assert!(fire(&ledger, "post_tool_call", "s", "early"));
    assert_eq!(pairs(&ledger), (0, 0, 0, Vec::new()));
    for call in ["m1", "r1"] {
        assert!(fire(&ledger, "pre_tool_call", "s", call));
    }
    assert!(fire(&ledger, "pre_tool_call", "other", "m1"));
    assert!(fire(&ledger, "post_tool_call", "s", "r1"));
    assert!(fire(&ledger, "post_tool_call", "s", "p9"));
    let alone = ("p9".to_owned(), Why::NoPreSeen);
    assert_eq!(pairs(&ledger), (2, 1, 0, vec![alone.clone()]));
    for _ in 0..2 {
        assert!(fire(&ledger, "on_session_end", "s", ""));
        let open = ("m1".to_owned(), Why::NoResultSeen);
        assert_eq!(pairs(&ledger), (1, 1, 0, vec![alone.clone(), open]));
    }
    // Late is late: it is delivered, and reported already.
    assert!(fire(&ledger, "post_tool_call", "s", "m1"));
    assert_eq!(pairs(&ledger).1, 1);
}

#[test]
fn a_result_finds_a_call_that_was_told_by_its_task() {
    let ledger = Ledger::default();
    assert!(fire(&ledger, "pre_tool_call", "", "c"));
    assert!(fire(&ledger, "post_tool_call", "s", "c"));
    assert_eq!(pairs(&ledger), (0, 1, 0, Vec::new()));
}

#[test]
fn the_list_is_bounded_and_the_count_is_not() {
    let ledger = Ledger::default();
    for number in 0..300 {
        assert!(fire(&ledger, "pre_tool_call", "s", &number.to_string()));
    }
    assert!(fire(&ledger, "on_session_end", "s", ""));
    let report = ledger.report();
    assert_eq!((report.unpaired_total, report.unpaired.len()), (300, 256));
    assert_eq!(report.unpaired[0].tool_call_id, "44", "the oldest went");
    assert_eq!(report.unpaired[255].tool_call_id, "299");
}

#[test]
fn an_event_that_was_given_up_counts_as_never_delivered() {
    let ledger = Ledger::default();
    let call = payload("s", "c");
    let Begun::Judge(first) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("it is the first");
    };
    drop(first);
    assert!(fire(&ledger, "pre_tool_call", "s", "c"));
    assert!(!fire(&ledger, "pre_tool_call", "s", "c"));
}

#[test]
fn the_wait_for_the_first_is_bounded() {
    let ledger = Ledger::patient(Duration::from_millis(1));
    let call = payload("s", "c");
    let Begun::Judge(first) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("it is the first");
    };
    let Begun::Judge(second) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("it is judged by itself, since the first does not end");
    };
    second.finish(&said("second"));
    first.finish(&said("first"));
    let Begun::Duplicate(outcome) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("the first has ended");
    };
    assert_eq!(*outcome, said("first"));
    assert_eq!(ledger.report().duplicates, 1);
}

#[test]
fn from_inside_a_handler_nobody_waits() {
    let ledger = Ledger::default();
    let (hook, call) = (hook("pre_tool_call"), payload("s", "c"));
    let fields = ledger.fields(hook).expect("a hook of calls");
    let record = Record::from_json(Some(hook), &call);
    let Begun::Judge(first) = ledger.begin_now(fields, &record, false) else {
        panic!("it is the first");
    };
    let begun = ledger.begin_now(fields, &record, true);
    assert!(matches!(begun, Begun::Judge(_)), "it is delivered");
    drop(begun);
    first.finish(&Outcome::default());
    assert!(matches!(
        ledger.begin_now(fields, &record, true),
        Begun::Duplicate(_)
    ));
}

#[test]
fn a_duplicate_waits_for_the_first_on_its_thread() {
    let ledger = Ledger::default();
    let call = payload("s", "c");
    let Begun::Judge(first) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("it is the first");
    };
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| begin(&ledger, "pre_tool_call", &call)))
            .collect();
        // They are on the list, or will look for themselves.
        first.finish(&said("first"));
        for thread in waiting {
            match thread.join().expect("it does not panic") {
                Begun::Duplicate(outcome) => assert_eq!(*outcome, said("first")),
                Begun::Judge(_) => panic!("it passed by the first"),
            }
        }
    });
}

#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_duplicate_waits_without_a_thread() {
    let ledger = Ledger::default();
    let (hook, call) = (hook("pre_tool_call"), payload("s", "c"));
    let fields = ledger.fields(hook).expect("a hook of calls");
    let Begun::Judge(first) = begin(&ledger, "pre_tool_call", &call) else {
        panic!("it is the first");
    };
    let bell = Arc::<Bell>::default();
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    let mut second = std::pin::pin!(ledger.begin_later(hook, fields, &call, false));
    assert!(second.as_mut().poll(&mut context).is_pending());
    assert_eq!(bell.0.load(Ordering::SeqCst), 0);
    first.finish(&said("first"));
    assert_eq!(bell.0.load(Ordering::SeqCst), 1, "it is woken");
    match second.poll(&mut context) {
        Poll::Ready(Begun::Duplicate(outcome)) => assert_eq!(*outcome, said("first")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_task_s_session_is_filled_in() {
    let ledger = Ledger::default();
    let hook = hook("pre_tool_call");
    let fields = ledger.fields(hook).expect("a hook of calls");
    let fill = |payload: &mut Map<String, Value>| ledger.fill(hook, fields, payload);
    let mut nested = payload("", "c");
    assert!(!fill(&mut nested), "nobody has said it yet");
    assert!(!fill(&mut payload("s", "c")), "it says it itself");
    assert!(fill(&mut nested));
    let record = Record::from_json(Some(hook), &nested);
    assert_eq!(record.field(fields.session).as_id(), Some("s"));
    assert_eq!(record.to_json(), nested, "the mark stays with it");
}
