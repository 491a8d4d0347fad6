//! Asking a person, as plugins see it: the numbered cases, through compiled plugins.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hermes_loader::moments::{
    Approval, ApprovalMode, ApprovalStore, Approvals, Approver, Choice, Flagged, Grant, Judge,
    Prompt, Refused, Ruling, Scope, Surface,
    memory::{Allowed, Mailbox, Nobody, Person, Secrets},
};
use hermes_tests::{Stage, until, wait::BOUND};
use serde_json::{Value, json};

fn flagged() -> Flagged {
    Flagged::command("sudo reboot")
        .because("sudo", "runs as root")
        .because("reboot", "restarts the machine")
        .scope(Scope::session("s1").key("chat:1").turn("s1:t:00000000"))
        .tool_call("call-1")
}

/// Notes how many events of the request had been seen when it was told.
struct Watched {
    stage: Arc<Stage>,
    choice: Choice,
    told: Mutex<Vec<usize>>,
}

impl Approver for Watched {
    fn notify(&self, _prompt: &Prompt) -> Result<(), String> {
        let seen = self.stage.seen("pre_approval_request").len();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(seen);
        Ok(())
    }
    fn answer(&self, _prompt: &Prompt) -> Choice {
        self.choice
    }
}

#[test]
fn case_43_every_answer_is_reported_and_nobody_is_told_before_the_plugins() {
    for (surface, tag) in [(Surface::Gateway, "gateway"), (Surface::Cli, "cli")] {
        for (choice, expected) in [
            (Choice::Timeout, Approval::Refused(Refused::TimedOut)),
            (Choice::Deny, Approval::Refused(Refused::Denied)),
            (Choice::Once, Approval::Granted(Grant::Person(Choice::Once))),
            (
                Choice::Session,
                Approval::Granted(Grant::Person(Choice::Session)),
            ),
            (
                Choice::Always,
                Approval::Granted(Grant::Person(Choice::Always)),
            ),
        ] {
            let word = choice.as_str();
            let stage = Arc::new(Stage::on(surface, &format!("43-{tag}-{word}"), []));
            let person = Arc::new(Watched {
                stage: Arc::clone(&stage),
                choice,
                told: Mutex::default(),
            });
            let (approvals, allowed) = stage.approvals(Arc::clone(&person) as _);
            assert_eq!(approvals.decide(&flagged()), expected);
            let told = person.told.lock().unwrap_or_else(PoisonError::into_inner);
            assert_eq!(*told, [1], "the plugins knew before the person");
            assert_eq!(
                stage.fired(),
                ["pre_approval_request", "post_approval_response"]
            );
            let before = &stage.seen("pre_approval_request")[0];
            let after = &stage.seen("post_approval_response")[0];
            for (field, value) in [
                ("command", json!("sudo reboot")),
                ("description", json!("runs as root; restarts the machine")),
                ("pattern_key", json!("sudo")),
                ("pattern_keys", json!(["sudo", "reboot"])),
                ("session_key", json!("chat:1")),
                ("surface", json!(tag)),
                ("turn_id", json!("s1:t:00000000")),
                ("tool_call_id", json!("call-1")),
            ] {
                assert_eq!(before[field], value, "{field}");
                assert_eq!(after[field], value, "{field}");
            }
            assert_eq!(after["choice"], word, "{tag}: a timeout is no denial");
            let for_good: &[&str] = if choice == Choice::Always {
                &["reboot", "sudo"]
            } else {
                &[]
            };
            assert_eq!(allowed.keys(), for_good);
        }
    }
}

#[test]
fn case_44_plugins_cannot_answer_for_the_person() {
    let denies = json!([{"return": {"action": "block", "message": "no", "choice": "deny"}}]);
    let stage = Stage::new(
        "44",
        [json!({"pre_approval_request": denies, "post_approval_response": denies})],
    );
    let person = Arc::new(Person::answering([Choice::Once]));
    let (approvals, _) = stage.approvals(Arc::clone(&person) as _);
    assert!(approvals.decide(&flagged()).is_granted());
    assert_eq!(person.asked().len(), 1, "the prompt is shown all the same");
}

