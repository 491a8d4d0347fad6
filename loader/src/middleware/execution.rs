//! Handlers around one call: each wraps those after it, and the host's own doing at the end.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use hermes_plugin_api::abi::host::{
    Dispatch, Failed, Lent, LiveAct, LiveObject, NotDone, Record, is_borrowing, lend,
};
use hermes_plugin_api::abi::{CallFlags, FailureKind, HandleKind, HandlerFlags};
use serde_json::{Map, Value};

use super::{ExecutionError, Refused};
use crate::boundary::{Entered, Parent};
use crate::dispatch::Around;
use crate::fault::FaultKind;
use crate::guard::caught;
use crate::registry::{Chain, Entry};

/// One execution, as far as it is the same for all its layers.
pub(super) struct Execution<'a, E> {
    pub(super) chain: &'a Chain,
    /// The event without the payload, which changes from layer to layer.
    pub(super) record: &'a Record<'a>,
    pub(super) payload_field: u32,
    pub(super) next_field: u32,
    pub(super) around: Around<'a>,
    pub(super) parent: Parent,
    pub(super) run: &'a mut dyn FnMut(&Value) -> Result<Value, E>,
}

/// How what a handler wraps ended, when the handler called it.
enum Called<E> {
    Ended(Result<Value, ExecutionError<E>>),
    /// It goes on once the plugin's code has returned: a panic never passes through a plugin.
    Panicked(Box<dyn Any + Send>),
}

/// What a handler wraps, while the handler runs.
struct Next<'n, 'a, E> {
    /// Taken by the first call.
    rest: Cell<Option<(&'n mut Execution<'a, E>, usize)>>,
    payload: &'n Value,
    called: Cell<Option<Called<E>>>,
}

impl<E: fmt::Display> Execution<'_, E> {
    /// Runs the layer of the first handler from here on that wants to see the event.
    pub(super) fn layer(
        &mut self,
        from: usize,
        payload: &Value,
    ) -> Result<Value, ExecutionError<E>> {
        let (chain, parent, faults) = (self.chain, self.parent, self.around.faults);
        let tool = self.record.tool();
        let mut rest = chain.entries.iter().enumerate().skip(from);
        let Some((index, entry)) = rest.find(|(_, entry)| entry.wants(tool)) else {
            // The handlers around it are no longer at work: what the host fires is not fired by them.
            return parent
                .within(|| (self.run)(payload))
                .map_err(ExecutionError::Downstream);
        };
        let (record, fields) = (self.record, (self.payload_field, self.next_field));
        let limits = self.around.limits;
        let next = Next {
            rest: Cell::new(Some((self, index + 1))),
            payload,
            called: Cell::new(None),
        };
        // It would wait for its own turn.
        let waits_for_itself = entry.flags.contains(HandlerFlags::SERIAL) && is_borrowing(entry.id);
        let entered = lend(&next, parent, Some(entry.id), |number| {
            if waits_for_itself {
                return inside_already();
            }
            let mut record: Record<'_> = record.clone();
            record.set(fields.0, Lent::from(payload));
            record.set(fields.1, Lent::handle(HandleKind::NEXT, number));
            let event = record.event();
            enter(entry, &Dispatch::new(&event, chain.hook, limits), parent)
        });
        let called = match next.called.into_inner() {
            Some(Called::Panicked(panic)) => resume_unwind(panic),
            Some(Called::Ended(ended)) => Some(ended),
            None => None,
        };
        match entered {
            Entered::Answered(answered) => return Ok(answered.json),
            Entered::Faulted(kind, failed) if !hands_on(kind, &failed, called.as_ref()) => {
                faults.note(&entry.plugin, &entry.name, kind, &failed);
                if entry.closed {
                    let by = Arc::clone(&entry.plugin);
                    return Err(ExecutionError::Refused(Refused { by }));
                }
            }
            Entered::Quiet | Entered::Pending(_) | Entered::Faulted(..) => {}
        }
        match (called, next.rest.into_inner()) {
            (Some(ended), _) => ended,
            (None, Some((execution, index))) => execution.layer(index, payload),
            // The rest is only taken by a call, and a call always says how it ended.
            (None, None) => Err(ExecutionError::Refused(Refused {
                by: Arc::clone(&entry.plugin),
            })),
        }
    }
}

fn enter(entry: &Entry, dispatch: &Dispatch<'_>, parent: Parent) -> Entered {
    let entering = entry.entering(CallFlags::NONE);
    entering.refused(parent).unwrap_or_else(|| {
        let _turn = entry.turn(parent);
        match entering.enter(dispatch, parent) {
            Entered::Pending(waiting) => waiting.block(None),
            entered => entered,
        }
    })
}

/// A handler that wants to be called one at a time, met again by a call inside the one that it is around.
#[cold]
fn inside_already() -> Entered {
    let text = "is called one at a time, and is around this very call already".to_owned();
    let failed = Failed {
        kind: FailureKind::ERROR,
        text,
        file: String::new(),
        line: 0,
    };
    Entered::Faulted(FaultKind::Nested, Box::new(failed))
}

/// Whether an error of a handler is no fault of its own, but the error of what it wraps, handed on.
fn hands_on<E: fmt::Display>(
    kind: FaultKind,
    failed: &Failed,
    called: Option<&Result<Value, ExecutionError<E>>>,
) -> bool {
    match called {
        Some(Err(error)) => kind == FaultKind::Error && failed.text.contains(&error.to_string()),
        _ => false,
    }
}

impl<E: fmt::Display> LiveObject for Next<'_, '_, E> {
    fn act(&self, act: LiveAct, json: &str) -> Result<String, NotDone> {
        if act != LiveAct::Next {
            return Err(NotDone::Unsupported);
        }
        let replaced = match json {
            "" => None,
            json => match serde_json::from_str::<Map<String, Value>>(json) {
                Ok(map) => Some(Value::Object(map)),
                Err(error) => {
                    let why = format!("`next` takes a JSON object: {error}");
                    return Err(NotDone::Invalid(why));
                }
            },
        };
        let Some((execution, index)) = self.rest.take() else {
            let why = "`next` was called already; a handler may call it once";
            return Err(NotDone::Failed(why.to_owned()));
        };
        let payload = replaced.as_ref().unwrap_or(self.payload);
        let (called, told) = match caught(|| execution.layer(index, payload)) {
            Ok(Ok(value)) => {
                let text = value.to_string();
                (Called::Ended(Ok(value)), Ok(text))
            }
            Ok(Err(error)) => {
                let text = error.to_string();
                (Called::Ended(Err(error)), Err(NotDone::Failed(text)))
            }
            Err(panic) => {
                let text = "what this handler wraps panicked".to_owned();
                (Called::Panicked(panic), Err(NotDone::Failed(text)))
            }
        };
        self.called.set(Some(called));
        told
    }
}
