//! What a shell text says, as simple commands: the model that both readings of it share.

mod assemble;
mod expand;
mod heredoc;
mod lexer;
mod tree;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(crate) use assemble::assignment;

/// Longer texts are read by the lexer alone.
const MAX_TREE: usize = 64 * 1024;
/// The same for malformed texts.
const MAX_MALFORMED: usize = 2 * 1024;

/// One word after quote removal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    /// The text without its quotes. Expansions stand in it as `$NAME`, substitutions as `$()`.
    pub(crate) text: String,
    /// Where it stands in the script.
    pub(crate) range: Range<usize>,
    /// Some of it is known only when the shell runs, and may be empty.
    pub(crate) dynamic: bool,
    /// It holds `$(…)`, backticks or `<(…)`.
    pub(crate) substituted: bool,
    /// Some of it was quoted or escaped.
    pub(crate) quoted: bool,
}

/// A redirection that opens a file for writing.
#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) truncates: bool,
    pub(crate) target: Word,
}

/// A simple command: words, and what is connected to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) range: Range<usize>,
    /// Bodies of its here-documents, as ranges of the script.
    pub(crate) heredocs: Vec<Range<usize>>,
    /// Texts of its `<<<` redirections.
    pub(crate) herestrings: Vec<String>,
    /// The commands whose output it reads, as a range of `Script::commands`.
    pub(crate) upstream: Option<Range<usize>>,
    /// For redirections that follow a compound command: the commands inside it.
    pub(crate) over: Option<Range<usize>>,
    pub(crate) background: bool,
}

/// A function, with the commands of its body as a range of `Script::commands`.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) body: Range<usize>,
}

/// Everything found in one shell text.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Simple>,
    pub(crate) functions: Vec<Function>,
    /// Variables that are given a fixed text somewhere in the script.
    pub(crate) variables: HashMap<String, String>,
    /// Something is not closed, or closed twice, or lacks its target: no shell would take all of it.
    pub(crate) malformed: bool,
    /// Nested deeper than is followed.
    pub(crate) too_deep: bool,
    /// Bytes looked at and parser steps taken; what the tests of linear time count.
    pub(crate) steps: usize,
}

/// Reads `text` twice: with our lexer, which follows the shell's own rules and recovers from anything,
/// and with the bash grammar of tree-sitter. Commands that only the second sees are added, so a text
/// has to mislead both readings to hide a command.
pub(crate) fn read(text: &str) -> Script {
    let mut script = lexer::lex(text);
    // The grammar's recovery from errors takes quadratic time, and its trees of malformed text are
    // guesswork: beyond a size, the second reading is for well-formed text alone.
    let most = if script.malformed {
        MAX_MALFORMED
    } else {
        MAX_TREE
    };
    if text.len() > most {
        return script;
    }
    let seen: HashSet<usize> = script.commands.iter().map(|c| c.range.start).collect();
    let (ranges, steps) = tree::commands(text);
    script.steps += steps;
    for range in ranges {
        if seen.contains(&range.start) {
            continue;
        }
        let Some(slice) = text.get(range.clone()) else {
            continue;
        };
        let alone = lexer::lex(slice);
        script.steps += alone.steps;
        // What is substituted into the command starts after it.
        let outermost = alone.commands.into_iter().min_by_key(|c| c.range.start);
        if let Some(mut simple) = outermost {
            simple.rebase(range.start);
            script.commands.push(simple);
        }
    }
    script
}

impl Simple {
    /// Turns ranges of a slice into ranges of the script it was cut from.
    fn rebase(&mut self, by: usize) {
        let shift = |range: &mut Range<usize>| *range = range.start + by..range.end + by;
        shift(&mut self.range);
        self.words.iter_mut().for_each(|w| shift(&mut w.range));
        self.redirects
            .iter_mut()
            .for_each(|r| shift(&mut r.target.range));
        self.heredocs.iter_mut().for_each(shift);
        self.upstream = None;
        self.over = None;
    }
}

#[cfg(test)]
mod tests;
