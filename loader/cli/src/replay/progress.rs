//! A bar for recordings that take longer than a second, where somebody is looking.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Progress {
    bar: Option<ProgressBar>,
    began: Instant,
    shown: bool,
}

impl Progress {
    pub(super) fn new(wanted: bool, bytes: Option<u64>) -> Self {
        let bar =
            wanted.then(|| ProgressBar::with_draw_target(bytes, ProgressDrawTarget::hidden()));
        if let Some(bar) = &bar
            && bytes.is_some()
            && let Ok(style) =
                ProgressStyle::with_template("replaying {bar:30} {percent:>3} %  {elapsed}")
        {
            bar.set_style(style);
        }
        Self {
            bar,
            began: Instant::now(),
            shown: false,
        }
    }

    pub(super) fn advance(&mut self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        bar.inc(bytes);
        if !self.shown && self.began.elapsed() > PATIENCE {
            self.shown = true;
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Does something that writes, without the bar in between.
    pub(super) fn aside(&self, act: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(act),
            None => act(),
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
