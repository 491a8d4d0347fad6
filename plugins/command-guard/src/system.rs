//! Commands that destroy disks, stop the machine or reach for all of its processes.

use std::collections::HashSet;

use crate::call::{Call, Hits};
use crate::options::{Options, Valued};
use crate::paths;
use crate::rules;
use crate::shell::{Function, Script, Simple, Word};

/// Words of interest to the quick reject.
pub(crate) static PROGRAMS: &[&str] = &[
    "dd",
    "mkfs",
    "mke2fs",
    "newfs",
    "mkswap",
    "sgdisk",
    "parted",
    "cryptsetup",
    "diskutil",
    "zpool",
    "zfs",
    "lvremove",
    "vgremove",
    "pvremove",
    "wipefs",
    "blkdiscard",
    "shutdown",
    "reboot",
    "poweroff",
    "halt",
    "init",
    "telinit",
    "systemctl",
    "loginctl",
    "kill",
    "killall5",
    "crontab",
];

pub(crate) fn check(call: &Call<'_>, hits: &mut Hits<'_>) {
    let formats = call.program.starts_with("mkfs.") || call.program.starts_with("newfs_");
    if !formats && !PROGRAMS.contains(&call.program) {
        return;
    }
    disk(call, hits);
    power(call, hits);
    match call.program {
        "kill" => hits.add_if(signals_all(call.args), &rules::SYSTEM_KILL_ALL),
        "killall5" => hits.add(&rules::SYSTEM_KILL_ALL),
        "crontab" => {
            let options = Options::parse(
                call.args,
                Valued {
                    short: "u",
                    long: &[],
                },
            );
            hits.add_if(options.has('r'), &rules::SYSTEM_CRONTAB_REMOVE);
        }
        _ => {}
    }
}

fn disk(call: &Call<'_>, hits: &mut Hits<'_>) {
    let options = Options::parse(call.args, Valued::default());
    let asks_only = asks_only(call.args);
    let first = options.operand(0);
    let any = |wanted: &[&str]| call.args.iter().any(|w| wanted.contains(&w.text.as_str()));
    match call.program {
        "dd" => {
            for word in call.args {
                if let Some(target) = word.text.strip_prefix("of=") {
                    hits.add_if(paths::is_device(target), &rules::DISK_OVERWRITE);
                    hits.add_if(paths::is_system_file(target), &rules::FS_SYSTEM_FILE);
                }
            }
        }
        "mke2fs" | "mkswap" | "lvremove" | "vgremove" | "pvremove" => {
            hits.add_if(!asks_only && first.is_some(), &rules::DISK_FORMAT);
        }
        "sgdisk" => {
            let zaps = options.has('Z') || options.has('z') || options.has('o');
            let named =
                options.has_long("zap") || options.has_long("zap-all") || options.has_long("clear");
            hits.add_if(zaps || named, &rules::DISK_FORMAT);
        }
        "parted" => hits.add_if(
            any(&["mklabel", "mktable", "rm", "mkpart"]),
            &rules::DISK_FORMAT,
        ),
        "cryptsetup" => hits.add_if(
            any(&["luksFormat", "luksErase", "erase"]),
            &rules::DISK_FORMAT,
        ),
        "diskutil" => hits.add_if(
            any(&[
                "eraseDisk",
                "eraseVolume",
                "partitionDisk",
                "secureErase",
                "zeroDisk",
            ]),
            &rules::DISK_FORMAT,
        ),
        "zpool" | "zfs" => hits.add_if(first == Some("destroy"), &rules::DISK_FORMAT),
        "blkdiscard" => hits.add_if(!asks_only && first.is_some(), &rules::DISK_WIPE),
        "wipefs" => {
            let wipes = options.has('a')
                || options.has('o')
                || options.has_long("all")
                || options.has_long("offset");
            let dry = options.has('n') || options.has_long("no-act");
            hits.add_if(wipes && !dry, &rules::DISK_WIPE);
        }
        program => {
            let formats = program == "mkfs"
                || program.starts_with("mkfs.")
                || program == "newfs"
                || program.starts_with("newfs_");
            hits.add_if(
                formats && !asks_only && first.is_some(),
                &rules::DISK_FORMAT,
            );
        }
    }
}

fn power(call: &Call<'_>, hits: &mut Hits<'_>) {
    let options = Options::parse(
        call.args,
        Valued {
            short: "HMt",
            long: &["host", "machine"],
        },
    );
    let stops = match call.program {
        "shutdown" => !options.has('c') && !asks_only(call.args),
        "reboot" | "poweroff" | "halt" => !asks_only(call.args),
        "init" | "telinit" => matches!(options.operand(0), Some("0" | "6")),
        "systemctl" | "loginctl" => matches!(
            options.operand(0),
            Some("poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot" | "emergency" | "rescue")
        ),
        _ => false,
    };
    hits.add_if(stops, &rules::SYSTEM_SHUTDOWN);
}

fn asks_only(args: &[Word]) -> bool {
    let asks = |w: &Word| {
        matches!(
            w.text.as_str(),
            "--help" | "--version" | "-V" | "-h" | "--show"
        )
    };
    // `shutdown -h now` stops the machine: -h asks only when it stands alone.
    args.iter()
        .any(|w| asks(w) && (w.text != "-h" || args.len() == 1))
}

/// `kill -9 -1`: the process id -1 stands for all. `kill -1 42` is another thing, the signal 1.
fn signals_all(args: &[Word]) -> bool {
    let mut rest = args;
    match rest {
        [first, more @ ..] if matches!(first.text.as_str(), "-s" | "-n" | "--signal") => {
            rest = more.get(1..).unwrap_or_default();
        }
        [first, more @ ..] if first.text.starts_with('-') => rest = more,
        _ => {}
    }
    rest.iter().any(|w| w.text == "-1")
}

/// Indices of commands by which a function of `script` starts itself without end: in the background, or
/// twice in one pipeline.
pub(crate) fn fork_bombs(script: &Script) -> HashSet<usize> {
    script
        .functions
        .iter()
        .filter_map(|f| bomb(script, f))
        .collect()
}

/// Bodies longer than this are no bombs; it keeps nested functions from being searched many times.
const MAX_BOMB: usize = 32;

fn bomb(script: &Script, function: &Function) -> Option<usize> {
    if function.body.len() > MAX_BOMB {
        return None;
    }
    let calls_itself = |simple: &Simple| {
        simple
            .words
            .first()
            .is_some_and(|w| w.text == function.name)
    };
    let body = script.commands.get(function.body.clone())?;
    let found = body.iter().position(|simple| {
        let twice = || {
            let upstream = simple
                .upstream
                .clone()
                .filter(|u| u.start >= function.body.start)?;
            let feeding = script.commands.get(upstream)?;
            feeding.iter().any(calls_itself).then_some(())
        };
        calls_itself(simple) && (simple.background || twice().is_some())
    })?;
    Some(function.body.start + found)
}
