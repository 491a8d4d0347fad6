//! One record as text: `2026-11-30 16:13:44,123 WARNING [plugin] target: message key=value`.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level};

/// A record, taken out of `tracing`.
#[derive(Debug)]
pub struct Line {
    level: Level,
    target: &'static str,
    plugin: String,
    message: String,
    fields: String,
}

impl Line {
    /// Reads a record.
    #[must_use]
    pub fn of(event: &Event<'_>) -> Self {
        let metadata = event.metadata();
        let mut line = Self {
            level: *metadata.level(),
            target: metadata.target(),
            plugin: String::new(),
            message: String::new(),
            fields: String::new(),
        };
        event.record(&mut line);
        line
    }

    /// For the files, with the time.
    #[must_use]
    pub fn long(&self) -> String {
        let time = jiff::ZonedDateTime::now().strftime("%Y-%m-%d %H:%M:%S,%3f");
        format!("{time} {}\n", self.short())
    }

    /// For a terminal.
    #[must_use]
    pub fn short(&self) -> String {
        let mut out = level(self.level).to_owned();
        if !self.plugin.is_empty() {
            let _ = write!(out, " [{}]", one_record(&self.plugin));
        }
        let _ = write!(
            out,
            " {}: {}{}",
            self.target,
            one_record(&self.message),
            one_record(&self.fields)
        );
        out
    }
}

/// The name that Hermes' log has for a level.
const fn level(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARNING",
        Level::INFO => "INFO",
        _ => "DEBUG",
    }
}

/// The text with further lines set in, so that no text of a plugin can pass for a record of its own.
fn one_record(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(safe).collect();
    lines.join("\n    ")
}

/// The text without anything that could drive a terminal or turn the writing around: shown as escapes instead.
#[must_use]
pub fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push(' '),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            "plugin" => value.clone_into(&mut self.plugin),
            name => {
                let _ = write!(self.fields, " {name}={value}");
            }
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_cannot_forge_a_record() {
        let line = Line {
            level: Level::WARN,
            target: "hermes::plugin",
            plugin: "x] y".to_owned(),
            message: "one\n2026-01-01 00:00:00,000 ERROR \u{1b}[2J".to_owned(),
            fields: String::new(),
        };
        let expected =
            "WARNING [x] y] hermes::plugin: one\n    2026-01-01 00:00:00,000 ERROR \\x1b[2J";
        assert_eq!(line.short(), expected);
    }
}
