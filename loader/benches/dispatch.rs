//! One dispatch through compiled plugins, beside the same number of bare guarded `extern "C"` calls.
//!
//! Every figure is a median over batches taken in turn, and what counts is the ratio within one run: the
//! machine's own speed cancels out.

#![expect(clippy::print_stdout, reason = "the benchmark's result")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run should say where"
)]

use std::cell::Cell;
use std::ffi::c_void;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hermes_loader::catalogue::{PreToolCall, payload};
use hermes_loader::{Home, Host};
use serde_json::{Map, Value, json};

/// What a call costs that does nothing but catch panics.
extern "C" fn raw(state: *mut c_void, call: *const c_void) -> u32 {
    std::panic::catch_unwind(|| {
        black_box((state, call));
        0
    })
    .unwrap_or(3)
}

type Raw = extern "C" fn(*mut c_void, *const c_void) -> u32;

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let library = build();
    println!(
        "{:<44} {:>10} {:>10} {:>8}",
        "one pre_tool_call", "raw ns", "ours ns", "ratio"
    );
    for plugins in [0, 1, 10, 100] {
        let home = tempfile::tempdir().unwrap();
        let host = host(home.path(), &library, plugins);
        assert_eq!(host.count("pre_tool_call"), plugins, "{}", host.report());
        let [small, large] = ["ls -la".to_owned(), "x".repeat(64 << 10)]
            .map(|command| json!({ "command": command }));
        let functions: Vec<Raw> = vec![black_box(raw as Raw); plugins];
        let mut baseline = || {
            for function in &functions {
                black_box(function(std::ptr::null_mut(), std::ptr::null()));
            }
        };
        // Every call has an id of its own, as calls have: none of them is a duplicate.
        let ids = Ids::new();
        let mut map = map(&small);
        let mut own: Vec<Value> = (0..MANY).map(|n| format!("json_{n:024}").into()).collect();
        let mut next = (0..MANY).cycle();
        let mut typed = || drop(black_box(host.fire(&event(&small, ids.next()))));
        let mut typed_large = || drop(black_box(host.fire(&event(&large, ids.next()))));
        let mut json = || {
            // An id that has not been there lately, for the one before.
            let id = map.get_mut("tool_call_id").unwrap();
            std::mem::swap(id, &mut own[next.next().unwrap()]);
            drop(black_box(host.fire_map(PreToolCall, &map)))
        };
        let [raw, small, large, json] =
            in_turn([&mut baseline, &mut typed, &mut typed_large, &mut json]);
        row(&format!("{plugins} plugins, typed event"), raw, small);
        row(&format!("{plugins} plugins, event from JSON"), raw, json);
        assert_eq!(host.calls().duplicates, 0);
        println!(
            "{:<44} {:>10} {large:>10.1} {:>8.2}",
            "  a payload of 64 KiB over one of 6 bytes",
            "",
            large / small
        );
    }
}

/// More ids than a host remembers, made beforehand.
struct Ids {
    ids: Vec<String>,
    next: Cell<usize>,
}

const MANY: usize = 10_000;

impl Ids {
    fn new() -> Self {
        Self {
            ids: (0..MANY)
                .map(|number| format!("call_{number:024}"))
                .collect(),
            next: Cell::new(0),
        }
    }

    fn next(&self) -> &str {
        let next = self.next.get();
        self.next.set((next + 1) % MANY);
        &self.ids[next]
    }
}

fn event<'a>(args: &'a Value, id: &'a str) -> payload::PreToolCall<'a> {
    payload::PreToolCall::new()
        .tool_name("terminal")
        .args(args)
        .task_id("t")
        .session_id("s")
        .tool_call_id(id)
        .turn_id("u")
        .api_request_id("r")
}

fn row(what: &str, raw: f64, ours: f64) {
    println!(
        "{what:<44} {raw:>10.1} {ours:>10.1} {:>8.2}",
        ours / raw.max(0.1)
    );
}

fn map(args: &Value) -> Map<String, Value> {
    let ids = [
        "task_id",
        "session_id",
        "tool_call_id",
        "turn_id",
        "api_request_id",
    ];
    let ids = ids.map(|name| (name.to_owned(), Value::from("x")));
    let tool = [
        ("tool_name".to_owned(), Value::from("terminal")),
        ("args".to_owned(), args.clone()),
    ];
    tool.into_iter().chain(ids).collect()
}

/// Medians in nanoseconds, the candidates measured in turn so that all meet the same noise.
fn in_turn<const N: usize>(mut candidates: [&mut dyn FnMut(); N]) -> [f64; N] {
    const ROUNDS: usize = 60;
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(ROUNDS));
    let batches: Vec<u32> = candidates
        .iter_mut()
        .map(|candidate| batch(candidate))
        .collect();
    for _ in 0..ROUNDS {
        for ((candidate, batch), times) in candidates.iter_mut().zip(&batches).zip(&mut times) {
            let start = Instant::now();
            for _ in 0..*batch {
                candidate();
            }
            times.push(start.elapsed().as_nanos() as f64 / f64::from(*batch));
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    })
}

/// How many calls take about two milliseconds.
fn batch(candidate: &mut dyn FnMut()) -> u32 {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        for _ in 0..calls {
            candidate();
        }
        if start.elapsed() > Duration::from_millis(2) || calls > 1 << 24 {
            return calls;
        }
        calls *= 2;
    }
}

/// A home with copies of one plugin, each under a name of its own.
fn host(home: &Path, library: &Path, plugins: usize) -> Host {
    let bytes = fs::read(library).unwrap();
    let names: Vec<String> = (0..plugins)
        .map(|number| format!("bench-pass-{number:03}"))
        .collect();
    for name in &names {
        let dir = home.join("plugins").join(name);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("plugin.yaml"), format!("name: {name}\n")).unwrap();
        fs::write(dir.join("plugin.so"), renamed(&bytes, name)).unwrap();
    }
    fs::write(
        home.join("config.yaml"),
        format!("plugins:\n  enabled: [{}]\n", names.join(", ")),
    )
    .unwrap();
    Host::builder(Home::at(home)).load()
}

/// The same library under another name of the same length.
fn renamed(bytes: &[u8], name: &str) -> Vec<u8> {
    let (old, new) = (
        b"\"name\":\"bench-pass-000\"",
        format!("\"name\":\"{name}\""),
    );
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    let at = bytes
        .windows(old.len())
        .position(|window| window == old)
        .unwrap();
    bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    bytes
}

fn build() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "--quiet",
            "--package",
            "hermes-loader",
            "--example",
            "pass",
            "--message-format",
            "json",
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["filenames"].as_array().cloned())
        .flatten()
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .find(|path| {
            path.to_string_lossy().contains("examples")
                && path
                    .extension()
                    .is_some_and(|ext| ext == std::env::consts::DLL_EXTENSION)
        })
        .unwrap()
}