#[track_caller]
fn silent(stage: &Stage, approvals: &Approvals, flagged: &Flagged, expected: &Approval) {
    let before = stage.fired().len();
    assert_eq!(approvals.decide(flagged), *expected);
    assert_eq!(
        stage.fired().len(),
        before,
        "nobody was asked, so nothing fires"
    );
}

#[test]
fn case_45_nothing_fires_where_nobody_is_asked() {
    let stage = Stage::new("45", []);
    let granted = Approval::Granted;
    let (approvals, _) = stage.approvals(Arc::new(Nobody));
    approvals.set_yolo("chat:1", true);
    silent(&stage, &approvals, &flagged(), &granted(Grant::Yolo));
    let hard = flagged().hard_blocked("never");
    let never = Approval::Refused(Refused::HardBlocked("never".to_owned()));
    silent(&stage, &approvals, &hard, &never);
    let plain = Flagged::command("ls");
    silent(&stage, &approvals, &plain, &granted(Grant::NotFlagged));
    approvals.set_yolo("chat:1", false);
    let nobody = Approval::Refused(Refused::NoPerson);
    silent(&stage, &approvals, &flagged(), &nobody);

    let off = stage.approvals(Arc::new(Nobody)).0.mode(ApprovalMode::Off);
    silent(&stage, &off, &flagged(), &granted(Grant::Off));
    silent(&stage, &off, &hard, &never);

    // What was allowed before: by a store, or in this session, key by key.
    let person = Arc::new(Person::answering([Choice::Session, Choice::Deny]));
    let allowed = Arc::new(Allowed::new());
    allowed.allow("sudo").expect("it is in memory");
    let approvals = Approvals::new(&stage.moments, Arc::clone(&person) as _, allowed);
    assert!(approvals.decide(&flagged()).is_granted());
    let asked = person.asked();
    assert_eq!(
        asked[0].pattern_keys,
        ["reboot"],
        "what is allowed is not asked"
    );
    assert_eq!(asked[0].description, "restarts the machine");
    silent(&stage, &approvals, &flagged(), &granted(Grant::Remembered));
    // Another session does not inherit it, and one that is over is forgotten.
    let other = flagged().scope(Scope::session("s2"));
    assert_eq!(approvals.decide(&other), Approval::Refused(Refused::Denied));
    approvals.forget("chat:1");
    assert_eq!(
        approvals.decide(&flagged()),
        Approval::Refused(Refused::TimedOut)
    );
}

#[test]
fn answers_may_come_later_from_another_thread() {
    let stage = Stage::on(Surface::Gateway, "mailbox", []);
    let mailbox = Arc::new(Mailbox::new());
    let approvals = stage.approvals(Arc::clone(&mailbox) as _).0.timeout(BOUND);
    let other = flagged().scope(Scope::session("s2"));
    std::thread::scope(|scope| {
        let here = scope.spawn(|| approvals.decide(&flagged()));
        until("the first question", || {
            (mailbox.waiting().len() == 1).then_some(())
        });
        let there = scope.spawn(|| approvals.decide(&other));
        until("the second question", || {
            (mailbox.waiting().len() == 2).then_some(())
        });
        assert!(!mailbox.resolve("nobody", Choice::Once));
        assert!(mailbox.resolve("s2", Choice::Deny));
        let denied = there.join().expect("no panic");
        assert_eq!(denied, Approval::Refused(Refused::Denied));
        assert_eq!(mailbox.waiting().len(), 1, "the other one still waits");
        assert!(mailbox.resolve("chat:1", Choice::Once));
        assert!(here.join().expect("no panic").is_granted());
    });
    // One that nobody answers in time cannot be answered after it.
    let approvals = stage.approvals(Arc::clone(&mailbox) as _).0;
    let approvals = approvals.timeout(Duration::ZERO);
    assert_eq!(
        approvals.decide(&other),
        Approval::Refused(Refused::TimedOut)
    );
    assert!(!mailbox.resolve("s2", Choice::Once));
    let choices: Vec<Value> = stage
        .seen("post_approval_response")
        .iter()
        .map(|seen| seen["choice"].clone())
        .collect();
    assert_eq!(choices, ["deny", "once", "timeout"]);
}

