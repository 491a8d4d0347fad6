//! An agent for the tests of the moments: scripted plugins, a clock that stands, and a witness of every event.

use std::sync::Arc;

use hermes_loader::moments::{
    Approvals, Approver, Moments, Surface,
    memory::{Allowed, ManualClock},
};
use serde_json::{Value, json};

use crate::{Fixture, Placed, TestHome, home::loaded};

/// One event as the witness saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The hook.
    pub hook: String,
    /// What it carried.
    pub payload: Value,
    /// On which thread, by the plugin's own count.
    pub thread: String,
}

/// An agent with scripted plugins, and one after them that records every event.
#[derive(Debug)]
pub struct Stage {
    /// The agent.
    pub moments: Moments,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    witness: String,
    _home: TestHome,
}

impl Stage {
    /// Plugins `p1-<tag>`, `p2-<tag>`, … that do what their rules say, hook by hook. The tag is the test's own:
    /// plugins of one name share what they record.
    #[must_use]
    pub fn new(tag: &str, plugins: impl IntoIterator<Item = Value>) -> Self {
        Self::on(Surface::Cli, tag, plugins)
    }

    /// The same at another surface.
    #[must_use]
    pub fn on(surface: Surface, tag: &str, plugins: impl IntoIterator<Item = Value>) -> Self {
        Self::beside(TestHome::new(), surface, tag, plugins)
    }

    /// The same beside the plugins that are in a home already.
    ///
    /// # Panics
    /// When a plugin does not load.
    #[must_use]
    pub fn beside(
        mut home: TestHome,
        surface: Surface,
        tag: &str,
        plugins: impl IntoIterator<Item = Value>,
    ) -> Self {
        let scripted = Fixture::built("scripted");
        let mut names = Vec::new();
        for (number, on) in plugins.into_iter().enumerate() {
            let name = format!("p{}-{tag}", number + 1);
            let plugin = Placed::new(&scripted.named(&name)).config(json!({ "on": on }));
            home = home.plugin(plugin);
            names.push(name);
        }
        let witness = format!("witness-{tag}");
        home = home.plugin(&Fixture::built("journal").named(&witness));
        names.push(witness.clone());
        let host = home.load();
        names.iter().for_each(|name| loaded(&host, name));
        let clock = Arc::new(ManualClock::new());
        let moments = Moments::new(host, surface).clock(Arc::clone(&clock) as _);
        Self {
            moments,
            clock,
            witness,
            _home: home,
        }
    }

    /// Approvals of this agent, and what was allowed for good.
    #[must_use]
    pub fn approvals(&self, approver: Arc<dyn Approver>) -> (Approvals, Arc<Allowed>) {
        let allowed = Arc::new(Allowed::new());
        let store = Arc::clone(&allowed) as _;
        (Approvals::new(&self.moments, approver, store), allowed)
    }

    /// Every event so far, in the order the witness saw them.
    ///
    /// # Panics
    /// When the witness does not answer.
    #[must_use]
    pub fn journal(&self) -> Vec<Seen> {
        let host = self.moments.host();
        let outcome = host
            .fire_json("journal.read", &json!({}))
            .expect("an object");
        let replies = serde_json::to_value(outcome.replies).expect("JSON");
        let of_witness = replies
            .as_array()
            .into_iter()
            .flatten()
            .find(|reply| reply["plugin"] == self.witness.as_str())
            .expect("the witness answers");
        let entries = of_witness["answer"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        entries
            .map(|entry| Seen {
                hook: text(&entry["hook"]),
                payload: entry["payload"].clone(),
                thread: text(&entry["thread"]),
            })
            .collect()
    }

    /// The hooks that fired, in order.
    #[must_use]
    pub fn fired(&self) -> Vec<String> {
        self.journal().into_iter().map(|seen| seen.hook).collect()
    }

    /// What the events of one hook carried, in order.
    #[must_use]
    pub fn seen(&self, hook: &str) -> Vec<Value> {
        let journal = self.journal().into_iter();
        let of_hook = journal.filter(|seen| seen.hook == hook);
        of_hook.map(|seen| seen.payload).collect()
    }
}
