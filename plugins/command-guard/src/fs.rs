//! Commands that delete files or change them beyond repair.

use crate::call::{Call, Hits, program_name};
use crate::options::{Options, Valued};
use crate::paths::{self, AllowList};
use crate::rules;
use crate::shell::{Redirect, Word};
use crate::wrappers::Runs;

/// Words of interest to the quick reject.
pub(crate) static PROGRAMS: &[&str] = &[
    "rm", "grm", "find", "gfind", "chmod", "chown", "chgrp", "mv", "cp", "install", "tee", "shred",
    "truncate", "unlink", "ln", "rsync",
];

pub(crate) fn check(call: &Call<'_>, hits: &mut Hits<'_>) {
    match call.program {
        "rm" | "grm" => rm(call, hits),
        "unlink" => {
            let words = call.args.iter();
            hits.add_if(
                words.clone().any(|w| paths::is_system_file(&w.text)),
                &rules::FS_SYSTEM_FILE,
            );
        }
        "find" | "gfind" => find(call, hits),
        "chmod" => recursive_change(call, hits, &rules::FS_CHMOD_RECURSIVE),
        "chown" | "chgrp" => recursive_change(call, hits, &rules::FS_CHOWN_RECURSIVE),
        "mv" => {
            let options = Options::parse(
                call.args,
                Valued {
                    short: "St",
                    long: &["suffix", "target-directory"],
                },
            );
            let target = options.operands.last().map_or("", |w| w.text.as_str());
            let target = options
                .values('t', "target-directory")
                .last()
                .unwrap_or(target);
            hits.add_if(target == "/dev/null", &rules::FS_MOVE_TO_NULL);
            written(target, true, hits);
            let mut sources = options.operands.iter().rev().skip(1);
            hits.add_if(
                sources.any(|w| paths::is_system_file(&w.text)),
                &rules::FS_SYSTEM_FILE,
            );
        }
        "cp" | "install" | "ln" => {
            let options = Options::parse(
                call.args,
                Valued {
                    short: "Stmog",
                    long: &["suffix"],
                },
            );
            let disk = options
                .operands
                .last()
                .is_some_and(|w| paths::is_disk(&w.text));
            hits.add_if(disk, &rules::DISK_OVERWRITE);
            // Programs are installed by copying them; files of /etc and /boot are not.
            let target = options.operands.last().map_or("", |w| w.text.as_str());
            let vital = target.starts_with("/etc/") || target.starts_with("/boot/");
            let takes_over = call.program != "install" && vital && paths::is_system_file(target);
            hits.add_if(takes_over, &rules::FS_SYSTEM_FILE);
        }
        "tee" => {
            let options = Options::parse(call.args, Valued::default());
            let truncates = !options.has('a') && !options.has_long("append");
            for word in &options.operands {
                written(&word.text, truncates, hits);
            }
        }
        "truncate" => {
            let valued = Valued {
                short: "sr",
                long: &["size", "reference"],
            };
            let options = Options::parse(call.args, valued);
            for word in &options.operands {
                written(&word.text, true, hits);
            }
        }
        "shred" => {
            let options = Options::parse(
                call.args,
                Valued {
                    short: "ns",
                    long: &["iterations", "size", "random-source"],
                },
            );
            hits.add_if(!options.operands.is_empty(), &rules::FS_SHRED);
        }
        _ => {}
    }
}

/// Redirections of any command.
pub(crate) fn check_redirects(redirects: &[Redirect], hits: &mut Hits<'_>) {
    for redirect in redirects {
        written(&redirect.target.text, redirect.truncates, hits);
    }
}

fn written(target: &str, truncates: bool, hits: &mut Hits<'_>) {
    hits.add_if(paths::is_disk(target), &rules::DISK_OVERWRITE);
    let always = target == "/proc/sysrq-trigger";
    hits.add_if(
        (truncates || always) && paths::is_system_file(target),
        &rules::FS_SYSTEM_FILE,
    );
}

fn rm(call: &Call<'_>, hits: &mut Hits<'_>) {
    let options = Options::parse(call.args, Valued::default());
    let recursive = options.has('r') || options.has('R') || options.has_long("recursive");
    let forced = options.has('f') || options.has_long("force");
    let asks = options.has('i') || options.has('I') || options.has_long("interactive");
    if options
        .operands
        .iter()
        .any(|w| paths::is_system_file(&w.text) || paths::is_disk(&w.text))
    {
        hits.add(&rules::FS_SYSTEM_FILE);
    }
    // `rm $flags /` may be a recursive delete: an unquoted expansion can hold the options.
    let may_hold_options =
        |w: &&Word| w.dynamic && !w.quoted && w.text.starts_with('$') && !w.text.contains('/');
    let unknown = options.operands.len() > 1 && options.operands.iter().any(may_hold_options);
    if recursive && forced {
        // Without a target the paths come from elsewhere, as with `xargs rm -rf`.
        let known =
            !options.operands.is_empty() && options.operands.iter().all(|w| call.allow.covers(w));
        hits.add_if(!known, &rules::FS_RM_RECURSIVE);
    } else if (recursive && !asks) || unknown {
        let vital =
            |w: &Word| paths::is_vital(w) || (recursive && paths::is_everything_here(&w.text));
        hits.add_if(
            options.operands.iter().any(|w| vital(w)),
            &rules::FS_RM_RECURSIVE,
        );
    }
}

