//! What may be expected of the texts that go on.

use serde_json::{Value, json};

use super::{decision, expect::Check};

pub(super) fn check(check: &mut Check<'_>, key: &str, wanted: &Value) {
    let played = check.played;
    // An event that is expected to stay as it is may hold what the others must not.
    let expected = &check.case.expected;
    let looked_at =
        played.events.iter().enumerate().filter(|(number, _)| {
            expected[format!("event_{}", number + 1).as_str()] != "unchanged"
        });
    let texts: Vec<(usize, &str, &str)> = looked_at
        .filter_map(|(number, event)| Some((number + 1, event.original()?, event.text()?)))
        .collect();
    if key == "changed_by" {
        let mut names: Vec<String> = Vec::new();
        for event in &played.events {
            for name in decision::changers(&event.outcome) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        check.equal(key, wanted, &json!(names));
        return;
    }
    let Some(parts) = wanted.as_array() else {
        check.not_understood(key);
        return;
    };
    // Nothing to look at is no success.
    check.holds(key, !texts.is_empty() && !parts.is_empty(), || {
        "no text was seen".to_owned()
    });
    for part in parts {
        match (key, part.as_str(), part.as_u64()) {
            ("contains", Some(part), _) => {
                let found = texts.iter().any(|(.., text)| text.contains(part));
                check.holds(key, found, || format!("no text contains {part:?}"));
            }
            ("contains_none_of", Some(part), _) => {
                let guilty = texts.iter().find(|(.., text)| text.contains(part));
                check.holds(key, guilty.is_none(), || {
                    let number = guilty.map_or(0, |(number, ..)| *number);
                    format!("event {number} still contains {part:?}")
                });
            }
            ("unchanged", Some(part), _) => {
                let count = |text: &str| text.matches(part).count();
                let there = texts.iter().any(|(_, before, _)| before.contains(part));
                check.holds(key, there, || format!("no event has {part:?}"));
                let lost = texts
                    .iter()
                    .find(|(_, before, after)| count(before) != count(after));
                check.holds(key, lost.is_none(), || {
                    let number = lost.map_or(0, |(number, ..)| *number);
                    format!("event {number} lost {part:?}")
                });
            }
            ("json_valid", _, Some(number)) => {
                let text = texts.iter().find(|(of, ..)| *of as u64 == number);
                let valid =
                    text.is_some_and(|(.., text)| serde_json::from_str::<Value>(text).is_ok());
                check.holds(key, valid, || {
                    format!("the text of event {number} is no JSON")
                });
            }
            _ => check.not_understood(key),
        }
    }
}
