//! Where in an agent's life something happens.

/// Where something happens: the ids that events carry. Empty ids count as absent.
///
/// A [`Turn`](super::Turn) gives its own; an agent without turns makes one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    session_id: Option<String>,
    session_key: Option<String>,
    task_id: Option<String>,
    turn_id: Option<String>,
    api_request_id: Option<String>,
}

fn id(text: impl Into<String>) -> Option<String> {
    Some(text.into()).filter(|text| !text.is_empty())
}

impl Scope {
    /// In this session.
    #[must_use]
    pub fn session(session_id: impl Into<String>) -> Self {
        Self {
            session_id: id(session_id),
            ..Self::default()
        }
    }

    /// Under this session key: what session-wide approvals are remembered by.
    #[must_use]
    pub fn key(mut self, session_key: impl Into<String>) -> Self {
        self.session_key = id(session_key);
        self
    }

    /// In this task.
    #[must_use]
    pub fn task(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = id(task_id);
        self
    }

    /// In this turn.
    #[must_use]
    pub fn turn(mut self, turn_id: impl Into<String>) -> Self {
        self.turn_id = id(turn_id);
        self
    }

    /// Asked for by this model request.
    #[must_use]
    pub fn api_request(mut self, api_request_id: impl Into<String>) -> Self {
        self.api_request_id = id(api_request_id);
        self
    }

    /// The session.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The session key, or else the session, or else `default`.
    #[must_use]
    pub fn session_key(&self) -> &str {
        let key = self.session_key.as_deref().or(self.session_id.as_deref());
        key.unwrap_or("default")
    }

    /// The task.
    #[must_use]
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// The turn.
    #[must_use]
    pub fn turn_id(&self) -> Option<&str> {
        self.turn_id.as_deref()
    }

    /// The model request.
    #[must_use]
    pub fn api_request_id(&self) -> Option<&str> {
        self.api_request_id.as_deref()
    }
}
