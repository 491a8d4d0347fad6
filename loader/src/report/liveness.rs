//! Says whether a hook that a plugin registers is ever fired here, and what to do when it is not.

use hermes_plugin_api::catalogue::{self, CATALOGUE_REVISION, Dialect, Hook};
use serde::Serialize;

use super::suggest;

/// Whether a hook that a plugin registered is ever fired here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Liveness {
    /// The host fires it.
    Live,
    /// It is known, from the catalogue or from newer hosts, but this host never fires it.
    Dormant,
    /// An event of the gateway, which has handlers of its own; no plugin hook.
    Gateway,
    /// Nobody knows it.
    Unknown,
}

/// Names that other or newer hosts fire: a plugin that registers them is no mistake.
const ELSEWHERE: &[&str] = &[
    // Hermes after 0.19.
    "on_stream_delta",
    "pre_auxiliary_call",
    "post_auxiliary_call",
    // OpenClaw.
    "after_compaction",
    "after_tool_call",
    "agent_end",
    "before_agent_finalize",
    "before_agent_reply",
    "before_agent_run",
    "before_agent_start",
    "before_compaction",
    "before_dispatch",
    "before_install",
    "before_message_write",
    "before_prompt_build",
    "before_reset",
    "gateway_start",
    "gateway_stop",
    "inbound_claim",
    "message_received",
    "message_sent",
    "reply_dispatch",
    "reply_payload_sending",
    "resolve_exec_env",
    "session_end",
    "session_start",
    "subagent_ended",
    "tool_result_persist",
];

/// What comes before the colon of a gateway event.
const GATEWAY: &[&str] = &["gateway", "session", "agent", "command"];

/// Whether a name is fired here, and what was probably meant.
#[must_use]
pub fn liveness(name: &str) -> (Liveness, Option<&'static str>) {
    match catalogue::by_name(name) {
        Some(hook) if !is_fired(hook) => (Liveness::Dormant, None),
        Some(_) => (Liveness::Live, None),
        None if ELSEWHERE.contains(&name) => (Liveness::Dormant, None),
        None if is_gateway_event(name) => (Liveness::Gateway, None),
        None => (Liveness::Unknown, suggest(name)),
    }
}

/// Whether a host fires it: callbacks are called for whoever handed them over, and for nobody else.
pub(super) fn is_fired(hook: &Hook) -> bool {
    hook.dialect != Dialect::Host || hook.is_middleware()
}

/// The same for a plugin that was built for this revision of the catalogue: what a newer one may have and
/// this one does not is no mistake.
#[must_use]
pub fn liveness_for(name: &str, catalogue: u32) -> (Liveness, Option<&'static str>) {
    match liveness(name) {
        (Liveness::Unknown, None) if catalogue > CATALOGUE_REVISION => (Liveness::Dormant, None),
        known => known,
    }
}

/// The names of Hermes' hooks, sorted: what a warning about an unknown one lists.
pub(crate) fn hermes_hooks() -> String {
    let hermes = catalogue::all().filter(|hook| hook.dialect == Dialect::Hermes);
    let mut names: Vec<&str> = hermes.map(|hook| hook.name).collect();
    names.sort_unstable();
    names.join(", ")
}

fn is_gateway_event(name: &str) -> bool {
    let parts = name.split_once(':');
    parts.is_some_and(|(family, event)| GATEWAY.contains(&family) && !event.is_empty())
}

/// What to do about a hook that is not fired here; `None` for one that is.
///
/// # Examples
///
/// ```
/// use hermes_loader::advice;
/// assert_eq!(advice("pre_tool_call"), None);
/// assert_eq!(advice("pre_tool_cal").as_deref(), Some("did you mean `pre_tool_call`?"));
/// ```
#[must_use]
pub fn advice(name: &str) -> Option<String> {
    let (liveness, meant) = liveness(name);
    liveness.advice(name, meant)
}

impl Liveness {
    /// What to do about the hook `name`; `meant` is what was probably meant.
    pub(crate) fn advice(self, name: &str, meant: Option<&str>) -> Option<String> {
        match (self, meant) {
            (Self::Live, _) => None,
            (Self::Dormant, _) => Some(format!("needs a host with `{name}`")),
            (Self::Gateway, _) => {
                let nearest = suggest(name)
                    .map(|hook| format!("; the plugin hook nearest to it is `{hook}`"))
                    .unwrap_or_default();
                Some(format!(
                    "a gateway event, not a plugin hook: subscribe with a gateway hook, a directory in `hooks/` of \
                     the home whose HOOK.yaml says `events: [{name:?}]`{nearest}"
                ))
            }
            (Self::Unknown, Some(meant)) => Some(format!("did you mean `{meant}`?")),
            (Self::Unknown, None) => Some(
                "no host fires it; fine if another plugin does (names: `hermes hooks catalogue`)"
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, wanted: Liveness, meant: Option<&str>, advised: &str) {
        assert_eq!(liveness(name), (wanted, meant), "{name}");
        let text = advice(name).unwrap_or_default();
        assert!(text.contains(advised), "{name}: {text}");
    }

    #[test]
    fn a_newer_catalogue_may_have_names_that_are_not_known() {
        let newer = CATALOGUE_REVISION + 1;
        assert_eq!(liveness_for("on_moon", newer).0, Liveness::Dormant);
        assert_eq!(
            liveness_for("on_moon", CATALOGUE_REVISION).0,
            Liveness::Unknown
        );
        assert_eq!(
            liveness_for("pre_tool_cal", newer),
            (Liveness::Unknown, Some("pre_tool_call"))
        );
        assert_eq!(liveness_for("pre_tool_call", newer).0, Liveness::Live);
    }

    #[test]
    fn case_19_each_sort_of_name_is_told_apart() {
        use Liveness::{Dormant, Gateway, Live, Unknown};
        check("on_session_start", Live, None, "");
        check(
            "on_subagent_spawn",
            Unknown,
            Some("subagent_start"),
            "`subagent_start`",
        );
        check("on_cron_start", Unknown, None, "no host fires it");
        check(
            "session:start",
            Gateway,
            None,
            "events: [\"session:start\"]`; the plugin hook nearest to it is `on_session_start`",
        );
        check("command:reset", Gateway, None, "gateway event");
        check(
            "on_stream_delta",
            Dormant,
            None,
            "needs a host with `on_stream_delta`",
        );
        check("before_prompt_build", Dormant, None, "needs a host with");
        check("timer", Dormant, None, "needs a host with");
        check("my:event", Unknown, None, "no host fires it");
    }
}
