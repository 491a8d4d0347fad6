//! The program's log: everything from INFO in `logs/agent.log`, everything from WARNING in `logs/errors.log`.
//!
//! The lines have the form of Hermes Agent's own, since both programs may write the same files.

use std::io::Write;
use std::path::PathBuf;

use tracing::{Event, Level, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

pub(crate) use hermes_loader::log_files::{AGENT_LOG, OLD_FILES, make_private, old};
use hermes_loader::log_files::{ERRORS_LOG, Line, RotatingFile};

use crate::screen::Screen;

/// Starts logging for the rest of the process. Files are made when there is something to write.
pub(crate) fn start(dir: PathBuf, verbose: u8, screen: &Screen) {
    // Hermes' own way to ask for the log on the terminal.
    let debug = std::env::var("HERMES_PLUGINS_DEBUG")
        .is_ok_and(|word| hermes_loader::config::truthy(&word));
    let terminal = match verbose {
        0 if !debug => LevelFilter::OFF,
        1 if !debug => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let sink = Sink {
        agent: RotatingFile::new(dir.join(AGENT_LOG)),
        errors: RotatingFile::new(dir.join(ERRORS_LOG)),
        terminal,
        prefix: if debug { "[plugins] " } else { "" },
        quiet: screen.is_quiet(),
    };
    let subscriber = tracing_subscriber::registry()
        .with(sink)
        .with(terminal.max(LevelFilter::INFO));
    // It fails only where something else has set one, and that then logs.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

struct Sink {
    agent: RotatingFile,
    errors: RotatingFile,
    terminal: LevelFilter,
    prefix: &'static str,
    quiet: bool,
}

impl<S: Subscriber> Layer<S> for Sink {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        let line = Line::of(event);
        if level <= Level::INFO {
            self.append(&self.agent, &line);
        }
        if level <= Level::WARN {
            self.append(&self.errors, &line);
        }
        if LevelFilter::from_level(level) <= self.terminal {
            let _ = writeln!(std::io::stderr(), "{}{}", self.prefix, line.short());
        }
    }
}

impl Sink {
    fn append(&self, file: &RotatingFile, line: &Line) {
        if let Err(error) = file.append(&line.long())
            && file.is_first_failure()
            && !self.quiet
        {
            let path = file.path().display();
            let _ = writeln!(
                std::io::stderr(),
                "warning: {path}: cannot be written: {error}; this run is not logged there"
            );
        }
    }
}
