//! One session's names.

/// One session: its id, the key it is open under, and who speaks in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    id: String,
    key: Option<String>,
    platform: Option<String>,
    sender_id: Option<String>,
    task_id: Option<String>,
}

impl Session {
    /// A session of this id, under a key of the same name.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            key: None,
            platform: None,
            sender_id: None,
            task_id: None,
        }
    }

    /// Under this key, which stays when the session is reset: a chat, a user.
    #[must_use]
    pub fn under(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// On this platform: `cli`, `telegram`, …
    #[must_use]
    pub fn on(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    /// With this user of a gateway.
    #[must_use]
    pub fn with(mut self, sender_id: impl Into<String>) -> Self {
        self.sender_id = Some(sender_id.into());
        self
    }

    /// For this task; the session's own id unless said.
    #[must_use]
    pub fn task(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = Some(task_id.into());
        self
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.id)
    }

    /// Its platform.
    #[must_use]
    pub fn platform(&self) -> Option<&str> {
        self.platform.as_deref()
    }

    /// Its user.
    #[must_use]
    pub fn sender_id(&self) -> Option<&str> {
        self.sender_id.as_deref()
    }

    /// Its task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        self.task_id.as_deref().unwrap_or(&self.id)
    }

    /// The session that follows under the same key.
    pub(super) fn renewed(&self, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            key: Some(self.key().to_owned()),
            task_id: None,
            ..self.clone()
        }
    }
}
