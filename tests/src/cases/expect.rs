//! Compares what came of a case with what is expected, key by key.

use std::collections::BTreeSet;

use hermes_loader::catalogue;
use serde_json::{Value, json};

use super::{
    Finding, Need, Went, event_rules,
    observed::{Observed, Played, Standing},
    read::Case,
    text_rules,
};

/// What is compared with what, and how patiently.
pub(super) struct Check<'c> {
    pub(super) case: &'c Case,
    pub(super) played: &'c Played,
    pub(super) slack: f64,
    findings: Vec<Finding>,
}

/// Everything that the expected block says, in its order, then what `host.json` says.
pub(super) fn check(case: &Case, played: &Played, slack: f64) -> Vec<Finding> {
    let mut check = Check {
        case,
        played,
        slack,
        findings: Vec::new(),
    };
    check.refusals();
    for (key, wanted) in case.expected.as_object().into_iter().flatten() {
        check.key(key, wanted);
    }
    check.start();
    check.host();
    check.findings
}

impl Check<'_> {
    /// Notes how one thing went.
    pub(super) fn note(&mut self, key: impl Into<String>, went: Went) {
        let key = key.into();
        self.findings.push(Finding { key, went });
    }

    pub(super) fn equal(&mut self, key: &str, wanted: &Value, found: &Value) {
        let went = match wanted == found {
            true => Went::Held,
            false => Went::Differs(format!("expected {wanted}, found {found}")),
        };
        self.note(key, went);
    }

    pub(super) fn holds(&mut self, key: &str, holds: bool, otherwise: impl FnOnce() -> String) {
        let went = if holds {
            Went::Held
        } else {
            Went::Differs(otherwise())
        };
        self.note(key, went);
    }

    pub(super) fn not_understood(&mut self, key: &str) {
        self.note(key, Went::Differs("this key is not understood".to_owned()));
    }

    /// What the product does not have cannot be compared; what it has, and the runner does not look at yet,
    /// is not understood.
    fn needs(&mut self, key: &str, need: Need) {
        match need.is_there() {
            false => self.note(key, Went::Needs(need)),
            true => self.not_understood(key),
        }
    }

    fn key(&mut self, key: &str, wanted: &Value) {
        let played = self.played;
        match key {
            "decisions" => {
                let words = deciding(played).map(Observed::word);
                self.equal(key, wanted, &json!(words.collect::<Vec<_>>()));
            }
            "classes" => {
                let classes = deciding(played).map(|event| super::decision::class(&event.outcome));
                self.equal(key, wanted, &json!(classes.collect::<Vec<_>>()));
            }
            "class" => {
                let refused = deciding(played).filter(|event| event.word() == "block");
                let classes: BTreeSet<_> = refused
                    .map(|event| super::decision::class(&event.outcome))
                    .collect();
                self.equal(key, &json!([wanted]), &json!(classes));
            }
            "reasons_contain" => event_rules::reasons(self, key, wanted),
            "results" => {
                let results = played
                    .events
                    .iter()
                    .filter(|event| event.event.hook == "transform_tool_result")
                    .map(Observed::text);
                self.equal(key, wanted, &json!(results.collect::<Vec<_>>()));
            }
            "contains" | "contains_none_of" | "changed_by" | "unchanged" | "json_valid" => {
                text_rules::check(self, key, wanted);
            }
            "plugin_calls" => {
                for (name, wanted) in wanted.as_object().into_iter().flatten() {
                    let calls: u64 = self
                        .standings(name)
                        .flat_map(|one| one.calls.values())
                        .sum();
                    self.equal(&format!("{key}.{name}"), wanted, &json!(calls));
                }
            }
            "dropped" => {
                let dropped = played.events.iter().enumerate().map(|(number, event)| {
                    let called = event.outcome["calls"].as_array().map_or(0, Vec::len);
                    match called == 0 && repeats(played, number) {
                        true => 0,
                        false => event.handlers.saturating_sub(called),
                    }
                });
                self.equal(key, wanted, &json!(dropped.sum::<usize>()));
            }
            "wall_ms_max" => {
                let longest = longest_moment(played);
                let limit = wanted.as_f64().unwrap_or_default() * self.slack;
                self.holds(key, longest <= limit, || {
                    format!("expected at most {limit} ms, found {longest:.0} ms")
                });
            }
            "pairs_complete" => {
                let pairs = self.pairs(|_| true) as u64;
                self.equal(key, wanted, &json!(pairs.min(self.counted("complete"))));
            }
            "pairs" => {
                for (id, wanted) in wanted.as_object().into_iter().flatten() {
                    let found = self.pair(id);
                    self.equal(&format!("{key}.{id}"), wanted, &json!(found));
                }
                let wanted = wanted.as_object().into_iter().flatten();
                let complete = wanted.filter(|(_, word)| *word == "complete").count();
                let found = self.counted("complete");
                self.equal(
                    &format!("{key}, how many are complete"),
                    &json!(complete),
                    &json!(found),
                );
            }
            "open_call_slots_after_turn" => {
                let found = self.counted("open") + self.counted("attached");
                self.equal(key, wanted, &json!(found));
            }
            "duplicates" => self.equal(key, wanted, &json!(self.counted("duplicates"))),
            // Whoever reads this is alive, and a plugin that ended the process ended this program as well.
            "process_alive" => self.equal(key, wanted, &json!(true)),
            "set_aside" => self.needs(key, Need::Quarantine),
            "in_process" | "clean_exit_code" => self.needs(key, Need::Breadcrumb),
            "out_of_process" => self.needs(key, Need::ProcessIsolation),
            "startup_reports" => self.needs(key, Need::ShellHooks),
            "warn_lines_max" if self.case.expected.get("set_aside").is_some() => {
                self.needs(key, Need::Quarantine);
            }
            "warn_lines_max" => {
                let (found, limit) = (played.warnings.len(), wanted.as_u64().unwrap_or_default());
                self.holds(key, found as u64 <= limit, || {
                    format!("expected at most {limit} warnings, found {found}")
                });
            }
            "data_dirs" => {
                for dir in wanted
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                {
                    let there = self.case.dir().join(dir).is_dir();
                    self.holds(key, there, || format!("`{dir}` is not there"));
                }
            }
            "check_exit_nonzero" => {
                let code = played.check_code;
                let found = json!(code.is_some_and(|code| code != 0));
                self.equal(key, wanted, &found);
            }
            _ => self.named(key, wanted),
        }
    }

    /// Keys that name an event, a plugin, a call or a tool.
    fn named(&mut self, key: &str, wanted: &Value) {
        let number = |prefix: &str| key.strip_prefix(prefix)?.parse::<usize>().ok();
        let event = |number: usize| self.played.events.get(number.checked_sub(1)?);
        if let Some(number) = number("event_") {
            match event(number) {
                Some(event) => event_rules::check(self, key, wanted, event),
                None => self.note(key, Went::Differs(format!("there is no event {number}"))),
            }
        } else if let Some(number) = number("args_") {
            let args = event(number)
                .map(|event| super::decision::args(&event.event.kwargs, &event.outcome));
            self.equal(key, wanted, &args.unwrap_or_default());
        } else if self.case.plugins.iter().any(|plugin| plugin.name == key) {
            self.report(key, wanted);
        } else if let Some(name) = self.plugin_of(key, "_seen") {
            let seen: usize = self.standings(&name).map(|one| one.records.len()).sum();
            self.equal(key, wanted, &json!(seen));
        } else if let Some(name) = self.plugin_of(key, "_pairs") {
            let pairs = self.pairs(|one| one.name == name);
            self.equal(key, wanted, &json!(pairs));
        } else {
            let events = &self.played.events;
            let by = |field: &str| {
                events
                    .iter()
                    .rev()
                    .find(|event| event.field(field) == key && is_deciding(&event.event.hook))
            };
            match by("tool_call_id").or_else(|| by("tool_name")) {
                Some(event) => event_rules::check(self, key, wanted, event),
                None => self.not_understood(key),
            }
        }
    }

    /// `only_home_seen` is about `only-home`.
    fn plugin_of(&self, key: &str, suffix: &str) -> Option<String> {
        let stem = key.strip_suffix(suffix)?;
        let plugins = &self.case.plugins;
        let found = plugins
            .iter()
            .find(|plugin| plugin.name.replace('-', "_") == stem);
        found
            .filter(|plugin| !plugin.is_builtin())
            .map(|plugin| plugin.name.clone())
    }

    fn standings(&self, name: &str) -> impl Iterator<Item = &Standing> {
        let plugins = self.played.plugins.iter();
        plugins.filter(move |standing| standing.name == name)
    }

    /// How many calls were seen both before and after, by every observer among these plugins.
    fn pairs(&self, of: impl Fn(&Standing) -> bool) -> usize {
        let ids = |standing: &Standing, hook: &str| -> BTreeSet<String> {
            let events = self.played.events.iter();
            let fired = events.filter(|event| event.event.hook == hook);
            let fired: BTreeSet<_> = fired
                .map(|event| event.field("tool_call_id").to_owned())
                .collect();
            let is_result = |record: &Value| record.get("result").is_some();
            let records = standing.records.iter();
            let own = records.filter(|record| is_result(record) == (hook == "post_tool_call"));
            let own = own.filter_map(|record| record["tool_call_id"].as_str());
            own.map(str::to_owned)
                .filter(|id| fired.contains(id))
                .collect()
        };
        let observers = self
            .played
            .plugins
            .iter()
            .filter(|one| of(one) && !one.records.is_empty());
        let pairs = observers.map(|standing| {
            let (pre, post) = (
                ids(standing, "pre_tool_call"),
                ids(standing, "post_tool_call"),
            );
            pre.intersection(&post).count()
        });
        pairs.min().unwrap_or_default()
    }

    /// A number of the hosts' ledgers.
    fn counted(&self, key: &str) -> u64 {
        let reports = self.played.calls.iter();
        reports.filter_map(|report| report[key].as_u64()).sum()
    }

    /// What became of one call: `complete`, or which half is missing, once.
    fn pair(&self, id: &str) -> String {
        let reports = self.played.calls.iter();
        let unpaired =
            reports.flat_map(|report| report["unpaired"].as_array().into_iter().flatten());
        let own: Vec<&str> = unpaired
            .filter(|one| one["tool_call_id"] == id)
            .filter_map(|one| one["why"].as_str())
            .collect();
        let fired = |hook: &str| {
            let mut events = self.played.events.iter();
            events.any(|event| event.event.hook == hook && event.field("tool_call_id") == id)
        };
        match own.as_slice() {
            [] if fired("pre_tool_call") && fired("post_tool_call") => "complete".to_owned(),
            [] => "nothing".to_owned(),
            words => words.join(", then "),
        }
    }

    /// What the report says of a plugin.
    fn report(&mut self, name: &str, wanted: &Value) {
        let Some(standing) = self.standings(name).next() else {
            self.note(name, Went::Differs("it is not in the report".to_owned()));
            return;
        };
        let of = |word: &str, suggested: Option<bool>| -> Value {
            let own = standing.hooks.iter().filter(|(_, found, meant)| {
                found == word && suggested.is_none_or(|wanted| wanted == meant.is_some())
            });
            own.map(|(name, ..)| name.as_str()).collect()
        };
        let (loaded, why) = (standing.loaded, standing.why.clone());
        let found = |key: &str, wanted: &Value| match key {
            "loaded" => json!(loaded),
            "live" | "dormant" | "gateway" => of(key, None),
            "unknown" => of(key, Some(false)),
            "suggest" if wanted.is_string() => {
                let meant = wanted.as_str().unwrap_or_default();
                let hooks = &standing.hooks;
                let said = hooks
                    .iter()
                    .any(|(.., found)| found.as_deref() == Some(meant));
                json!(if said || why.contains(&format!("`{meant}`")) {
                    meant
                } else {
                    why.as_str()
                })
            }
            "suggest" => standing
                .hooks
                .iter()
                .filter_map(|(name, _, meant)| Some((name.clone(), json!(meant.as_ref()?))))
                .collect(),
            _ => Value::Null,
        };
        let all: Vec<_> = wanted
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, wanted)| (key.clone(), wanted.clone(), found(key, wanted)))
            .collect();
        for (key, wanted, found) in all {
            match found {
                Value::Null => self.not_understood(&format!("{name}.{key}")),
                found => self.equal(&format!("{name}.{key}"), &wanted, &found),
            }
        }
    }

    /// A plugin that does not load plays no part, so what does not happen would prove nothing.
    fn refusals(&mut self) {
        let played = self.played;
        for standing in &played.plugins {
            let name = &standing.name;
            let meant = self.case.expected.get(name).is_some()
                || self.case.has_control()
                || self
                    .case
                    .plugins
                    .iter()
                    .any(|plugin| plugin.name == *name && plugin.fails());
            if !standing.why.is_empty() && !meant {
                let why = standing.why.replace('\n', "; ");
                self.note(format!("plugin `{name}`"), Went::Differs(why));
            }
        }
    }

    /// The case was started in the environment it asks for.
    fn start(&mut self) {
        let env = self.case.start.get("env").and_then(Value::as_object);
        for (name, wanted) in env.into_iter().flatten() {
            let found = std::env::var(name).map_or(Value::Null, Value::from);
            self.equal(&format!("start.json: env.{name}"), wanted, &found);
        }
    }

    /// The hooks that the case's host has are hooks that this host has.
    fn host(&mut self) {
        let hooks = self.case.host.get("hooks").and_then(Value::as_array);
        let Some(hooks) = hooks else { return };
        let missing: Vec<_> = hooks
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| catalogue::by_name(name).is_none())
            .collect();
        self.holds("host.json", missing.is_empty(), || {
            format!("this host does not fire {}", missing.join(", "))
        });
    }
}

