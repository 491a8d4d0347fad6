//! One automaton over all patterns, fed with those parts of a view that can hold one.
//!
//! A pattern lies within one word: a stretch of bytes that occur in patterns at all. Words shorter
//! than the shortest pattern are passed over, and in a view that undoes escapes so are the words
//! without an escape, which the raw view has shown already. Ordinary text is mostly passed over.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;

use crate::config::ConfigError;
use crate::view::{Piece, View};

pub(crate) struct Search {
    automaton: NFA,
    start: StateID,
    shortest: usize,
    /// Which bytes occur in any pattern.
    occurs: [bool; 256],
}

/// The longest pattern that ends at some place.
pub(crate) struct Hit {
    /// Where it starts in the view.
    pub(crate) start: usize,
    /// Where it ends in the raw text.
    pub(crate) end: usize,
    pub(crate) pattern: usize,
}

impl Search {
    /// A search for `patterns`, none of which is empty.
    pub(crate) fn new(patterns: &[Vec<u8>]) -> Result<Self, ConfigError> {
        let too_many = || ConfigError::TooManyValues {
            patterns: patterns.len(),
        };
        let automaton = NFA::new(patterns).map_err(|_| too_many())?;
        let start = automaton
            .start_state(Anchored::No)
            .map_err(|_| too_many())?;
        let mut occurs = [false; 256];
        for &byte in patterns.iter().flatten() {
            occurs[usize::from(byte)] = true;
        }
        let shortest = patterns.iter().map(Vec::len).min().unwrap_or(0);
        Ok(Self {
            automaton,
            start,
            shortest,
            occurs,
        })
    }

    pub(crate) fn hits(&self, text: &[u8], view: View) -> Vec<Hit> {
        let mut feed = Feed {
            search: self,
            state: self.start,
            hits: Vec::new(),
        };
        match view.is_raw() {
            true => self.raw(text, &mut feed),
            false => self.escaped(text, view, &mut feed),
        }
        feed.hits
    }

    fn raw(&self, text: &[u8], feed: &mut Feed<'_>) {
        let mut at = 0;
        for word in text.split(|byte| !self.occurs(*byte)) {
            if word.len() >= self.shortest {
                feed.restart();
                feed.run(word, at, at);
            }
            at += word.len() + 1;
        }
    }

    fn escaped(&self, text: &[u8], view: View, feed: &mut Feed<'_>) {
        // Whether the last escape belongs to a word that has not ended.
        let mut open = false;
        // The run before, of which the end may belong to the word of the next escape.
        let mut before: &[u8] = &[];
        let mut read = 0;
        for (from, piece) in view.walk(text) {
            match piece {
                Piece::Run(run) => {
                    if open {
                        let word = run.iter().take_while(|b| self.occurs(**b)).count();
                        feed.run(run.get(..word).unwrap_or_default(), read, from);
                        open = word == run.len();
                    }
                    before = run;
                    read += run.len();
                }
                Piece::Escape(unit) => {
                    let inside = unit.bytes().iter().all(|b| self.occurs(*b));
                    if inside && !open {
                        let word = before.iter().rev().take_while(|b| self.occurs(**b)).count();
                        let tail = before.get(before.len() - word..).unwrap_or_default();
                        feed.restart();
                        feed.run(tail, read - word, from - word);
                    }
                    open = inside;
                    before = &[];
                    for &byte in unit.bytes() {
                        read += 1;
                        if inside {
                            feed.step(byte, read, unit.next());
                        }
                    }
                }
            }
        }
    }

    fn occurs(&self, byte: u8) -> bool {
        self.occurs[usize::from(byte)]
    }
}

struct Feed<'s> {
    search: &'s Search,
    state: StateID,
    hits: Vec<Hit>,
}

impl Feed<'_> {
    fn restart(&mut self) {
        self.state = self.search.start;
    }

    /// Takes `run`, which stands at `read` in the view and at `from` in the raw text.
    fn run(&mut self, run: &[u8], read: usize, from: usize) {
        for (at, &byte) in run.iter().enumerate() {
            self.step(byte, read + at + 1, from + at + 1);
        }
    }

    /// Takes one byte, which ends at `read` in the view and at `end` in the raw text.
    fn step(&mut self, byte: u8, read: usize, end: usize) {
        let automaton = &self.search.automaton;
        self.state = automaton.next_state(Anchored::No, self.state, byte);
        if !automaton.is_special(self.state) || !automaton.is_match(self.state) {
            return;
        }
        let matches = 0..automaton.match_len(self.state);
        let matches = matches.map(|at| automaton.match_pattern(self.state, at));
        if let Some(longest) = matches.max_by_key(|pattern| automaton.pattern_len(*pattern)) {
            let start = read - automaton.pattern_len(longest);
            let pattern = longest.as_usize();
            self.hits.push(Hit {
                start,
                end,
                pattern,
            });
        }
    }
}
