//! What all moments of one agent stand on.

use std::fmt;
use std::sync::Arc;

use super::clock::{Clock, SystemClock};
use super::redact::{NothingSecret, Redact};
use crate::config::{Compat, Config};
use crate::host::Host;

/// What all moments of one agent stand on: its plugins, its clock, its secrets, and how it meets people.
///
/// A clone is the same agent.
///
/// ```no_run
/// use hermes_loader::{Home, Host, moments::{Moments, Surface}};
/// # fn f() -> Result<(), Box<dyn std::error::Error>> {
/// let moments = Moments::new(Host::builder(Home::from_env()?).load(), Surface::Cli);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Moments {
    host: Arc<Host>,
    clock: Arc<dyn Clock>,
    redact: Arc<dyn Redact>,
    surface: Surface,
    compat: Compat,
    payload_limit: usize,
}

/// How an agent meets people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Surface {
    /// One person at a terminal or an editor.
    Cli,
    /// Many people, through messages.
    Gateway,
}

impl Surface {
    /// The word that events carry.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Gateway => "gateway",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Cli, Self::Gateway]
            .into_iter()
            .find(|surface| surface.as_str() == word)
    }
}

/// What bounds the `request` and `response` of API events, in characters, unless the environment says more.
const PAYLOAD_LIMIT: usize = 50_000;
const SMALLEST_PAYLOAD_LIMIT: usize = 1_000;

impl Moments {
    /// An agent with these plugins.
    ///
    /// Reads `compat` in the home's `config.yaml`, see [`Moments::compat`], and the environment variable
    /// `HERMES_PLUGIN_PAYLOAD_MAX_CHARS`, see [`Moments::payload_limit`].
    pub fn new(host: impl Into<Arc<Host>>, surface: Surface) -> Self {
        let host = host.into();
        let env = |name: &str| std::env::var(name).ok();
        let limit = env("HERMES_PLUGIN_PAYLOAD_MAX_CHARS");
        let limit = limit.and_then(|limit| limit.trim().parse().ok());
        let moments = Self {
            compat: Config::load(host.home(), &env).compat(),
            host,
            clock: Arc::new(SystemClock::default()),
            redact: Arc::new(NothingSecret),
            surface,
            payload_limit: PAYLOAD_LIMIT,
        };
        moments.payload_limit(limit.unwrap_or(PAYLOAD_LIMIT))
    }

    /// With another clock.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// With secrets that terminal output and smart approvals must not show.
    #[must_use]
    pub fn redact(mut self, redact: Arc<dyn Redact>) -> Self {
        self.redact = redact;
        self
    }

    /// With the behaviour of another release than `config.yaml` says.
    #[must_use]
    pub const fn compat(mut self, compat: Compat) -> Self {
        self.compat = compat;
        self
    }

    /// The most characters that the `request` or `response` of an API event may have; 50,000 unless said,
    /// and never less than 1,000.
    #[must_use]
    pub fn payload_limit(mut self, characters: usize) -> Self {
        self.payload_limit = characters.max(SMALLEST_PAYLOAD_LIMIT);
        self
    }

    /// Its plugins.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// How it meets people.
    #[must_use]
    pub const fn surface(&self) -> Surface {
        self.surface
    }

    pub(super) fn time(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(super) fn secrets(&self) -> &dyn Redact {
        &*self.redact
    }

    pub(super) const fn follows(&self) -> Compat {
        self.compat
    }

    pub(super) const fn payload_characters(&self) -> usize {
        self.payload_limit
    }
}

impl fmt::Debug for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moments")
            .field("surface", &self.surface)
            .field("compat", &self.compat)
            .finish_non_exhaustive()
    }
}
