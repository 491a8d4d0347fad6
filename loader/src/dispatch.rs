//! Calls a chain of handlers with one event, on the caller's thread or as a future.

use std::sync::Arc;

use hermes_plugin_api::abi::host::{
    Answered, Dispatch, Failed, Limits, OwnedEvent, Record, Transformed,
};
use hermes_plugin_api::abi::{CallFlags, HandlerFlags};
use hermes_plugin_api::catalogue::{Hook, Merge};
use serde_json::{Map, Value};

use crate::boundary::{Entered, Parent};
use crate::fault::{FaultKind, FaultLog};
use crate::fold;
use crate::outcome::{Body, Change, Decision, Outcome, Reply};
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
    transformed: Transformed<Arc<str>>,
    /// Who replaced the text so far.
    texts: Vec<Change>,
    /// The text that an inbound message is to have: guards judge this one.
    rewritten: Option<String>,
}

/// What an answer changes in the event that later handlers see.
enum Next {
    Args(Map<String, Value>),
    Content(String),
}

impl Next {
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
    fn new(chain: &'a Chain, faults: &'a FaultLog, tool: Option<&str>) -> Self {
        let mut walk = Self {
            chain,
            faults,
            replies: Vec::new(),
            terminal: false,
            transformed: Transformed::default(),
            texts: Vec::new(),
            rewritten: None,
        };
        if !chain.absent.is_empty() {
            walk.miss(tool);
        }
        walk
    }

