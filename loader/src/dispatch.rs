//! Calls a chain of handlers with one event, on the caller's thread or as a future.

use std::sync::Arc;

use hermes_plugin_api::abi::host::{Answered, Dispatch, Failed, Limits, OwnedEvent, Record};
use hermes_plugin_api::abi::{CallFlags, HandlerFlags};
use hermes_plugin_api::catalogue::{Hook, Merge};
use serde_json::{Map, Value};

use crate::boundary::{Entered, Parent, Waiting};
use crate::fault::{FaultKind, FaultLog};
use crate::fold;
use crate::outcome::{Body, Outcome, Reply};
use crate::registry::{Chain, Entry, Snapshot};

/// Is told of every call; costs nothing when it does not care.
pub(crate) trait Probe {
    /// A handler is about to be called.
    fn before(&mut self, _entry: &Entry) {}
    /// It returned.
    fn after(&mut self, _entry: &Entry, _ended: &Ended) {}
}

/// Does not care.
pub(crate) struct Unobserved;

impl Probe for Unobserved {}

/// How a call ended, once it is no longer pending.
#[derive(Debug)]
pub(crate) enum Ended {
    Quiet,
    Answered(Value),
    Faulted(FaultKind),
}

/// One walk along a chain: what was said so far.
struct Walk<'a> {
    chain: &'a Chain,
    faults: &'a FaultLog,
    replies: Vec<Reply>,
    /// A higher handler ended the matter.
    terminal: bool,
    /// The text that a transform's chain has come to.
    text: Option<String>,
}

/// What an answer changes in the event that later handlers see.
enum Change {
    Args(Map<String, Value>),
    Content(String),
}

impl Change {
    fn apply(self, mut payload: Map<String, Value>) -> Map<String, Value> {
        match self {
            Self::Content(content) => {
                payload.insert("content".to_owned(), Value::String(content));
            }
            Self::Args(args) => match payload.get_mut("args") {
                Some(Value::Object(own)) => own.extend(args),
                _ => {
                    payload.insert("args".to_owned(), Value::Object(args));
                }
            },
        }
        payload
    }
}

impl<'a> Walk<'a> {
    const fn new(chain: &'a Chain, faults: &'a FaultLog) -> Self {
        Self { chain, faults, replies: Vec::new(), terminal: false, text: None }
    }

    fn merge(&self) -> Merge {
        self.chain.hook.map_or(Merge::Ignore, |hook| hook.merge)
    }

    /// Whether this handler is to be called, and how.
    fn flags(&self, entry: &Entry) -> Option<CallFlags> {
        if !self.terminal {
            return Some(CallFlags::NONE);
        }
        entry.watches_on().then_some(CallFlags::AFTER_TERMINAL)
    }

    /// A transform that asked for it sees the text as it stands.
    fn chained(&self, entry: &Entry, payload: &Map<String, Value>) -> Option<Map<String, Value>> {
        let text = self.text.as_ref()?;
        if !entry.flags.contains(HandlerFlags::CHAIN) {
            return None;
        }
        let field = transformed_field(self.chain.hook?)?;
        let mut payload = payload.clone();
        payload.insert(field.to_owned(), Value::String(text.clone()));
        Some(payload)
    }

    fn settle(&mut self, entry: &Entry, entered: Entered) -> (Option<Change>, Ended) {
        match entered {
            Entered::Quiet | Entered::Pending(_) => (None, Ended::Quiet),
            Entered::Faulted(kind, failed) => (None, self.fault(entry, kind, &failed)),
            Entered::Answered(answer) => self.answer(entry, answer),
        }
    }

    #[cold]
    fn fault(&mut self, entry: &Entry, kind: FaultKind, failed: &Failed) -> Ended {
        self.faults.note(&entry.plugin, &entry.name, kind, failed);
        if !self.terminal {
            let body = Body::Fault { kind, closed: entry.closed };
            self.replies.push(Reply { plugin: Arc::clone(&entry.plugin), body });
            // A modifying event of OpenClaw fails as a whole when a handler that fails closed does.
            self.terminal = entry.closed && matches!(self.merge(), Merge::ToolDecision);
        }
        Ended::Faulted(kind)
    }

