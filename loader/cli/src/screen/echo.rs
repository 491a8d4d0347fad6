//! Switches the terminal's echo off while a secret is typed.

/// The echo is off as long as this lives.
pub(super) struct Hidden {
    #[cfg(unix)]
    before: rustix::termios::Termios,
}

impl Hidden {
    /// `None` where the terminal cannot do it: a secret is then not asked for.
    #[cfg(unix)]
    pub(super) fn start() -> Option<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes -= LocalModes::ECHO;
        hidden.local_modes |= LocalModes::ECHONL;
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &hidden).ok()?;
        Some(Self { before })
    }

    /// Not here.
    #[cfg(not(unix))]
    pub(super) fn start() -> Option<Self> {
        None
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use rustix::termios::{OptionalActions, tcsetattr};
            // A terminal that is gone needs no echo.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
        }
    }
}
