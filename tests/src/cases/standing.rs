//! Asks, after the last event, how each plugin stands: by the host's report, and by its own records.

use std::collections::BTreeMap;

use hermes_loader::{Host, State};
use serde_json::{Value, json};

use super::{observed::Standing, read::Case, stage::Stage};

/// The hook that the scripted plugin answers, and that no case knows of.
pub(super) const RECORDED: &str = "scripted.recorded";

pub(super) fn of(case: &Case, stage: &Stage<'_>) -> Vec<Standing> {
    let mut all = Vec::new();
    for host in stage.hosts() {
        let report = host.report();
        let (calls, records) = (ask(host, json!({"ask": "calls"})), ask(host, json!({})));
        for (number, plugin) in case.plugins.iter().enumerate() {
            let mut earlier = case.plugins.iter().take(number);
            if earlier.any(|other| other.name == plugin.name) {
                // Another version of the same plugin.
                continue;
            }
            let Some(report) = report.get(&plugin.name) else {
                continue;
            };
            let why = match &report.state {
                State::Refused(refusal) => format!("{refusal}\n{}", refusal.cure()),
                _ => String::new(),
            };
            let hooks = report.hooks.iter().filter(|hook| hook.name != RECORDED);
            let hooks = hooks.map(|hook| {
                let word = serde_json::to_value(hook.liveness).unwrap_or_default();
                (
                    hook.name.clone(),
                    word.as_str().unwrap_or_default().to_owned(),
                    hook.suggestion.map(str::to_owned),
                )
            });
            let own = |answers: &BTreeMap<String, Value>| {
                answers.get(&plugin.name).cloned().unwrap_or_default()
            };
            let mut calls: BTreeMap<String, u64> =
                serde_json::from_value(own(&calls)).unwrap_or_default();
            calls.remove(RECORDED);
            all.push(Standing {
                name: plugin.name.clone(),
                loaded: matches!(report.state, State::Loaded),
                why,
                hooks: hooks.collect(),
                calls,
                records: own(&records).as_array().cloned().unwrap_or_default(),
            });
        }
    }
    all
}

/// What instances that are gone recorded belongs to the plugin that took their place.
pub(super) fn after(mut gone: Vec<Standing>, now: Vec<Standing>) -> Vec<Standing> {
    for one in now {
        match gone.iter_mut().find(|other| other.name == one.name) {
            Some(before) => {
                for (hook, count) in one.calls {
                    *before.calls.entry(hook).or_default() += count;
                }
                before.records.extend(one.records);
                (before.loaded, before.why, before.hooks) = (one.loaded, one.why, one.hooks);
            }
            None => gone.push(one),
        }
    }
    gone
}

/// What each plugin answers.
fn ask(host: &Host, question: Value) -> BTreeMap<String, Value> {
    let Ok(outcome) = host.fire_json(RECORDED, &question) else {
        return BTreeMap::new();
    };
    let replies = serde_json::to_value(outcome.replies).unwrap_or_default();
    let replies = replies.as_array().cloned().unwrap_or_default();
    replies
        .into_iter()
        .filter_map(|reply| {
            Some((
                reply["plugin"].as_str()?.to_owned(),
                reply["answer"].clone(),
            ))
        })
        .collect()
}
