//! What holds of the merge rules whatever handlers say, and in whatever order they say it.

use std::sync::Arc;

use hermes_plugin_api::abi::host::Transformed;
use hermes_plugin_api::catalogue::Merge;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

use super::{Args, acceptable, fold, piece};
use crate::fault::FaultKind;
use crate::outcome::{Body, Change, Decision, Reply};

/// The rules under which an answer decides something.
const DECIDING: [Merge; 8] = [
    Merge::Directive,
    Merge::Context,
    Merge::ReplaceAny,
    Merge::ReplaceNonEmpty,
    Merge::Flow,
    Merge::Continue,
    Merge::ToolDecision,
    Merge::Outbound,
];

/// Words that mean something somewhere, and some that only look like it.
const WORDS: [&str; 16] = [
    "block", "Block", "approve", "modify", "skip", "rewrite", "allow", "continue", " BLOCK ", "",
    "  ", "why", "a text", "0", "ä", "null",
];
const KEYS: [&str; 18] = [
    "action",
    "message",
    "rule_key",
    "args",
    "context",
    "reason",
    "text",
    "decision",
    "block",
    "blockReason",
    "params",
    "requireApproval",
    "cancel",
    "cancelReason",
    "content",
    "metadata",
    "extra",
    "",
];

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        select(&WORDS[..]).prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        let members = prop::collection::vec((select(&KEYS[..]), inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|members| {
                let members = members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value));
                Value::Object(members.collect())
            }),
        ]
    })
}

/// An answer with an action, right as often as not, and a text under `key` that may be one.
fn action(right: &'static [&'static str], key: &'static str) -> impl Strategy<Value = Value> {
    let word = prop_oneof![select(right), select(&WORDS[..])];
    let text = prop_oneof![select(&WORDS[..]).prop_map(Value::from), json()];
    (word, text).prop_map(move |(action, text)| json!({"action": action, key: text}))
}

/// What handlers of `pre_tool_call` say, usable or not, among anything else.
fn directive() -> impl Strategy<Value = Value> {
    let args = prop::collection::vec((select(&KEYS[..]), any::<u8>()), 0..3);
    let modify = args.prop_map(|args| {
        let args = args
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.into()));
        json!({"action": "modify", "args": args.collect::<Map<String, Value>>()})
    });
    prop_oneof![3 => action(&["block", "approve"], "message"), 1 => modify, 1 => json()]
}

/// The same for `pre_gateway_dispatch`.
fn flow() -> impl Strategy<Value = Value> {
    prop_oneof![2 => action(&["skip", "rewrite", "allow"], "text"), 1 => json()]
}

/// Answers that no rule but a transform's takes for anything.
fn nothing() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), Just(json!("x")), Just(json!({}))]
}

/// Handlers `p0`, `p1`, …, in the order they were called. Where there are `guards`, some of them are, and faults
/// of some refuse the event.
fn replies(
    answer: impl Strategy<Value = Value>,
    guards: bool,
) -> impl Strategy<Value = Vec<Reply>> {
    let kind = select(&[FaultKind::Panic, FaultKind::Error, FaultKind::Inactive][..]);
    let fault = (kind, any::<bool>()).prop_map(move |(kind, refuses)| Body::Fault {
        kind,
        closed: guards && refuses,
    });
    let body = prop_oneof![4 => answer.prop_map(Body::Answer), 1 => fault];
    prop::collection::vec((body, any::<bool>()), 0..7).prop_map(move |parts| {
        let reply = |(n, (body, guard))| Reply {
            plugin: format!("p{n}").into(),
            guard: guards && guard,
            body,
        };
        parts.into_iter().enumerate().map(reply).collect()
    })
}

/// The same replies twice, the second time in any order.
fn two_orders(
    replies: impl Strategy<Value = Vec<Reply>>,
) -> impl Strategy<Value = (Vec<Reply>, Vec<Reply>)> {
    replies.prop_flat_map(|replies| (Just(replies.clone()), Just(replies).prop_shuffle()))
}

fn has_action(reply: &Reply, word: &str) -> bool {
    matches!(&reply.body, Body::Answer(answer) if answer.get("action") == Some(&json!(word)))
}

fn is_closed(reply: &Reply) -> bool {
    matches!(reply.body, Body::Fault { closed: true, .. })
}

fn usable_message(reply: &Reply) -> Option<&str> {
    let Body::Answer(answer) = &reply.body else {
        return None;
    };
    let message = answer.get("message")?.as_str()?;
    (has_action(reply, "block") && !message.is_empty()).then_some(message)
}

