//! Loads everything, and gathers what is wrong.

use hermes_loader::config::{Problem, Severity};
use hermes_loader::{HookReport, Liveness, Missing, PluginReport, Report, State};

use super::{Finding, Weight};
use crate::invocation::Invocation;

/// What came of it.
pub(super) struct Examined {
    /// The keys of the plugins that are loaded.
    pub(super) loaded: Vec<String>,
    /// The gravest first.
    pub(super) findings: Vec<Finding>,
}

pub(super) fn home(to: &Invocation<'_>) -> Examined {
    let (host, program) = (to.loader().load(), to.program);
    let report = host.report();
    let mut findings: Vec<Finding> = Vec::new();
    findings.extend(
        report
            .problems
            .iter()
            .filter(|problem| !is_told_by_refusal(problem, &report))
            .map(trouble),
    );
    findings.extend(report.plugins.iter().flat_map(|line| plugin(line, program)));
    findings.extend(report.unmatched.iter().map(|name| unmatched(name, program)));
    findings.extend(
        report
            .missing
            .iter()
            .map(|missing| required(&report, missing)),
    );
    findings.extend(report.shadowed.iter().map(|shadowed| Finding {
        severity: Weight::Note,
        code: "shadowed",
        plugin: Some(shadowed.key.clone()),
        message: format!(
            "plugin `{}`: the one in {} is used instead",
            shadowed.key,
            shadowed.by.display()
        ),
        place: Some(shadowed.dir.display().to_string()),
        cure: None,
    }));
    findings.extend(host.faults().iter().map(|fault| Finding {
        severity: Weight::Error,
        code: "fault",
        plugin: Some(fault.plugin.clone()),
        message: fault.to_string(),
        place: None,
        cure: Some(format!("see `{program} logs --plugin {}`", fault.plugin)),
    }));
    findings.extend(to.safe_mode().map(safe_mode));
    findings.sort_by_key(|finding| finding.severity);
    let loaded = report
        .plugins
        .iter()
        .filter(|line| matches!(line.state, State::Loaded));
    Examined {
        loaded: loaded.map(|line| line.key.clone()).collect(),
        findings,
    }
}

/// A library that is missing is said once.
fn is_told_by_refusal(problem: &Problem, report: &Report) -> bool {
    report.plugins.iter().any(|line| match &line.state {
        State::Refused(refusal) => {
            refusal.code() == problem.code && line.dir.as_ref() == Some(&problem.place.file)
        }
        _ => false,
    })
}

fn trouble(problem: &Problem) -> Finding {
    Finding {
        severity: if problem.severity == Severity::Error {
            Weight::Error
        } else {
            Weight::Warning
        },
        code: problem.code,
        plugin: None,
        message: problem.message.clone(),
        place: Some(problem.place.to_string()),
        cure: problem.cure.clone(),
    }
}

fn plugin(line: &PluginReport, program: &str) -> Vec<Finding> {
    let finding = |severity, code, message: String, cure: Option<String>| Finding {
        severity,
        code,
        plugin: Some(line.key.clone()),
        message,
        place: line.dir.as_ref().map(|dir| dir.display().to_string()),
        cure,
    };
    let key = &line.key;
    let mut findings = Vec::new();
    match &line.state {
        State::Refused(refusal) => {
            let means = if line.guard {
                "; it is a guard, and what it guards is not guarded"
            } else {
                ""
            };
            findings.push(finding(
                Weight::Error,
                refusal.code(),
                format!("plugin `{key}` is refused: {refusal}{means}"),
                Some(refusal.cure()),
            ));
        }
        State::Python => findings.push(finding(
            Weight::Note,
            "python",
            format!("plugin `{key}` is written in Python: only Hermes Agent loads it"),
            None,
        )),
        State::Off(decision) if line.guard && decision.code() != "exclusive" => {
            let reason = decision.reason(key).unwrap_or_default();
            findings.push(finding(
                Weight::Note,
                "guard_off",
                format!("guard `{key}` is off: {reason}"),
                decision.cure(key),
            ));
        }
        _ => {}
    }
    if let Some(why) = &line.tools_off {
        let cure = "rebuild it against this host's hermes-plugin-api".to_owned();
        findings.push(finding(
            Weight::Warning,
            "tools_off",
            format!("plugin `{key}`: its tools are off: {why}"),
            Some(cure),
        ));
    }
    for hook in &line.hooks {
        if let Some((severity, code, text, cure)) = unfired(hook, line.guard) {
            findings.push(finding(
                severity,
                code,
                format!("plugin `{key}`: {text}"),
                Some(cure),
            ));
        }
    }
    if matches!(line.state, State::Loaded)
        && line.guard
        && !line.hooks.iter().any(|hook| hook.fails_closed)
    {
        let text = format!("guard `{key}` registered nothing that decides: it guards nothing");
        findings.push(finding(
            Weight::Warning,
            "idle_guard",
            text,
            Some(format!("see `{program} plugins inspect {key}`")),
        ));
    }
    findings
}

/// A handler that is never called.
fn unfired(hook: &HookReport, guard: bool) -> Option<(Weight, &'static str, String, String)> {
    let name = &hook.name;
    let advice = hook.advice().unwrap_or_default();
    match hook.liveness {
        Liveness::Live => None,
        Liveness::Dormant => Some((
            if guard { Weight::Warning } else { Weight::Note },
            "dormant_hook",
            format!("its handler for `{name}` is never called: this host does not fire it"),
            advice,
        )),
        Liveness::Gateway => Some((
            Weight::Warning,
            "gateway_event",
            format!("its handler for `{name}` is never called: that is no plugin hook"),
            advice,
        )),
        _ => Some((
            // A name like no other may be an event that plugins fire among themselves.
            if hook.suggestion.is_some() {
                Weight::Warning
            } else {
                Weight::Note
            },
            "unknown_hook",
            format!("its handler for `{name}` is not called by this host: there is no such hook"),
            advice,
        )),
    }
}

/// What must be loaded and is not.
fn required(report: &Report, missing: &Missing) -> Finding {
    let line = report.get(&missing.plugin);
    Finding {
        severity: Weight::Error,
        code: match line.map(|line| &line.state) {
            None => "required_missing",
            Some(State::Refused(_)) => "required_refused",
            Some(_) => "required_off",
        },
        plugin: Some(missing.plugin.clone()),
        message: missing.to_string(),
        place: None,
        cure: Some(missing.cure.clone()),
    }
}

fn unmatched(name: &str, program: &str) -> Finding {
    Finding {
        severity: Weight::Error,
        code: "enabled_but_missing",
        plugin: Some(name.to_owned()),
        message: format!(
            "`{name}` is in `plugins.enabled`, and no plugin has that name: it does not load"
        ),
        place: None,
        cure: Some(format!(
            "install it, or take it out of `plugins.enabled`; `{program} plugins list` shows what is there"
        )),
    }
}

fn safe_mode(by: &str) -> Finding {
    Finding {
        severity: Weight::Warning,
        code: "safe_mode",
        plugin: None,
        message: format!("safe mode is on ({by}): no plugin is loaded"),
        place: None,
        cure: Some(format!("run it without {by}")),
    }
}
