//! Programs that run another command: `sudo`, `env`, `xargs`, `bash -c`, `eval` and their kin.

use crate::options::{Options, Valued};
use crate::shell::Word;

/// What a program runs.
#[derive(Debug)]
pub(crate) enum Runs<'a> {
    /// Another program, with its arguments.
    Words(&'a [Word]),
    /// A text, as a shell script.
    Script(String),
    /// Whatever it is given on standard input, as a script.
    Stdin,
}

/// A program whose operands are the command to run, after `skip` operands of its own.
struct Prefix {
    names: &'static [&'static str],
    valued: Valued,
    skip: usize,
    assignments: bool,
}

const fn prefix(names: &'static [&'static str], short: &'static str) -> Prefix {
    Prefix {
        names,
        valued: Valued { short, long: &[] },
        skip: 0,
        assignments: false,
    }
}

impl Prefix {
    const fn long(self, long: &'static [&'static str]) -> Self {
        let short = self.valued.short;
        Self {
            valued: Valued { short, long },
            ..self
        }
    }

    const fn skip(self, skip: usize) -> Self {
        Self { skip, ..self }
    }

    const fn assignments(self) -> Self {
        Self {
            assignments: true,
            ..self
        }
    }
}

static PREFIXES: &[Prefix] = &[
    prefix(&["sudo"], "ugpCcDRTUhrt")
        .long(&[
            "user",
            "group",
            "prompt",
            "close-from",
            "chdir",
            "chroot",
            "host",
            "role",
            "type",
            "other-user",
            "command-timeout",
            "login-class",
        ])
        .assignments(),
    prefix(&["doas"], "uCa"),
    prefix(&["pkexec"], "").long(&["user"]),
    prefix(&["env"], "uCP")
        .long(&["unset", "chdir"])
        .assignments(),
    prefix(
        &[
            "command", "builtin", "nohup", "setsid", "unbuffer", "busybox", "toybox", "rlwrap",
        ],
        "",
    ),
    prefix(&["exec"], "a"),
    prefix(&["nice"], "n").long(&["adjustment"]),
    prefix(&["ionice"], "cnpPu").long(&["class", "classdata"]),
    prefix(&["chrt"], "TPD").skip(1),
    prefix(&["taskset"], "").skip(1),
    prefix(&["time"], "fo").long(&["format", "output"]),
    prefix(&["timeout", "gtimeout"], "ks")
        .long(&["kill-after", "signal"])
        .skip(1),
    prefix(&["stdbuf"], "ioe").long(&["input", "output", "error"]),
    prefix(&["xargs", "gxargs"], "adEILnPsJRS").long(&[
        "arg-file",
        "delimiter",
        "max-args",
        "max-procs",
        "max-chars",
        "process-slot-var",
    ]),
    prefix(&["flock"], "wE")
        .long(&["timeout", "conflict-exit-code"])
        .skip(1),
    prefix(&["strace", "ltrace"], "abeEIoOpPsSuUXl"),
    prefix(&["chroot"], "")
        .long(&["userspec", "groups"])
        .skip(1),
    prefix(&["gosu", "su-exec"], "").skip(1),
    prefix(&["runuser"], "ugG").long(&["user", "group", "supp-group"]),
    prefix(&["systemd-run"], "uptHMEdG").long(&[
        "unit",
        "property",
        "uid",
        "gid",
        "working-directory",
        "setenv",
        "slice",
        "description",
    ]),
    prefix(&["caffeinate"], "tw"),
    prefix(&["nsenter", "unshare"], "SGrwt").long(&["target", "setuid", "setgid", "root", "wd"]),
];

/// Shells that take `-c script`, a script file, or standard input.
pub(crate) static SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish",
];

const SHELL: Valued = Valued {
    short: "oO",
    long: &["rcfile", "init-file"],
};

