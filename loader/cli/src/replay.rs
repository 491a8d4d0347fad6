//! `hermes replay`: recorded events through the loaded plugins.

mod calls;
mod player;
mod progress;
mod recording;
mod row;
mod summary;

use std::path::Path;
use std::time::{Duration, Instant};

use hermes_loader::CallsReport;
use serde_json::json;

pub(crate) use self::player::{Player, Step};
pub(crate) use self::recording::{Event, Line, Recording};
pub(crate) use self::row::{Row, original, show};
pub(crate) use self::summary::Summary;

use self::progress::Progress;
use crate::args::ReplayArgs;
use crate::excerpt;
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::Screen;

pub(crate) fn run(to: &mut Invocation<'_>, args: &ReplayArgs) -> anyhow::Result<Exit> {
    if !args.speed.is_finite() || args.speed < 0.0 {
        return Err(
            Problem::usage(format!("--speed: expected 0 or more, found {}", args.speed)).into(),
        );
    }
    let recording = Recording::open(&args.events)?;
    let host = to.load(args.plugin.as_deref())?;
    let mut player = Player::new(&host);
    let mut rows = Vec::new();
    let mut summary = Summary::default();
    let mut progress = Progress::new(to.screen.shows_progress(), recording.size());
    let mut clock = Clock {
        speed: args.speed,
        start: None,
    };
    for line in recording {
        match line? {
            Line::Event { event, bytes } => {
                clock.wait(event.t_ms);
                let step = player.step(&event)?;
                summary.add(&event, &step);
                rows.extend(Row::of(&event, &step, args.all));
                progress.advance(bytes);
            }
            Line::Bad { number, why } => {
                summary.bad_lines += 1;
                let what = format!(
                    "{}:{number}: {why}; the line is skipped",
                    named(&args.events)
                );
                progress.aside(|| to.screen.warning(&what, None));
            }
        }
    }
    progress.finish();
    let faults = host.faults();
    if args.json {
        to.screen.json(&json!({
            "events": rows, "summary": summary.value(), "calls": host.calls(), "faults": faults,
        }))?;
        return Ok(summary.exit());
    }
    show(to.screen, &rows)?;
    if rows.is_empty() && summary.events > 0 {
        to.screen.line("Nothing was decided or changed.")?;
        if summary.handlers == 0 {
            to.screen.hint(format!(
                "No handler was called: is a plugin enabled? See `{} doctor`",
                to.program
            ));
        }
    }
    summary.show(to.screen)?;
    show_pairs(to.screen, &host.calls())?;
    for fault in faults {
        to.screen.warning(
            &fault.to_string(),
            Some(&format!(
                "see `{} logs --plugin {}`",
                to.program, fault.plugin
            )),
        );
    }
    Ok(summary.exit())
}

/// Says so when events came twice, or one half of a call never came.
fn show_pairs(screen: &mut Screen, calls: &CallsReport) -> std::io::Result<()> {
    if calls.duplicates == 0 && calls.unpaired_total == 0 {
        return Ok(());
    }
    let number = |number: u64, thing: &str| {
        excerpt::count(usize::try_from(number).unwrap_or(usize::MAX), thing)
    };
    screen.line(format!(
        "{} with its result, {} without the other half, {}",
        number(calls.complete, "call"),
        number(calls.unpaired_total, "call"),
        number(calls.duplicates, "duplicate event"),
    ))
}

/// Waits as the recording did.
struct Clock {
    speed: f64,
    start: Option<(Instant, f64)>,
}

impl Clock {
    fn wait(&mut self, t_ms: Option<f64>) {
        let Some(t_ms) = t_ms.filter(|_| self.speed > 0.0) else {
            return;
        };
        let (began, first) = *self.start.get_or_insert_with(|| (Instant::now(), t_ms));
        let due =
            Duration::try_from_secs_f64((t_ms - first) / 1000.0 / self.speed).unwrap_or_default();
        std::thread::sleep(due.saturating_sub(began.elapsed()));
    }
}

/// A recording's path as it is told to people.
fn named(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}
