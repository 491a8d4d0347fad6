//! Checks an audit log: `cargo run -p audit-log --example verify -- DIR [--head SEQ:HASH] [--start SEQ:HASH]`.
//!
//! Exit code 0: the chain is whole. 1: it was tampered with. 2: it could not be read.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is this program's job"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use audit_log::{Anchor, Report, verify_with};

const USAGE: &str = "usage: verify DIR [--head SEQ:HASH] [--start SEQ:HASH]";

fn main() -> ExitCode {
    match run() {
        Ok(report) => {
            print(&report);
            ExitCode::from(u8::from(report.first_bad.is_some()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<Report, Box<dyn std::error::Error>> {
    let mut dir: Option<PathBuf> = None;
    let mut anchor = Anchor::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--head" => anchor.head = Some(args.next().ok_or(USAGE)?.parse()?),
            "--start" => anchor.start = Some(args.next().ok_or(USAGE)?.parse()?),
            _ if dir.is_none() => dir = Some(arg.into()),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(verify_with(&dir.ok_or(USAGE)?, &anchor)?)
}

fn print(report: &Report) {
    println!("{} records in {} files", report.records, report.files);
    for recovery in &report.recovered {
        println!(
            "record {}: {} bytes left by a crash",
            recovery.seq, recovery.bytes
        );
    }
    if report.missed > 0 {
        println!("{} records could not be written at the time", report.missed);
    }
    if let Some(bytes) = report.torn_tail {
        println!("the last {bytes} bytes are an unfinished record");
    }
    for call in &report.open_calls {
        println!(
            "record {}: no result of {} {}",
            call.seq, call.tool_name, call.tool_call_id
        );
    }
    if let Some(head) = &report.head {
        println!("head {head}");
    }
    match &report.first_bad {
        None => println!("whole"),
        Some(bad) => println!("TAMPERED {bad}"),
    }
}
