//! Reads a recording: one event a line, `{"t_ms": …, "hook": …, "kwargs": {…}}`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use hermes_loader::payload;
use serde_json::{Map, Value};

use crate::problem::Problem;

/// One recorded event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// The line it stands on, counted from one.
    pub(crate) line: usize,
    pub(crate) t_ms: Option<f64>,
    pub(crate) hook: String,
    pub(crate) kwargs: Map<String, Value>,
}

impl Event {
    /// The text in a field, if there is one.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names
            .iter()
            .find_map(|name| self.kwargs.get(*name)?.as_str())
            .filter(|text| !text.is_empty())
    }

    pub(crate) fn tool(&self) -> Option<&str> {
        self.text(&["tool_name", "toolName"])
    }

    pub(crate) fn call_id(&self) -> Option<&str> {
        self.text(&["tool_call_id", "toolCallId"])
    }
}

/// One line that is not blank.
#[derive(Debug)]
pub(crate) enum Line {
    Event { event: Event, bytes: u64 },
    Bad { number: usize, why: String },
}

/// A recording, read as it is played.
pub(crate) struct Recording {
    lines: Box<dyn BufRead>,
    name: String,
    number: usize,
    size: Option<u64>,
}

impl Recording {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, Problem> {
        let name = super::named(path);
        if path == Path::new("-") {
            return Ok(Self {
                lines: Box::new(BufReader::new(io::stdin())),
                name,
                number: 0,
                size: None,
            });
        }
        let failed = |error: io::Error| {
            Problem::new(format!("{name}: cannot be read: {error}"))
                .cure("give a file with one event a line")
        };
        let file = File::open(path).map_err(failed)?;
        let facts = file.metadata().map_err(failed)?;
        if facts.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        Ok(Self {
            lines: Box::new(BufReader::new(file)),
            name,
            number: 0,
            size: Some(facts.len()),
        })
    }

    /// How many bytes it has, where that is known.
    pub(crate) const fn size(&self) -> Option<u64> {
        self.size
    }
}

impl Iterator for Recording {
    type Item = Result<Line, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut bytes = Vec::new();
            match self.lines.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => {
                    return Some(Err(Problem::new(format!(
                        "{}: cannot be read: {error}",
                        self.name
                    ))));
                }
            }
            self.number += 1;
            let number = self.number;
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => text.trim(),
                Err(_) => {
                    return Some(Ok(Line::Bad {
                        number,
                        why: "not UTF-8".to_owned(),
                    }));
                }
            };
            if text.is_empty() {
                continue;
            }
            return Some(Ok(match read(text, number) {
                Ok(event) => Line::Event {
                    event,
                    bytes: bytes.len() as u64,
                },
                Err(why) => Line::Bad { number, why },
            }));
        }
    }
}

/// Reads one line.
fn read(text: &str, line: usize) -> Result<Event, String> {
    let mut members = payload::parse(text)?;
    let t_ms = members.get("t_ms").and_then(Value::as_f64);
    let hook = match members.remove("hook") {
        Some(Value::String(hook)) if !hook.is_empty() => hook,
        Some(_) => return Err("`hook` must be a text that is not empty".to_owned()),
        None => return Err("no `hook`".to_owned()),
    };
    match members.remove("kwargs") {
        Some(Value::Object(kwargs)) => Ok(Event {
            line,
            t_ms,
            hook,
            kwargs,
        }),
        Some(_) => Err("`kwargs` must be an object".to_owned()),
        None => Err("no `kwargs`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<(&str, Option<f64>, usize), &str>) {
        let found = read(line, 1);
        let found = found
            .as_ref()
            .map(|event| (event.hook.as_str(), event.t_ms, event.kwargs.len()));
        assert_eq!(
            found.map_err(|why| why.get(..why.len().min(28)).unwrap_or_default()),
            expected,
            "{line}"
        );
    }

    #[test]
    fn a_line_is_an_event_or_says_why_not() {
        check(
            r#"{"t_ms":1,"hook":"h","kwargs":{"a":1}}"#,
            Ok(("h", Some(1.0), 1)),
        );
        check(
            r#"{"hook":"h","kwargs":{"a":{"_repr":"X"},"b":NaN,"c":"\ud800"}}"#,
            Ok(("h", None, 3)),
        );
        check(r#"{"kwargs":{}}"#, Err("no `hook`"));
        check(
            r#"{"hook":"","kwargs":{}}"#,
            Err("`hook` must be a text that i"),
        );
        check(r#"{"hook":"h"}"#, Err("no `kwargs`"));
        check(
            r#"{"hook":"h","kwargs":[]}"#,
            Err("`kwargs` must be an object"),
        );
        check("[]", Err("expected an object, found an"));
    }
}