    /// Guards that are required and were not loaded refuse what they cover; everybody else is called all
    /// the same.
    #[cold]
    fn miss(&mut self, tool: Option<&str>) {
        let covering = self.chain.absent.iter().filter(|guard| guard.covers(tool));
        self.replies.extend(covering.map(|guard| Reply {
            plugin: Arc::clone(&guard.plugin),
            guard: true,
            body: Body::Fault {
                kind: FaultKind::Inactive,
                closed: true,
            },
        }));
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

    /// The payload with the text as this handler is to see it, when that is not the original.
    fn shown(
        &self,
        entry: &Entry,
        event: impl FnOnce() -> Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        if let Some(text) = self.rewritten.as_ref().filter(|_| entry.guard) {
            let mut payload = event();
            if let Some(Value::Object(message)) = payload.get_mut("event") {
                message.insert("text".to_owned(), Value::String(text.clone()));
            }
            return Some(payload);
        }
        let text = self
            .transformed
            .sees(entry.flags.contains(HandlerFlags::CHAIN))?;
        let field = self.chain.hook?.text_field()?;
        let mut payload = event();
        payload.insert(field.name.to_owned(), Value::String(text.to_owned()));
        Some(payload)
    }

    /// Takes what a handler came to. `fired` is the event as the embedder fired it.
    fn settle(
        &mut self,
        entry: &Entry,
        entered: Entered,
        fired: &Record<'_>,
    ) -> (Option<Next>, Ended) {
        match entered {
            Entered::Quiet | Entered::Pending(_) => (None, Ended::Quiet),
            Entered::Faulted(kind, failed) => (None, self.fault(entry, kind, &failed)),
            Entered::Answered(answer) => self.answer(entry, *answer, fired),
        }
    }

    #[cold]
    fn fault(&mut self, entry: &Entry, kind: FaultKind, failed: &Failed) -> Ended {
        self.faults.note(&entry.plugin, &entry.name, kind, failed);
        if !self.terminal {
            let body = Body::Fault {
                kind,
                closed: entry.closed,
            };
            self.replies.push(Reply {
                plugin: Arc::clone(&entry.plugin),
                guard: entry.guard,
                body,
            });
            // A modifying event of OpenClaw fails as a whole when a handler that fails closed does.
            self.terminal = entry.closed && matches!(self.merge(), Merge::ToolDecision);
        }
        Ended::Faulted(kind)
    }

    fn answer(
        &mut self,
        entry: &Entry,
        answer: Answered,
        fired: &Record<'_>,
    ) -> (Option<Next>, Ended) {
        let mut json = answer.json;
        if self.terminal || matches!(self.merge(), Merge::Ignore) && self.chain.hook.is_some() {
            return (None, Ended::Answered(json));
        }
        if entry.guard && self.rewrites(&json) {
            // A guard judges the event as it will be; if it could change it, nobody would have judged that.
            let (plugin, hook) = (&*entry.plugin, &entry.name);
            tracing::warn!(
                plugin,
                hook,
                "a guard may not rewrite what it judges; its rewrite is ignored"
            );
            json = Value::Null;
        }
        let next = self.next(entry, &json, fired);
        self.terminal = fold::is_terminal(self.merge(), &json);
        let reply = Reply {
            plugin: Arc::clone(&entry.plugin),
            guard: entry.guard,
            body: Body::Answer(json.clone()),
        };
        self.note_rewrite(&reply);
        self.replies.push(reply);
        (next, Ended::Answered(json))
    }

    /// Whether an answer changes what guards judge.
    fn rewrites(&self, answer: &Value) -> bool {
        match self.merge() {
            Merge::Directive => fold::modified(answer).is_some(),
            Merge::Flow => answer.get("action").and_then(Value::as_str) == Some("rewrite"),
            _ => false,
        }
    }

    /// The first to say what becomes of a message decides which text guards judge.
    fn note_rewrite(&mut self, reply: &Reply) {
        if self.merge() != Merge::Flow || reply.guard {
            return;
        }
        if self
            .replies
            .iter()
            .any(|earlier| fold::directed(earlier).is_some())
        {
            return;
        }
        if let Some(Decision::Rewrite { text, .. }) = fold::directed(reply) {
            self.rewritten = Some(text);
        }
    }

    /// What an answer changes for the handlers after it.
    fn next(&mut self, entry: &Entry, answer: &Value, fired: &Record<'_>) -> Option<Next> {
        match self.merge() {
            Merge::Directive => Some(Next::Args(fold::modified(answer)?.clone())),
            Merge::Outbound => Some(Next::Content(answer.get("content")?.as_str()?.to_owned())),
            merge @ (Merge::ReplaceAny | Merge::ReplaceNonEmpty) => {
                let text = fold::acceptable(answer, merge == Merge::ReplaceAny)?;
                self.replace(entry, text, fired);
                None
            }
            _ => None,
        }
    }

    fn replace(&mut self, entry: &Entry, text: &str, fired: &Record<'_>) {
        let chains = entry.flags.contains(HandlerFlags::CHAIN);
        let bytes_before = match self.transformed.sees(chains) {
            Some(seen) => seen.len(),
            None => fired.text().map_or(0, str::len),
        };
        if self
            .transformed
            .answer(text, Arc::clone(&entry.plugin), chains)
        {
            self.texts.push(Change::Text {
                by: Arc::clone(&entry.plugin),
                bytes_before,
                bytes_after: text.len(),
            });
        }
    }

    fn finish(self) -> Outcome {
        if self.replies.is_empty() {
            return Outcome::default();
        }
        let (mut decision, args) = fold::fold(self.merge(), &self.replies);
        if let (Decision::Proceed, Some((text, by))) = (&decision, self.transformed.so_far()) {
            decision = Decision::Replace {
                text: text.to_owned(),
                by: Arc::clone(by),
            };
        }
        let (args, changes) = match args {
            Some(args) => (Some(args.set), args.by),
            None => (None, self.texts),
        };
        Outcome {
            decision,
            args,
            changes,
            replies: self.replies,
            inferred: &[],
        }
    }
}

/// What every dispatch of a host has around it.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub(crate) faults: &'a FaultLog,
    pub(crate) limits: Limits,
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
    limits: Limits,
    copy: &mut Option<Arc<OwnedEvent>>,
) -> Entered {
    let record = Record::from_json(hook, payload);
    let event = record.event();
    let dispatch = Dispatch::new(&event, hook, limits).with_copy(copy.take());
    let entered = entry.entering(flags).enter(&dispatch, parent);
    *copy = dispatch.into_copy();
    entered
}

