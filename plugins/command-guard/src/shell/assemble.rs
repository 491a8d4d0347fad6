//! From words and operators to simple commands: keywords, compounds, pipelines, redirections.

use std::ops::Range;

use super::heredoc::{NO_OWNER, Pending};
use super::lexer::{Kind, Lexer};
use super::{Function, Redirect, Simple, Word};

/// Commands in the background are marked one by one up to this many; it serves fork bombs only.
const MAX_MARKED: usize = 64;

/// One nesting level of commands: what is being put together there.
#[derive(Default)]
pub(super) struct Level {
    pub(super) word: Option<Word>,
    pub(super) flow: Flow,
    /// Between `case … in` or `;;` and the `)` of a pattern.
    pub(super) pattern: bool,
    pub(super) pattern_from: usize,
    /// The elements of `name=(…)` are words, not commands.
    pub(super) array: bool,
    /// Open `((`.
    pub(super) arithmetic: usize,
    command: Building,
    compounds: Vec<Compound>,
    parens: usize,
    /// A function was named; its body is the next compound.
    function: Option<String>,
}

impl Level {
    /// A fresh level whose commands will be recorded from `first` on.
    pub(super) fn starting_at(first: usize) -> Self {
        Self {
            flow: Flow::starting_at(first),
            ..Self::default()
        }
    }

    /// A compound command was begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        !self.compounds.is_empty()
    }
}

/// Where the current pipeline starts, and what flows into the current command.
#[derive(Default)]
pub(super) struct Flow {
    start: usize,
    upstream: Option<Range<usize>>,
    over: Option<Range<usize>>,
}

impl Flow {
    fn starting_at(start: usize) -> Self {
        Self {
            start,
            ..Self::default()
        }
    }
}

#[derive(Default)]
struct Building {
    simple: Simple,
    started: Option<usize>,
    awaiting: Option<Target>,
    role: Role,
    /// Indices into `Lexer::pending`.
    heredocs: Vec<usize>,
}

/// What the words being read are for.
#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Role {
    #[default]
    Command,
    /// The head of `for` or `select`.
    Head,
    /// The head of `case`.
    Case,
    /// After `function`.
    FunctionName,
}

/// What the next word is the target of.
enum Target {
    Read,
    Write { truncates: bool },
    Heredoc { strip_tabs: bool },
    Herestring,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Opened {
    Paren,
    Brace,
    If,
    Loop,
    Case,
}

struct Compound {
    opened: Opened,
    first: usize,
    flow: Flow,
    arithmetic: bool,
    function: Option<String>,
}

impl Lexer<'_> {
    /// Ends the word being read and gives it its place.
    pub(super) fn end_word(&mut self) {
        let Some(mut word) = self.level.word.take() else {
            return;
        };
        word.range.end = self.pos;
        if self.level.array {
            return;
        }
        if self.level.pattern {
            if word.text == "esac" && !word.quoted {
                self.level.pattern = false;
                self.close_compound(Opened::Case);
            }
            return;
        }
        let command = &mut self.level.command;
        let start = word.range.start;
        if let Some(target) = command.awaiting.take() {
            command.started.get_or_insert(start);
            self.redirected(target, word);
            return;
        }
        match command.role {
            Role::FunctionName => {
                self.level.command = Building::default();
                self.level.function = Some(word.text);
                return;
            }
            Role::Case if word.text == "in" && !command.simple.words.is_empty() => {
                self.level.command = Building::default();
                self.level.pattern = true;
                self.level.pattern_from = self.pos;
                return;
            }
            _ => {}
        }
        if command.simple.words.is_empty() && command.role == Role::Command {
            if command.started.is_none() && self.keyword(&word) {
                return;
            }
            let command = &mut self.level.command;
            if let Some((name, value)) = assignment(&word) {
                command.started.get_or_insert(start);
                if !word.dynamic {
                    self.script
                        .variables
                        .insert(name.to_owned(), value.to_owned());
                }
                return;
            }
        }
        let command = &mut self.level.command;
        command.started.get_or_insert(start);
        command.simple.words.push(word);
    }

    /// Reserved words at the start of a command; true if `word` was one.
    fn keyword(&mut self, word: &Word) -> bool {
        if word.quoted || word.dynamic {
            return false;
        }
        match word.text.as_str() {
            "if" => self.open_compound(Opened::If),
            "while" | "until" => self.open_compound(Opened::Loop),
            "for" | "select" => {
                self.open_compound(Opened::Loop);
                self.level.command.role = Role::Head;
            }
            "case" if !self.recover => {
                self.open_compound(Opened::Case);
                self.level.command.role = Role::Case;
            }
            "function" => self.level.command.role = Role::FunctionName,
            "{" => self.open_compound(Opened::Brace),
            "}" => {
                let closes_frame = self.frames.last().map(|f| f.kind) == Some(Kind::BraceSubst)
                    && self.level.compounds.is_empty();
                if closes_frame {
                    self.pop();
                } else {
                    self.close_compound(Opened::Brace);
                }
            }
            "fi" => self.close_compound(Opened::If),
            "done" => self.close_compound(Opened::Loop),
            "esac" => self.close_compound(Opened::Case),
            "then" | "else" | "elif" | "do" | "!" | "coproc" => {}
            // Before an option it is the program of that name, which is a wrapper.
            "time" => return self.next_visible() != Some(b'-'),
            _ => return false,
        }
        true
    }

