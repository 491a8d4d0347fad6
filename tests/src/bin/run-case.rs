//! `run-case DIR...`: plays cases through compiled plugins, and prints one line for each.
//!
//! Exit codes: 0 all passed, 1 one failed, 2 usage. Each case is played in a process of its own, so that a
//! plugin that ends its process ends its case only.

use std::{
    env,
    ffi::OsString,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use hermes_tests::{
    cases::{self, Finding, Verdict, Went},
    fixture,
};

const USAGE: &str = "usage: run-case DIR...\n\
    DIR is a case (it has an expected.md), or a folder of cases.\n\
    Time limits of cases are for two idle cores; with CI set in the environment they are three times as long.\n";

/// Says that this process plays the one case it is given.
const ONE: &str = "HERMES_RUN_CASE_ONE";

/// The longest that one case may take.
const BOUND: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    if env::var_os(ONE).is_some() {
        let Some(dir) = args.first() else {
            return ExitCode::from(2);
        };
        return tell(&cases::run(Path::new(dir), slack()));
    }
    if args.is_empty()
        || args
            .iter()
            .any(|arg| arg.to_string_lossy().starts_with('-'))
    {
        return match args.iter().any(|arg| arg == "--help" || arg == "-h") {
            true => say(&mut std::io::stdout(), USAGE, 0),
            false => say(&mut std::io::stderr(), USAGE, 2),
        };
    }
    let mut all: Vec<PathBuf> = Vec::new();
    for arg in &args {
        match cases::at(Path::new(arg)) {
            Ok(found) => all.extend(found),
            Err(why) => return say(&mut std::io::stderr(), &format!("run-case: {why}\n"), 2),
        }
    }
    fixture::build_all();
    let mut failed = false;
    for dir in &all {
        failed |= tell(&apart(dir)) != ExitCode::SUCCESS;
    }
    ExitCode::from(u8::from(failed))
}

fn slack() -> f64 {
    if env::var_os("CI").is_some() {
        3.0
    } else {
        1.0
    }
}

fn tell(verdict: &Verdict) -> ExitCode {
    let code = u8::from(!verdict.passed());
    say(
        &mut std::io::stdout(),
        &format!("{}\n", verdict.line()),
        code,
    )
}

fn say(to: &mut impl Write, text: &str, code: u8) -> ExitCode {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Ok(()) => ExitCode::from(code),
        // Nobody reads what became of the cases.
        Err(_) => ExitCode::from(1),
    }
}

/// Plays a case in a process of its own, with the environment that it asks for.
fn apart(dir: &Path) -> Verdict {
    let case = dir
        .file_name()
        .unwrap_or(dir.as_os_str())
        .to_string_lossy()
        .into_owned();
    let failed = |why: String| Verdict {
        case: case.clone(),
        findings: vec![Finding {
            key: "process_alive".to_owned(),
            went: Went::Differs(why),
        }],
    };
    let me = match env::current_exe() {
        Ok(me) => me,
        Err(error) => return failed(format!("this program has no path: {error}")),
    };
    let mut child = Command::new(me);
    child
        .arg(dir)
        .env(ONE, "1")
        .env(fixture::PLACE, fixture::place())
        .envs(cases::env_of(dir));
    child.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = match child.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("the case's process does not start: {error}")),
    };
    let ended = wait(&mut child);
    let mut said = String::new();
    if let Some(out) = &mut child.stdout {
        // What could be read is what there is.
        let _ = out.read_to_string(&mut said);
    }
    let prefix = |word: &str| format!("{word} {case}");
    let line = said.lines().find(|line| {
        [prefix("pass"), prefix("fail")]
            .iter()
            .any(|begin| line.starts_with(begin.as_str()))
    });
    match (line, ended) {
        (Some(line), Ok(code)) if line == prefix("pass") && code == Some(0) => Verdict {
            findings: vec![Finding {
                key: "the case".to_owned(),
                went: Went::Held,
            }],
            case,
        },
        (Some(line), Ok(_)) if line.starts_with(&prefix("fail")) => {
            let first = line.split_once(": ").map_or(line, |(_, first)| first);
            let (key, why) = first.split_once(": ").unwrap_or(("the case", first));
            Verdict {
                findings: vec![Finding {
                    key: key.to_owned(),
                    went: Went::Differs(why.to_owned()),
                }],
                case,
            }
        }
        (_, Ok(code)) => failed(format!(
            "the process ended with {} before the case was over",
            code.map_or("a signal".to_owned(), |code| format!("code {code}"))
        )),
        (_, Err(why)) => failed(why),
    }
}

fn wait(child: &mut Child) -> Result<Option<i32>, String> {
    let end = Instant::now() + BOUND;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if Instant::now() > end => {
                // It may have ended by itself this very moment.
                let _ = child.kill();
                return Err(format!("the case is not over after {BOUND:?}"));
            }
            Ok(None) => std::thread::park_timeout(Duration::from_millis(5)),
            Err(error) => return Err(format!("the case's process cannot be waited for: {error}")),
        }
    }
}