    fn answer(&mut self, entry: &Entry, answer: Answered) -> (Option<Change>, Ended) {
        let json = answer.json;
        if self.terminal || matches!(self.merge(), Merge::Ignore) && self.chain.hook.is_some() {
            return (None, Ended::Answered(json));
        }
        let change = self.change(entry, &json);
        self.terminal = fold::is_terminal(self.merge(), &json);
        let body = Body::Answer(json.clone());
        self.replies.push(Reply { plugin: Arc::clone(&entry.plugin), body });
        (change, Ended::Answered(json))
    }

    /// What an answer changes for the handlers after it.
    fn change(&mut self, entry: &Entry, answer: &Value) -> Option<Change> {
        match self.merge() {
            Merge::Directive => {
                let args = fold::modified(answer)?;
                if entry.guard {
                    let (plugin, hook) = (&*entry.plugin, &entry.name);
                    tracing::warn!(plugin, hook, "a guard may not rewrite what it judges; its rewrite is ignored");
                    return None;
                }
                Some(Change::Args(args.clone()))
            }
            Merge::Outbound => Some(Change::Content(answer.get("content")?.as_str()?.to_owned())),
            merge @ (Merge::ReplaceAny | Merge::ReplaceNonEmpty) => {
                let counts = self.text.is_none() || entry.flags.contains(HandlerFlags::CHAIN);
                if let Some(text) = fold::acceptable(answer, merge == Merge::ReplaceAny).filter(|_| counts) {
                    self.text = Some(text.to_owned());
                }
                None
            }
            _ => None,
        }
    }

    fn finish(mut self) -> Outcome {
        if self.replies.is_empty() {
            return Outcome::default();
        }
        self.drop_guards_rewrites();
        let (mut decision, args) = fold::fold(self.merge(), &self.replies);
        if let (crate::outcome::Decision::Replace { text, .. }, Some(chained)) = (&mut decision, self.text)
            && !self.replies.iter().any(|reply| matches!(reply.body, Body::Fault { closed: true, .. }))
        {
            *text = chained;
        }
        Outcome { decision, args, replies: self.replies }
    }

    /// A guard's rewrite was reported when it came; it does not count.
    fn drop_guards_rewrites(&mut self) {
        if self.merge() != Merge::Directive {
            return;
        }
        let guards: Vec<&Arc<str>> =
            self.chain.entries.iter().filter(|entry| entry.guard).map(|entry| &entry.plugin).collect();
        for reply in &mut self.replies {
            if let Body::Answer(answer) = &mut reply.body
                && fold::modified(answer).is_some()
                && guards.iter().any(|guard| **guard == reply.plugin)
                && let Some(answer) = answer.as_object_mut()
            {
                answer.remove("args");
            }
        }
    }
}

/// The field whose text a transform replaces.
fn transformed_field(hook: &Hook) -> Option<&'static str> {
    ["result", "output", "response_text"].into_iter().find(|name| hook.field(name).is_some())
}

/// The tool an event is about.
#[inline]
fn tool<'p>(hook: Option<&Hook>, payload: &'p Map<String, Value>) -> Option<&'p str> {
    let name = match hook {
        Some(hook) => hook.fields.get(hook.tool_field()? as usize)?.name,
        None => "tool_name",
    };
    payload.get(name)?.as_str()
}

/// Calls one handler with a payload of its own.
///
/// `copy` is the owned event that an earlier call made of the same payload, if one did.
fn call(
    entry: &Entry,
    hook: Option<&'static Hook>,
    payload: &Map<String, Value>,
    flags: CallFlags,
    parent: Parent,
    copy: &mut Option<Arc<OwnedEvent>>,
) -> Entered {
    let record = Record::from_json(hook, payload);
    let event = record.event();
    let dispatch = Dispatch::new(&event, hook, Limits::default()).with_copy(copy.take());
    let entered = entry.entering(flags).enter(&dispatch, parent);
    *copy = dispatch.into_copy();
    entered
}

