//! Reads the configuration file of a home.

use super::{Config, Lookup, Place, read};
use crate::home::Home;

impl Config {
    /// Reads `config.yaml` of this home; `env` looks environment variables up.
    ///
    /// This never fails: without a file the defaults hold, and a file that cannot be read is a
    /// problem and counts as missing.
    pub fn load(home: &Home, env: &Lookup<'_>) -> Self {
        let file = home.config_file();
        match read::text(&file) {
            Ok(Some(text)) => Self::parse(&text, &file, env),
            Ok(None) => Self::defaults(),
            Err(error) => Self::unreadable(Place::file(&file), &error.describe()),
        }
    }
}
