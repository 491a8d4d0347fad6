//! Which recorded results belong to a call that is blocked now, and so would not have come about.

use serde_json::Value;

use super::recording::Event;

/// How many calls are remembered: more are never open at the same time.
const MOST: usize = 4096;

/// The tool calls of a recording so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    session: Option<String>,
    id: Option<String>,
    tool: Option<String>,
    args: Option<Value>,
    blocked: bool,
    /// Its result has been seen.
    returned: bool,
}

/// Whether an event asks for leave to run a tool.
pub(super) fn asks(hook: &str) -> bool {
    matches!(hook, "pre_tool_call" | "before_tool_call")
}

fn session(event: &Event) -> Option<String> {
    event
        .text(&["session_id", "sessionId", "sessionKey"])
        .map(str::to_owned)
}

fn args(event: &Event) -> Option<Value> {
    event
        .kwargs
        .get("args")
        .or_else(|| event.kwargs.get("params"))
        .cloned()
}

impl Calls {
    /// A call was asked for, and blocked or not.
    pub(super) fn begin(&mut self, event: &Event, blocked: bool) {
        let call = Call {
            session: session(event),
            id: event.call_id().map(str::to_owned),
            tool: event.tool().map(str::to_owned),
            args: args(event),
            blocked,
            returned: false,
        };
        // Both dialects may ask for the same call; one block is enough.
        let known = self.calls.iter_mut().rev().find(|known| {
            call.id.is_some() && known.id == call.id && known.session == call.session
        });
        match known {
            Some(known) if !known.returned => known.blocked |= blocked,
            Some(known) => *known = call,
            None => self.calls.push(call),
        }
        if self.calls.len() > MOST {
            self.calls.remove(0);
        }
    }

    /// Whether the event would not have come about, since its call is blocked.
    pub(super) fn withholds(&mut self, event: &Event) -> bool {
        if self.calls.is_empty() || asks(&event.hook) {
            return false;
        }
        let is_result = event.kwargs.contains_key("result") || event.hook == "post_tool_call";
        let Some(call) = self.of(event, is_result) else {
            return false;
        };
        call.returned |= is_result;
        call.blocked
    }

    /// The call that an event belongs to: by its id, else by what was called.
    fn of(&mut self, event: &Event, is_result: bool) -> Option<&mut Call> {
        let session = session(event);
        let fits =
            |call: &Call| session.is_none() || call.session.is_none() || call.session == session;
        if let Some(id) = event.call_id() {
            return self
                .calls
                .iter_mut()
                .rev()
                .find(|call| call.id.as_deref() == Some(id) && fits(call));
        }
        if let (None, Some(command)) = (event.tool(), event.text(&["command"])) {
            return self.running(command);
        }
        let (tool, args) = (event.tool(), args(event));
        let same =
            |call: &&mut Call| call.tool.as_deref() == tool && call.args == args && fits(call);
        if tool.is_none() || !is_result {
            return None;
        }
        self.calls.iter_mut().rev().find(same)
    }

    /// The call that runs a command, for events that know nothing else of their call. When a call that is
    /// not blocked runs the same command, the event is taken for that one's.
    fn running(&mut self, command: &str) -> Option<&mut Call> {
        let runs = |call: &Call| {
            !call.returned
                && call
                    .args
                    .as_ref()
                    .and_then(|args| args.get("command"))
                    .and_then(Value::as_str)
                    == Some(command)
        };
        let allowed = self
            .calls
            .iter()
            .rposition(|call| runs(call) && !call.blocked);
        let index = allowed.or_else(|| self.calls.iter().rposition(runs))?;
        self.calls.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(hook: &str, kwargs: &Value) -> Event {
        let kwargs = kwargs.as_object().cloned().unwrap_or_default();
        Event {
            line: 1,
            t_ms: None,
            hook: hook.to_owned(),
            kwargs,
        }
    }

    /// Plays events; each call is blocked or not, each other event is expected to be withheld or not.
    #[track_caller]
    fn check(events: &[(&str, Value, bool)]) {
        let mut calls = Calls::default();
        for (hook, kwargs, flag) in events {
            let event = event(hook, kwargs);
            if asks(hook) {
                calls.begin(&event, *flag);
            } else {
                assert_eq!(calls.withholds(&event), *flag, "{hook} {kwargs}");
            }
        }
    }

    fn call(id: &str, command: &str) -> Value {
        json!({"tool_name": "terminal", "args": {"command": command}, "tool_call_id": id, "session_id": "s"})
    }

    #[test]
    fn results_of_a_blocked_call_are_withheld() {
        check(&[
            ("pre_tool_call", call("1", "rm -rf /"), true),
            (
                "transform_terminal_output",
                json!({"command": "rm -rf /", "output": ""}),
                true,
            ),
            ("post_tool_call", call("1", "rm -rf /"), true),
            ("transform_tool_result", call("1", "rm -rf /"), true),
            ("pre_tool_call", call("2", "ls"), false),
            (
                "transform_terminal_output",
                json!({"command": "ls", "output": ""}),
                false,
            ),
            ("post_tool_call", call("2", "ls"), false),
            ("on_session_end", json!({"session_id": "s"}), false),
        ]);
    }

    #[test]
    fn a_blocked_call_withholds_nothing_of_another() {
        check(&[
            ("pre_tool_call", call("1", "make"), true),
            ("post_tool_call", call("1", "make"), true),
            // The same command, once the blocked call is over.
            ("pre_tool_call", call("2", "make"), false),
            (
                "transform_terminal_output",
                json!({"command": "make"}),
                false,
            ),
            ("post_tool_call", call("2", "make"), false),
            // And at the same time.
            ("pre_tool_call", call("3", "make"), true),
            ("pre_tool_call", call("4", "make"), false),
            (
                "transform_terminal_output",
                json!({"command": "make"}),
                false,
            ),
            ("post_tool_call", call("4", "make"), false),
            ("post_tool_call", call("3", "make"), true),
            // The same id in another session, and the same id again.
            (
                "post_tool_call",
                json!({"tool_call_id": "3", "session_id": "other"}),
                false,
            ),
            ("pre_tool_call", call("3", "make"), false),
            ("post_tool_call", call("3", "make"), false),
        ]);
    }

    #[test]
    fn without_ids_the_arguments_tell() {
        let call = |command: &str| json!({"tool_name": "terminal", "args": {"command": command}, "task_id": "t"});
        let result = |command: &str| json!({"tool_name": "terminal", "args": {"command": command}, "result": "{}"});
        check(&[
            ("pre_tool_call", call("a"), true),
            ("pre_tool_call", call("b"), false),
            ("post_tool_call", result("b"), false),
            ("post_tool_call", result("a"), true),
        ]);
    }

    #[test]
    fn a_block_in_either_dialect_counts() {
        check(&[
            ("pre_tool_call", call("1", "x"), false),
            (
                "before_tool_call",
                json!({"toolName": "terminal", "toolCallId": "1", "sessionId": "s"}),
                true,
            ),
            ("post_tool_call", call("1", "x"), true),
        ]);
    }
}
