//! Tells somebody that the agent waits for an approval: a line in an outbox, and a command of one's own.
//!
//! **Hook**: `pre_approval_request`, which comes before the person is asked. It only watches: it can neither
//! answer nor prevent the question.
//!
//! **Why**: whoever has to agree is rarely looking at the terminal. The command is run on a thread of the
//! plugin's own, since the hook must not keep the agent from asking.
//!
//! **Switch on**: `hermes plugins install … --enable`; lines are in `outbox.jsonl` of the plugin's data
//! directory.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     approval-notification:
//!       config:
//!         command: [notify-send, "The agent asks"]   # run without a shell, with the line on its stdin
//!         timeout_seconds: 10                        # then it is killed
//!         surfaces: [gateway]                        # only from there; all when empty
//!         max_file_bytes: 10485760
//! ```

use std::{
    io::Write as _,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

use hermes_cookbook::{Journal, cut};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    command: Vec<String>,
    timeout_seconds: u64,
    surfaces: Vec<String>,
    max_file_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            timeout_seconds: 10,
            surfaces: Vec::new(),
            max_file_bytes: 10 << 20,
        }
    }
}

/// Notices that wait for the command; more are dropped, and stay in the outbox.
const WAITING: usize = 32;
/// Enough to know what is asked. Together they fit into a pipe, so that a command which does not read is not
/// waited for without a bound.
const TEXT_CHARS: usize = 2000;
const RULES: usize = 20;
const RULE_CHARS: usize = 100;

/// Runs the command for each notice until the plugin ends, one at a time.
fn run_all(notices: &Receiver<Value>, command: &[String], timeout: Duration) {
    for notice in notices {
        if let Err(error) = run(&notice, command, timeout) {
            let program = command.first();
            tracing::warn!(program, %error, "the command for approvals failed; the notice is in the outbox");
        }
    }
}

fn run(notice: &Value, command: &[String], timeout: Duration) -> Result<(), Error> {
    let Some((program, args)) = command.split_first() else {
        return Ok(());
    };
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        // The terminal is the agent's.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| {
        stdin.write_all(notice.to_string().as_bytes())
    });
    match written {
        // A command that does not read what it is told is lawful.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
        other => other?,
    }
    wait(&mut child, timeout)
}

fn wait(child: &mut Child, timeout: Duration) -> Result<(), Error> {
    let end = Instant::now() + timeout;
    loop {
        match child.try_wait()? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Error::new(format!("it ended with {status}"))),
            None if Instant::now() < end => thread::sleep(Duration::from_millis(20)),
            None => {
                // It may have ended by itself this very moment.
                let _ = child.kill();
                child.wait()?;
                return Err(Error::new(format!("it took longer than {timeout:?}")));
            }
        }
    }
}

/// The way to the thread that runs the command; it ends when nobody can send any more.
fn runner(config: &Config) -> Result<Option<SyncSender<Value>>, Error> {
    if config.command.is_empty() {
        return Ok(None);
    }
    let (sender, receiver) = sync_channel(WAITING);
    let command = config.command.clone();
    let timeout = Duration::from_secs(config.timeout_seconds.clamp(1, 3600));
    thread::Builder::new()
        .name("approval-notification".to_owned())
        .spawn(move || run_all(&receiver, &command, timeout))?;
    Ok(Some(sender))
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let outbox = Journal::new(&ctx.data_dir()?, "outbox", config.max_file_bytes);
    let runner = runner(&config)?;
    ctx.on(PreApprovalRequest, move |request| {
        let surface = request.surface();
        if !config.surfaces.is_empty() && !config.surfaces.iter().any(|wanted| wanted == surface) {
            return Ok(());
        }
        let (command, whole) = cut(request.command(), TEXT_CHARS);
        let rules: Vec<&str> = request
            .pattern_keys()
            .iter()
            .filter_map(|(_, rule)| rule.as_str())
            .map(|rule| cut(rule, RULE_CHARS).0)
            .take(RULES)
            .collect();
        let notice = json!({
            "command": command,
            "whole": whole,
            "description": cut(request.description(), TEXT_CHARS).0,
            "rules": rules,
            "session_key": request.session_key(),
            "surface": surface,
            "tool_call_id": request.tool_call_id(),
        });
        let kept = outbox.append(&notice);
        if let Some(runner) = &runner
            && runner.try_send(notice).is_err()
        {
            tracing::warn!("too many approvals at once; this one is only in the outbox");
        }
        kept
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "approval-notification",
    description = "Tells somebody when a person is asked for approval.",
    role = "observer",
    hooks = ["pre_approval_request"]
);