/// Events whose hook decides something.
fn deciding(played: &Played) -> impl Iterator<Item = &Observed> {
    played
        .events
        .iter()
        .filter(|event| is_deciding(&event.event.hook))
}

fn is_deciding(hook: &str) -> bool {
    matches!(
        hook,
        "pre_tool_call"
            | "pre_gateway_dispatch"
            | "pre_verify"
            | "before_tool_call"
            | "message_sending"
    )
}

/// Whether the same half of the same call came before: it is answered without asking anybody again.
fn repeats(played: &Played, number: usize) -> bool {
    let mut events = played.events.iter().take(number);
    let own = played.events.get(number);
    own.is_some_and(|own| {
        let id = own.field("tool_call_id");
        let same = |other: &Observed| {
            other.event.hook == own.event.hook && other.field("tool_call_id") == id
        };
        !id.is_empty() && events.any(same)
    })
}

/// The longest time, in milliseconds, from the first beginning to the last end of one moment.
fn longest_moment(played: &Played) -> f64 {
    let events = &played.events;
    let moments: BTreeSet<usize> = events.iter().map(|event| event.moment).collect();
    let spans = moments.iter().map(|moment| {
        let own = events.iter().filter(|event| event.moment == *moment);
        let (began, ended) = (
            own.clone().map(|one| one.began).min(),
            own.map(|one| one.ended).max(),
        );
        match (began, ended) {
            (Some(began), Some(ended)) => {
                ended.saturating_duration_since(began).as_secs_f64() * 1000.0
            }
            _ => 0.0,
        }
    });
    spans.fold(0.0, f64::max)
}
