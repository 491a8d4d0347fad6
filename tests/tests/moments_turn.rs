//! A turn, from what the user said to what the user is shown: the numbered cases, through compiled plugins.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use hermes_loader::moments::{
    Finished, History, Model, ModelError, ModelFacts, Reply, Request, Session, Sessions, Tools,
    Turn, TurnError, TurnSetup, UserMessage,
    memory::{Conversations, ManualClock, Nobody, Script, Toolbox},
};
use hermes_tests::Stage;
use serde_json::{Value, json};

/// A session on a stage, with its history.
struct Chat {
    stage: Stage,
    sessions: Sessions,
    history: Conversations,
}

impl Chat {
    fn new(tag: &str, plugins: impl IntoIterator<Item = Value>) -> Self {
        let stage = Stage::new(tag, plugins);
        let sessions = Sessions::new(&stage.moments);
        let session = Session::new("s1").under("chat:1").on("cli").with("u1");
        sessions.open(session);
        Self {
            stage,
            sessions,
            history: Conversations::new(),
        }
    }

    fn setup<'a>(&'a self, model: &'a dyn Model) -> TurnSetup<'a> {
        TurnSetup {
            system: Some("be kind".to_owned()),
            ..TurnSetup::new(model, &self.history)
        }
    }

    fn turn<'a>(&'a self, model: &'a dyn Model, message: &str) -> Turn<'a> {
        let begun = Turn::begin(&self.sessions, "chat:1", self.setup(model), message);
        begun.expect("the session is open")
    }

    /// A whole turn, the least that an agent does.
    fn says(&self, model: &dyn Model, message: &str) -> Result<Finished, TurnError> {
        let (approvals, _) = self.stage.approvals(Arc::new(Nobody));
        let runner = Toolbox::new().tool("note", |_| Ok("noted".to_owned()));
        let tools = Tools {
            approvals: &approvals,
            runner: &runner,
        };
        let mut turn = self.turn(model, message);
        loop {
            let calls = turn.ask()?.tool_calls();
            if calls.is_empty() {
                return Ok(turn.finish());
            }
            turn.run_tools(&tools, calls)?;
        }
    }

    /// The same, where only the events count.
    fn hears(&self, model: &dyn Model, message: &str) {
        let finished = self.says(model, message).expect("the model answers");
        assert!(finished.completed);
    }

    fn kept(&self) -> Vec<Value> {
        self.history.messages("s1").expect("it is in memory")
    }

    /// The one end that there is.
    #[track_caller]
    fn end(&self) -> Value {
        let ends = self.stage.seen("on_session_end");
        assert_eq!(ends.len(), 1, "exactly once: {ends:?}");
        ends[0].clone()
    }
}

