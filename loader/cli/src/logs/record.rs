//! One record of a log: a line that begins with a time, and the lines after it that do not.

use serde_json::{Value, json};

use crate::excerpt::safe;

/// How much a record matters, in the words of Hermes' log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Warning,
    Error,
    Critical,
}

/// Reads a level as it is typed.
pub(crate) fn parse_level(word: &str) -> Result<Level, String> {
    match word.to_lowercase().as_str() {
        "debug" => Ok(Level::Debug),
        "info" => Ok(Level::Info),
        "warning" | "warn" => Ok(Level::Warning),
        "error" => Ok(Level::Error),
        "critical" => Ok(Level::Critical),
        _ => Err("expected debug, info, warning, error or critical".to_owned()),
    }
}

/// One record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    first: String,
    more: Vec<String>,
}

impl Record {
    /// Its level; INFO when it does not say.
    pub(super) fn level(&self) -> Level {
        let mut words = self.first.split_whitespace().skip(2).take(4);
        let upper = |word: &&str| word.chars().all(|c| c.is_ascii_uppercase());
        words
            .find_map(|word| {
                Some(word)
                    .filter(upper)
                    .and_then(|word| parse_level(word).ok())
            })
            .unwrap_or(Level::Info)
    }

    /// Whether the plugin logged it, or it names the plugin in quotes.
    pub(super) fn is_about(&self, plugin: &str) -> bool {
        let marks = [("[", "]"), ("`", "`"), ("'", "'"), ("\"", "\"")];
        let mut lines = std::iter::once(&self.first).chain(&self.more);
        lines.any(|line| {
            marks
                .iter()
                .any(|(open, close)| line.contains(&format!("{open}{plugin}{close}")))
        })
    }

    /// The record as JSON: when, how much it matters, and all of its text.
    pub(super) fn value(&self) -> Value {
        let time: Vec<&str> = self.first.split_whitespace().take(2).collect();
        let lines: Vec<&str> = std::iter::once(&self.first)
            .chain(&self.more)
            .map(String::as_str)
            .collect();
        let level = match self.level() {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Critical => "critical",
        };
        json!({"time": time.join(" "), "level": level, "text": lines.join("\n")})
    }

    /// Its lines, safe for a terminal.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        std::iter::once(&self.first)
            .chain(&self.more)
            .map(|line| safe(line))
    }
}

/// Puts lines together to records.
#[derive(Default)]
pub(super) struct Gather {
    open: Option<Record>,
}

impl Gather {
    /// Adds a line; gives the record that it ends.
    pub(super) fn add(&mut self, line: String) -> Option<Record> {
        match &mut self.open {
            Some(open) if !begins(&line) => {
                open.more.push(line);
                None
            }
            open => open.replace(Record {
                first: line,
                more: Vec::new(),
            }),
        }
    }

    /// The last record.
    pub(super) fn finish(&mut self) -> Option<Record> {
        self.open.take()
    }
}

/// Whether the line begins with a date.
fn begins(line: &str) -> bool {
    let date = line.as_bytes().get(..11).unwrap_or_default();
    let shape = "dddd-dd-dd ".bytes();
    !date.is_empty()
        && date.iter().zip(shape).all(|(byte, wanted)| match wanted {
            b'd' => byte.is_ascii_digit(),
            other => *byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(text: &str) -> Vec<Record> {
        let mut gather = Gather::default();
        let mut records: Vec<Record> = text
            .lines()
            .filter_map(|line| gather.add(line.to_owned()))
            .collect();
        records.extend(gather.finish());
        records
    }

    #[track_caller]
    fn check(text: &str, expected: &[(Level, usize)]) {
        let records = gathered(text);
        let found: Vec<(Level, usize)> = records
            .iter()
            .map(|record| (record.level(), record.lines().count()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn records_of_both_programs_are_read() {
        check(
            "2026-11-30 16:13:44,123 WARNING [x] t: m",
            &[(Level::Warning, 1)],
        );
        check(
            "2026-11-30 16:13:44,123 - tools - ERROR - m\nTraceback\n  File",
            &[(Level::Error, 3)],
        );
        check(
            "2026-11-30 16:13:44,123 INFO a: an ERROR in the text\n2026-11-30 16:13:45 DEBUG a: b",
            &[(Level::Info, 1), (Level::Debug, 1)],
        );
        check(
            "garbage\nmore\n2026-11-30 16:13:45 CRITICAL a: b",
            &[(Level::Info, 2), (Level::Critical, 1)],
        );
        check("", &[]);
    }

    #[test]
    fn a_record_is_about_the_plugin_it_names() {
        let about = |text: &str| {
            gathered(text)
                .first()
                .is_some_and(|record| record.is_about("guard"))
        };
        assert!(about("2026-11-30 16:13:44,123 WARNING [guard] t: m"));
        assert!(about(
            "2026-11-30 16:13:44,123 WARNING t: plugin `guard` refused"
        ));
        assert!(about(
            "2026-11-30 16:13:44,123 WARNING t: m\nplugin 'guard'"
        ));
        assert!(!about(
            "2026-11-30 16:13:44,123 WARNING [guard-two] t: guard"
        ));
    }
}
