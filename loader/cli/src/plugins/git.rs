//! Runs the system's git: nothing is asked, nothing takes for ever, and what it says is kept.

use std::ffi::OsString;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::install::shown;
use crate::problem::Problem;

/// How long one command may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Variables that would make git work on another repository than the one it is given.
const MISLEADING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_COMMON_DIR",
];

/// Why git did not do it.
#[derive(Debug)]
enum GitError {
    Missing,
    TooLong(Duration),
    Failed(String),
    Io(io::Error),
}

/// Clones the newest commit of a repository, without its history.
pub(super) fn clone(url: &str, branch: Option<&str>, into: &Path) -> Result<(), Problem> {
    let mut command = git();
    command.args([
        "clone",
        "--quiet",
        "--depth=1",
        "--template=",
        "--no-recurse-submodules",
    ]);
    if let Some(branch) = branch {
        command.arg(format!("--branch={branch}"));
    }
    command.arg("--").arg(url).arg(into);
    let what = format!("git clone {}", shown(url));
    run(&mut command, LIMIT)
        .map(drop)
        .map_err(|error| told(error, &what, url))
}

/// What a command says in a repository.
pub(super) fn ask(repository: &Path, args: &[&str]) -> Result<String, Problem> {
    let mut command = git();
    command.arg("-C").arg(repository).args(args);
    let what = format!(
        "git {} in {}",
        args.first().unwrap_or(&""),
        repository.display()
    );
    let said = run(&mut command, LIMIT).map_err(|error| told(error, &what, ""))?;
    String::from_utf8(said)
        .map(|text| text.trim_end_matches('\n').to_owned())
        .map_err(|_| Problem::new(format!("{what}: a name that is not UTF-8")))
}

/// The paths that a command lists with `-z`.
pub(super) fn paths(repository: &Path, args: &[&str]) -> Result<Vec<PathBuf>, Problem> {
    let said = ask(repository, args)?;
    let paths = said.split('\0').filter(|path| !path.is_empty());
    Ok(paths.map(PathBuf::from).collect())
}

fn git() -> Command {
    let mut command = Command::new("git");
    for name in MISLEADING {
        command.env_remove(name);
    }
    command
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "protocol.ext.allow=never",
        ])
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GCM_INTERACTIVE", "never")
        .env("LC_ALL", "C");
    if std::env::var_os("GIT_SSH_COMMAND").is_none() && std::env::var_os("GIT_SSH").is_none() {
        command.env(
            "GIT_SSH_COMMAND",
            OsString::from("ssh -o BatchMode=yes -o ConnectTimeout=30"),
        );
    }
    command
}

/// Runs a command to its end, or to the end of its time. Gives what it wrote.
fn run(command: &mut Command, limit: Duration) -> Result<Vec<u8>, GitError> {
    // Files, since a pipe that nobody reads would stop the command when it is full.
    let (out, err) = (
        tempfile::tempfile().map_err(GitError::Io)?,
        tempfile::tempfile().map_err(GitError::Io)?,
    );
    let copy = |file: &std::fs::File| file.try_clone().map_err(GitError::Io);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(copy(&out)?)
        .stderr(copy(&err)?)
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitError::Missing,
            _ => GitError::Io(error),
        })?;
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(GitError::Io)? {
            break status;
        }
        if Instant::now() >= end {
            // It may have ended by itself this very moment.
            let _ = child.kill();
            let _ = child.wait();
            return Err(GitError::TooLong(limit));
        }
        thread::sleep(Duration::from_millis(10));
    };
    if status.success() {
        return contents(out);
    }
    let said = String::from_utf8_lossy(&contents(err)?).into_owned();
    Err(GitError::Failed(gist(&said)))
}

fn contents(mut file: std::fs::File) -> Result<Vec<u8>, GitError> {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.read_to_end(&mut bytes))
        .map_err(GitError::Io)?;
    Ok(bytes)
}

/// What matters of git's words: its verdict, else the last line.
fn gist(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let verdict = lines().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    let line = verdict.or_else(|| lines().next_back());
    line.unwrap_or("it does not say why").to_owned()
}

fn told(error: GitError, what: &str, url: &str) -> Problem {
    match error {
        GitError::Missing => Problem::new("git is not there, and nothing is installed or updated without it")
            .cure("install git (`apt install git`, `brew install git`), or download the plugin and give its directory or archive"),
        GitError::TooLong(limit) => {
            Problem::new(format!("{what}: took longer than {} s, and was stopped", limit.as_secs()))
                .cure("see whether the address and the network are right")
        }
        GitError::Failed(said) => {
            let said = if url.is_empty() { said } else { said.replace(url, &shown(url)) };
            Problem::new(format!("{what}: {said}"))
                .cure("see whether the address is right; nothing is asked, so a private repository needs a key or a stored password")
        }
        GitError::Io(error) => Problem::new(format!("{what}: {error}")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_stopped() {
        let started = Instant::now();
        let went = run(Command::new("sleep").arg("600"), Duration::from_millis(20));
        assert!(matches!(went, Err(GitError::TooLong(_))), "{went:?}");
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_is_not_there_has_a_cure() {
        let went = run(&mut Command::new("no-such-git"), LIMIT);
        let problem = told(went.expect_err("it is not there"), "git clone x", "");
        assert!(problem.to_string().contains("git is not there"));
        assert!(
            problem
                .hint()
                .is_some_and(|cure| cure.contains("install git"))
        );
    }

    #[test]
    fn a_failure_is_told_in_its_own_words_without_the_password() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo noise >&2; echo 'fatal: https://me:secret@h/x not found' >&2; echo more >&2; exit 128"]);
        let error = run(&mut command, LIMIT).expect_err("it fails");
        let problem = told(error, "git clone https://h/x", "https://me:secret@h/x").to_string();
        assert_eq!(
            problem,
            "git clone https://h/x: fatal: https://h/x not found"
        );
    }

    #[test]
    fn much_is_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; i=$((i+1)); done"]);
        assert_eq!(
            run(&mut command, LIMIT).map(|said| said.len()).ok(),
            Some(3000 * 41)
        );
    }
}
