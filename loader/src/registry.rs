//! Who is called for what, in which order: immutable snapshots, swapped as a whole.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use hermes_plugin_api::abi::host::OwnedHandler;
use hermes_plugin_api::abi::{CallFlags, HandlerFlags, OnFailure, Phase};
use hermes_plugin_api::catalogue::{self, Dialect, Hook};

use crate::boundary::{Entering, Instance, Parent, Staged};

/// What the operator and the manifest say about all handlers of one plugin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) guard: bool,
    /// Its transforms chain.
    pub(crate) transform: bool,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) priority: Option<f64>,
    pub(crate) tools: Option<Vec<String>>,
}

/// One handler, registered and live.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) hook: Option<&'static Hook>,
    pub(crate) plugin: Arc<str>,
    pub(crate) tools: Option<Box<[Box<str>]>>,
    pub(crate) flags: HandlerFlags,
    pub(crate) guard: bool,
    pub(crate) closed: bool,
    pub(crate) priority: f64,
    pub(crate) budget_ms: u64,
    handler: OwnedHandler,
    /// After the handler, so that it is dropped after it: who holds the instance may hold its handlers.
    pub(crate) instance: Arc<Instance>,
    cookie: u64,
    /// Whether somebody is inside, for handlers that asked to be called one at a time.
    busy: AtomicBool,
    /// Dispatches without a thread of their own that wait for their turn.
    waiting: Mutex<Vec<Waker>>,
}

impl Entry {
    /// Takes over what a plugin staged, on the terms of its operator.
    pub(crate) fn new(staged: Staged, instance: &Arc<Instance>, terms: &Terms) -> Self {
        let hook = catalogue::by_name(&staged.name);
        let guard = match staged.phase {
            Phase::GUARD => true,
            Phase::FIRST => false,
            _ => terms.guard,
        };
        let own = [
            staged.on_failure,
            if guard {
                OnFailure::CLOSED
            } else {
                OnFailure::DEFAULT
            },
        ];
        let said = terms
            .on_failure
            .into_iter()
            .chain(own)
            .find(|word| *word != OnFailure::DEFAULT);
        let word = said
            .or_else(|| hook.map(|hook| hook.on_failure))
            .unwrap_or(OnFailure::OPEN);
        let decides = hook.is_some_and(Hook::decides);
        let has_tool = hook.is_none_or(|hook| hook.tool_field().is_some());
        let tools = terms.tools.clone().filter(|_| has_tool).or(staged.tools);
        Self {
            id: staged.id,
            name: staged.name,
            hook,
            plugin: Arc::clone(&instance.plugin),
            instance: Arc::clone(instance),
            tools: tools.map(|tools| tools.into_iter().map(String::into_boxed_str).collect()),
            flags: if terms.transform {
                staged.flags.with(HandlerFlags::CHAIN)
            } else {
                staged.flags
            },
            guard,
            closed: decides && word == OnFailure::CLOSED,
            priority: terms.priority.unwrap_or(staged.priority),
            budget_ms: staged.budget_ms,
            handler: staged.handler,
            cookie: staged.cookie,
            busy: AtomicBool::new(false),
            waiting: Mutex::default(),
        }
    }

    /// Whether the handler wants to see events of this tool.
    #[inline]
    pub(crate) fn wants(&self, tool: Option<&str>) -> bool {
        match (&self.tools, tool) {
            (None, _) => true,
            (Some(tools), Some(tool)) => tools.iter().any(|wanted| &**wanted == tool),
            (Some(_), None) => false,
        }
    }

    /// Whether it is called even after the matter was ended: Hermes' dialect promises that.
    pub(crate) fn watches_on(&self) -> bool {
        let hermes = self
            .hook
            .is_some_and(|hook| hook.dialect == Dialect::Hermes);
        hermes || self.flags.contains(HandlerFlags::OBSERVE_AFTER_TERMINAL)
    }

