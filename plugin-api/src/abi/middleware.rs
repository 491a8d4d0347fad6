//! Walks the handlers of middleware: all over one original, or each around those after it.

use std::{any::Any, cell::Cell, fmt, panic::resume_unwind};

use serde_json::{Map, Value as Json};

use super::{
    FailureKind, HandleKind,
    collect::Limits,
    enter::{Entered, FaultKind, Parent},
    frame::{Dispatch, Failed},
    lending::{LiveAct, LiveObject, NotDone, is_borrowing, lend},
    record::{Lent, Record},
};
use crate::{
    catalogue::{Hook, HookPoint, Payload},
    guard,
};

/// The handlers of one kind, in the order of the chain, as a host has them.
pub trait Layers {
    /// Why a fault of one of them refuses the event.
    type Refused: fmt::Display;

    /// The place of the first handler from `from` on that wants to see events of this tool.
    fn find(&self, from: usize, tool: Option<&str>) -> Option<usize>;

    /// What the host knows a handler by.
    fn tag(&self, at: usize) -> u64;

    /// Whether a handler is called one at a time.
    fn is_serial(&self, at: usize) -> bool;

    /// Calls a handler, and waits for an answer that comes later.
    fn enter(&self, at: usize, dispatch: &Dispatch<'_>, parent: Parent) -> Entered;

    /// Takes a fault, and says whether the event is refused for it.
    fn fault(&self, at: usize, kind: FaultKind, failed: Failed) -> Option<Self::Refused>;
}

/// What the handlers of a request came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewritten {
    /// What the last valid answer puts in place of the original, and where in the chain it came from.
    pub last: Option<(Json, usize)>,
    /// One entry per valid answer: its `source`, `reason` and `name`, as far as they are text.
    pub trace: Vec<Json>,
}

/// Why an execution gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped<E, R> {
    /// What is wrapped failed.
    Downstream(E),
    /// A fault of a handler refuses it.
    Refused(R),
}

impl<E: fmt::Display, R: fmt::Display> fmt::Display for Stopped<E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Downstream(error) => error.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
        }
    }
}

/// Puts a value into a field of the record's hook, by name.
fn put<'a>(record: &mut Record<'a>, hook: &Hook, name: &str, lent: impl Into<Lent<'a>>) {
    if let Some(field) = hook.field(name) {
        record.set(field.number, lent.into());
    }
}

fn versioned<'a>(mut record: Record<'a>, hook: &Hook) -> Record<'a> {
    put(
        &mut record,
        hook,
        "telemetry_schema_version",
        "hermes.observer.v1",
    );
    put(
        &mut record,
        hook,
        "middleware_schema_version",
        "hermes.middleware.v1",
    );
    record
}

/// Asks the handlers of a request kind. Each sees the same original, and the last valid answer wins.
///
/// `key` is what the kind rewrites: `args` or `request`.
///
/// # Errors
/// When a fault refuses the event.
pub fn ask<L: Layers, P: Payload>(
    layers: &L,
    event: &P,
    key: &str,
    original: &Json,
    limits: Limits,
) -> Result<Rewritten, L::Refused> {
    let hook = P::Point::HOOK;
    let mut record = versioned(event.record(), hook);
    put(&mut record, hook, key, original);
    put(&mut record, hook, &format!("original_{key}"), original);
    let (live, parent, tool) = (record.event(), Parent::current(), record.tool());
    let dispatch = Dispatch::new(&live, Some(hook), limits);
    let mut rewritten = Rewritten::default();
    let mut from = 0;
    while let Some(at) = layers.find(from, tool) {
        from = at + 1;
        match layers.enter(at, &dispatch, parent) {
            Entered::Quiet | Entered::Pending(_) => {}
            Entered::Faulted(kind, failed) => {
                if let Some(refused) = layers.fault(at, kind, *failed) {
                    return Err(refused);
                }
            }
            Entered::Answered(answered) => {
                if let Json::Object(mut answer) = answered.json
                    && answer.get(key).is_some_and(Json::is_object)
                {
                    rewritten.trace.push(traced(&answer));
                    rewritten.last = answer.remove(key).map(|value| (value, at));
                }
            }
        }
    }
    Ok(rewritten)
}

/// An entry of the trace: what the answer says of itself, as far as it is text.
fn traced(answer: &Map<String, Json>) -> Json {
    let said = ["source", "reason", "name"].into_iter().filter_map(|key| {
        let text = answer.get(key).filter(|value| value.is_string())?;
        Some((key.to_owned(), text.clone()))
    });
    Json::Object(said.collect())
}

/// Runs `run` inside the handlers of an execution kind, the first one outermost. `key` is what is passed on:
/// `args` or `request`.
///
/// A panic of `run` goes on once no plugin's code stands above it on the stack any more.
///
/// # Errors
/// When `run` fails, or a fault refuses the event.
pub fn execute<L: Layers, P: Payload, E: fmt::Display>(
    layers: &L,
    event: &P,
    (key, payload): (&str, &Json),
    limits: Limits,
    run: &mut dyn FnMut(&Json) -> Result<Json, E>,
) -> Result<Json, Stopped<E, L::Refused>> {
    let hook = P::Point::HOOK;
    let number = |name| hook.field(name).map_or(u32::MAX, |field| field.number);
    let record = versioned(event.record(), hook);
    let mut execution = Execution {
        layers,
        record: &record,
        hook,
        payload_field: number(key),
        next_field: number("next"),
        limits,
        parent: Parent::current(),
        run,
    };
    execution.layer(0, payload)
}