    fn next_visible(&self) -> Option<u8> {
        let rest = self.bytes.get(self.pos..self.end).unwrap_or_default();
        rest.iter().copied().find(|b| !matches!(b, b' ' | b'\t'))
    }

    fn open_compound(&mut self, opened: Opened) {
        let first = self.script.commands.len();
        let inner = Flow {
            start: first,
            upstream: self.level.flow.upstream.clone(),
            over: None,
        };
        let flow = std::mem::replace(&mut self.level.flow, inner);
        let function = self.level.function.take();
        self.level.compounds.push(Compound {
            opened,
            first,
            flow,
            arithmetic: false,
            function,
        });
    }

    fn close_compound(&mut self, opened: Opened) {
        let matches = |c: &Compound| c.opened == opened;
        if !self.level.compounds.last().is_some_and(matches) {
            self.script.malformed = true;
            return;
        }
        if let Some(compound) = self.level.compounds.pop() {
            self.leave(compound);
        }
    }

    fn leave(&mut self, compound: Compound) {
        let body = compound.first..self.script.commands.len();
        if compound.opened == Opened::Paren {
            self.level.parens -= 1;
            self.level.arithmetic -= usize::from(compound.arithmetic);
        }
        if let Some(name) = compound.function {
            self.script.functions.push(Function {
                name,
                body: body.clone(),
            });
        }
        self.level.flow = compound.flow;
        self.level.flow.over = Some(body);
    }

    /// Records the command being read, if there is one.
    fn finish(&mut self) {
        self.end_word();
        let building = std::mem::take(&mut self.level.command);
        self.script.malformed |= building.awaiting.is_some();
        let index = self.script.commands.len();
        let mut simple = building.simple;
        let recorded = building.role == Role::Command
            && (building.started.is_some() || !simple.words.is_empty());
        for &at in &building.heredocs {
            if let Some(pending) = self.pending.get_mut(at) {
                pending.owner = if recorded { index } else { NO_OWNER };
            }
        }
        if !recorded || self.level.array {
            return;
        }
        simple.range = building.started.unwrap_or(self.pos)..self.pos;
        simple.upstream = self.level.flow.upstream.clone();
        if simple.words.is_empty() {
            simple.over = self.level.flow.over.take();
        }
        self.script.commands.push(simple);
    }

    /// `;`, `&&`, `||`, newline, or the end.
    pub(super) fn separator(&mut self) {
        self.finish();
        let upstream = self
            .level
            .compounds
            .last()
            .and_then(|c| c.flow.upstream.clone());
        self.level.flow = Flow {
            start: self.script.commands.len(),
            upstream,
            over: None,
        };
    }

    pub(super) fn background(&mut self) {
        self.finish();
        let start = self.level.flow.start;
        if let Some(commands) = self.script.commands.get_mut(start..)
            && commands.len() <= MAX_MARKED
        {
            commands.iter_mut().for_each(|c| c.background = true);
        }
        self.separator();
    }

    pub(super) fn pipe(&mut self) {
        self.finish();
        self.level.flow.upstream = Some(self.level.flow.start..self.script.commands.len());
        self.level.flow.over = None;
    }

    /// After `;;`: a pattern follows, if this is a `case`.
    pub(super) fn expect_pattern(&mut self) {
        // Compounds left open inside the clause are malformed; the clause ends them.
        let case = |c: &Compound| c.opened == Opened::Case;
        if self.level.compounds.last().is_some_and(case) {
            self.level.pattern = true;
            self.level.pattern_from = self.pos;
        }
    }

    pub(super) fn open_paren(&mut self) {
        if self.level.pattern || self.level.array {
            self.pos += 1;
            return;
        }
        if let Some(word) = &self.level.word {
            let last = self.pos.checked_sub(1).and_then(|at| self.bytes.get(at));
            let kind = match last {
                Some(b'=') if assignment(word).is_some() => Some(Kind::Array),
                Some(b'?' | b'*' | b'+' | b'@' | b'!') => Some(Kind::Glob),
                _ => None,
            };
            if let Some(kind) = kind
                && !self.recover
            {
                self.push(kind);
                self.pos += 1;
                return;
            }
        }
        self.end_word();
        if self.function_head() {
            return;
        }
        if !self.level.command.simple.words.is_empty() && self.level.command.role == Role::Command {
            self.separator();
        }
        let arithmetic = self.peek(1) == Some(b'(');
        self.open_compound(Opened::Paren);
        self.level.parens += 1;
        if arithmetic {
            self.level.arithmetic += 1;
            if let Some(compound) = self.level.compounds.last_mut() {
                compound.arithmetic = true;
            }
        }
        self.pos += 1;
    }

