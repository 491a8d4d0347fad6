//! Fires the events of a case, each at its time and on its thread.

use std::{
    collections::BTreeMap,
    process::Command,
    sync::{Arc, Barrier, mpsc},
    time::{Duration, Instant},
};

use super::{
    observed::{Observed, Played},
    read::{Case, Event, Line, Unreadable},
    stage::{Stage, home},
    standing,
};
use crate::{fixture, records::Records, wait};

/// Plays a case, with its plugins in the order of the file or in its reverse.
pub(super) fn play(case: &Case, backwards: bool) -> Result<Played, Unreadable> {
    let records = Records::capture();
    let stage = Stage::set(case, backwards)?;
    let events = fire(case, &stage)?;
    let calls = stage
        .hosts()
        .map(|host| serde_json::to_value(host.calls()).unwrap_or_default())
        .collect();
    let plugins = stage.standing();
    let ours = |record: &crate::records::Record| {
        let named = record.fields.get("plugin");
        named.is_some_and(|name| case.plugins.iter().any(|plugin| plugin.name == *name))
    };
    let warnings = records
        .loud()
        .into_iter()
        .filter(ours)
        // The hook that records are asked for with is the runner's own.
        .filter(|record| !record.message.contains(standing::RECORDED))
        .map(|record| record.message)
        .collect();
    let check_code = match case.expected.get("check_exit_nonzero") {
        Some(_) => Some(check(case)?),
        None => None,
    };
    Ok(Played {
        events,
        plugins,
        calls,
        warnings,
        check_code,
    })
}

/// What `hermes plugins check` says of all plugins of the case.
fn check(case: &Case) -> Result<i32, Unreadable> {
    let mut hermes = Command::new(fixture::program());
    hermes
        .arg("--home")
        .arg(home(case, None))
        .args(["plugins", "check"]);
    hermes.args(case.plugins.iter().map(|plugin| &plugin.name));
    let ran = hermes.env_remove("HERMES_HOME").output();
    let ran = ran.map_err(|error| Unreadable::new("hermes plugins check", error))?;
    ran.status
        .code()
        .ok_or_else(|| Unreadable::new("hermes plugins check", ran.status))
}

/// What a thread of the case is told.
struct Job {
    number: usize,
    moment: usize,
    event: Event,
    /// Events of one moment set out together.
    together: Arc<Barrier>,
}

/// The time of the case. It runs as the clock does while a call is in flight, and jumps when none is.
struct Clock {
    origin: Instant,
    skipped: Duration,
}

impl Clock {
    fn until(&self, t_ms: f64) -> Duration {
        let due = Duration::try_from_secs_f64(t_ms / 1000.0).unwrap_or_default();
        due.saturating_sub(self.origin.elapsed() + self.skipped)
    }
}

fn late() -> Unreadable {
    Unreadable::new("events.jsonl", "an event is not over in time")
}

/// One thread for each name that the case has, besides its own.
fn fire(case: &Case, stage: &Stage<'_>) -> Result<Vec<Observed>, Unreadable> {
    let (done, finished) = mpsc::channel::<(usize, Result<Observed, Unreadable>)>();
    let mut observed = BTreeMap::new();
    std::thread::scope(|scope| -> Result<(), Unreadable> {
        let mut threads: BTreeMap<Option<String>, mpsc::Sender<Job>> = BTreeMap::new();
        // Each with whether a plugin sleeps over it.
        let mut in_flight: BTreeMap<usize, bool> = BTreeMap::new();
        let mut clock = Clock {
            origin: Instant::now(),
            skipped: Duration::ZERO,
        };
        let mut number = 0;
        for (moment, lines) in moments(&case.lines).into_iter().enumerate() {
            let t_ms = match lines.first() {
                Some(Line::Event(event)) => event.t_ms,
                Some(Line::Control { t_ms, .. }) => *t_ms,
                None => continue,
            };
            // Quick calls are over before the next event comes; only one that sleeps may still be in flight.
            loop {
                let quick = in_flight.values().any(|slow| !slow);
                let left = clock.until(t_ms);
                if !quick && (left.is_zero() || in_flight.is_empty()) {
                    clock.skipped += left;
                    break;
                }
                let patience = if quick { wait::BOUND } else { left };
                match finished.recv_timeout(patience) {
                    Ok((number, one)) => {
                        in_flight.remove(&number);
                        observed.insert(number, one?);
                    }
                    Err(_) if quick => return Err(late()),
                    Err(_) => {}
                }
            }
            let together = Arc::new(Barrier::new(lines.len()));
            for line in lines {
                let event = match line {
                    Line::Event(event) => event.clone(),
                    Line::Control { control, .. } => {
                        stage
                            .control(control)
                            .map_err(|error| Unreadable::new(format!("{control:?}"), error))?;
                        continue;
                    }
                };
                let thread = threads.entry(event.thread.clone()).or_insert_with(|| {
                    let (sender, jobs) = mpsc::channel::<Job>();
                    let done = done.clone();
                    scope.spawn(move || {
                        for job in jobs {
                            let number = job.number;
                            // Who waits for it has given up, for a failure of another event.
                            let _ = done.send((number, one(stage, job)));
                        }
                    });
                    sender
                });
                let job = Job {
                    number,
                    moment,
                    event,
                    together: Arc::clone(&together),
                };
                let slow = case
                    .plugins
                    .iter()
                    .any(|plugin| plugin.sleeps_over(&job.event.hook));
                in_flight.insert(number, slow);
                number += 1;
                // The thread lives as long as its sender.
                let _ = thread.send(job);
            }
        }
        drop(threads);
        for _ in 0..in_flight.len() {
            let over = finished.recv_timeout(4 * wait::BOUND);
            let (number, one) = over.map_err(|_| late())?;
            observed.insert(number, one?);
        }
        Ok(())
    })?;
    Ok(observed.into_values().collect())
}

fn one(stage: &Stage<'_>, job: Job) -> Result<Observed, Unreadable> {
    let Job {
        number,
        moment,
        event,
        together,
    } = job;
    let failed = |why: String| Unreadable::new(format!("event_{}", number + 1), why);
    let host = stage
        .host(event.profile.as_deref())
        .ok_or_else(|| failed(format!("no home for profile {:?}", event.profile)));
    together.wait();
    let host = host?;
    let handlers = host.count(&event.hook);
    let began = Instant::now();
    let traced = host.trace_json(&event.hook, &event.kwargs);
    let ended = Instant::now();
    let traced = traced.map_err(|error| failed(error.to_string()))?;
    let outcome = serde_json::to_value(traced).map_err(|error| failed(error.to_string()))?;
    Ok(Observed {
        event,
        moment,
        outcome,
        handlers,
        began,
        ended,
    })
}

/// Lines of the same time and different threads are one moment.
fn moments(lines: &[Line]) -> Vec<Vec<&Line>> {
    let mut moments: Vec<Vec<&Line>> = Vec::new();
    for line in lines {
        let joins = match (line, moments.last()) {
            (Line::Event(event), Some(before)) => before.iter().all(|other| {
                matches!(other, Line::Event(other) if other.t_ms == event.t_ms
                    && other.thread.is_some()
                    && event.thread.is_some()
                    && other.thread != event.thread)
            }),
            _ => false,
        };
        match moments.last_mut() {
            Some(last) if joins => last.push(line),
            _ => moments.push(vec![line]),
        }
    }
    moments
}
