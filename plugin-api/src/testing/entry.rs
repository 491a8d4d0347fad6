//! One handler, registered and live: whether it is called, and how.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant as Clock},
};

use serde_json::{Map, Value as Json};

use super::Outcome;
use crate::{
    abi::{
        CallFlags, HandlerFlags, OnFailure, Phase,
        host::{Dispatch, Entered, Entering, Limits, Parent, Record, Staged},
        test_host::Instance,
    },
    catalogue::{self, Dialect, Hook},
};

/// One registration of a plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Registered {
    /// Its id, as [`HostRef::unregister`](crate::HostRef::unregister) takes it.
    pub id: u64,
    /// Whose.
    pub plugin: String,
    /// The hook.
    pub hook: String,
    /// Higher is called first, except that guards come last.
    pub priority: f64,
    /// The tools it is limited to; empty for all.
    pub tools: Vec<String>,
    /// Whether it stands with the guards.
    pub guard: bool,
    /// Whether a host refuses the event when it faults.
    pub closed: bool,
}

/// One handler, registered and live.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) staged: Staged,
    hook: Option<&'static Hook>,
    pub(super) instance: Arc<Instance>,
    pub(super) guard: bool,
    pub(super) closed: bool,
    /// Held by whoever is inside a handler that is called one at a time.
    turn: Mutex<()>,
}

impl Entry {
    pub(super) fn new(staged: Staged, instance: &Arc<Instance>, guard: bool) -> Self {
        let hook = catalogue::by_name(&staged.name);
        let guard = match staged.phase {
            Phase::GUARD => true,
            Phase::FIRST => false,
            _ => guard,
        };
        let said = match staged.on_failure {
            OnFailure::DEFAULT if guard => OnFailure::CLOSED,
            OnFailure::DEFAULT => hook.map_or(OnFailure::OPEN, |hook| hook.on_failure),
            said => said,
        };
        let closed = said == OnFailure::CLOSED && hook.is_some_and(Hook::decides);
        Self {
            staged,
            hook,
            instance: Arc::clone(instance),
            guard,
            closed,
            turn: Mutex::default(),
        }
    }

    pub(super) fn registered(&self) -> Registered {
        Registered {
            id: self.staged.id,
            plugin: self.instance.plugin().to_owned(),
            hook: self.staged.name.clone(),
            priority: self.staged.priority,
            tools: self.staged.tools.clone().unwrap_or_default(),
            guard: self.guard,
            closed: self.closed,
        }
    }

    pub(super) fn wants(&self, tool: Option<&str>) -> bool {
        self.staged
            .tools
            .as_ref()
            .is_none_or(|tools| tool.is_some_and(|tool| tools.iter().any(|wanted| wanted == tool)))
    }

    /// Whether it is called even after the matter was ended: Hermes' dialect promises that.
    pub(super) fn watches_on(&self) -> bool {
        let hermes = self
            .hook
            .is_some_and(|hook| hook.dialect == Dialect::Hermes);
        hermes
            || self
                .staged
                .flags
                .contains(HandlerFlags::OBSERVE_AFTER_TERMINAL)
    }

    pub(super) fn is_chained(&self) -> bool {
        self.staged.flags.contains(HandlerFlags::CHAIN)
    }

    /// The payload with the text as this handler is to see it, when that is not the original.
    pub(super) fn chained(
        &self,
        outcome: &Outcome,
        payload: &Map<String, Json>,
    ) -> Option<Map<String, Json>> {
        let text = outcome.shown_text(self.is_chained())?;
        let hook = self.hook?;
        let field = ["result", "output", "response_text"]
            .into_iter()
            .find(|name| hook.field(name).is_some())?;
        let mut payload = payload.clone();
        payload.insert(field.to_owned(), text.into());
        Some(payload)
    }

    /// Calls the handler with a payload of its own.
    pub(super) fn call(
        &self,
        flags: CallFlags,
        payload: &Map<String, Json>,
        parent: Parent,
        patience: Duration,
    ) -> Entered {
        let record = Record::from_json(self.hook, payload);
        let event = record.event();
        let dispatch = Dispatch::new(&event, self.hook, Limits::default());
        self.enter(flags, &dispatch, parent, patience)
    }

    /// Calls the handler, and waits for an answer that comes later.
    pub(super) fn enter(
        &self,
        flags: CallFlags,
        dispatch: &Dispatch<'_>,
        parent: Parent,
        patience: Duration,
    ) -> Entered {
        let Staged {
            handler,
            id,
            cookie,
            budget_ms,
            flags: own,
            ..
        } = &self.staged;
        let budget = (*budget_ms > 0).then(|| Duration::from_millis(*budget_ms));
        let entering = Entering {
            cookie: *cookie,
            flags,
            deadline: budget.and_then(|budget| Clock::now().checked_add(budget)),
            reentrant: own.contains(HandlerFlags::REENTRANT),
            ..Entering::plain(handler, *id, &*self.instance)
        };
        // Before the turn: a handler that is inside already would wait for itself.
        if let Some(refused) = entering.refused(parent) {
            return refused;
        }
        let _turn = own
            .contains(HandlerFlags::SERIAL)
            .then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        wait(
            entering.enter(dispatch, parent),
            patience.min(budget.unwrap_or(patience)),
        )
    }
}

/// Calls a handler, and waits for an answer that comes later.
pub(super) fn enter(
    entering: Entering<'_>,
    hook: Option<&'static Hook>,
    payload: &Map<String, Json>,
    parent: Parent,
    patience: Duration,
) -> Entered {
    let record = Record::from_json(hook, payload);
    let event = record.event();
    let dispatch = Dispatch::new(&event, hook, Limits::default());
    wait(entering.enter(&dispatch, parent), patience)
}

fn wait(entered: Entered, patience: Duration) -> Entered {
    match entered {
        Entered::Pending(waiting) => waiting.block(Clock::now().checked_add(patience)),
        entered => entered,
    }
}