/// A person who cannot be told, or whose asking panics.
struct Broken {
    tells: bool,
}

impl Approver for Broken {
    fn notify(&self, _prompt: &Prompt) -> Result<(), String> {
        if self.tells {
            Ok(())
        } else {
            Err("the chat is gone".to_owned())
        }
    }
    fn answer(&self, _prompt: &Prompt) -> Choice {
        panic!("the terminal is gone")
    }
}

#[test]
fn asking_that_fails_refuses() {
    let stage = Stage::new("broken", []);
    let (approvals, _) = stage.approvals(Arc::new(Broken { tells: false }));
    let gone = Refused::NotTold("the chat is gone".to_owned());
    assert_eq!(approvals.decide(&flagged()), Approval::Refused(gone));
    assert_eq!(
        stage.fired(),
        ["pre_approval_request"],
        "announced, and never answered"
    );
    let (approvals, _) = stage.approvals(Arc::new(Broken { tells: true }));
    let gone = Refused::Failed("the terminal is gone".to_owned());
    assert_eq!(approvals.decide(&flagged()), Approval::Refused(gone));
    assert_eq!(stage.seen("post_approval_response")[0]["choice"], "deny");
}

/// Rules as it is told to.
struct Rules(Ruling);

impl Judge for Rules {
    fn judge(&self, prompt: &Prompt) -> Ruling {
        assert!(!prompt.command.contains("hunter2"), "{}", prompt.command);
        self.0
    }
}

#[test]
fn a_model_may_judge_first() {
    for (tag, ruling, expected, choice) in [
        (
            "yes",
            Ruling::Approve,
            Approval::Granted(Grant::Smart),
            "smart_approve",
        ),
        (
            "no",
            Ruling::Deny,
            Approval::Refused(Refused::Smart),
            "smart_deny",
        ),
    ] {
        let mut stage = Stage::new(&format!("smart-{tag}"), []);
        let secrets = Arc::new(Secrets::of(["hunter2"]));
        stage.moments = stage.moments.clone().redact(secrets);
        let approvals = stage.approvals(Arc::new(Nobody)).0;
        let approvals = approvals.mode(ApprovalMode::Smart(Arc::new(Rules(ruling))));
        let login = Flagged::command("login hunter2").because("login", "shows hunter2");
        assert_eq!(approvals.decide(&login), expected);
        let after = &stage.seen("post_approval_response")[0];
        for (field, value) in [
            ("surface", "smart"),
            ("choice", choice),
            ("decided_by", "aux_llm"),
            ("command", "login [redacted]"),
            ("description", "shows [redacted]"),
            ("session_key", "default"),
        ] {
            assert_eq!(after[field], value, "{field}");
        }
    }
    // One that does not know leaves it to the person; then there are two requests and one answer.
    let stage = Stage::new("smart-ask", []);
    let person = Arc::new(Person::answering([Choice::Once]));
    let approvals = stage.approvals(person).0;
    let approvals = approvals.mode(ApprovalMode::Smart(Arc::new(Rules(Ruling::Escalate))));
    assert!(approvals.decide(&flagged()).is_granted());
    let surfaces: Vec<Value> = stage
        .journal()
        .iter()
        .map(|seen| seen.payload["surface"].clone())
        .collect();
    assert_eq!(surfaces, ["smart", "cli", "cli"]);
    assert_eq!(stage.seen("post_approval_response").len(), 1);
}
