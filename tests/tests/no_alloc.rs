//! A handler that has nothing to say costs no memory on either side, whatever the size of the payload.

#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    convert::Infallible,
};

use hermes_loader::{
    Decision, FlowOutcome, Host,
    catalogue::{self, payload},
    gateway_port::MemoryGateway,
};
use hermes_tests::{Fixture, TestHome, home::loaded};
use serde_json::{Map, Value, json};

/// Counts what the measuring thread allocates; other threads of the test harness are no matter.
struct Counting;

thread_local! {
    static COUNTED: Cell<Option<u64>> = const { Cell::new(None) };
}

fn count() {
    // A thread that ends has nothing to count any more.
    let _ = COUNTED.try_with(|counted| counted.set(counted.get().map(|count| count + 1)));
}

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread allocates while `work` runs.
fn allocations(work: impl FnOnce()) -> u64 {
    COUNTED.set(Some(0));
    work();
    COUNTED.replace(None).expect("it was just set")
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn in_plugin(host: &Host) -> u64 {
    let outcome = host
        .fire_json("allocations", &json!({}))
        .expect("an object");
    serde_json::to_value(outcome.replies).expect("JSON")[0]["answer"]
        .as_u64()
        .expect("a number")
}

#[track_caller]
fn check(what: &str, payload: &Map<String, Value>) {
    check_each(what, |host, _| {
        let outcome = host.fire_map(catalogue::PreToolCall, payload);
        assert_eq!(outcome.decision, Decision::Proceed);
    });
}

/// Fires events of the numbers from 0 to 1,010.
#[track_caller]
fn check_each(what: &str, fire: impl Fn(&Host, usize)) {
    let home = TestHome::new().plugin(&Fixture::built("counting-pass"));
    let host = home.load();
    loaded(&host, "counting-pass");
    let counts_at_all = allocations(|| drop(std::hint::black_box(vec![1_u8])));
    assert_eq!(counts_at_all, 1);
    // The first calls on a thread set up what the later ones use.
    (0..10).for_each(|number| fire(&host, number));
    // Asking allocates by itself, the same each time.
    let asking = {
        let before = in_plugin(&host);
        in_plugin(&host) - before
    };
    let before = in_plugin(&host);
    let here = allocations(|| (10..1010).for_each(|number| fire(&host, number)));
    let there = in_plugin(&host) - before - asking;
    assert_eq!(
        (here, there),
        (0, 0),
        "{what}: allocations here and in the plugin"
    );
}

#[test]
fn the_way_of_a_pass_allocates_nothing() {
    let small = json!({"tool_name": "terminal", "args": {"command": "ls"}, "session_id": "s", "task_id": ""});
    check("a small payload", &object(small));
    let large = json!({
        "tool_name": "terminal",
        "args": {"command": "x".repeat(1 << 20), "list": vec![json!({"a": [1, 2, 3]}); 1000]},
        "unheard_of": {"text": "y".repeat(1 << 20)},
    });
    check("a payload of 2 MiB", &object(large));
    check("an event of nothing", &Map::new());
}

#[test]
fn calls_without_middleware_cost_a_look() {
    let home = TestHome::new().plugin(&Fixture::built("counting-pass"));
    let host = home.load();
    loaded(&host, "counting-pass");
    let args = json!({"command": "ls", "list": vec![json!({"a": [1, 2, 3]}); 1000]});
    let request = payload::ToolRequest::new().tool_name("terminal");
    let event = payload::ToolExecution::new().tool_name("terminal");
    let message = payload::PreGatewayDispatch::new().event(&args);
    let gateway = MemoryGateway::new();
    let call = || {
        let asked = host.tool_request(&request, &args).expect("no guard");
        let result = host.tool_execution(&event, &asked.value, |args| {
            assert_eq!(args["command"], "ls");
            Ok::<_, Infallible>(String::new())
        });
        assert_eq!(result, Ok(String::new()));
        assert_eq!(host.fire_inbound(&message, &gateway), FlowOutcome::Pass);
    };
    (0..10).for_each(|_| call());
    assert_eq!(allocations(|| (0..1000).for_each(|_| call())), 0);
}

#[test]
fn calls_with_ids_allocate_nothing() {
    let payload = |number: usize, session: Option<&str>| {
        object(json!({
            "tool_name": "terminal", "args": {"command": "ls"}, "session_id": session, "task_id": "t",
            "tool_call_id": format!("call_{number:040}"), "turn_id": "u",
        }))
    };
    let calls: Vec<_> = (0..1010).map(|number| payload(number, Some("s"))).collect();
    let both = |host: &Host, payload: &Map<String, Value>| {
        for outcome in [
            host.fire_map(catalogue::PreToolCall, payload),
            host.fire_map(catalogue::PostToolCall, payload),
        ] {
            assert_eq!(outcome.decision, Decision::Proceed);
        }
    };
    check_each("a new call and its result", |host, number| {
        both(host, &calls[number]);
        assert_eq!(
            host.fire_map(catalogue::OnSessionEnd, &calls[number])
                .replies,
            []
        );
    });
    // The session is known from the first, and filled into the others.
    let calls: Vec<_> = (0..1010)
        .map(|number| payload(number, (number == 0).then_some("s")))
        .collect();
    check_each("a session that is filled in", |host, number| {
        both(host, &calls[number]);
    });
}
