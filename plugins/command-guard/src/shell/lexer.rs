//! Our own reading of shell text: one pass over the bytes, no recursion, no text it cannot read.
//!
//! Nesting lives on a heap stack of frames. What a shell would refuse as malformed is read once more
//! without the quote or bracket that was never closed, so that a stray `"` hides nothing.

use std::ops::Range;

use super::assemble::Level;
use super::heredoc::Pending;
use super::{Script, Word};

/// Frames that may be open at once; beyond that the script counts as too deep.
const MAX_FRAMES: usize = 100;
/// Here-documents inside here-documents that are followed.
pub(super) const MAX_HEREDOC_DEPTH: usize = 8;

/// What the reader stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `"…"`
    Double,
    /// The body of an unquoted here-document: `"` is an ordinary character.
    Body,
    /// `${…}`
    Param { quoted: bool },
    /// `@(…)` and its sisters
    Glob,
    /// `$(…)`, `<(…)`, `>(…)`
    Subst,
    /// `` `…` ``
    Backtick,
    /// `${ …; }`
    BraceSubst,
    /// `name=(…)`
    Array,
}

pub(super) struct Frame {
    pub(super) kind: Kind,
    open: usize,
    /// The command being put together outside, for frames that hold commands of their own.
    outer: Option<Level>,
}

/// A part of the text still to be read.
pub(super) struct Job {
    pub(super) range: Range<usize>,
    pub(super) body: bool,
    pub(super) recover: bool,
    pub(super) depth: usize,
}

pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) pos: usize,
    pub(super) end: usize,
    pub(super) recover: bool,
    pub(super) depth: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) level: Level,
    pub(super) backticks: usize,
    pub(super) no_single: bool,
    pub(super) pending: Vec<Pending>,
    pub(super) jobs: Vec<Job>,
    pub(super) script: Script,
}

pub(super) fn lex(text: &str) -> Script {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        pos: 0,
        end: text.len(),
        recover: false,
        depth: 0,
        frames: Vec::new(),
        level: Level::default(),
        backticks: 0,
        no_single: false,
        pending: Vec::new(),
        jobs: vec![Job {
            range: 0..text.len(),
            body: false,
            recover: false,
            depth: 0,
        }],
        script: Script::default(),
    };
    while let Some(job) = lexer.jobs.pop() {
        lexer.run(job);
    }
    lexer.script
}

