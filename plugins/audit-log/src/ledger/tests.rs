//! Pairing as a table: a run of events, and what each is taken for.

use super::*;

/// `pre SESSION TASK ID TOOL ARGS`, `post … RESULT`, `end SESSION TASK`; `-` is an empty text.
fn run(ledger: &mut Ledger, event: &str) -> String {
    let words: Vec<_> = event
        .split(' ')
        .map(|word| if word == "-" { "" } else { word })
        .collect();
    let key = |words: &[&str]| CallKey {
        session_id: words[0].to_owned(),
        task_id: words[1].to_owned(),
        tool_call_id: words[2].to_owned(),
        tool_name: words[3].to_owned(),
        args_sha256: words[4].to_owned(),
    };
    let names = |open: &[Open]| {
        let seqs = open
            .iter()
            .map(|open| open.seq.map_or("?".to_owned(), |seq| seq.to_string()));
        seqs.collect::<Vec<_>>().join(",")
    };
    match words[0] {
        "pre" => match ledger.start(&key(&words[1..])) {
            Started::Duplicate => "duplicate".to_owned(),
            Started::New { token, evicted } => {
                let seq = ledger.total().calls;
                ledger.written(token, seq);
                match evicted {
                    Some(open) => format!("call {seq} evicts {}", names(&[open])),
                    None => format!("call {seq}"),
                }
            }
        },
        "post" => match ledger.finish(&key(&words[1..6]), words[6]) {
            Finished::Paired(open) => format!("result of {}", names(&[open])),
            Finished::Repeat { call_seq } => format!("repeat of {}", call_seq.unwrap_or(0)),
            Finished::Duplicate => "duplicate".to_owned(),
            Finished::NoPreSeen => "no pre".to_owned(),
        },
        _ => format!("left [{}]", names(&ledger.end(words[1], words[2]).0)),
    }
}

#[track_caller]
fn check(steps: &[(&str, &str)]) {
    let mut ledger = Ledger::new(4);
    for (event, expected) in steps {
        assert_eq!(run(&mut ledger, event), *expected, "{event}");
    }
    assert_eq!(ledger.open.len(), 0, "calls left open");
    assert!(ledger.by_id.is_empty() && ledger.by_content.is_empty());
}

#[test]
fn case_03_pre_without_post() {
    check(&[
        ("pre s t m1 memory a", "call 1"),
        ("pre s t r1 read b", "call 2"),
        ("post s t r1 read b x", "result of 2"),
        ("post s t p9 patch c y", "no pre"),
        ("end s t", "left [1]"),
        ("end s t", "left []"),
    ]);
}

#[test]
fn case_04_same_call_twice() {
    check(&[
        ("pre s t c1 term a", "call 1"),
        ("pre s t c1 term a", "duplicate"),
        ("pre s t c2 term a", "call 2"),
        ("pre s t - term a", "call 3"),
        ("pre s t - term a", "call 4"),
        ("end s t", "left [1,2,3,4]"),
    ]);
}

#[test]
fn without_ids_first_come_first_served() {
    check(&[
        ("pre s t - term a", "call 1"),
        ("pre s t - term a", "call 2"),
        ("pre s t - term b", "call 3"),
        ("post s t - term a x", "result of 1"),
        ("post s t - term b x", "result of 3"),
        ("post s t - term a x", "result of 2"),
        ("post s t - term a x", "no pre"),
    ]);
}

#[test]
fn the_id_only_with_the_result() {
    check(&[
        ("pre - t - term a", "call 1"),
        ("pre - t - term a", "call 2"),
        ("post s t c1 term a x", "result of 1"),
        ("post s u c2 term a x", "no pre"),
        ("end s t", "left [2]"),
    ]);
}

#[test]
fn calls_without_a_session_end_with_their_task() {
    check(&[
        ("pre - s c1 term a", "call 1"),
        ("pre - u c2 term a", "call 2"),
        ("end s -", "left [1]"),
        ("end v u", "left [2]"),
    ]);
}

#[test]
fn ids_of_other_sessions_and_of_earlier_calls() {
    check(&[
        ("pre s t c1 term a", "call 1"),
        ("pre u t c1 term a", "call 2"),
        ("post u t c1 term a x", "result of 2"),
        ("post s t c1 term a x", "result of 1"),
        ("pre s t c1 term a", "call 3"),
        ("pre s t c1 term b", "call 4"),
        ("post s t c1 term b x", "result of 4"),
        ("end s t", "left [3]"),
    ]);
}

#[test]
fn results_that_come_again() {
    check(&[
        ("pre s t c1 term a", "call 1"),
        ("post s t c1 term a x", "result of 1"),
        ("post s t c1 term a x", "duplicate"),
        ("post s t c1 term a y", "repeat of 1"),
        ("end s t", "left []"),
        ("post s t c1 term a x", "no pre"),
    ]);
}

#[test]
fn the_oldest_is_evicted() {
    check(&[
        ("pre s t 1 term a", "call 1"),
        ("pre s t 2 term a", "call 2"),
        ("pre s t 3 term a", "call 3"),
        ("pre s t 4 term a", "call 4"),
        ("pre s t 5 term a", "call 5 evicts 1"),
        ("post s t 1 term a x", "no pre"),
        ("end s t", "left [2,3,4,5]"),
    ]);
}

#[test]
fn memory_is_bounded() {
    let mut ledger = Ledger::new(4);
    for number in 0..2_000 {
        run(&mut ledger, &format!("pre s{number} t c{number} term a"));
        run(&mut ledger, &format!("pre s{number} t d{number} term a"));
        run(&mut ledger, &format!("post s{number} t d{number} term a x"));
    }
    assert_eq!(
        (ledger.open.len(), ledger.by_id.len(), ledger.counts.len()),
        (3, 3, 4)
    );
    assert!(ledger.closed.len() <= CLOSED);
    assert_eq!(ledger.total().calls, 4_000);
}
