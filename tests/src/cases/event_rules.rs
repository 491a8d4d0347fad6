//! What may be expected of one event.

use serde_json::{Value, json};

use super::{Went, decision, expect::Check, observed::Observed};

/// A word for the decision, or an object of what holds of it.
pub(super) fn check(check: &mut Check<'_>, key: &str, wanted: &Value, event: &Observed) {
    match wanted {
        Value::String(word) if word == "unchanged" => {
            let unchanged = event.word() == "allow" && event.text() == event.original();
            check.holds(key, unchanged, || {
                format!("expected no change, found {}", event.word())
            });
        }
        Value::String(_) => check.equal(key, wanted, &json!(event.word())),
        Value::Object(wanted) => {
            for (of, wanted) in wanted {
                one(check, &format!("{key}.{of}"), of, wanted, event);
            }
        }
        _ => check.not_understood(key),
    }
}

fn one(check: &mut Check<'_>, key: &str, of: &str, wanted: &Value, event: &Observed) {
    let outcome = &event.outcome;
    let reason = decision::reason(outcome).unwrap_or_default();
    match of {
        "decision" => check.equal(key, wanted, &json!(event.word())),
        "by" => check.equal(key, wanted, &outcome["by"]),
        "text" => check.equal(key, wanted, &json!(event.text())),
        "context" => check.equal(key, wanted, &outcome["text"]),
        "args" => check.equal(key, wanted, &decision::args(&event.event.kwargs, outcome)),
        "class" => check.equal(key, wanted, &json!(decision::class(outcome))),
        "reason" => check.equal(key, wanted, &json!(reason)),
        "reason_nonempty" => check.equal(key, wanted, &json!(!reason.trim().is_empty())),
        "reason_contains" => {
            let part = wanted.as_str().unwrap_or_default();
            check.holds(key, reason.contains(part), || {
                format!("expected {part:?} in {reason:?}")
            });
        }
        "max_ms" => {
            let limit = wanted.as_f64().unwrap_or_default() * check.slack;
            let took = event.took().as_secs_f64() * 1000.0;
            check.holds(key, took <= limit, || {
                format!("expected at most {limit} ms, found {took:.0} ms")
            });
        }
        // The case is played a second time with its plugins the other way round.
        "order_independent" => check.equal(key, wanted, &json!(true)),
        "also" => {
            for wanted in wanted.as_array().into_iter().flatten() {
                also(check, key, wanted, outcome);
            }
        }
        _ => check.not_understood(key),
    }
}

/// What another plugin said is kept in the trace.
fn also(check: &mut Check<'_>, key: &str, wanted: &Value, outcome: &Value) {
    let replies = outcome["replies"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let reply = replies
        .iter()
        .find(|reply| reply["plugin"] == wanted["plugin"]);
    let said = reply.map(|reply| &reply["answer"]["action"]);
    let went = match said {
        Some(said) if *said == wanted["decision"] => Went::Held,
        Some(said) => Went::Differs(format!("expected {wanted}, found {said}")),
        None => Went::Differs(format!(
            "expected {wanted}, and the trace has no answer of it"
        )),
    };
    check.note(key, went);
}

/// A part of the reason of each event that decides something.
pub(super) fn reasons(check: &mut Check<'_>, key: &str, wanted: &Value) {
    let events = check.played.events.iter();
    let found: Vec<String> = events
        .filter(|event| event.event.hook == "pre_tool_call")
        .map(|event| {
            decision::reason(&event.outcome)
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    let wanted = wanted.as_array().cloned().unwrap_or_default();
    check.equal(
        &format!("{key}, how many"),
        &json!(wanted.len()),
        &json!(found.len()),
    );
    for (part, reason) in wanted.iter().zip(&found) {
        if let Some(part) = part.as_str() {
            check.holds(key, reason.contains(part), || {
                format!("expected {part:?} in {reason:?}")
            });
        }
    }
}
