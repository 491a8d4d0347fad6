//! Which models a plugin may choose: `plugins.entries.<key>.llm`.

use super::LlmRequest;

/// What the operator allows a plugin that asks the agent's model. Nothing, unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmRights {
    /// Whether it may name another model.
    pub allow_model_override: bool,
    /// Whether it may name another provider.
    pub allow_provider_override: bool,
    /// The only models it may name then; absent for all.
    pub allowed_models: Option<Vec<String>>,
    /// The only providers it may name then; absent for all.
    pub allowed_providers: Option<Vec<String>>,
}

impl LlmRights {
    /// Whether the plugin with this key may make the request.
    ///
    /// # Errors
    /// What is not allowed, and what would allow it.
    pub fn check(&self, key: &str, request: &LlmRequest) -> Result<(), String> {
        let asked = [
            (
                "model",
                &request.model,
                self.allow_model_override,
                &self.allowed_models,
            ),
            (
                "provider",
                &request.provider,
                self.allow_provider_override,
                &self.allowed_providers,
            ),
        ];
        for (what, wanted, may, list) in asked {
            let Some(wanted) = wanted else { continue };
            let entry = format!("plugins.entries.{key}.llm");
            if !may {
                return Err(format!(
                    "the {what} `{wanted}` is not the agent's own; `{entry}.allow_{what}_override: true` in config.yaml would allow it"
                ));
            }
            if list.as_ref().is_some_and(|list| !list.contains(wanted)) {
                return Err(format!(
                    "the {what} `{wanted}` is not in `{entry}.allowed_{what}s` of config.yaml"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rights: &LlmRights, request: LlmRequest, expected: &str) {
        let why = rights.check("cat/p", &request).err().unwrap_or_default();
        assert!(
            why.contains(expected) && why.is_empty() == expected.is_empty(),
            "{why}"
        );
    }

    #[test]
    fn nothing_is_allowed_unless_said() {
        let ask = || LlmRequest::new("hi");
        let none = LlmRights::default();
        check(&none, ask(), "");
        check(
            &none,
            ask().model("m"),
            "plugins.entries.cat/p.llm.allow_model_override",
        );
        check(
            &none,
            ask().provider("p"),
            "plugins.entries.cat/p.llm.allow_provider_override",
        );
        let some = LlmRights {
            allow_model_override: true,
            allowed_models: Some(vec!["m".to_owned()]),
            ..LlmRights::default()
        };
        check(&some, ask().model("m"), "");
        check(&some, ask().model("n"), "llm.allowed_models");
        check(
            &some,
            ask().model("m").provider("p"),
            "allow_provider_override",
        );
    }
}
