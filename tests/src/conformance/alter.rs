//! Cases that expect something else than they should, one change at a time: each of them must fail.

use serde_json::{Value, json};

use super::{Case, Step};

/// The case, with one expectation altered in each.
#[must_use]
pub fn alterations(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    for (number, step) in case.steps.iter().enumerate() {
        for altered in altered(step) {
            let mut case = case.clone();
            case.steps.truncate(number);
            case.steps.push(altered);
            all.push(case);
        }
    }
    all
}

fn altered(step: &Step) -> Vec<Step> {
    let mut all = Vec::new();
    // What is not there is not altered.
    let mut with = |change: &dyn Fn(&mut Step) -> bool| {
        let mut step = step.clone();
        if change(&mut step) {
            all.push(step);
        }
    };
    with(&|step| match step {
        Step::Fire(fire) => put(&mut fire.outcome, "decision", json!("otherwise")),
        Step::Seen(seen) => seen.times.as_mut().is_some_and(|times| {
            *times += 1;
            true
        }),
        Step::Report(report) => {
            report.is = if report.is == "off" { "loaded" } else { "off" }.to_owned();
            true
        }
        Step::Loaded(names) => add(names),
        Step::Warned(warned) => {
            warned.lines += 1;
            true
        }
        Step::Hermes(ran) => {
            ran.exit += 1;
            true
        }
        Step::Config(config) => put(config, "ghost", json!(1)),
        Step::There(paths) => add(paths),
        Step::Gone(paths) => {
            paths.push("config.yaml".to_owned());
            true
        }
        Step::Source(taken) => {
            taken.version.push('0');
            true
        }
        Step::Problem(wrong) => add(&mut wrong.words),
        Step::NoProblem(_) | Step::Reload => false,
    });
    with(&|step| match step {
        Step::Fire(fire) => put(&mut fire.outcome, "ghost", json!(1)),
        Step::Seen(seen) => seen
            .last
            .as_mut()
            .is_some_and(|last| put(last, "ghost", json!(1))),
        Step::Report(report) => add(&mut report.words),
        Step::Warned(warned) => add(&mut warned.words) && warned.lines > 0,
        Step::Hermes(ran) => add(&mut ran.says),
        _ => false,
    });
    with(&|step| match step {
        Step::Fire(fire) => fire.called.as_mut().is_some_and(add),
        Step::Report(report) => report.hooks.as_mut().is_some_and(add),
        _ => false,
    });
    all
}

fn put(object: &mut Value, key: &str, value: Value) -> bool {
    object[key] = value;
    true
}

fn add(list: &mut Vec<String>) -> bool {
    list.push("a ghost".to_owned());
    true
}
