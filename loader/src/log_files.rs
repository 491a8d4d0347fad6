//! The log files of a host: everything from INFO in `logs/agent.log`, everything from WARNING in `logs/errors.log`,
//! put aside when they have grown.
//!
//! The lines have the form of Hermes Agent's own, since both programs may write the same files. The loader
//! itself only speaks to `tracing`; this is for programs that embed it.

mod file;
mod line;

use std::path::Path;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

pub use self::file::{RotatingFile, make_private, old};
pub use self::line::{Line, safe};

/// The size at which a file is put aside; as Hermes Agent does.
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// How many files are kept that were put aside.
pub const OLD_FILES: u32 = 3;

/// The name of the log that has everything.
pub const AGENT_LOG: &str = "agent.log";
/// The name of the log that has what went wrong.
pub const ERRORS_LOG: &str = "errors.log";

/// A layer for `tracing-subscriber` that writes both files.
///
/// What cannot be written is dropped, since a log has nobody to complain to: a program that can tell its
/// user uses [`RotatingFile`] and [`Line`] itself.
#[derive(Debug)]
pub struct LogFiles {
    agent: RotatingFile,
    errors: RotatingFile,
}

impl LogFiles {
    /// Both files in a directory, which is made when there is something to write.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        Self {
            agent: RotatingFile::new(dir.join(AGENT_LOG)),
            errors: RotatingFile::new(dir.join(ERRORS_LOG)),
        }
    }
}

impl<S: Subscriber> Layer<S> for LogFiles {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::INFO {
            return;
        }
        let line = Line::of(event).long();
        let _ = self.agent.append(&line);
        if level <= Level::WARN {
            let _ = self.errors.append(&line);
        }
    }
}