    pub(crate) fn entering(&self, flags: CallFlags) -> Entering<'_> {
        Entering {
            handler: &self.handler,
            tag: self.id,
            cookie: self.cookie,
            flags,
            watch: &*self.instance,
            deadline: None,
            reentrant: self.flags.contains(HandlerFlags::REENTRANT),
        }
    }

    /// Whether the handler is called one at a time, and is not inside already: it would wait for itself.
    #[inline]
    fn takes_turns(&self, parent: Parent) -> bool {
        self.flags.contains(HandlerFlags::SERIAL) && !parent.is_inside(self.id)
    }

    /// Waits for its turn at a handler that is called one at a time; `None` when nobody has to wait.
    #[inline]
    pub(crate) fn turn(&self, parent: Parent) -> Option<Turn<'_>> {
        self.takes_turns(parent).then(|| self.wait())
    }

    #[cold]
    fn wait(&self) -> Turn<'_> {
        loop {
            if let Some(turn) = self.try_turn() {
                return turn;
            }
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
    }

    fn try_turn(&self) -> Option<Turn<'_>> {
        // Not `then_some`: a turn that is not ours must not be made, since its drop would end the other's.
        (!self.busy.swap(true, Ordering::Acquire)).then(|| Turn(self))
    }

    /// The same without holding the thread, on which whoever is inside may have to make progress.
    pub(crate) fn turn_async(&self, parent: Parent) -> impl Future<Output = Option<Turn<'_>>> {
        let waits = self.takes_turns(parent);
        std::future::poll_fn(move |context| {
            if !waits {
                return Poll::Ready(None);
            }
            if let Some(turn) = self.try_turn() {
                return Poll::Ready(Some(turn));
            }
            self.waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(context.waker().clone());
            // It may have become free before we were on the list.
            self.try_turn()
                .map_or(Poll::Pending, |turn| Poll::Ready(Some(turn)))
        })
    }
}

/// The right to be inside a serial handler, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Entry);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
        let waiting = std::mem::take(
            &mut *self
                .0
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// A guard that is required and was not loaded.
#[derive(Clone, Debug)]
pub(crate) struct Absent {
    pub(crate) plugin: Arc<str>,
    /// The hooks it is known to judge.
    pub(crate) hooks: Vec<&'static Hook>,
    /// The tools it judges; `None` for all.
    pub(crate) tools: Option<Vec<String>>,
}

impl Absent {
    /// Whether it would have judged an event of this tool.
    pub(crate) fn covers(&self, tool: Option<&str>) -> bool {
        match (&self.tools, tool) {
            (Some(tools), Some(tool)) => tools.iter().any(|covered| covered == tool),
            _ => true,
        }
    }
}

/// All handlers of one name, in the order of the calls.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub(crate) hook: Option<&'static Hook>,
    pub(crate) entries: Box<[Arc<Entry>]>,
    /// Guards that ought to be among them.
    pub(crate) absent: Box<[Absent]>,
}

/// Everything that is registered, at one moment. A dispatch keeps the one it began with.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// By number, for hooks of the catalogue.
    known: Vec<Chain>,
    /// By name, for the others: nobody but plugins fires them.
    unknown: HashMap<String, Chain>,
}

impl Snapshot {
    /// Puts entries into chains. They come in load order, which breaks ties.
    pub(crate) fn new(entries: impl IntoIterator<Item = Arc<Entry>>, absent: &[Absent]) -> Self {
        let mut by_name: HashMap<String, Vec<Arc<Entry>>> = HashMap::new();
        for entry in entries {
            by_name.entry(entry.name.clone()).or_default().push(entry);
        }
        let mut snapshot = Self::default();
        for (name, mut entries) in by_name {
            sort(&mut entries);
            match catalogue::by_name(&name) {
                Some(hook) => snapshot.slot(hook).entries = entries.into(),
                None => {
                    let chain = Chain {
                        entries: entries.into(),
                        ..Chain::default()
                    };
                    snapshot.unknown.insert(name, chain);
                }
            }
        }
        for guard in absent {
            for hook in &guard.hooks {
                let chain = snapshot.slot(hook);
                let others = std::mem::take(&mut chain.absent).into_vec();
                chain.absent = others.into_iter().chain([guard.clone()]).collect();
            }
        }
        snapshot
    }

    fn slot(&mut self, hook: &'static Hook) -> &mut Chain {
        let index = hook.number as usize;
        if self.known.len() <= index {
            self.known.resize_with(index + 1, Chain::default);
        }
        let chain = &mut self.known[index];
        chain.hook = Some(hook);
        chain
    }

    /// The chain of a hook of the catalogue; `None` when nobody registered, or had to.
    #[inline]
    pub(crate) fn chain(&self, hook: &Hook) -> Option<&Chain> {
        self.known
            .get(hook.number as usize)
            .filter(|chain| chain.hook.is_some())
    }

    /// The chain of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Chain> {
        match catalogue::by_name(name) {
            Some(hook) => self.chain(hook),
            None => self.unknown.get(name),
        }
    }
}

/// Guards after everybody else, then higher priority first, then load order.
fn sort(entries: &mut [Arc<Entry>]) {
    entries.sort_by(|a, b| {
        a.guard
            .cmp(&b.guard)
            .then(b.priority.total_cmp(&a.priority))
    });
}
