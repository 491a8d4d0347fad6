//! What a terminal command printed, on its way into the tool's result.

use std::borrow::Cow;

use hermes_plugin_api::catalogue::payload;
use serde_json::json;

use super::SCHEMA;
use super::ground::Moments;

/// What a foreground command printed, both streams.
///
/// [`TerminalOutput::shown`] fires `transform_terminal_output` with all of it, then cuts it to a length,
/// takes escape sequences out, and then secrets.
#[derive(Clone, Debug)]
#[must_use]
pub struct TerminalOutput {
    command: String,
    output: String,
    exit_code: i64,
    cwd: Option<String>,
    task_id: Option<String>,
    env_type: String,
    limit: usize,
}

/// The most characters of output that go to the model, unless said otherwise.
const LIMIT: usize = 50_000;

impl TerminalOutput {
    /// A command, and what it printed.
    pub fn new(command: impl Into<String>, output: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            output: output.into(),
            exit_code: 0,
            cwd: None,
            task_id: None,
            env_type: "local".to_owned(),
            limit: LIMIT,
        }
    }

    /// How it ended; 0 unless said.
    pub const fn exit_code(mut self, exit_code: i64) -> Self {
        self.exit_code = exit_code;
        self
    }

    /// Where it ran.
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// The terminal environment it ran in, which is not the turn's task.
    pub fn task_id(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = Some(task_id.into());
        self
    }

    /// What sort of environment that is: `local` unless said, `docker`, …
    pub fn env_type(mut self, env_type: impl Into<String>) -> Self {
        self.env_type = env_type.into();
        self
    }

    /// The most characters to keep; 50,000 unless said.
    pub const fn limit(mut self, characters: usize) -> Self {
        self.limit = characters;
        self
    }

    /// What the model may see of it.
    #[must_use]
    pub fn shown(&self, moments: &Moments) -> String {
        let event = payload::TransformTerminalOutput::new()
            .command(&self.command)
            .output(&self.output)
            .exit_code(self.exit_code)
            .returncode(self.exit_code)
            .cwd(self.cwd.as_deref())
            .task_id(self.task_id.as_deref())
            .env_type(self.env_type.as_str())
            .telemetry_schema_version(SCHEMA);
        let outcome = moments.host().fire(&event);
        let cut = Cut::to(outcome.shown(&self.output), self.limit);
        let plain = cut.without_escapes();
        moments.secrets().redact(&plain).into_owned()
    }

    /// The result of the terminal tool: `output`, `exit_code` and `error`, as JSON text.
    #[must_use]
    pub fn result(&self, moments: &Moments) -> String {
        let output = self.shown(moments);
        json!({"output": output, "exit_code": self.exit_code, "error": null}).to_string()
    }
}

/// A text in two pieces, and what was said of the piece between them.
struct Cut<'t> {
    head: &'t str,
    notice: String,
    tail: &'t str,
}

impl<'t> Cut<'t> {
    /// Keeps 40 % of the limit from the beginning, and the rest of it from the end.
    fn to(text: &'t str, limit: usize) -> Self {
        let whole = Self {
            head: text,
            notice: String::new(),
            tail: "",
        };
        if text.len() <= limit {
            return whole;
        }
        let total = text.chars().count();
        if total <= limit {
            return whole;
        }
        let head = limit * 2 / 5;
        let tail = limit - head;
        let place = |character: usize| {
            let mut places = text.char_indices().map(|(place, _)| place);
            places.nth(character).unwrap_or(text.len())
        };
        let omitted = total - limit;
        Self {
            head: text.get(..place(head)).unwrap_or_default(),
            notice: format!(
                "\n\n... [OUTPUT TRUNCATED - {omitted} chars omitted out of {total} total] ...\n\n"
            ),
            tail: text.get(place(total - tail)..).unwrap_or_default(),
        }
    }

    /// The pieces are read apart, so that a sequence that was cut in two swallows nothing of the notice.
    fn without_escapes(&self) -> Cow<'t, str> {
        if self.notice.is_empty() && !self.head.contains(['\x1b', '\u{9b}']) {
            return Cow::Borrowed(self.head);
        }
        let plain = |text| anstream::adapter::strip_str(text).to_string();
        let (head, tail) = (plain(self.head), plain(self.tail));
        Cow::Owned(format!("{head}{}{tail}", self.notice))
    }
}

#[cfg(test)]
mod tests {
    use super::Cut;

    #[track_caller]
    fn check(text: &str, limit: usize, expected: &str) {
        assert_eq!(Cut::to(text, limit).without_escapes(), expected, "{text:?}");
    }

    #[test]
    fn what_is_kept() {
        let notice = |omitted: usize, total: usize| {
            format!(
                "\n\n... [OUTPUT TRUNCATED - {omitted} chars omitted out of {total} total] ...\n\n"
            )
        };
        check("0123456789", 10, "0123456789");
        check("0123456789", 5, &format!("01{}789", notice(5, 10)));
        // Characters, not bytes.
        check("äöüäöüäöüä", 10, "äöüäöüäöüä");
        check("äöüäöüäöüä", 5, &format!("äö{}öüä", notice(5, 10)));
        check("abc", 0, &notice(3, 3));
        // Escape sequences go, tabs and line ends stay.
        check("\x1b[31mred\x1b[0m\tand\r\nplain", 99, "red\tand\r\nplain");
        check("\x1b]0;title\x07text", 99, "text");
        // A sequence that is cut in two takes nothing of the notice with it.
        check(
            "a\x1b[38;5;196mlong text",
            5,
            &format!("a{}ext", notice(16, 21)),
        );
    }
}
