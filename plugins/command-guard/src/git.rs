//! Git commands that lose work.

use crate::call::{Call, Hits};
use crate::options::{Options, Valued};
use crate::paths;
use crate::rules;
use crate::shell::Word;
use crate::wrappers::{Runs, joined};

/// Words of interest to the quick reject.
pub(crate) static PROGRAMS: &[&str] = &["git"];

/// Options before the subcommand that take a value.
const GLOBAL: Valued = Valued {
    short: "Cc",
    long: &[
        "git-dir",
        "work-tree",
        "namespace",
        "exec-path",
        "super-prefix",
        "config-env",
        "attr-source",
    ],
};

pub(crate) fn check(call: &Call<'_>, hits: &mut Hits<'_>) {
    if call.program != "git" {
        return;
    }
    let Some((subcommand, args)) = subcommand(call.args) else {
        return;
    };
    match subcommand {
        "push" => push(args, hits),
        "reset" => hits.add_if(plain(args).has_long("hard"), &rules::GIT_RESET_HARD),
        "clean" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "e",
                    long: &["exclude"],
                },
            );
            let forced = options.has('f') || options.has_long("force");
            let dry = options.has('n') || options.has_long("dry-run");
            hits.add_if(forced && !dry, &rules::GIT_CLEAN);
        }
        "checkout" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "bB",
                    long: &[],
                },
            );
            let forced = options.has('f') || options.has_long("force");
            hits.add_if(
                forced || names_everything(&options),
                &rules::GIT_DISCARD_ALL,
            );
        }
        "switch" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "cC",
                    long: &[],
                },
            );
            let forced = options.has('f')
                || options.has_long("force")
                || options.has_long("discard-changes");
            hits.add_if(forced, &rules::GIT_DISCARD_ALL);
        }
        "restore" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "s",
                    long: &["source"],
                },
            );
            let worktree = options.has('W') || options.has_long("worktree");
            let index_only = (options.has('S') || options.has_long("staged")) && !worktree;
            hits.add_if(
                !index_only && names_everything(&options),
                &rules::GIT_DISCARD_ALL,
            );
        }
        "branch" => {
            let options = plain(args);
            let deletes = options.has('d') || options.has_long("delete");
            let forced = options.has('f') || options.has_long("force");
            hits.add_if(
                options.has('D') || (deletes && forced),
                &rules::GIT_BRANCH_DELETE,
            );
        }
        "stash" => {
            let dropped = matches!(plain(args).operand(0), Some("drop" | "clear"));
            hits.add_if(dropped, &rules::GIT_STASH_DROP);
        }
        "filter-branch" | "filter-repo" => hits.add(&rules::GIT_REWRITE_HISTORY),
        "reflog" => {
            let options = plain(args);
            let lost = matches!(options.operand(0), Some("expire" | "delete"));
            let dry = options.has('n') || options.has_long("dry-run");
            hits.add_if(lost && !dry, &rules::GIT_REFLOG_EXPIRE);
        }
        "gc" => {
            let options = plain(args);
            let at_once = options
                .values('\0', "prune")
                .any(|when| matches!(when, "now" | "all" | "0"));
            hits.add_if(at_once, &rules::GIT_GC_PRUNE);
        }
        "update-ref" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "m",
                    long: &[],
                },
            );
            hits.add_if(
                options.has('d') || options.has_long("delete"),
                &rules::GIT_UPDATE_REF_DELETE,
            );
        }
        "worktree" => {
            let options = plain(args);
            let forced = options.has('f') || options.has_long("force");
            hits.add_if(
                forced && options.operand(0) == Some("remove"),
                &rules::GIT_WORKTREE_REMOVE,
            );
        }
        _ => {}
    }
}

/// What a git command runs in its turn.
pub(crate) fn runs<'a>(program: &str, args: &'a [Word]) -> Vec<Runs<'a>> {
    if program != "git" {
        return Vec::new();
    }
    let global = Options::leading(args, GLOBAL);
    let aliases = global
        .values('c', "config-env")
        .filter(|setting| setting.starts_with("alias."))
        .filter_map(|setting| setting.split_once("=!"));
    let mut found: Vec<Runs<'a>> = aliases
        .map(|(_, script)| Runs::Script(script.to_owned()))
        .collect();
    let Some((subcommand, args)) = subcommand(args) else {
        return found;
    };
    match subcommand {
        "submodule" => {
            let operands = Options::leading(args, Valued::default()).operands;
            if operands.first().is_some_and(|w| w.text == "foreach") {
                let command = operands.into_iter().skip(1);
                let command = command.skip_while(|w| w.text == "--recursive");
                found.push(Runs::Script(joined(command)));
            }
        }
        "bisect" => {
            if let [run, command @ ..] = args
                && run.text == "run"
            {
                found.push(Runs::Words(command));
            }
        }
        "rebase" => {
            let options = Options::parse(
                args,
                Valued {
                    short: "xsXC",
                    long: &["exec", "onto"],
                },
            );
            let scripts = options.values('x', "exec");
            found.extend(scripts.map(|text| Runs::Script(text.to_owned())));
        }
        _ => {}
    }
    found
}

fn subcommand(args: &[Word]) -> Option<(&str, &[Word])> {
    let leading = Options::leading(args, GLOBAL).leading;
    let (first, rest) = args.get(leading..)?.split_first()?;
    Some((first.text.as_str(), rest))
}

fn plain(args: &[Word]) -> Options<'_> {
    Options::parse(args, Valued::default())
}

fn push(args: &[Word], hits: &mut Hits<'_>) {
    let options = Options::parse(
        args,
        Valued {
            short: "o",
            long: &["push-option", "repo", "receive-pack", "exec"],
        },
    );
    if options.has('n') || options.has_long("dry-run") {
        return;
    }
    // The first operand is the remote, but a refspec cannot be mistaken for one.
    let refspec = |sign: char| {
        let mut operands = options.operands.iter();
        operands.any(|w| w.text.starts_with(sign) && w.text.len() > 1)
    };
    let forced = options.has('f') || options.has_long("force") || refspec('+');
    hits.add_if(forced, &rules::GIT_PUSH_FORCE);
    let deletes = options.has('d')
        || ["delete", "mirror", "prune"]
            .iter()
            .any(|name| options.has_long(name))
        || refspec(':');
    hits.add_if(deletes, &rules::GIT_PUSH_DELETE);
}

/// A pathspec that takes in the whole work tree.
fn names_everything(options: &Options<'_>) -> bool {
    options.operands.iter().any(|word| {
        paths::is_everything_here(&word.text)
            || matches!(word.text.as_str(), ":/" | ":" | ":(top)" | ":/*")
    })
}