fn text(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

#[test]
fn case_25_the_first_text_that_is_not_empty_is_shown_and_the_original_kept() {
    let returns = |answer: &str| json!({"transform_llm_output": [{"return": answer}]});
    let chat = Chat::new("case25", [returns(""), returns("A"), returns("B")]);
    let finished = chat
        .says(&Script::of([Reply::text("original")]), "hi")
        .expect("the model answers");
    assert_eq!(finished.text.as_deref(), Some("A"));
    assert_eq!(finished.original.as_deref(), Some("original"));
    assert!(finished.completed && !finished.interrupted);
    let seen = &chat.stage.seen("post_llm_call")[0];
    assert_eq!(seen["assistant_response"], "A");
    assert_eq!(seen["user_message"], "hi");
    let history = seen["conversation_history"].as_array().expect("a list");
    let texts: Vec<&str> = history.iter().map(text).collect();
    assert_eq!(texts, ["hi", "original"]);
    assert_eq!(
        chat.kept().iter().map(text).collect::<Vec<_>>(),
        ["hi", "original"]
    );
    assert_eq!(
        chat.stage.seen("transform_llm_output")[0]["response_text"],
        "original"
    );
    let end = chat.end();
    assert_eq!(
        (&end["completed"], &end["interrupted"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn case_26_neither_an_empty_nor_an_interrupted_turn_is_shown() {
    let chat = Chat::new("case26", []);
    let finished = chat
        .says(&Script::of([Reply::text("")]), "hi")
        .expect("the model answers");
    assert_eq!((finished.text, finished.completed), (None, false));
    let start = [
        "on_session_start",
        "pre_llm_call",
        "pre_api_request",
        "post_api_request",
        "on_session_end",
    ];
    assert_eq!(chat.stage.fired(), start);

    let chat = Chat::new("case26b", []);
    let model = Script::of([Reply::text("half of")]);
    let mut turn = chat.turn(&model, "hi");
    let interrupter = turn.interrupter();
    turn.ask().expect("the model answers");
    std::thread::spawn(move || interrupter.interrupt())
        .join()
        .expect("it interrupts");
    assert_eq!(turn.ask(), Err(TurnError::Interrupted));
    let finished = turn.finish();
    assert_eq!((finished.text, finished.completed), (None, false));
    assert!(finished.interrupted);
    assert_eq!(chat.stage.fired(), start);
    let end = chat.end();
    assert_eq!(
        (&end["completed"], &end["interrupted"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn an_interruption_before_the_tools_leaves_a_history_that_can_go_on() {
    let chat = Chat::new("interrupted-tools", []);
    let model = Script::of([Reply::calls([
        ("c1", "note", json!({})),
        ("c2", "note", json!({})),
    ])]);
    let (approvals, _) = chat.stage.approvals(Arc::new(Nobody));
    let runner = Toolbox::new();
    let tools = Tools {
        approvals: &approvals,
        runner: &runner,
    };
    let mut turn = chat.turn(&model, "hi");
    let calls = turn.ask().expect("the model answers").tool_calls();
    turn.interrupter().interrupt();
    assert!(turn.is_interrupted());
    assert_eq!(turn.run_tools(&tools, calls), Err(TurnError::Interrupted));
    drop(turn);
    // Every call has its answer, as providers want it; no plugin was asked, since nothing was to run.
    let kept = chat.kept();
    let ids: Vec<Value> = kept
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["tool_call_id"].clone())
        .collect();
    assert_eq!(ids, ["c1", "c2"]);
    assert_eq!(chat.stage.seen("pre_tool_call").len(), 0);
    assert_eq!(chat.end()["interrupted"], true);
}

#[test]
fn case_27_contexts_stand_in_the_request_and_nowhere_else() {
    let returns = |answer: Value| json!({"pre_llm_call": [{"return": answer}]});
    let chat = Chat::new(
        "case27",
        [
            returns(json!({"context": "one"})),
            returns(json!("two")),
            returns(json!({"context": "three"})),
        ],
    );
    let model = Script::of([Reply::text("hello")]);
    chat.hears(&model, "hi");
    let request = &model.requests()[0];
    assert_eq!(
        request["messages"][0],
        json!({"role": "system", "content": "be kind"})
    );
    assert_eq!(text(&request["messages"][1]), "hi\n\none\n\ntwo\n\nthree");
    assert_eq!(
        chat.kept().iter().map(text).collect::<Vec<_>>(),
        ["hi", "hello"]
    );
    let asked = &chat.stage.seen("pre_llm_call")[0];
    for (field, value) in [
        ("session_id", json!("s1")),
        ("user_message", json!("hi")),
        (
            "conversation_history",
            json!([{"role": "user", "content": "hi"}]),
        ),
        ("is_first_turn", json!(true)),
        ("model", json!("scripted")),
        ("platform", json!("cli")),
        ("sender_id", json!("u1")),
        ("task_id", json!("s1")),
    ] {
        assert_eq!(asked[field], value, "{field}");
    }
    // The next turn knows nothing of it.
    let model = Script::of([Reply::text("again")]);
    chat.hears(&model, "and?");
    assert_eq!(text(&model.requests()[0]["messages"][1]), "hi");
}

#[test]
fn case_28_what_counts_as_a_context() {
    for (number, (answer, sent)) in [
        (json!("  "), "hi"),
        (json!({"context": ""}), "hi"),
        (json!({"context": null}), "hi"),
        (json!({"context": 7}), "hi\n\n7"),
        (json!({"context": "  "}), "hi\n\n  "),
        (json!(7), "hi"),
    ]
    .into_iter()
    .enumerate()
    {
        let chat = Chat::new(
            &format!("case28-{number}"),
            [json!({"pre_llm_call": [{"return": answer}]})],
        );
        let model = Script::of([Reply::text("hello")]);
        chat.hears(&model, "hi");
        assert_eq!(text(&model.requests()[0]["messages"][1]), sent, "{answer}");
    }
}

#[test]
fn case_29_one_pre_llm_call_and_its_context_in_every_request() {
    let chat = Chat::new(
        "case29",
        [json!({"pre_llm_call": [{"return": {"context": "remember"}}]})],
    );
    let note = |id| Reply::calls([(id, "note", json!({}))]);
    let model = Script::of([note("c1"), note("c2"), note("c3"), Reply::text("done")]);
    chat.hears(&model, "hi");
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        assert_eq!(text(&request["messages"][1]), "hi\n\nremember");
    }
    let count = |hook| chat.stage.seen(hook).len();
    assert_eq!((count("pre_llm_call"), count("pre_api_request")), (1, 4));
    let numbers: Vec<Value> = chat
        .stage
        .seen("pre_api_request")
        .iter()
        .map(|event| event["api_call_count"].clone())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    // Ids hang together.
    let call = &chat.stage.seen("pre_tool_call")[1];
    let turn = call["turn_id"].as_str().expect("filled");
    assert!(turn.starts_with("s1:s1:") && turn.len() == 6 + 8, "{turn}");
    assert_eq!(call["api_request_id"], format!("{turn}:api:2"));
    assert_eq!(
        (&call["session_id"], &call["tool_call_id"]),
        (&json!("s1"), &json!("c2"))
    );
    assert_eq!(chat.end()["turn_id"], turn);
    // One turn with one tool call, in Hermes' order.
    let one: Vec<String> = chat.stage.fired().into_iter().take(9).collect();
    assert_eq!(
        one,
        [
            "on_session_start",
            "pre_llm_call",
            "pre_api_request",
            "post_api_request",
            "pre_tool_call",
            "post_tool_call",
            "transform_tool_result",
            "pre_api_request",
            "post_api_request"
        ]
    );
    let last: Vec<String> = chat.stage.fired().into_iter().rev().take(3).collect();
    assert_eq!(
        last,
        ["on_session_end", "post_llm_call", "transform_llm_output"]
    );
}

#[test]
fn case_30_a_second_turn_is_no_first_one() {
    let chat = Chat::new("case30", []);
    let model = Script::of([Reply::text("one"), Reply::text("two")]);
    chat.hears(&model, "first");
    chat.hears(&model, "second");
    let first: Vec<Value> = chat
        .stage
        .seen("pre_llm_call")
        .iter()
        .map(|event| event["is_first_turn"].clone())
        .collect();
    assert_eq!(first, [true, false]);
    assert_eq!(chat.stage.seen("on_session_start").len(), 1);
    assert_eq!(chat.stage.seen("on_session_end").len(), 2, "once a turn");

    // A session that is resumed by a new process has a history, so it does not start.
    let resumed = Chat::new("case30b", []);
    let said = json!({"role": "user", "content": "long ago"});
    resumed
        .history
        .append("s1", &said)
        .expect("it is in memory");
    resumed.hears(&Script::of([Reply::text("hello")]), "hi");
    assert_eq!(resumed.stage.seen("on_session_start").len(), 0);
    assert_eq!(
        resumed.stage.seen("pre_llm_call")[0]["is_first_turn"],
        false
    );
}

#[test]
fn case_31_nothing_is_added_to_parts() {
    let chat = Chat::new("case31", [json!({"pre_llm_call": [{"return": "more"}]})]);
    let parts = json!([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:"}}]);
    let message = UserMessage::parts(parts.as_array().cloned().unwrap_or_default());
    let model = Script::of([Reply::text("a cat")]);
    let mut turn = Turn::begin(&chat.sessions, "chat:1", chat.setup(&model), message)
        .expect("the session is open");
    turn.ask().expect("the model answers");
    assert_eq!(turn.finish().text.as_deref(), Some("a cat"));
    assert_eq!(model.requests()[0]["messages"][1]["content"], parts);
    assert_eq!(chat.stage.seen("pre_llm_call")[0]["user_message"], parts);
}

/// A model that panics.
struct Bomb;

impl Model for Bomb {
    fn facts(&self) -> ModelFacts {
        ModelFacts::default()
    }
    fn ask(&self, _: &Request<'_>) -> Result<Reply, ModelError> {
        panic!("the model's own panic")
    }
}

#[test]
fn case_32_a_turn_that_fails_ends_once() {
    let failed = json!([false, false]);
    // The model says it cannot.
    let chat = Chat::new("case32", []);
    let error = ModelError::new("rate_limit", "too fast");
    let model = Script::with_failures([Err(error.clone())]);
    assert_eq!(chat.says(&model, "hi"), Err(TurnError::Model(error)));
    let end = chat.end();
    assert_eq!(json!([end["completed"], end["interrupted"]]), failed);
    // The model panics.
    let chat = Chat::new("case32b", []);
    let error = ModelError::new("panic", "the model's own panic");
    assert_eq!(chat.says(&Bomb, "hi"), Err(TurnError::Model(error)));
    let end = chat.end();
    assert_eq!(json!([end["completed"], end["interrupted"]]), failed);
    let seen = &chat.stage.seen("api_request_error")[0];
    assert_eq!(
        seen["error"],
        json!({"type": "panic", "message": "the model's own panic"})
    );
    // The agent panics.
    let chat = Chat::new("case32c", []);
    let model = Script::default();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _turn = chat.turn(&model, "hi");
        panic!("the agent's own panic");
    }));
    assert!(panicked.is_err());
    let end = chat.end();
    assert_eq!(json!([end["completed"], end["interrupted"]]), failed);
    // The agent forgets it.
    let chat = Chat::new("case32d", []);
    drop(chat.turn(&model, "hi"));
    assert_eq!(chat.end()["completed"], false);
    // A turn that cannot begin did not begin.
    let begun = Turn::begin(&chat.sessions, "nobody", chat.setup(&model), "hi");
    assert!(matches!(begun, Err(TurnError::NotOpen { key }) if key == "nobody"));
    chat.end();
}

#[test]
fn requests_are_shown_without_keys_and_bounded() {
    let mut chat = Chat::new("api", []);
    chat.stage.moments = chat.stage.moments.clone().payload_limit(1_000);
    chat.sessions = Sessions::new(&chat.stage.moments);
    chat.sessions
        .open(Session::new("s1").under("chat:1").on("cli"));
    let usage = json!({"input_tokens": 12, "output_tokens": 3});
    let busy = ModelError {
        status_code: Some(529),
        reason: Some("overloaded".to_owned()),
        ..ModelError::new("overloaded", "try later").retryable()
    };
    let clock = Arc::clone(&chat.stage.clock);
    let model = Slow {
        script: Script::with_failures([
            Err(busy.clone()),
            Err(busy),
            Ok(Reply::text("hello").usage(usage.clone())),
        ]),
        clock,
    };
    let tool = json!({"type": "function", "function": {"name": "note"}, "x-api-key": "sk-secret"});
    let setup = TurnSetup {
        tools: json!([tool]),
        max_tokens: Some(99),
        max_retries: 2,
        ..chat.setup(&model)
    };
    let mut turn = Turn::begin(&chat.sessions, "chat:1", setup, "hi").expect("the session is open");
    turn.ask().expect("the third attempt works");
    let finished = turn.finish();
    assert_eq!(finished.text.as_deref(), Some("hello"));
    let fired = chat.stage.fired();
    assert_eq!(
        fired[2..8],
        [
            "pre_api_request",
            "api_request_error",
            "pre_api_request",
            "api_request_error",
            "pre_api_request",
            "post_api_request"
        ],
        "one event an attempt"
    );
    let before = &chat.stage.seen("pre_api_request")[0];
    let body = &before["request"]["body"];
    assert_eq!(before["request"]["method"], "POST");
    assert_eq!(body["tools"][0]["x-api-key"], "<redacted>");
    assert_eq!(body["max_tokens"], 99);
    for (field, value) in [
        ("api_call_count", json!(1)),
        ("message_count", json!(2)),
        ("tool_count", json!(1)),
        ("max_tokens", json!(99)),
        ("api_mode", json!("chat_completions")),
        ("provider", json!("memory")),
        ("platform", json!("cli")),
        ("user_message", json!("hi")),
        ("started_at", json!(0.0)),
    ] {
        assert_eq!(before[field], value, "{field}");
    }
    let failed = &chat.stage.seen("api_request_error")[1];
    for (field, value) in [
        ("status_code", json!(529)),
        ("retry_count", json!(1)),
        ("max_retries", json!(2)),
        ("retryable", json!(true)),
        ("reason", json!("overloaded")),
        ("api_duration", json!(0.25)),
        ("api_call_count", json!(1)),
    ] {
        assert_eq!(failed[field], value, "{field}");
    }
    let after = &chat.stage.seen("post_api_request")[0];
    for (field, value) in [
        ("usage", usage),
        ("finish_reason", json!("stop")),
        ("response_model", json!(null)),
        ("assistant_content_chars", json!(5)),
        ("assistant_tool_call_count", json!(0)),
        ("api_duration", json!(0.25)),
        ("ended_at", json!(0.75)),
    ] {
        assert_eq!(after[field], value, "{field}");
    }

    // What is too long is cut, whatever it is.
    let long = "y".repeat(40_000);
    let model = Script::of([Reply::text(long.as_str())]);
    chat.hears(&model, &long);
    let before = chat.stage.seen("pre_api_request").pop().expect("it fired");
    assert_eq!(before["request"]["body"]["_truncated"], true);
    assert!(before["request"]["body"].to_string().len() <= 1_000);
    let after = chat.stage.seen("post_api_request").pop().expect("it fired");
    assert!(after["response"].to_string().len() <= 1_000);
}

/// Each attempt takes a quarter of a second.
struct Slow {
    script: Script,
    clock: Arc<ManualClock>,
}

impl Model for Slow {
    fn facts(&self) -> ModelFacts {
        self.script.facts()
    }
    fn ask(&self, request: &Request<'_>) -> Result<Reply, ModelError> {
        self.clock.advance(Duration::from_millis(250));
        self.script.ask(request)
    }
}

#[test]
fn a_plugin_may_want_more_before_the_end() {
    let wants = json!([{"return": {"action": " Continue ", "message": "run the tests"}}]);
    let chat = Chat::new("verify", [json!({ "pre_verify": wants })]);
    let model = Script::of((1..=4).map(|n| Reply::text(format!("done {n}"))));
    let setup = TurnSetup {
        coding: true,
        ..chat.setup(&model)
    };
    let mut turn =
        Turn::begin(&chat.sessions, "chat:1", setup, "fix it").expect("the session is open");
    let mut asked = 0;
    loop {
        turn.ask().expect("the model answers");
        asked += 1;
        if turn.may_finish(["src/b.rs", "src/a.rs", "src/b.rs"]) {
            break;
        }
    }
    assert_eq!(asked, 4, "three nudges and no more");
    assert_eq!(turn.finish().text.as_deref(), Some("done 4"));
    let seen = chat.stage.seen("pre_verify");
    let attempts: Vec<Value> = seen.iter().map(|event| event["attempt"].clone()).collect();
    assert_eq!(attempts, [0, 1, 2]);
    assert_eq!(seen[1]["final_response"], "done 2");
    assert_eq!(seen[0]["changed_paths"], json!(["src/a.rs", "src/b.rs"]));
    assert_eq!(seen[0]["coding"], true);
    let second = &model.requests()[1]["messages"];
    assert_eq!(
        second[3],
        json!({"role": "user", "content": "run the tests"})
    );
    // Without changed files nobody is asked.
    let model = Script::of([Reply::text("nothing to do")]);
    let mut turn = chat.turn(&model, "and now?");
    turn.ask().expect("the model answers");
    assert!(turn.may_finish([""; 0]));
    drop(turn);
    assert_eq!(chat.stage.seen("pre_verify").len(), 3);
}