/// One execution, as far as it is the same for all its layers.
struct Execution<'a, L, E> {
    layers: &'a L,
    /// The event without the payload, which changes from layer to layer.
    record: &'a Record<'a>,
    hook: &'static Hook,
    payload_field: u32,
    next_field: u32,
    limits: Limits,
    parent: Parent,
    run: &'a mut dyn FnMut(&Json) -> Result<Json, E>,
}

/// How what a handler wraps ended, when the handler called it.
enum Called<E, R> {
    Ended(Result<Json, Stopped<E, R>>),
    Panicked(Box<dyn Any + Send>),
}

/// The rest of an execution, from a place in the chain on.
type Rest<'n, 'a, L, E> = (&'n mut Execution<'a, L, E>, usize);

/// What a handler wraps, while the handler runs.
struct Next<'n, 'a, L: Layers, E> {
    /// Taken by the first call.
    rest: Cell<Option<Rest<'n, 'a, L, E>>>,
    payload: &'n Json,
    called: Cell<Option<Called<E, L::Refused>>>,
}

impl<L: Layers, E: fmt::Display> Execution<'_, L, E> {
    /// Runs the layer of the first handler from here on that wants to see the event.
    fn layer(&mut self, from: usize, payload: &Json) -> Result<Json, Stopped<E, L::Refused>> {
        let (layers, record, parent) = (self.layers, self.record, self.parent);
        let Some(at) = layers.find(from, record.tool()) else {
            // The handlers around it are no longer at work: what the host fires is not fired by them.
            return parent
                .within(|| (self.run)(payload))
                .map_err(Stopped::Downstream);
        };
        let (hook, limits) = (self.hook, self.limits);
        let (payload_field, next_field) = (self.payload_field, self.next_field);
        let next = Next {
            rest: Cell::new(Some((self, at + 1))),
            payload,
            called: Cell::new(None),
        };
        let tag = layers.tag(at);
        let entered = if layers.is_serial(at) && is_borrowing(tag) {
            // It would wait for its own turn.
            inside_already()
        } else {
            lend(&next, parent, Some(tag), |number| {
                let mut record: Record<'_> = record.clone();
                record.set(payload_field, Lent::from(payload));
                record.set(next_field, Lent::handle(HandleKind::NEXT, number));
                let event = record.event();
                layers.enter(at, &Dispatch::new(&event, Some(hook), limits), parent)
            })
        };
        let called = match next.called.into_inner() {
            Some(Called::Panicked(panic)) => resume_unwind(panic),
            Some(Called::Ended(ended)) => Some(ended),
            None => None,
        };
        match entered {
            Entered::Answered(answered) => return Ok(answered.json),
            Entered::Faulted(kind, failed) if !hands_on(kind, &failed, called.as_ref()) => {
                if let Some(refused) = layers.fault(at, kind, *failed) {
                    return Err(Stopped::Refused(refused));
                }
            }
            Entered::Quiet | Entered::Pending(_) | Entered::Faulted(..) => {}
        }
        match (called, next.rest.into_inner()) {
            (None, Some((execution, rest))) => execution.layer(rest, payload),
            (Some(ended), _) => ended,
            (None, None) => {
                unreachable!("the rest is only taken by a call, which says how it ended")
            }
        }
    }
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
fn hands_on<E: fmt::Display, R: fmt::Display>(
    kind: FaultKind,
    failed: &Failed,
    called: Option<&Result<Json, Stopped<E, R>>>,
) -> bool {
    match called {
        Some(Err(stopped)) => {
            kind == FaultKind::Error && failed.text.contains(&stopped.to_string())
        }
        _ => false,
    }
}

impl<L: Layers, E: fmt::Display> LiveObject for Next<'_, '_, L, E> {
    fn act(&self, act: LiveAct, json: &str) -> Result<String, NotDone> {
        if act != LiveAct::Next {
            return Err(NotDone::Unsupported);
        }
        let replaced = match json {
            "" => None,
            json => match serde_json::from_str::<Map<String, Json>>(json) {
                Ok(map) => Some(Json::Object(map)),
                Err(error) => {
                    let why = format!("`next` takes a JSON object: {error}");
                    return Err(NotDone::Invalid(why));
                }
            },
        };
        let Some((execution, rest)) = self.rest.take() else {
            let why = "`next` was called already; a handler may call it once";
            return Err(NotDone::Failed(why.to_owned()));
        };
        let payload = replaced.as_ref().unwrap_or(self.payload);
        // The words too: whoever made the error may not be able to say them.
        let ended = guard::hold(|| {
            let ended = execution.layer(rest, payload);
            let told = match &ended {
                Ok(value) => Ok(value.to_string()),
                Err(stopped) => Err(NotDone::Failed(stopped.to_string())),
            };
            (ended, told)
        });
        let (called, told) = match ended {
            Ok((ended, told)) => (Called::Ended(ended), told),
            Err(panic) => {
                let text = "what this handler wraps panicked".to_owned();
                (Called::Panicked(panic), Err(NotDone::Failed(text)))
            }
        };
        self.called.set(Some(called));
        told
    }
}