impl Lexer<'_> {
    fn run(&mut self, job: Job) {
        self.pos = job.range.start;
        self.end = job.range.end;
        self.recover = job.recover;
        self.depth = job.depth;
        self.frames.clear();
        self.pending.clear();
        self.backticks = 0;
        self.no_single = false;
        self.level = Level::starting_at(self.script.commands.len());
        if job.body {
            self.push(Kind::Body);
            self.word();
        }
        while self.pos < self.end && !self.script.too_deep {
            let before = self.pos;
            match self.frames.last().map(|f| f.kind) {
                Some(Kind::Double) => self.double(false),
                Some(Kind::Body) => self.double(true),
                Some(Kind::Param { quoted }) => self.param(quoted),
                Some(Kind::Glob) => self.glob(),
                _ => self.code(),
            }
            self.script.steps += 1 + self.pos.saturating_sub(before);
        }
        self.close_job(job.body);
    }

    /// Ends what is open at the end of the text; what swallowed text without being closed is read again.
    fn close_job(&mut self, body: bool) {
        let unclosed = self.frames.iter().find(|f| {
            matches!(
                f.kind,
                Kind::Double | Kind::Param { .. } | Kind::Glob | Kind::Array
            )
        });
        let mut again = unclosed.map(|f| f.open + 1);
        self.script.malformed |=
            self.level.pattern || self.level.is_open() || self.frames.len() > usize::from(body);
        if again.is_none() && self.level.pattern {
            again = Some(self.level.pattern_from);
        }
        while !self.frames.is_empty() {
            self.pop();
        }
        if body {
            // The text of a here-document is a word of no command.
            self.level.word = None;
        }
        self.separator();
        // A here-document whose line never ended has no body; nothing to do for it.
        self.pending.clear();
        if let Some(start) = again {
            self.read_again(start);
        }
    }

    /// Has the text from `start` on read as commands, without the constructs that can stay unclosed.
    pub(super) fn read_again(&mut self, start: usize) {
        self.script.malformed = true;
        if !self.recover {
            self.jobs.push(Job {
                range: start.min(self.end)..self.end,
                body: false,
                recover: true,
                depth: self.depth,
            });
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        let at = self.pos + ahead;
        (at < self.end)
            .then(|| self.bytes.get(at).copied())
            .flatten()
    }

    /// The word being read, begun here if there is none.
    pub(super) fn word(&mut self) -> &mut Word {
        let start = self.pos;
        self.level.word.get_or_insert_with(|| Word {
            range: start..start,
            ..Word::default()
        })
    }

    /// Appends the bytes `from..self.pos` to the word.
    pub(super) fn take_from(&mut self, from: usize) {
        let text = self.text;
        let to = self.pos.min(self.end);
        let slice = text.get(from..to).unwrap_or_default();
        let word = self.level.word.get_or_insert_with(|| Word {
            range: from..from,
            ..Word::default()
        });
        word.text.push_str(slice);
    }

    pub(super) fn push(&mut self, kind: Kind) {
        if self.frames.len() >= MAX_FRAMES {
            self.script.too_deep = true;
            return;
        }
        let outer = match kind {
            Kind::Double | Kind::Body | Kind::Param { .. } | Kind::Glob => None,
            Kind::Subst | Kind::Backtick | Kind::BraceSubst | Kind::Array => {
                self.word();
                let mut fresh = Level::starting_at(self.script.commands.len());
                fresh.array = kind == Kind::Array;
                Some(std::mem::replace(&mut self.level, fresh))
            }
        };
        if kind == Kind::Backtick {
            self.backticks += 1;
        }
        self.frames.push(Frame {
            kind,
            open: self.pos,
            outer,
        });
    }

    pub(super) fn pop(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let Some(outer) = frame.outer else { return };
        self.separator();
        self.level = outer;
        if frame.kind == Kind::Backtick {
            self.backticks -= 1;
        }
        let word = self.word();
        word.quoted = true;
        if frame.kind != Kind::Array {
            word.dynamic = true;
            word.substituted = true;
            word.text.push_str("$()");
        }
    }

    /// A backtick ends the innermost open one whatever quotes stand between, as in the shell.
    pub(super) fn backtick(&mut self) {
        if self.backticks == 0 {
            self.push(Kind::Backtick);
            self.pos += 1;
            return;
        }
        let inside = self.backticks;
        while self.backticks == inside {
            self.pop();
        }
        self.pos += 1;
    }

    /// An escaped backtick inside backticks opens or closes the second level.
    pub(super) fn escaped_backtick(&mut self) {
        self.pos += 1;
        if self.backticks > 1 {
            self.backtick();
        } else {
            self.push(Kind::Backtick);
            self.pos += 1;
        }
    }

    /// One step where commands are expected.
    fn code(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        match byte {
            b' ' | b'\t' | b'\r' => {
                self.end_word();
                self.pos += 1;
            }
            b'\n' => self.newline(),
            b'\\' => self.escape(),
            b'\'' => self.single(),
            b'"' => self.open_double(),
            b'$' => self.dollar(false),
            b'`' => self.backtick(),
            b'#' if self.level.word.is_none() && self.level.arithmetic == 0 => self.comment(),
            b';' => self.semicolon(),
            b'&' => self.ampersand(),
            b'|' => self.bar(),
            b'(' => self.open_paren(),
            b')' => self.close_paren(),
            b'<' | b'>' => self.redirect(),
            _ => {
                let from = self.pos;
                self.pos += 1;
                while self.peek(0).is_some_and(|b| !is_special(b)) {
                    self.pos += 1;
                }
                self.take_from(from);
            }
        }
    }

    pub(super) fn open_double(&mut self) {
        self.word().quoted = true;
        if !self.recover {
            self.push(Kind::Double);
        }
        self.pos += 1;
    }

    fn comment(&mut self) {
        let in_backticks = self.backticks > 0;
        while let Some(byte) = self.peek(0) {
            if byte == b'\n' || (in_backticks && byte == b'`') {
                return;
            }
            self.pos += 1;
        }
    }

    fn newline(&mut self) {
        self.end_word();
        if !self.level.pattern {
            self.separator();
        }
        self.pos += 1;
        self.read_bodies();
    }

    fn semicolon(&mut self) {
        self.end_word();
        self.separator();
        self.pos += 1;
        let ends_clause = matches!(self.peek(0), Some(b';' | b'&'));
        while matches!(self.peek(0), Some(b';' | b'&')) {
            self.pos += 1;
        }
        if ends_clause {
            self.expect_pattern();
        }
    }

    fn ampersand(&mut self) {
        match self.peek(1) {
            Some(b'&') => {
                self.separator();
                self.pos += 2;
            }
            Some(b'>') => {
                self.end_word();
                self.pos += 1;
                self.redirect();
            }
            _ => {
                self.background();
                self.pos += 1;
            }
        }
    }

    fn bar(&mut self) {
        self.end_word();
        if self.level.pattern {
            self.pos += 1;
            return;
        }
        match self.peek(1) {
            Some(b'|') => {
                self.separator();
                self.pos += 2;
            }
            next => {
                self.pipe();
                self.pos += if next == Some(b'&') { 2 } else { 1 };
            }
        }
    }
}

/// Bytes that end a run of ordinary characters in a word.
fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b'\\'
            | b'\''
            | b'"'
            | b'$'
            | b'`'
            | b';'
            | b'&'
            | b'|'
            | b'('
            | b')'
            | b'<'
            | b'>'
    )
}
