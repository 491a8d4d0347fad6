//! The numbered cases of the behavioural specification, and the page that says how each went.

use std::{collections::BTreeSet, env, fs, path::Path};

use hermes_tests::{
    cases,
    conformance::{self, Case, Proofs, Row},
    tree,
};

/// How a case went, in the table's words.
fn result(case: &Case, proofs: &Proofs) -> Result<String, String> {
    let failed = |why: String| format!("case {}: {why}", case.number);
    let proved = proofs.of(&case.number).map_err(failed)?;
    let has_steps = !case.steps.is_empty();
    assert_eq!(case.not_run.is_none(), has_steps, "{}", case.number);
    if has_steps {
        conformance::run(case).map_err(failed)?;
    }
    let by = match proved.as_slice() {
        [] => String::new(),
        files => format!(" ({})", files.join(", ")),
    };
    if let Some(why) = case.not_run.as_ref().filter(|_| proved.is_empty()) {
        return Ok(format!("not run: {why}"));
    }
    let waits = case.waits.as_ref().filter(|_| proved.is_empty());
    let missing: Vec<&str> = waits
        .into_iter()
        .chain(&case.not_in_it)
        .map(String::as_str)
        .collect();
    Ok(match missing.is_empty() {
        true => format!("passed{by}"),
        false => format!("passed in part{by}; not in it: {}", missing.join("; ")),
    })
}

fn numbered(failed: &mut Vec<String>) -> Vec<Row> {
    let proofs = Proofs::run();
    let mut rows = Vec::new();
    for group in conformance::groups() {
        for case in &group.cases {
            match result(case, &proofs) {
                Ok(result) => rows.push(Row {
                    group: group.group.clone(),
                    case: format!("{}: {}", case.number, case.title),
                    source: case.source.clone(),
                    expected: case.expected.clone(),
                    result,
                }),
                Err(why) => failed.push(why),
            }
        }
    }
    rows
}

/// `tests/cases.rs` says what may differ; here it is only told.
fn named() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let all = cases::at(&folder).expect("there are cases");
    let row = |dir: &Path| {
        let text = fs::read_to_string(dir.join("expected.md")).expect("it is there");
        let line = |begin: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(begin));
            found.unwrap_or_default().to_owned()
        };
        let verdict = cases::run(dir, 3.0);
        let title = line("# ");
        let expected = title
            .split_once(": ")
            .map_or("", |(_, what)| what)
            .to_owned();
        let source = line("Taken from: ");
        let source = source
            .split_once(" (symptom only")
            .map_or(source.as_str(), |(of, _)| of);
        Row {
            group: "Cases from public reports".to_owned(),
            result: match verdict.first() {
                None => "passed".to_owned(),
                Some(first) => format!("waits: {first}"),
            },
            case: verdict.case,
            source: source.to_owned(),
            expected,
        }
    };
    all.iter().map(|dir| row(dir)).collect()
}

#[test]
fn every_case_holds_and_the_page_says_so() {
    let mut failed = Vec::new();
    let mut rows = numbered(&mut failed);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    rows.extend(named());
    let page = conformance::page(&rows);
    let file = tree::root().join("docs/conformance.md");
    if env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&file, &page).expect("the page is written");
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    let differ = page
        .lines()
        .filter(|line| !there.lines().any(|old| old == *line));
    let differ: Vec<&str> = differ.collect();
    assert!(
        page == there,
        "docs/conformance.md is stale; renew it with\n  \
         UPDATE_GENERATED=1 cargo test -p hermes-tests --test conformance\nit would say:\n{}",
        differ.join("\n")
    );
}

#[test]
fn no_number_is_left_out() {
    let there: BTreeSet<String> = conformance::groups()
        .iter()
        .flat_map(|group| &group.cases)
        .map(|case| case.number.split(',').next().unwrap_or_default().to_owned())
        .collect();
    let wanted: BTreeSet<String> = (1..=62)
        .map(|number| number.to_string())
        .chain(["62a".to_owned()])
        .collect();
    assert_eq!(there, wanted);
}

/// A case that cannot fail proves nothing.
#[test]
fn a_case_that_expects_otherwise_fails() {
    let mut tried = 0;
    for case in conformance::groups().iter().flat_map(|group| &group.cases) {
        for altered in conformance::alterations(case) {
            assert!(
                conformance::run(&altered).is_err(),
                "case {} passes with {:#?}",
                case.number,
                altered.steps
            );
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} changes were tried");
}
