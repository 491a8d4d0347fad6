//! `hermes logs`: the end of the log, and what is added to it.

mod follow;
mod record;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

pub(crate) use self::record::{Level, parse_level};

use self::follow::Follower;
use self::record::{Gather, Record};
use crate::args::LogsArgs;
use crate::invocation::Invocation;
use crate::log::{AGENT_LOG, OLD_FILES, old};
use crate::problem::{Exit, Problem};
use crate::screen::{BAD, Screen, WARN, styled};

/// How often a followed log is looked at.
const PERIOD: Duration = Duration::from_millis(200);

pub(crate) fn run(to: &mut Invocation<'_>, args: &LogsArgs) -> anyhow::Result<Exit> {
    let path = to.home.logs_dir().join(AGENT_LOG);
    let wanted = |record: &Record| {
        args.level.is_none_or(|level| record.level() >= level)
            && args
                .plugin
                .as_deref()
                .is_none_or(|plugin| record.is_about(plugin))
    };
    // Opened before the old records are read, so that none falls between the two.
    let mut follower = args.follow.then(|| Follower::at_end(&path));
    let mut last: VecDeque<Record> = VecDeque::new();
    let files = (1..=OLD_FILES)
        .rev()
        .map(|number| old(&path, number))
        .chain([path.clone()]);
    let mut any = false;
    let mut gather = Gather::default();
    let mut keep = |record: Record| {
        if wanted(&record) {
            last.push_back(record);
            if last.len() > args.lines {
                last.pop_front();
            }
        }
    };
    for file in files {
        let limit = follower
            .as_ref()
            .filter(|_| file == path)
            .map(Follower::position);
        any |= read(&file, limit, |line| {
            gather.add(line).into_iter().for_each(&mut keep)
        })?;
    }
    gather.finish().into_iter().for_each(&mut keep);
    let show = |screen: &mut Screen, record: &Record| {
        if args.json {
            screen.line(record.value().to_string())
        } else {
            show(screen, record)
        }
    };
    last.iter().try_for_each(|record| show(to.screen, record))?;
    if !any && !args.follow {
        to.screen
            .hint(format!("nothing has been logged in {}", path.display()));
    } else if last.is_empty() && !args.follow {
        to.screen.hint("no record fits");
    }
    let Some(follower) = &mut follower else {
        return Ok(Exit::Fine);
    };
    loop {
        let lines = follower
            .poll()
            .map_err(|error| Problem::new(format!("{}: {error}", path.display())))?;
        // What a record's further lines are is known once the next one begins; but nobody waits for that.
        let records: Vec<Record> = lines
            .into_iter()
            .flat_map(|line| gather.add(line))
            .collect();
        let rest = gather.finish();
        for record in records.iter().chain(&rest).filter(|record| wanted(record)) {
            show(to.screen, record)?;
        }
        to.screen.flush()?;
        std::thread::sleep(PERIOD);
    }
}

fn show(screen: &mut Screen, record: &Record) -> std::io::Result<()> {
    for line in record.lines() {
        match record.level() {
            Level::Error | Level::Critical => screen.line(styled(BAD, &line))?,
            Level::Warning => screen.line(styled(WARN, &line))?,
            _ => screen.line(line)?,
        }
    }
    Ok(())
}

/// Reads a file line by line, up to `limit` bytes. False when there is no such file.
fn read(path: &Path, limit: Option<u64>, mut each: impl FnMut(String)) -> anyhow::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => {
            return Err(
                Problem::new(format!("{}: cannot be read: {error}", path.display())).into(),
            );
        }
    };
    let mut reader = BufReader::new(std::io::Read::take(file, limit.unwrap_or(u64::MAX)));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        each(
            String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned(),
        );
        line.clear();
    }
    Ok(true)
}
