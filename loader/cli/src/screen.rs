//! The only place that writes to the terminal: results to standard output, everything else to standard error.

mod echo;

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::excerpt::safe;
use crate::problem::Problem;

/// Results stand out or step back by these.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();

/// The text in a style; the stream takes the style out where it would not show.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Both streams of the program.
pub(crate) struct Screen {
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    quiet: bool,
    json: bool,
}

impl Screen {
    pub(crate) fn new(quiet: bool, colourless: bool) -> Self {
        let out = if colourless {
            ColorChoice::Never
        } else {
            AutoStream::choice(&io::stdout())
        };
        let err = if colourless {
            ColorChoice::Never
        } else {
            AutoStream::choice(&io::stderr())
        };
        Self {
            out: AutoStream::new(io::stdout(), out),
            err: AutoStream::new(io::stderr(), err),
            quiet,
            json: false,
        }
    }

    /// From now on the result is JSON, and lines for people are not written.
    pub(crate) const fn only_json(&mut self, json: bool) {
        self.json = json;
    }

    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// One line of the result.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        if self.json {
            return Ok(());
        }
        writeln!(self.out, "{}", text.as_ref())
    }

    /// The result as JSON, two blanks a level.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        writeln!(self.out, "{text}")?;
        Ok(())
    }

    /// A line that helps, and is no result. Not said when quiet.
    pub(crate) fn hint(&mut self, text: impl AsRef<str>) {
        if !self.quiet {
            self.say(&styled(DIM, text.as_ref()));
        }
    }

    /// What is wrong, though the command goes on.
    pub(crate) fn warning(&mut self, what: &str, cure: Option<&str>) {
        self.say(&format!("{} {}", styled(WARN, "warning:"), safe(what)));
        self.cure(cure);
    }

    /// Why the command did not do its job.
    pub(crate) fn error(&mut self, error: &anyhow::Error) {
        let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
        self.say(&format!(
            "{} {}",
            styled(BAD, "error:"),
            safe(&causes.join(": "))
        ));
        self.cure(error.downcast_ref::<Problem>().and_then(Problem::hint));
    }

    fn cure(&mut self, cure: Option<&str>) {
        for (index, line) in cure.into_iter().flat_map(str::lines).enumerate() {
            let head = if index == 0 { "hint:" } else { "     " };
            self.say(&format!("{} {}", styled(DIM, head), safe(line)));
        }
    }

    fn say(&mut self, text: &str) {
        // What is on its way to standard output comes first, for whoever reads both.
        let _ = self.out.flush();
        // There is no other place to say that standard error is gone.
        let _ = writeln!(self.err, "{text}");
    }

    /// Whether there is a person who can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        !self.quiet && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Asks a question, if there is a person to answer it; the answer is no unless it is yes.
    pub(crate) fn ask(&mut self, question: &str) -> bool {
        let answer = self.ask_text(&format!("{question} [y/N] "), false);
        answer.is_some_and(|answer| matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks for a text, if there is a person to answer; `None` for no answer and for an empty one.
    /// A secret is not shown while it is typed.
    pub(crate) fn ask_text(&mut self, question: &str, secret: bool) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        let _ = self.out.flush();
        // Before the question is seen: whoever answers at once must not be shown.
        let hidden = secret.then(echo::Hidden::start);
        let _ = write!(self.err, "{question}");
        let _ = self.err.flush();
        if let Some(None) = hidden {
            let _ = writeln!(self.err, "not asked for: this terminal would show it");
            return None;
        }
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        if !answer.ends_with('\n') {
            // The end of the input, in the middle of the line of the question.
            let _ = writeln!(self.err);
        }
        let answer = answer.trim();
        (!answer.is_empty()).then(|| answer.to_owned())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Whether styles show on standard output.
    pub(crate) fn has_colours(&self) -> bool {
        self.out.current_choice() != ColorChoice::Never
    }

    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether a person is looking at standard error.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }
}
