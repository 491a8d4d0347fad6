//! Here-documents: where their bodies are, and what of a body may run.

use super::lexer::{Job, Kind, Lexer, MAX_HEREDOC_DEPTH};

/// A here-document whose body has not begun.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    /// The command it belongs to, once that is finished; see [`NO_OWNER`].
    pub(super) owner: usize,
}

/// The owner of a here-document whose command is still being read, or is not recorded.
pub(super) const NO_OWNER: usize = usize::MAX;

impl Lexer<'_> {
    /// After a newline: takes the bodies of all here-documents opened on the line before.
    pub(super) fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.read_body(&pending);
        }
    }

    fn read_body(&mut self, pending: &Pending) {
        let start = self.pos;
        let nested = matches!(
            self.frames.last().map(|f| f.kind),
            Some(Kind::Subst | Kind::Backtick)
        );
        let mut closed = false;
        let mut stop = self.end;
        while self.pos < self.end {
            let line_start = self.pos;
            let rest = self.bytes.get(line_start..self.end).unwrap_or_default();
            let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            self.script.steps += length + 1;
            let line_end = line_start + length;
            let mut line = self.text.get(line_start..line_end).unwrap_or_default();
            if pending.strip_tabs {
                line = line.trim_start_matches('\t');
            }
            let bare = line.strip_suffix('\r').unwrap_or(line);
            if line == pending.delimiter || bare == pending.delimiter {
                (closed, stop) = (true, line_start);
                self.pos = (line_end + 1).min(self.end);
                break;
            }
            // `$(cat <<E … E)`: bash ends the body there, with a warning.
            if nested
                && let Some(tail) = line.strip_prefix(pending.delimiter.as_str())
                && tail.trim_start().starts_with([')', '`'])
            {
                (closed, stop) = (true, line_start);
                self.pos = line_end - tail.len();
                break;
            }
            self.pos = (line_end + 1).min(self.end);
        }
        if let Some(owner) = self.script.commands.get_mut(pending.owner) {
            owner.heredocs.push(start..stop);
        }
        self.script.malformed |= !closed;
        if pending.quoted && closed {
            return;
        }
        if self.depth >= MAX_HEREDOC_DEPTH {
            self.script.too_deep = true;
            return;
        }
        // A body that runs to the end of the text is malformed: its lines may be meant as commands.
        self.jobs.push(Job {
            range: start..stop,
            body: closed,
            recover: !closed,
            depth: self.depth + 1,
        });
    }
}
