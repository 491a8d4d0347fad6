//! The life of sessions: opened, reset, finalized, each at most once and in the promised order.

mod exit;
mod session;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_plugin_api::catalogue::payload;

pub use self::exit::{Exit, ExitReason};
pub use self::session::Session;
use super::SCHEMA;
use super::ground::{Moments, Surface};
use super::turn::Running;

/// The sessions of an agent, each under its key.
///
/// A session is finalized once: when it is reset, closed, or when the agent ends. Turns that still run end
/// before their session is finalized, as interrupted. `on_session_start` fires with the first turn of a
/// brand-new session, not before.
///
/// # Threads
/// All functions may be called from several threads at once. Events fire on the caller's thread, except
/// those of [`Sessions::shutdown`].
pub struct Sessions {
    inner: Arc<Inner>,
}

struct Inner {
    moments: Moments,
    book: Mutex<Book>,
    /// A turn ended.
    ended: Condvar,
}

#[derive(Default)]
struct Book {
    open: BTreeMap<String, Open>,
    /// Whether there ever was a session.
    used: bool,
    over: bool,
}

struct Open {
    session: Session,
    started: bool,
    /// It is being finalized, and takes no turn.
    closing: bool,
    running: Vec<Arc<Running>>,
    /// When something last happened in it.
    used_at: Duration,
}

impl Open {
    const fn new(session: Session, used_at: Duration) -> Self {
        Self {
            session,
            used_at,
            started: false,
            closing: false,
            running: Vec::new(),
        }
    }
}

/// Why a session gives way to a fresh one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Boundary {
    /// Somebody asked for it: `/new`, `/reset`, `/clear`.
    Command,
    /// It was idle for too long.
    Expired,
}

impl Boundary {
    const fn reason(self) -> &'static str {
        match self {
            Self::Command => "new_session",
            Self::Expired => "session_expired",
        }
    }
}