fn recursive_change<'p>(call: &Call<'_>, hits: &mut Hits<'p>, rule: &'p rules::Rule) {
    let options = Options::parse(
        call.args,
        Valued {
            short: "",
            long: &["from", "reference"],
        },
    );
    let recursive = options.has('R') || options.has_long("recursive");
    hits.add_if(
        recursive && options.operands.iter().any(|w| paths::is_vital(w)),
        rule,
    );
}

/// What a `find` command does, as far as deletion goes.
struct Find<'a> {
    roots: &'a [Word],
    tests: &'a [Word],
    commands: Vec<&'a [Word]>,
    deletes: bool,
}

fn find_parts(args: &[Word]) -> Find<'_> {
    let is_test =
        |w: &Word| w.text.starts_with('-') || matches!(w.text.as_str(), "(" | ")" | "!" | ",");
    // -H, -L, -P, -D x, -O3 come before the roots.
    let real = |w: &Word| matches!(w.text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X" | "-x");
    let lead = args.iter().take_while(|w| real(w)).count();
    let args = args.get(lead..).unwrap_or_default();
    let split = args.iter().position(is_test).unwrap_or(args.len());
    let (roots, tests) = args.split_at_checked(split).unwrap_or((args, &[]));
    let mut commands = Vec::new();
    let mut deletes = false;
    let mut rest = tests;
    while let [word, more @ ..] = rest {
        rest = more;
        match word.text.as_str() {
            "-delete" => deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = more
                    .iter()
                    .position(|w| matches!(w.text.as_str(), ";" | "+"));
                let (command, after) = more
                    .split_at_checked(end.unwrap_or(more.len()))
                    .unwrap_or((more, &[]));
                commands.push(command);
                rest = after;
            }
            _ => {}
        }
    }
    Find {
        roots,
        tests,
        commands,
        deletes,
    }
}

impl Find<'_> {
    /// The patterns of `-name` and the like.
    fn patterns(&self) -> impl Iterator<Item = &Word> {
        self.tests.windows(2).filter_map(|pair| match pair {
            [test, pattern] => {
                let test = test.text.as_str();
                matches!(
                    test,
                    "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex"
                )
                .then_some(pattern)
            }
            _ => None,
        })
    }

    /// Some test leaves most files alone.
    fn narrowed(&self) -> bool {
        let negated = self
            .tests
            .iter()
            .any(|w| matches!(w.text.as_str(), "!" | "-not" | "-o" | "-or"));
        let named = self
            .patterns()
            .any(|w| w.text.contains(|c: char| c.is_alphanumeric()));
        let by_state = self.tests.iter().any(|w| {
            matches!(
                w.text.as_str(),
                "-empty"
                    | "-mtime"
                    | "-mmin"
                    | "-atime"
                    | "-amin"
                    | "-ctime"
                    | "-cmin"
                    | "-newer"
                    | "-xtype"
            )
        });
        (named || by_state) && !negated
    }

    fn vital_root(&self) -> bool {
        self.roots.iter().any(paths::is_vital)
    }

    /// All it finds are directories that may be deleted.
    fn finds_only_scratch(&self, allow: &AllowList) -> bool {
        let negated = self
            .tests
            .iter()
            .any(|w| matches!(w.text.as_str(), "!" | "-not"));
        let by_name = self.patterns().next().is_some()
            && self
                .patterns()
                .all(|w| !w.dynamic && allow.covers_name(&w.text));
        let below_scratch = !self.roots.is_empty() && self.roots.iter().all(|w| allow.covers(w));
        (below_scratch || (by_name && !negated)) && !self.vital_root()
    }
}

fn find(call: &Call<'_>, hits: &mut Hits<'_>) {
    let find = find_parts(call.args);
    let removes = find.commands.iter().any(|c| {
        c.first().map(program_name).as_deref() == Some("rm")
            && c.iter().any(|w| w.text.contains("{}"))
    });
    if !find.deletes && !removes {
        return;
    }
    let lawful = find.narrowed() && !find.vital_root();
    hits.add_if(
        !lawful && !find.finds_only_scratch(call.allow),
        &rules::FS_FIND_DELETE,
    );
}

/// What `find -exec` runs, but for the deletion of what may be deleted.
pub(crate) fn runs<'a>(program: &str, args: &'a [Word], allow: &AllowList) -> Vec<Runs<'a>> {
    if !matches!(program, "find" | "gfind") {
        return Vec::new();
    }
    let find = find_parts(args);
    let scratch = find.finds_only_scratch(allow);
    let left = find.commands.iter().copied().filter(|command| {
        let deletes = command.first().map(program_name).as_deref() == Some("rm");
        let mut rest = command.iter().skip(1);
        let only_found = rest.all(|w| w.text.starts_with('-') || w.text == "{}");
        !(scratch && deletes && only_found)
    });
    left.map(Runs::Words).collect()
}
