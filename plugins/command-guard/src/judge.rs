//! From a script to its programs, through wrappers and nested scripts, and each program to the rules.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::call::{Call, Hits, program_name};
use crate::policy::Policy;
use crate::remote::Sources;
use crate::rules::{self, Rule};
use crate::shell::{self, Script, Simple, Word};
use crate::wrappers::{Runs, joined};
use crate::{fs, git, paths, services, system, wrappers};

/// Scripts inside scripts (`bash -c "bash -c …"`) that are followed.
const MAX_SCRIPTS: usize = 8;
/// Bytes of nested scripts that are always read.
const MIN_NESTED: usize = 64 * 1024;
/// Programs that one simple command may run through wrappers.
const MAX_PROGRAMS: usize = 256;
/// The longest value of a variable that is taken for a command.
const MAX_VALUE: usize = 256;
/// Commands before a `|` whose literal output is looked at.
const MAX_FEEDING: usize = 4;

/// A simple command and the rule it meets.
pub(crate) struct Found<'t, 'p> {
    pub(crate) command: &'t str,
    pub(crate) rule: Option<&'p Rule>,
}

pub(crate) type Visit<'v, 'p> = &'v mut dyn FnMut(Found<'_, 'p>) -> ControlFlow<()>;

pub(crate) struct Judge<'p> {
    policy: &'p Policy,
    /// Bytes of nested scripts that may still be read. One text can reach several shells, whose texts
    /// reach several more; this keeps the whole linear.
    left: Cell<usize>,
}

/// What there is to know around one simple command.
struct Around<'s> {
    text: &'s str,
    script: &'s Script,
    sources: Sources,
}

impl<'p> Judge<'p> {
    pub(crate) fn new(policy: &'p Policy, text: &str) -> Self {
        let left = Cell::new(MIN_NESTED + MAX_SCRIPTS * text.len());
        Self { policy, left }
    }

