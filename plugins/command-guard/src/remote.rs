//! Scripts that come from elsewhere: downloaded or decoded, and run unseen.

use std::ops::Range;

use crate::call::{Hits, program_name};
use crate::options::{Options, Valued};
use crate::rules;
use crate::shell::{Script, Simple, Word};
use crate::wrappers::{self, Runs};

/// Words of interest to the quick reject.
pub(crate) static PROGRAMS: &[&str] = &[
    "curl", "wget", "fetch", "aria2c", "http", "https", "xh", "base64", "base32", "xxd", "openssl",
    "uudecode",
];

/// Wrappers in front of a program that are looked through here.
const MAX_WRAPPERS: usize = 8;

/// Which commands of a script bring in text from elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    downloads: Places,
    decoders: Places,
}

/// Positions of some commands, to be asked for by index and by byte range in constant time or nearly.
#[derive(Debug, Default)]
struct Places {
    /// How many there are before each index.
    before: Vec<usize>,
    /// Where they start in the text, in order.
    starts: Vec<usize>,
}

impl Places {
    fn of(script: &Script, test: impl Fn(&str, &[Word]) -> bool) -> Self {
        let mut places = Self::default();
        let mut count = 0;
        for simple in &script.commands {
            places.before.push(count);
            if innermost(&simple.words, &test) {
                count += 1;
                places.starts.push(simple.range.start);
            }
        }
        places.before.push(count);
        places.starts.sort_unstable();
        places
    }

    fn among(&self, commands: &Range<usize>) -> bool {
        let at = |index: usize| self.before.get(index).copied().unwrap_or_default();
        at(commands.end) > at(commands.start)
    }

    fn within(&self, bytes: &Range<usize>) -> bool {
        let first = self.starts.partition_point(|&start| start < bytes.start);
        self.starts
            .get(first)
            .is_some_and(|&start| start < bytes.end)
    }
}

/// Whether `test` holds for the program, or for one it is a wrapper of.
fn innermost(words: &[Word], test: &impl Fn(&str, &[Word]) -> bool) -> bool {
    let mut words = words;
    for _ in 0..MAX_WRAPPERS {
        let Some((first, args)) = words.split_first() else {
            return false;
        };
        let name = program_name(first);
        if test(&name, args) {
            return true;
        }
        let inner = wrappers::runs(&name, args)
            .into_iter()
            .find_map(|runs| match runs {
                Runs::Words(inner) => Some(inner),
                _ => None,
            });
        match inner {
            Some(inner) => words = inner,
            None => return false,
        }
    }
    false
}

impl Sources {
    pub(crate) fn of(script: &Script) -> Self {
        Self {
            downloads: Places::of(script, |name, _| {
                matches!(
                    name,
                    "curl" | "wget" | "fetch" | "aria2c" | "http" | "https" | "xh"
                )
            }),
            decoders: Places::of(script, decodes),
        }
    }

    /// `program`, one of those that `simple` runs, takes its script from elsewhere.
    pub(crate) fn check(
        &self,
        simple: &Simple,
        program: &str,
        args: &[Word],
        runs: &[Runs<'_>],
        hits: &mut Hits<'_>,
    ) {
        let from_stdin =
            runs.iter().any(|r| matches!(r, Runs::Stdin)) || interprets_stdin(program, args);
        if from_stdin && let Some(upstream) = &simple.upstream {
            hits.add_if(self.downloads.among(upstream), &rules::SHELL_REMOTE_SCRIPT);
            hits.add_if(self.decoders.among(upstream), &rules::SHELL_DECODED_SCRIPT);
        }
        let takes_script = wrappers::SHELLS.contains(&program)
            || matches!(program, "eval" | "source" | ".")
            || is_interpreter(program);
        if takes_script {
            let substituted = || args.iter().filter(|w| w.substituted);
            hits.add_if(
                substituted().any(|w| self.downloads.within(&w.range)),
                &rules::SHELL_REMOTE_SCRIPT,
            );
            hits.add_if(
                substituted().any(|w| self.decoders.within(&w.range)),
                &rules::SHELL_DECODED_SCRIPT,
            );
        }
    }
}

fn decodes(name: &str, args: &[Word]) -> bool {
    let options = Options::parse(args, Valued::default());
    match name {
        "base64" | "base32" => options.has('d') || options.has('D') || options.has_long("decode"),
        "xxd" => options.has('r'),
        "openssl" => args.iter().any(|w| w.text == "-d"),
        "uudecode" => true,
        _ => false,
    }
}

fn is_interpreter(program: &str) -> bool {
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(
        stem,
        "python"
            | "pypy"
            | "perl"
            | "ruby"
            | "node"
            | "nodejs"
            | "php"
            | "lua"
            | "osascript"
            | "pwsh"
            | "deno"
            | "bun"
    )
}

/// Interpreters run standard input only if they are given no program; with `-c`, `-m` or `-e` it is data.
fn interprets_stdin(program: &str, args: &[Word]) -> bool {
    if !is_interpreter(program) {
        return false;
    }
    let options = Options::leading(args, Valued::default());
    match options.operand(0) {
        None => !"cmenpErR".chars().any(|letter| options.has(letter)) && !options.has_long("eval"),
        // `-` alone is an operand here.
        Some(first) => first == "-" && (!options.has_any() || !options.has('c')),
    }
}