/// What `program` with `args` runs; nothing for an ordinary program.
pub(crate) fn runs<'a>(program: &str, args: &'a [Word]) -> Vec<Runs<'a>> {
    let mut found = Vec::new();
    if SHELLS.contains(&program) {
        shell(args, &mut found);
    }
    match program {
        "eval" => found.push(Runs::Script(joined(args.iter()))),
        "trap" => found.extend(
            Options::leading(args, Valued::default())
                .operand(0)
                .map(script),
        ),
        "su" | "runuser" | "script" | "flock" => found.extend(command_option(args)),
        "env" => found.extend(split_string(args)),
        "watch" => {
            let valued = Valued {
                short: "nq",
                long: &["interval", "equexit"],
            };
            found.push(Runs::Script(joined(
                Options::leading(args, valued).operands.into_iter(),
            )));
        }
        "parallel" => {
            let valued = Valued {
                short: "jSaIN",
                long: &["jobs", "arg-file", "max-args"],
            };
            let operands = Options::leading(args, valued).operands;
            let end = operands.iter().position(|w| w.text.starts_with(":::"));
            let command = operands.into_iter().take(end.unwrap_or(usize::MAX));
            found.push(Runs::Script(joined(command)));
        }
        "ssh" => {
            let valued = Valued {
                short: "BbcDEeFIiJLlmOoPpQRSWw",
                long: &[],
            };
            let operands = Options::leading(args, valued).operands;
            if operands.len() > 1 {
                found.push(Runs::Script(joined(operands.into_iter().skip(1))));
            }
        }
        "command" if asks_only(args) => return found,
        _ => {}
    }
    if let Some(prefix) = PREFIXES.iter().find(|p| p.names.contains(&program)) {
        let rest = behind(prefix, args);
        if !rest.is_empty() {
            found.push(Runs::Words(rest));
        }
    }
    found
}

/// `command -v rm` looks a program up and does not run it.
fn asks_only(args: &[Word]) -> bool {
    let options = Options::leading(args, Valued::default());
    options.has('v') || options.has('V')
}

fn behind<'a>(prefix: &Prefix, args: &'a [Word]) -> &'a [Word] {
    let options = Options::leading(args, prefix.valued);
    let mut rest = args.get(options.leading..).unwrap_or_default();
    let is_assignment =
        |word: &Word| prefix.assignments && crate::shell::assignment(word).is_some();
    while let [first, more @ ..] = rest
        && (is_assignment(first) || (prefix.assignments && first.text == "-"))
    {
        rest = more;
    }
    rest.get(prefix.skip..).unwrap_or_default()
}

fn shell<'a>(args: &'a [Word], found: &mut Vec<Runs<'a>>) {
    let options = Options::leading(args, SHELL);
    // `+o name` and `+x` are options as well.
    let mut operands = options
        .operands
        .iter()
        .copied()
        .skip_while(|w| w.text.starts_with('+'));
    if options.has('c') {
        found.extend(
            operands
                .find(|w| !w.text.starts_with('-'))
                .map(|w| script(&w.text)),
        );
        return;
    }
    let reads_stdin = match operands.next() {
        None => !options.has_long("version") && !options.has_long("help"),
        Some(word) => options.has('s') || word.text == "-" || word.text == "/dev/stdin",
    };
    if reads_stdin {
        found.push(Runs::Stdin);
    }
}

/// `su -c '…'`, `flock file -c '…'`.
fn command_option(args: &[Word]) -> Vec<Runs<'static>> {
    let valued = Valued {
        short: "cgGswuE",
        long: &["command", "group", "shell", "user", "session-command"],
    };
    Options::parse(args, valued)
        .values('c', "command")
        .map(script)
        .collect()
}

/// `env -S 'rm -rf x'`.
fn split_string(args: &[Word]) -> Vec<Runs<'static>> {
    let valued = Valued {
        short: "uCPS",
        long: &["unset", "chdir", "split-string"],
    };
    Options::leading(args, valued)
        .values('S', "split-string")
        .map(script)
        .collect()
}

fn script(text: &str) -> Runs<'static> {
    Runs::Script(text.to_owned())
}

/// The words with single spaces between, as `eval` and `ssh` join them.
pub(crate) fn joined<'a>(words: impl Iterator<Item = &'a Word>) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}