    /// `name ( )`: true if that is what stands here, and it was taken.
    fn function_head(&mut self) -> bool {
        let rest = self.bytes.get(self.pos + 1..self.end).unwrap_or_default();
        let blanks = rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        if rest.get(blanks) != Some(&b')') {
            return false;
        }
        let words = &mut self.level.command.simple.words;
        if self.level.function.is_none() {
            let [name] = words.as_mut_slice() else {
                return false;
            };
            self.level.function = Some(std::mem::take(&mut name.text));
        }
        self.level.command = Building::default();
        self.pos += blanks + 2;
        true
    }

    pub(super) fn close_paren(&mut self) {
        self.end_word();
        if self.level.pattern {
            self.level.pattern = false;
            self.pos += 1;
            return;
        }
        self.finish();
        if self.level.parens > 0 {
            while let Some(compound) = self.level.compounds.pop() {
                let done = compound.opened == Opened::Paren;
                self.leave(compound);
                if done {
                    break;
                }
            }
        } else if matches!(
            self.frames.last().map(|f| f.kind),
            Some(Kind::Subst | Kind::Array)
        ) {
            self.pop();
        } else {
            self.script.malformed = true;
            self.separator();
        }
        self.pos += 1;
    }

    /// `<`, `>` and the operators that begin with them.
    pub(super) fn redirect(&mut self) {
        if self.peek(1) == Some(b'(') {
            self.push(Kind::Subst);
            self.pos += 2;
            return;
        }
        // Digits or `{name}` right before the operator say which descriptor is meant.
        if let Some(word) = self.level.word.take_if(|w| {
            let named = w.text.starts_with('{') && w.text.ends_with('}');
            !w.quoted && (named || w.text.bytes().all(|b| b.is_ascii_digit()))
        }) {
            let command = &mut self.level.command;
            command.started.get_or_insert(word.range.start);
        } else {
            self.end_word();
        }
        let at = self.pos;
        let rest = self.bytes.get(at..self.end).unwrap_or_default();
        let (length, target) = match rest {
            [b'<', b'<', b'<', ..] => (3, Target::Herestring),
            [b'<', b'<', b'-', ..] if self.level.arithmetic == 0 => {
                (3, Target::Heredoc { strip_tabs: true })
            }
            [b'<', b'<', ..] if self.level.arithmetic == 0 => {
                (2, Target::Heredoc { strip_tabs: false })
            }
            [b'<', b'<' | b'&', ..] => (2, Target::Read),
            [b'<', b'>', ..] => (2, Target::Write { truncates: false }),
            [b'<', ..] => (1, Target::Read),
            [b'>', b'>', ..] => (2, Target::Write { truncates: false }),
            [b'>', b'|' | b'&', ..] => (2, Target::Write { truncates: true }),
            _ => (1, Target::Write { truncates: true }),
        };
        if !self.level.pattern && !self.level.array {
            self.level.command.started.get_or_insert(at);
            let before = self.level.command.awaiting.replace(target);
            self.script.malformed |= before.is_some();
        }
        self.pos += length;
    }

    fn redirected(&mut self, target: Target, word: Word) {
        let command = &mut self.level.command;
        match target {
            Target::Read => {}
            Target::Write { truncates } => command.simple.redirects.push(Redirect {
                truncates,
                target: word,
            }),
            Target::Herestring => command.simple.herestrings.push(word.text),
            Target::Heredoc { strip_tabs } => {
                command.heredocs.push(self.pending.len());
                self.pending.push(Pending {
                    delimiter: word.text,
                    quoted: word.quoted,
                    strip_tabs,
                    owner: NO_OWNER,
                });
            }
        }
    }
}

/// `NAME=value`, `NAME+=value` or `NAME[…]=value`, split at the sign.
pub(crate) fn assignment(word: &Word) -> Option<(&str, &str)> {
    let (left, value) = word.text.split_once('=')?;
    let left = left.strip_suffix('+').unwrap_or(left);
    let name = left.split_once('[').map_or(left, |(name, _)| name);
    let mut bytes = name.bytes();
    let first = bytes.next()?;
    let lawful = (first == b'_' || first.is_ascii_alphabetic())
        && bytes.all(|b| b == b'_' || b.is_ascii_alphanumeric());
    lawful.then_some((name, value))
}
