//! Delivers an event: once for each call, with its session, to its chain.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use hermes_plugin_api::abi::host::{OwnedEvent, Record};
use serde_json::{Map, Value};

use super::Inner;
use crate::boundary::Parent;
use crate::calls::{Begun, Fields, Here, INFERRED};
use crate::dispatch::{Hooked, Probe, run, run_async};
use crate::outcome::Outcome;
use crate::registry::Chain;

impl Inner {
    /// Delivers an event on this thread. Without a chain nobody is called, and only the ledger of calls hears
    /// of it.
    #[inline]
    pub(super) fn deliver<P: Probe>(
        &self,
        chain: Option<&Chain>,
        fields: Option<Fields>,
        record: &Record<'_>,
        copy: Option<Arc<OwnedEvent>>,
        parent: Parent,
        probe: &mut P,
    ) -> Outcome {
        let Some(fields) = fields else {
            let _here = (!parent.is_none()).then(Here::nowhere);
            return self.walk(chain, record, copy, parent, probe);
        };
        let Some(session) = self.calls.session(fields, record) else {
            return self.once(chain, fields, record, copy, parent, probe);
        };
        // A copy that was made before does not have the session.
        let filled = fields.filled(record, &session);
        let outcome = self.once(chain, fields, &filled, None, parent, probe);
        Outcome {
            inferred: INFERRED,
            ..outcome
        }
    }

    #[inline]
    fn walk<P: Probe>(
        &self,
        chain: Option<&Chain>,
        record: &Record<'_>,
        copy: Option<Arc<OwnedEvent>>,
        parent: Parent,
        probe: &mut P,
    ) -> Outcome {
        match chain {
            Some(chain) => run(chain, record, copy, parent, self.around(), probe),
            None => Outcome::default(),
        }
    }

    #[inline]
    fn once<P: Probe>(
        &self,
        chain: Option<&Chain>,
        fields: Fields,
        record: &Record<'_>,
        copy: Option<Arc<OwnedEvent>>,
        parent: Parent,
        probe: &mut P,
    ) -> Outcome {
        match self.calls.begin_now(fields, record, !parent.is_none()) {
            Begun::Duplicate(outcome) => *outcome,
            Begun::Judge(judging) => {
                let outcome = {
                    let _here = judging.here();
                    self.walk(chain, record, copy, parent, probe)
                };
                judging.finish(&outcome);
                outcome
            }
        }
    }

    /// Delivers an event without holding a thread while a handler's answer is not ready.
    pub(super) fn deliver_later(
        self: &Arc<Self>,
        hooked: Hooked,
        mut payload: Map<String, Value>,
    ) -> impl Future<Output = Outcome> + Send + 'static + use<> {
        let (faults, limits) = (Arc::clone(&self.faults), self.limits);
        let calls = Arc::clone(&self.calls);
        let inner = Arc::clone(self);
        async move {
            let snapshot = inner.snapshot.load_full();
            drop(inner);
            let known = match &hooked {
                Hooked::Known(hook) => calls.fields(hook).map(|fields| (*hook, fields)),
                Hooked::Named(_) => None,
            };
            let Some((hook, fields)) = known else {
                return run_async(snapshot, hooked, payload, faults, limits).await;
            };
            let nested = !Parent::current().is_none();
            let inferred = calls.fill(hook, fields, &mut payload);
            let outcome = match calls.begin_later(hook, fields, &payload, nested).await {
                Begun::Duplicate(outcome) => *outcome,
                Begun::Judge(judging) => {
                    let outcome = {
                        let mut run = pin!(run_async(snapshot, hooked, payload, faults, limits));
                        poll_fn(|context| {
                            let _here = judging.here();
                            run.as_mut().poll(context)
                        })
                        .await
                    };
                    judging.finish(&outcome);
                    outcome
                }
            };
            if inferred {
                return Outcome {
                    inferred: INFERRED,
                    ..outcome
                };
            }
            outcome
        }
    }
}
