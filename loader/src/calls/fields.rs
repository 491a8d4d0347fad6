//! Which fields of a hook say whose call an event is about.

use hermes_plugin_api::abi::host::Record;
use hermes_plugin_api::catalogue::{self, Hook};

/// What an event means to its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moment {
    /// `pre_tool_call`.
    Pre,
    /// `before_tool_call`.
    Before,
    /// `post_tool_call`.
    Post,
    /// `on_session_end`: the turn is over.
    TurnEnd,
    /// Nothing, but it may say which session a task belongs to.
    Other,
}

/// The numbers of the fields that matter here; a number beyond all fields where the hook has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) moment: Moment,
    pub(super) call: u32,
    pub(super) tool: u32,
    pub(super) args: u32,
    pub(super) session: u32,
    pub(super) task: u32,
    pub(super) turn: u32,
    pub(super) request: u32,
}

const NONE: u32 = u32::MAX;

impl Fields {
    fn of(hook: &Hook) -> Option<Self> {
        let moment = match hook.name {
            "pre_tool_call" => Moment::Pre,
            "before_tool_call" => Moment::Before,
            "post_tool_call" => Moment::Post,
            "on_session_end" => Moment::TurnEnd,
            _ => Moment::Other,
        };
        let number = |names: [&str; 2]| {
            let field = names.iter().find_map(|name| hook.field(name));
            field.map_or(NONE, |field| field.number)
        };
        let fields = Self {
            moment,
            call: number(["tool_call_id", "toolCallId"]),
            tool: hook.tool_field().unwrap_or(NONE),
            args: number(["args", "params"]),
            session: number(["session_id", "sessionId"]),
            task: number(["task_id", "taskId"]),
            turn: number(["turn_id", "turnId"]),
            request: number(["api_request_id", "runId"]),
        };
        (moment != Moment::Other || fields.tells_sessions()).then_some(fields)
    }

    /// The same event with the session filled in.
    pub(crate) fn filled<'r>(&self, record: &Record<'r>, session: &'r str) -> Record<'r> {
        record.infer(self.session, session)
    }

    /// Whether events have a session and a task.
    pub(crate) const fn tells_sessions(&self) -> bool {
        self.session != NONE && self.task != NONE
    }

    /// Whether events are about one tool call.
    pub(crate) const fn is_of_call(&self) -> bool {
        matches!(self.moment, Moment::Pre | Moment::Before | Moment::Post)
    }
}

/// The fields of every hook that matters, by the hook's number.
pub(super) fn all() -> Box<[Option<Fields>]> {
    let last = catalogue::all().map(|hook| hook.number).max();
    let mut fields = vec![None; last.map_or(0, |last| last as usize + 1)];
    for hook in catalogue::all() {
        if let Some(own) = fields.get_mut(hook.number as usize) {
            *own = Fields::of(hook);
        }
    }
    fields.into()
}