/// Fires an event along a chain, on this thread. A handler whose answer comes later is waited for.
///
/// `copy` is an owned form of the event, where the embedder has one: then nobody has to make it.
pub(crate) fn run<P: Probe>(
    chain: &Chain,
    fired: &Record<'_>,
    mut copy: Option<Arc<OwnedEvent>>,
    parent: Parent,
    around: Around<'_>,
    probe: &mut P,
) -> Outcome {
    let Around { faults, limits } = around;
    let hook = chain.hook;
    let tool = fired.tool();
    let mut walk = Walk::new(chain, faults, tool);
    let mut changed: Option<Map<String, Value>> = None;
    let mut entries = chain.entries.iter();
    loop {
        // One record serves all handlers until the event changes.
        let fresh = changed
            .as_ref()
            .map(|payload| Record::from_json(hook, payload));
        let record = fresh.as_ref().unwrap_or(fired);
        let event = record.event();
        let dispatch = Dispatch::new(&event, hook, limits).with_copy(copy.take());
        let change = entries.find_map(|entry| {
            if !entry.wants(tool) {
                return None;
            }
            let flags = walk.flags(entry)?;
            let shown = walk.shown(entry, || record.to_json());
            probe.before(entry);
            // Before the turn: a handler that is inside already would wait for itself.
            let entered = entry.entering(flags).refused(parent).unwrap_or_else(|| {
                let _turn = entry.turn(parent);
                let entered = match &shown {
                    Some(payload) => call(entry, hook, payload, flags, parent, limits, &mut None),
                    None => entry.entering(flags).enter(&dispatch, parent),
                };
                match entered {
                    Entered::Pending(waiting) => waiting.block(None),
                    entered => entered,
                }
            });
            if matches!(entered, Entered::Quiet) {
                probe.after(entry, &Ended::Quiet);
                return None;
            }
            let (change, ended) = walk.settle(entry, entered, fired);
            probe.after(entry, &ended);
            change
        });
        let Some(change) = change else {
            return walk.finish();
        };
        let next = change.apply(record.to_json());
        changed = Some(next);
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
    limits: Limits,
) -> Outcome {
    let Some(chain) = hook.chain(&snapshot) else {
        return Outcome::default();
    };
    let tool = Record::from_json(chain.hook, &payload)
        .tool()
        .map(str::to_owned);
    let mut payload = payload;
    let mut walk = Walk::new(chain, &faults, tool.as_deref());
    let mut copy = None;
    for entry in &chain.entries {
        if !entry.wants(tool.as_deref()) {
            continue;
        }
        let Some(flags) = walk.flags(entry) else {
            continue;
        };
        let refused = entry.entering(flags).refused(Parent::current());
        let turn = if refused.is_none() {
            entry.turn_async(Parent::current()).await
        } else {
            None
        };
        let entered = match (refused, walk.shown(entry, || payload.clone())) {
            (Some(refused), _) => refused,
            (None, Some(payload)) => call(
                entry,
                chain.hook,
                &payload,
                flags,
                Parent::current(),
                limits,
                &mut None,
            ),
            (None, None) => call(
                entry,
                chain.hook,
                &payload,
                flags,
                Parent::current(),
                limits,
                &mut copy,
            ),
        };
        let entered = match entered {
            Entered::Pending(waiting) => waiting.await,
            entered => entered,
        };
        drop(turn);
        if matches!(entered, Entered::Quiet) {
            continue;
        }
        let fired = Record::from_json(chain.hook, &payload);
        if let (Some(change), _) = walk.settle(entry, entered, &fired) {
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