impl Sessions {
    /// The sessions of an agent: none yet.
    #[must_use]
    pub fn new(moments: &Moments) -> Self {
        let inner = Inner {
            moments: moments.clone(),
            book: Mutex::default(),
            ended: Condvar::new(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The session that is open under this one's key; this one, if there is none.
    ///
    /// After [`Sessions::shutdown`] nothing is opened any more.
    pub fn open(&self, session: Session) -> Session {
        let now = self.moments().time().now();
        let mut book = self.inner.book();
        if book.over {
            return session;
        }
        book.used = true;
        let key = session.key().to_owned();
        let open = book
            .open
            .entry(key)
            .or_insert_with(|| Open::new(session, now));
        open.session.clone()
    }

    /// The session that is open under a key.
    #[must_use]
    pub fn current(&self, key: &str) -> Option<Session> {
        let book = self.inner.book();
        book.open.get(key).map(|open| open.session.clone())
    }

    /// A fresh session takes the place of the one that is open under a key: `on_session_finalize` of the old
    /// one, then the change, then `on_session_reset` of the new one. `on_session_start` waits for its first
    /// message.
    ///
    /// Nothing, when no session is open under the key or somebody else is resetting it right now.
    pub fn reset(&self, key: &str, new_id: &str, why: Boundary) -> Option<Session> {
        let (old, running) = self.inner.begin_to_close(key)?;
        let platform = match why {
            Boundary::Expired => key.split(':').nth(2).or(old.platform()),
            Boundary::Command => old.platform(),
        };
        let new = old.renewed(new_id);
        let ids = Some((old.id(), new.id()));
        end_all(&running, None);
        self.inner
            .finalize(Some(old.id()), platform, why.reason(), ids);
        {
            let now = self.moments().time().now();
            let mut book = self.inner.book();
            if book.over {
                return None;
            }
            let open = Open::new(new.clone(), now);
            book.open.insert(key.to_owned(), open);
        }
        let event = payload::OnSessionReset::new()
            .session_id(new.id())
            .platform(platform)
            .reason(why.reason())
            .old_session_id(old.id())
            .new_session_id(new.id())
            .telemetry_schema_version(SCHEMA);
        self.inner.moments.host().fire(&event);
        Some(new)
    }

    /// Resets the sessions in which nothing happened for so long, and gives the new ones. A session whose turn
    /// still runs is not idle. `fresh_id` makes the id that follows a session.
    pub fn rotate_idle(
        &self,
        idle: Duration,
        mut fresh_id: impl FnMut(&Session) -> String,
    ) -> Vec<Session> {
        let now = self.moments().time().now();
        let due: Vec<Session> = {
            let book = self.inner.book();
            let idle =
                |open: &&Open| open.running.is_empty() && now.saturating_sub(open.used_at) >= idle;
            let open = book.open.values().filter(idle);
            open.map(|open| open.session.clone()).collect()
        };
        due.iter()
            .filter_map(|session| self.reset(session.key(), &fresh_id(session), Boundary::Expired))
            .collect()
    }

    /// Ends the session that is open under a key, and nothing takes its place. False when there is none.
    pub fn close(&self, key: &str) -> bool {
        let Some((old, running)) = self.inner.begin_to_close(key) else {
            return false;
        };
        let reason = "session_boundary";
        end_all(&running, None);
        self.inner
            .finalize(Some(old.id()), old.platform(), reason, None);
        self.inner.book().open.remove(key);
        true
    }

    /// Ends all sessions, because the agent ends: turns that still run are interrupted, given time, and
    /// ended; then every session is finalized. An agent at a terminal that had no session says so with a
    /// session that is null. Only the first call does anything.
    ///
    /// False when plugins took longer than they were given. The process may end all the same.
    ///
    /// # Threads
    /// The events fire on a thread of their own, so that a plugin which hangs does not hang the exit.
    pub fn shutdown(&self, exit: Exit) -> bool {
        exit::carry_out(&self.inner, exit)
    }

    pub(super) fn moments(&self) -> &Moments {
        &self.inner.moments
    }

    /// The session a turn would belong to.
    pub(super) fn open_under(&self, key: &str) -> Option<Session> {
        let book = self.inner.book();
        let open = book
            .open
            .get(key)
            .filter(|open| !open.closing && !book.over);
        open.map(|open| open.session.clone())
    }

    /// Notes that a turn runs. Gives whether it is the first of a brand-new session; nothing when its session
    /// is not open any more.
    pub(super) fn begin(&self, key: &str, turn: &Arc<Running>, no_history: bool) -> Option<bool> {
        let now = self.moments().time().now();
        let mut book = self.inner.book();
        if book.over {
            return None;
        }
        let open = book.open.get_mut(key)?;
        if open.closing || open.session.id() != turn.session_id() {
            return None;
        }
        open.running.push(Arc::clone(turn));
        open.used_at = now;
        let brand_new = no_history && !open.started;
        open.started = true;
        Some(brand_new)
    }

    /// Notes that a turn no longer runs.
    pub(super) fn ended(&self, turn: &Arc<Running>) {
        let now = self.moments().time().now();
        let mut book = self.inner.book();
        for open in book.open.values_mut() {
            let before = open.running.len();
            open.running.retain(|running| !Arc::ptr_eq(running, turn));
            if open.running.len() < before {
                open.used_at = now;
            }
        }
        drop(book);
        self.inner.ended.notify_all();
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let book = self.inner.book();
        f.debug_set().entries(book.open.keys()).finish()
    }
}

/// Ends turns that run. They are told, and stop at their next step; plugins are told now.
fn end_all(running: &[Arc<Running>], reason: Option<&str>) {
    for turn in running {
        turn.interrupt();
        turn.end(false, reason);
    }
}

impl Inner {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session under a key, for the one who finalizes it.
    fn begin_to_close(&self, key: &str) -> Option<(Session, Vec<Arc<Running>>)> {
        let mut book = self.book();
        if book.over {
            return None;
        }
        let open = book.open.get_mut(key).filter(|open| !open.closing)?;
        open.closing = true;
        Some((open.session.clone(), std::mem::take(&mut open.running)))
    }

    fn finalize(
        &self,
        session: Option<&str>,
        platform: Option<&str>,
        reason: &str,
        ids: Option<(&str, &str)>,
    ) {
        let (old, new) = ids.unzip();
        let event = payload::OnSessionFinalize::new()
            .session_id(session)
            .platform(platform)
            .reason(reason)
            .old_session_id(old)
            .new_session_id(new)
            .telemetry_schema_version(SCHEMA);
        self.moments.host().fire(&event);
    }

    /// The platform that an agent's end is reported under.
    const fn own_platform(&self) -> &'static str {
        match self.moments.surface() {
            Surface::Cli => "cli",
            Surface::Gateway => "gateway",
        }
    }
}