    /// Visits every simple command of `text`, then those of the scripts it runs.
    pub(crate) fn script(&self, text: &str, depth: usize, visit: Visit<'_, 'p>) -> ControlFlow<()> {
        if depth > MAX_SCRIPTS {
            return self.too_deep(text, visit);
        }
        let script = shell::read(text);
        if script.too_deep {
            self.too_deep(text, visit)?;
        }
        let around = Around {
            text,
            script: &script,
            sources: Sources::of(&script),
        };
        let bombs = system::fork_bombs(&script);
        for (index, simple) in script.commands.iter().enumerate() {
            let mut hits = Hits::new(&self.policy.disabled);
            hits.add_if(bombs.contains(&index), &rules::SYSTEM_FORK_BOMB);
            let scripts = self.simple(&around, simple, &mut hits);
            let command = text.get(simple.range.clone()).unwrap_or(text);
            visit(Found {
                command,
                rule: hits.first(),
            })?;
            for script in scripts {
                match self.left.get().checked_sub(script.len()) {
                    Some(left) => self.left.set(left),
                    None => return self.too_deep(text, visit),
                }
                self.script(&script, depth + 1, visit)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn too_deep(&self, text: &str, visit: Visit<'_, 'p>) -> ControlFlow<()> {
        let mut hits = Hits::new(&self.policy.disabled);
        hits.add(&rules::INPUT_TOO_DEEP);
        visit(Found {
            command: text,
            rule: hits.first(),
        })
    }

    /// Judges one simple command; answers the scripts that it runs.
    fn simple(&self, around: &Around<'_>, simple: &Simple, hits: &mut Hits<'p>) -> Vec<String> {
        fs::check_redirects(&simple.redirects, hits);
        let mut scripts = Vec::new();
        let named = self.named(around.script, &simple.words);
        let mut left: Vec<&[Word]> = vec![named.as_deref().unwrap_or(&simple.words)];
        let mut programs = 0;
        while let Some(words) = left.pop() {
            let Some((first, args)) = words.split_first() else {
                continue;
            };
            programs += 1;
            if programs > MAX_PROGRAMS {
                hits.add(&rules::INPUT_TOO_DEEP);
                break;
            }
            let program = program_name(first);
            let call = Call {
                program: &program,
                args,
                allow: &self.policy.allow,
            };
            let mut runs = wrappers::runs(&program, args);
            runs.extend(git::runs(&program, args));
            self.rules(around, simple, &call, &runs, hits);
            runs.extend(fs::runs(&program, args, &self.policy.allow));
            for run in runs {
                match run {
                    Runs::Words(words) => left.push(words),
                    Runs::Script(script) => scripts.push(script),
                    Runs::Stdin => scripts.extend(fed(around, simple)),
                }
            }
        }
        if simple.words.is_empty() {
            scripts.extend(fed_to_compound(around, simple));
        }
        scripts
    }

    fn rules(
        &self,
        around: &Around<'_>,
        simple: &Simple,
        call: &Call<'_>,
        runs: &[Runs<'_>],
        hits: &mut Hits<'p>,
    ) {
        fs::check(call, hits);
        git::check(call, hits);
        system::check(call, hits);
        services::check(call, hits);
        around
            .sources
            .check(simple, call.program, call.args, runs, hits);
        if services::reads_sql(call.program) {
            let drops = fed(around, simple).iter().any(|sql| services::drops(sql));
            hits.add_if(drops, &rules::SQL_DROP);
        }
        for extra in &self.policy.extras {
            hits.add_if(extra.matches(call.program, call.args), &extra.rule);
        }
    }

    /// The words with a first word that only runs can tell made plain: `{rm,-rf,/}`, or a variable that
    /// the script itself gives a fixed text. `None` if they are plain already.
    fn named(&self, script: &Script, words: &[Word]) -> Option<Vec<Word>> {
        let (first, args) = words.split_first()?;
        let parts: Vec<String> = if first.dynamic {
            let value = script.variables.get(first.text.strip_prefix('$')?)?;
            if value.len() > MAX_VALUE {
                return None;
            }
            value.split_whitespace().map(str::to_owned).collect()
        } else if first.text.contains('{') && !first.quoted {
            paths::braces(&first.text)?
        } else {
            return None;
        };
        let made = parts.into_iter().map(|text| Word {
            text,
            dynamic: false,
            ..first.clone()
        });
        Some(made.chain(args.iter().cloned()).collect())
    }
}

/// Fixed texts that a simple command reads from standard input.
fn fed(around: &Around<'_>, simple: &Simple) -> Vec<String> {
    let mut texts = own_input(around, simple);
    let upstream = simple.upstream.clone();
    let feeding = upstream.and_then(|range| around.script.commands.get(range));
    for command in feeding.unwrap_or_default().iter().rev().take(MAX_FEEDING) {
        texts.extend(own_input(around, command));
        if let [program, args @ ..] = command.words.as_slice()
            && matches!(program_name(program).as_str(), "echo" | "printf")
        {
            let text = joined(args.iter().skip_while(|w| w.text.starts_with('-')));
            // `printf` and `echo -e` make line ends of these.
            texts.push(text.replace("\\n", "\n"));
        }
    }
    texts
}

fn own_input(around: &Around<'_>, simple: &Simple) -> Vec<String> {
    let bodies = simple.heredocs.iter();
    let bodies = bodies.filter_map(|range| around.text.get(range.clone()));
    let mut texts: Vec<String> = bodies.map(str::to_owned).collect();
    texts.extend(simple.herestrings.iter().cloned());
    texts
}

/// Input of a compound command with a shell in it that reads it: `{ bash; } <<E`.
fn fed_to_compound(around: &Around<'_>, simple: &Simple) -> Vec<String> {
    let inside = simple.over.clone();
    let inside = inside.and_then(|range| around.script.commands.get(range));
    let inside = inside.unwrap_or_default().iter().rev().take(MAX_FEEDING);
    let reads = inside
        .filter_map(|command| command.words.split_first())
        .any(|(first, args)| {
            let runs = wrappers::runs(&program_name(first), args);
            runs.iter().any(|run| matches!(run, Runs::Stdin))
        });
    if reads {
        own_input(around, simple)
    } else {
        Vec::new()
    }
}
