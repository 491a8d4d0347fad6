//! `hermes.skills/1`: read-only skills, `<plugin>:<name>`.

use std::path::Path;

use serde_json::json;

use crate::{
    abi::{ServiceCode, extended::SKILLS},
    context::Context,
    error::Error,
};

/// The name of the interface.
pub const NAME: &str = SKILLS;

impl Context {
    /// Offers a skill: a text (or a directory with a `SKILL.md`) that the agent can give the model under
    /// the name `<plugin>:<name>`. It is never written to.
    ///
    /// A relative path begins in the plugin's own directory, where its manifest is; a plugin that is linked
    /// in has none. A host that has no skills ignores it, with a warning.
    ///
    /// # Errors
    /// When the name is not made of letters, digits, `_` and `-`, or there is nothing at the path.
    pub fn skill(
        &mut self,
        name: &str,
        path: impl AsRef<Path>,
        description: &str,
    ) -> Result<(), Error> {
        let offer = json!({
            "name": name,
            "path": path.as_ref().to_string_lossy(),
            "description": description,
        });
        let Some(host) = self.host() else {
            return Ok(());
        };
        match host.offer_skill(&offer.to_string()) {
            Ok(()) => Ok(()),
            Err((ServiceCode::UNSUPPORTED, _)) => {
                tracing::warn!("this host has no skills; `{name}` is not offered");
                Ok(())
            }
            Err((code, why)) if why.is_empty() => Err(Error::new(format!(
                "the host did not take the skill `{name}` (code {})",
                code.0
            ))),
            Err((_, why)) => Err(Error::new(why)),
        }
    }
}
