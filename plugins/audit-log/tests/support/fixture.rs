//! A log in a temporary directory, with a clock that moves one second a record.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "shared by several test files, each of which uses a part"
)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use audit_log::{AuditError, AuditLog, Config, Ids, Recorded, ToolCall, ToolResult, TurnEnd};
use serde_json::Value;

pub struct Fixture {
    pub dir: tempfile::TempDir,
    pub log: AuditLog,
}

pub fn parsed(config: &str) -> Config {
    serde_json::from_str(config).expect("the test's own configuration")
}

pub fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

pub fn open(config: &Config, dir: &std::path::Path) -> AuditLog {
    let seconds = AtomicU64::new(1_796_055_230);
    let clock = move || UNIX_EPOCH + Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed));
    AuditLog::open(config, dir, Box::new(clock)).expect("a valid configuration")
}

impl Fixture {
    pub fn new(config: &Config) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let log = open(config, dir.path());
        Self { dir, log }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }

    pub fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).expect("readable")
    }

    pub fn records(&self) -> Vec<Value> {
        let text = self.text("audit-log.jsonl");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    pub fn try_call(&self, id: &str, args: &Value) -> Result<Recorded, AuditError> {
        self.log.call(&called(id, args))
    }

    #[track_caller]
    pub fn call(&self, id: &str, args: &Value) {
        self.try_call(id, args).expect("written");
    }

    #[track_caller]
    pub fn result(&self, id: &str, args: &Value, result: &str) {
        let call = called(id, args);
        let result = ToolResult {
            call,
            result,
            status: "ok",
            error_type: "",
            duration_ms: Some(7),
        };
        self.log.result(&result).expect("written");
    }

    pub fn end(&self) {
        let end = TurnEnd {
            session_id: "s",
            task_id: "t",
            completed: true,
            interrupted: false,
        };
        self.log.turn_end(&end).expect("written");
    }

    /// Feeds one event as Hermes records it.
    pub fn replay(&self, event: &Value) {
        let fields = &event["kwargs"];
        let text = |key: &str| fields[key].as_str().unwrap_or("");
        let ids = Ids {
            session_id: text("session_id"),
            task_id: text("task_id"),
            tool_call_id: text("tool_call_id"),
        };
        let call = ToolCall {
            ids,
            tool_name: text("tool_name"),
            args: &fields["args"],
        };
        match event["hook"].as_str() {
            Some("pre_tool_call") => _ = self.log.call(&call).expect("written"),
            Some("post_tool_call") => {
                let result = ToolResult {
                    call,
                    result: text("result"),
                    status: text("status"),
                    error_type: text("error_type"),
                    duration_ms: fields["duration_ms"].as_u64(),
                };
                self.log.result(&result).expect("written");
            }
            _ => {
                let end = TurnEnd {
                    session_id: text("session_id"),
                    task_id: text("task_id"),
                    completed: fields["completed"] == true,
                    interrupted: fields["interrupted"] == true,
                };
                self.log.turn_end(&end).expect("written");
            }
        }
    }
}

pub fn called<'a>(id: &'a str, args: &'a Value) -> ToolCall<'a> {
    let ids = Ids {
        session_id: "s",
        task_id: "t",
        tool_call_id: id,
    };
    ToolCall {
        ids,
        tool_name: "terminal",
        args,
    }
}
