//! Decides whether a plugin's tool may have its name.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Whose a tool is that is there already.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Owner {
    Agent,
    Plugin(Arc<str>),
}

impl Owner {
    fn words(&self) -> String {
        match self {
            Self::Agent => "the agent's own".to_owned(),
            Self::Plugin(name) => format!("plugin `{name}`'s"),
        }
    }
}

/// What becomes of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It is offered; if there is another of its name, in the other's place.
    Taken,
    /// It is left out, for this reason. The plugin loads all the same.
    LeftOut(String),
    /// The plugin asks for what it may not have: this tool's place.
    Refused(String),
}

/// The tools that are there, by name, before another plugin offers its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolRules {
    /// Toolset and owner.
    taken: BTreeMap<String, (String, Owner)>,
}

impl ToolRules {
    /// The agent's own tools: name and toolset.
    pub(crate) fn agents(tools: &[(String, String)]) -> Self {
        let own =
            |(name, toolset): &(String, String)| (name.clone(), (toolset.clone(), Owner::Agent));
        Self {
            taken: tools.iter().map(own).collect(),
        }
    }

    /// A plugin's tool is there from now on.
    pub(crate) fn take(&mut self, plugin: &Arc<str>, name: &str, toolset: &str) {
        let owner = Owner::Plugin(Arc::clone(plugin));
        self.taken
            .insert(name.to_owned(), (toolset.to_owned(), owner));
    }

    /// The rule: a name from another toolset is taken, and so is the agent's own, unless the plugin says
    /// that it replaces it and the operator lets it. Within a toolset the later tool counts.
    pub(crate) fn judge(
        &self,
        plugin: &str,
        name: &str,
        toolset: &str,
        replaces: bool,
        may_replace: bool,
    ) -> Judgement {
        let Some((there, owner)) = self.taken.get(name) else {
            return Judgement::Taken;
        };
        let own = matches!(owner, Owner::Plugin(owner) if **owner == *plugin);
        if replaces && !own {
            return if may_replace {
                Judgement::Taken
            } else {
                Judgement::Refused(owner.words())
            };
        }
        if there == toolset && *owner != Owner::Agent {
            return Judgement::Taken;
        }
        let owner = owner.words();
        Judgement::LeftOut(format!(
            "there is one already: {owner}, of toolset `{there}`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `terminal` is the agent's own, `dice` plugin a's in toolset `games`.
    #[track_caller]
    fn check(tool: (&str, &str), replaces: bool, may: bool, expected: &str) {
        let mut rules = ToolRules::agents(&[("terminal".to_owned(), "terminal".to_owned())]);
        rules.take(&"a".into(), "dice", "games");
        let word = match rules.judge("b", tool.0, tool.1, replaces, may) {
            Judgement::Taken => "taken".to_owned(),
            Judgement::LeftOut(why) => format!("left out: {why}"),
            Judgement::Refused(why) => format!("refused: {why}"),
        };
        assert!(word.starts_with(expected), "{word}");
    }

    #[test]
    fn a_name_is_free_or_taken() {
        check(("new", "games"), false, false, "taken");
        check(("new", "games"), true, false, "taken");
        check(("dice", "games"), false, false, "taken");
        check(
            ("dice", "other"),
            false,
            true,
            "left out: there is one already: plugin `a`'s, of toolset `games`",
        );
        check(("dice", "other"), true, false, "refused: plugin `a`'s");
        check(("dice", "other"), true, true, "taken");
        check(
            ("terminal", "terminal"),
            false,
            true,
            "left out: there is one already: the agent's own",
        );
        check(("terminal", "mine"), false, false, "left out");
        check(
            ("terminal", "mine"),
            true,
            false,
            "refused: the agent's own",
        );
        check(("terminal", "mine"), true, true, "taken");
    }

    #[test]
    fn a_plugin_may_replace_its_own() {
        let mut rules = ToolRules::default();
        rules.take(&"a".into(), "dice", "games");
        assert_eq!(
            rules.judge("a", "dice", "games", true, false),
            Judgement::Taken
        );
        assert!(matches!(
            rules.judge("a", "dice", "other", true, false),
            Judgement::LeftOut(_)
        ));
    }
}