/// Fires an event along a chain, on this thread. A handler whose answer comes later is waited for.
pub(crate) fn run<P: Probe>(
    chain: &Chain,
    payload: &Map<String, Value>,
    parent: Parent,
    faults: &FaultLog,
    probe: &mut P,
) -> Outcome {
    let hook = chain.hook;
    let tool = tool(hook, payload);
    let mut walk = Walk::new(chain, faults);
    let mut changed: Option<Map<String, Value>> = None;
    let mut entries = chain.entries.iter();
    loop {
        // One record serves all handlers until the event changes.
        let payload = changed.as_ref().unwrap_or(payload);
        let record = Record::from_json(hook, payload);
        let event = record.event();
        let dispatch = Dispatch::new(&event, hook, Limits::default());
        let change = entries.find_map(|entry| {
            if !entry.wants(tool) {
                return None;
            }
            let flags = walk.flags(entry)?;
            let chained = walk.chained(entry, payload);
            probe.before(entry);
            // Before the turn: a handler that is inside already would wait for itself.
            let entered = entry.entering(flags).refused(parent).unwrap_or_else(|| {
                let _turn = entry.turn();
                let entered = match &chained {
                    Some(payload) => call(entry, hook, payload, flags, parent, &mut None),
                    None => entry.entering(flags).enter(&dispatch, parent),
                };
                match entered {
                    Entered::Pending(pending) => Waiting(pending).block(),
                    entered => entered,
                }
            });
            let (change, ended) = walk.settle(entry, entered);
            probe.after(entry, &ended);
            change
        });
        match change {
            Some(change) => changed = Some(change.apply(payload.clone())),
            None => return walk.finish(),
        }
    }
}

/// Fires an event along a chain without holding a thread while a handler's answer is not ready.
///
/// Handlers are called one after the other, on whichever thread polls. Dropping the future cancels the
/// call that is pending; forgetting it leaks the plugin's copy of the event, and nothing else.
pub(crate) async fn run_async(
    snapshot: Arc<Snapshot>,
    hook: Hooked,
    payload: Map<String, Value>,
    faults: Arc<FaultLog>,
) -> Outcome {
    let Some(chain) = hook.chain(&snapshot) else { return Outcome::default() };
    let tool = tool(chain.hook, &payload).map(str::to_owned);
    let mut payload = payload;
    let mut walk = Walk::new(chain, &faults);
    let mut copy = None;
    for entry in &chain.entries {
        if !entry.wants(tool.as_deref()) {
            continue;
        }
        let Some(flags) = walk.flags(entry) else { continue };
        let refused = entry.entering(flags).refused(Parent::current());
        let turn = if refused.is_none() { entry.turn() } else { None };
        let entered = match (refused, walk.chained(entry, &payload)) {
            (Some(refused), _) => refused,
            (None, Some(payload)) => call(entry, chain.hook, &payload, flags, Parent::current(), &mut None),
            (None, None) => call(entry, chain.hook, &payload, flags, Parent::current(), &mut copy),
        };
        let entered = match entered {
            Entered::Pending(pending) => Waiting(pending).await,
            entered => entered,
        };
        drop(turn);
        if let (Some(change), _) = walk.settle(entry, entered) {
            payload = change.apply(payload);
            copy = None;
        }
    }
    walk.finish()
}

/// Which chain is meant.
#[derive(Debug)]
pub(crate) enum Hooked {
    Known(&'static Hook),
    Named(String),
}

impl Hooked {
    fn chain<'s>(&self, snapshot: &'s Snapshot) -> Option<&'s Chain> {
        match self {
            Self::Known(hook) => snapshot.chain(hook),
            Self::Named(name) => snapshot.named(name),
        }
    }
}
