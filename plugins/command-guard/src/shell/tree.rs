//! The second reading: where the bash grammar of tree-sitter sees simple commands.
//!
//! It is a grammar for editors. It never fails and knows much syntax, but reads some lawful text
//! otherwise than bash does (a line continued inside a word, words after a redirection), so it adds
//! to the lexer's reading and never takes away from it.

use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// Commands inside commands that are followed; bounds the cost of reading each one's words.
const MAX_NESTED: usize = 32;
/// Steps of the parser between two calls of its progress callback.
const STEPS_PER_CALL: usize = 100;
/// Lawful text takes under three steps a byte; error recovery can take quadratically many, so there is
/// an end to it.
const FREE_CALLS: usize = 32;
const BYTES_PER_CALL: usize = 16;

/// The ranges of the simple commands in `text`; none if it is malformed or takes too many steps,
/// for then the tree is guesswork and the lexer's reading stands alone. Also how many steps it took.
pub(super) fn commands(text: &str) -> (Vec<Range<usize>>, usize) {
    let mut calls = 0;
    let ranges = parse(text, &mut calls)
        .filter(|tree| !tree.root_node().has_error())
        .map(|tree| collect(&tree))
        .unwrap_or_default();
    (ranges, calls * STEPS_PER_CALL)
}

fn parse(text: &str, calls: &mut usize) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let most = FREE_CALLS + text.len() / BYTES_PER_CALL;
    let mut progress = |state: &ParseState| {
        *calls += 1;
        if *calls > most || state.has_error() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut source = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut source, None, Some(options))
}

fn collect(tree: &Tree) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    let mut nested = 0usize;
    loop {
        let is_command = cursor.node().kind() == "command";
        if is_command && nested < MAX_NESTED {
            found.push(cursor.node().byte_range());
        }
        if cursor.goto_first_child() {
            nested += usize::from(is_command);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            nested -= usize::from(cursor.node().kind() == "command");
        }
    }
}