fn pieces(replies: &[Reply]) -> Vec<String> {
    let pieces = replies.iter().filter_map(|reply| match &reply.body {
        Body::Answer(answer) => piece(answer),
        Body::Fault { .. } => None,
    });
    pieces.collect()
}

/// Walks a transform's chain: each handler has its text and whether it chains.
fn transformed(handlers: &[(Value, bool)], empty_counts: bool) -> Option<(String, usize)> {
    let mut text = Transformed::default();
    for (n, (answer, chains)) in handlers.iter().enumerate() {
        if let Some(answer) = acceptable(answer, empty_counts) {
            text.answer(answer, n, *chains);
        }
    }
    text.so_far().map(|(text, by)| (text.to_owned(), *by))
}

proptest! {
    // The same cases on every machine.
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(19),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_rule_takes_anything_and_says_the_same_twice(
        replies in replies(json(), true),
        merge in select(&DECIDING[..]),
    ) {
        prop_assert_eq!(fold(merge, &replies), fold(merge, &replies));
    }

    #[test]
    fn whose_word_it_is_has_spoken(
        replies in replies(prop_oneof![directive(), flow()], true),
        merge in select(&DECIDING[..]),
    ) {
        let (decision, _) = fold(merge, &replies);
        if let Some(by) = decision.by() {
            prop_assert!(replies.iter().any(|reply| &*reply.plugin == by), "{} has said nothing", by);
        }
    }

    #[test]
    fn a_block_is_a_block_in_any_order((one, other) in two_orders(replies(directive(), true))) {
        let refuses = |reply: &Reply| has_action(reply, "block") || is_closed(reply);
        let expected = if one.iter().any(refuses) {
            "block"
        } else if one.iter().any(|reply| has_action(reply, "approve")) {
            "approve"
        } else {
            "proceed"
        };
        prop_assert_eq!(fold(Merge::Directive, &one).0.word(), expected);
        prop_assert_eq!(fold(Merge::Directive, &other).0.word(), expected);
    }

    #[test]
    fn the_first_usable_message_is_told(replies in replies(directive(), true)) {
        let (decision, _) = fold(Merge::Directive, &replies);
        let first = replies.iter().find_map(|reply| Some((usable_message(reply)?, &*reply.plugin)));
        match (&decision, first) {
            (Decision::Block { message, by }, Some(first)) => prop_assert_eq!((message.as_str(), &**by), first),
            // One that gives no reason of its own still names whose it is.
            (Decision::Block { message, by }, None) => prop_assert!(message.contains(&**by), "{}", message),
            (_, first) => prop_assert_eq!(first, None),
        }
    }

    #[test]
    fn no_argument_is_lost((one, other) in two_orders(replies(directive(), false))) {
        let modified = |replies: &[Reply]| -> Option<Map<String, Value>> {
            let args = replies.iter().filter(|reply| has_action(reply, "modify")).filter_map(|reply| match &reply.body {
                Body::Answer(answer) => answer.get("args")?.as_object(),
                Body::Fault { .. } => None,
            });
            args.fold(None, |sum, args| {
                let mut sum = sum.unwrap_or_default();
                sum.extend(args.clone());
                Some(sum)
            })
        };
        let keys = |args: &Args| {
            let mut keys: Vec<String> = args.set.keys().cloned().collect();
            keys.sort();
            keys
        };
        let told = |args: &Args| {
            let mut told: Vec<String> = args.by.iter().filter_map(|change| match change {
                Change::Arg { key, .. } => Some(key.clone()),
                Change::Text { .. } => None,
            }).collect();
            told.sort();
            told
        };
        let (args, others) = (fold(Merge::Directive, &one).1, fold(Merge::Directive, &other).1);
        prop_assert_eq!(
            args.as_ref().map(keys),
            others.as_ref().map(keys),
            "which arguments change is no matter of order"
        );
        prop_assert_eq!(args.as_ref().map(told), args.as_ref().map(keys), "each is told once");
        prop_assert_eq!(args.map(|args| args.set), modified(&one), "later ones over earlier ones");
    }

    #[test]
    fn every_piece_of_context_is_in_it((one, other) in two_orders(replies(json(), false))) {
        for replies in [&one, &other] {
            let pieces = pieces(replies);
            let expected = if pieces.is_empty() {
                Decision::Proceed
            } else {
                Decision::Context { text: pieces.join("\n\n") }
            };
            prop_assert_eq!(fold(Merge::Context, replies).0, expected);
        }
        let sorted = |replies: &[Reply]| {
            let mut pieces = pieces(replies);
            pieces.sort();
            pieces
        };
        prop_assert_eq!(sorted(&one), sorted(&other), "another order has the same pieces");
    }

    #[test]
    fn what_is_said_after_the_first_action_does_not_count(
        replies in replies(flow(), false),
        later in replies(flow(), false),
    ) {
        let recognised = |reply: &Reply| ["skip", "rewrite", "allow"].iter().any(|word| has_action(reply, word));
        let (decision, _) = fold(Merge::Flow, &replies);
        let first = replies.iter().find(|reply| recognised(reply));
        prop_assert_eq!(decision.by(), first.map(|reply| &*reply.plugin));
        if first.is_some() {
            let longer: Vec<Reply> = replies.iter().chain(&later).cloned().collect();
            prop_assert_eq!(fold(Merge::Flow, &longer).0, decision);
        } else {
            prop_assert_eq!(decision, Decision::Proceed);
        }
    }

    #[test]
    fn a_guard_that_skips_wins_in_any_order((one, other) in two_orders(replies(flow(), true))) {
        let refuses = |reply: &&Reply| is_closed(reply) || reply.guard && has_action(reply, "skip");
        let refusing: Vec<&str> = one.iter().filter(refuses).map(|reply| &*reply.plugin).collect();
        if !refusing.is_empty() {
            for replies in [&one, &other] {
                let (decision, _) = fold(Merge::Flow, replies);
                prop_assert_eq!(decision.word(), "skip");
                prop_assert!(decision.by().is_some_and(|by| refusing.contains(&by)), "{:?}", decision);
            }
        }
    }

    #[test]
    fn a_guard_that_faults_refuses_what_nobody_decides(
        replies in replies(nothing(), false),
        at in any::<prop::sample::Index>(),
    ) {
        let mut replies = replies;
        let guard = Reply {
            plugin: "guard".into(),
            guard: true,
            body: Body::Fault { kind: FaultKind::Panic, closed: true },
        };
        replies.insert(at.index(replies.len() + 1), guard);
        for (merge, word) in [
            (Merge::Directive, "block"),
            (Merge::ToolDecision, "block"),
            (Merge::Flow, "skip"),
            (Merge::Outbound, "cancel"),
            (Merge::ReplaceAny, "replace"),
            (Merge::ReplaceNonEmpty, "replace"),
        ] {
            let (decision, _) = fold(merge, &replies);
            prop_assert_eq!((decision.word(), decision.by()), (word, Some("guard")), "{:?}", merge);
        }
    }

    #[test]
    fn without_chaining_the_first_acceptable_text_wins(
        answers in prop::collection::vec(json(), 0..7),
        empty_counts in any::<bool>(),
    ) {
        let handlers: Vec<(Value, bool)> = answers.iter().map(|answer| (answer.clone(), false)).collect();
        let first = answers.iter().enumerate().find_map(|(n, answer)| {
            let text = answer.as_str().filter(|text| empty_counts || !text.is_empty())?;
            Some((text.to_owned(), n))
        });
        prop_assert_eq!(transformed(&handlers, empty_counts), first);
    }

    /// Each handler appends its name to what it sees, as a redactor puts its masks into the text.
    #[test]
    fn no_chaining_handler_is_lost(chains in prop::collection::vec(any::<bool>(), 0..7)) {
        let mut text = Transformed::default();
        let mut seen = vec!["o".to_owned()];
        for (n, chains) in chains.iter().enumerate() {
            let sees = text.sees(*chains).unwrap_or("o").to_owned();
            prop_assert!(seen.contains(&sees), "{} was never the text", sees);
            let says = format!("{sees}+{n}");
            text.answer(&says, Arc::<str>::from(format!("p{n}")), *chains);
            seen.push(says);
        }
        let end = text.so_far().map_or("o", |(text, _)| text);
        let marks: Vec<usize> = end.split('+').skip(1).filter_map(|mark| mark.parse().ok()).collect();
        let first_plain = chains.iter().position(|chains| !chains);
        let expected: Vec<usize> = (0..chains.len()).filter(|n| chains[*n] || Some(*n) == first_plain).collect();
        prop_assert_eq!(marks, expected, "all that chain and the first that does not, in order");
    }
}
