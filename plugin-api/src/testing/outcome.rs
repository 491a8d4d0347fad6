//! What an event came to: every answer, every fault, and what an agent makes of them.

use serde_json::{Map, Value as Json, json};

use super::Fault;
use crate::{
    abi::host::Transformed,
    answers::Verdict,
    catalogue::{Hook, Merge},
};

/// What an event came to, after all its handlers.
///
/// ```
/// use hermes_plugin_api::{prelude::*, testing::{FaultKind, Host, event}};
///
/// let host = Host::new("careless").register(|ctx| {
///     ctx.on(PostToolCall, |event| assert!(event.duration_ms() >= 0, "time runs backwards"));
///     Ok(())
/// })?;
/// let outcome = host.fire("post_tool_call", event::tool("terminal").field("duration_ms", -1));
///
/// let fault = &outcome.faults()[0];
/// assert_eq!((fault.kind, fault.text.as_str()), (FaultKind::Panic, "time runs backwards"));
/// assert!(fault.file.ends_with(".rs") && fault.line > 0);
/// # Ok::<(), hermes_plugin_api::testing::Fault>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a handler may have faulted; end with `sound` when there is nothing else to look at"]
pub struct Outcome {
    hook: String,
    known: Option<&'static Hook>,
    called: usize,
    replies: Vec<(String, Json)>,
    faults: Vec<Fault>,
    /// The text that a transform has come to, and whose it is.
    text: Transformed<String>,
    /// A handler ended the matter; what comes after it does not count.
    terminal: bool,
}

/// How one answer changes the event for the handlers after it.
pub(super) enum Change {
    Args(Map<String, Json>),
    Content(String),
}

impl Outcome {
    pub(super) fn new(hook: &str, known: Option<&'static Hook>) -> Self {
        Self {
            hook: hook.to_owned(),
            known,
            called: 0,
            replies: Vec::new(),
            faults: Vec::new(),
            text: Transformed::default(),
            terminal: false,
        }
    }

    /// How many handlers were called: those that registered for the hook and, where it has one, the tool.
    #[must_use]
    pub const fn called(&self) -> usize {
        self.called
    }

    /// Every answer in its hook's JSON shape, in the order of the calls. Handlers with nothing to say gave none.
    #[must_use]
    pub fn answers(&self) -> Vec<Json> {
        self.replies
            .iter()
            .map(|(_, answer)| answer.clone())
            .collect()
    }

    /// What went wrong, in the order of the calls.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Holds the handlers to having done their job.
    ///
    /// # Panics
    /// When one of them faulted.
    #[track_caller]
    pub fn sound(&self) -> &Self {
        if let Some(fault) = self.faults.first() {
            panic!(
                "{fault}\nhint: a test that expects this looks at `faults`, and at nothing else"
            );
        }
        self
    }

    /// What becomes of a tool call, after `pre_tool_call`: block beats approve beats modify, the first one
    /// counts, and changed arguments are merged.
    ///
    /// # Panics
    /// When a handler faulted, or the event was another one.
    #[track_caller]
    pub fn verdict(&self) -> Verdict {
        assert_eq!(
            self.hook, "pre_tool_call",
            "only `pre_tool_call` has a verdict"
        );
        self.sound().directive().0
    }

    /// The text in place of the original, after a transform; `None` when the original stays.
    ///
    /// # Panics
    /// When a handler faulted, or the event was not a transform.
    #[track_caller]
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        let merge = self.merge();
        assert!(
            matches!(merge, Merge::ReplaceAny | Merge::ReplaceNonEmpty),
            "`{}` is no transform",
            self.hook
        );
        self.sound().text.so_far().map(|(text, _)| text)
    }

    /// What is appended to the user's message, after `pre_llm_call`: all pieces, joined by blank lines.
    ///
    /// # Panics
    /// When a handler faulted, or the event was another one.
    #[track_caller]
    #[must_use]
    pub fn context(&self) -> Option<String> {
        assert_eq!(
            self.merge(),
            Merge::Context,
            "`{}` takes no context",
            self.hook
        );
        self.sound().pieces()
    }

    /// The outcome as a plugin sees it that fires an event itself: `decision`, what belongs to it, and `replies`.
    ///
    /// Knows the decisions of `pre_tool_call`, the transforms and `pre_llm_call`; of other hooks it gives the
    /// replies, and the decision `proceed`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut json = self.decision();
        let answers = self
            .replies
            .iter()
            .map(|(plugin, answer)| json!({ "plugin": plugin, "answer": answer }));
        let faults = self.faults.iter().map(|fault| {
            let told = json!({ "kind": fault.kind.as_str(), "closed": fault.closed });
            json!({ "plugin": fault.plugin, "fault": told })
        });
        json["replies"] = answers.chain(faults).collect();
        json
    }

    pub(super) const fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// The text that the next handler sees in place of the original.
    pub(super) fn shown_text(&self, chains: bool) -> Option<&str> {
        self.text.sees(chains)
    }

    pub(super) const fn note_call(&mut self) {
        self.called += 1;
    }

    pub(super) fn note_fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Takes an answer, and says what it changes. `chained`: the handler saw the text as it stood.
    pub(super) fn note_answer(
        &mut self,
        plugin: &str,
        answer: Json,
        guard: bool,
        chained: bool,
    ) -> Option<Change> {
        let merge = self.merge();
        if self.terminal || (self.known.is_some() && merge == Merge::Ignore) {
            return None;
        }
        let change = match merge {
            Merge::Directive if answer["action"] == "modify" && guard => return None,
            Merge::Directive if answer["action"] == "modify" => answer["args"]
                .as_object()
                .map(|args| Change::Args(args.clone())),
            Merge::Outbound => answer["content"]
                .as_str()
                .map(|content| Change::Content(content.to_owned())),
            _ => None,
        };
        self.terminal = match merge {
            Merge::ToolDecision => answer["block"] == true,
            Merge::Outbound => answer["cancel"] == true,
            _ => false,
        };
        if let (Merge::ReplaceAny | Merge::ReplaceNonEmpty, Some(text)) = (merge, answer.as_str())
            && (merge == Merge::ReplaceAny || !text.is_empty())
        {
            self.text.answer(text, plugin.to_owned(), chained);
        }
        self.replies.push((plugin.to_owned(), answer));
        change
    }

    fn merge(&self) -> Merge {
        self.known.map_or(Merge::Ignore, |hook| hook.merge)
    }

    /// The answers with this action, each with its plugin.
    fn actions(&self, action: &'static str) -> impl Iterator<Item = (&str, &Json)> {
        let replies = self
            .replies
            .iter()
            .filter(move |(_, answer)| answer["action"] == action);
        replies.map(|(plugin, answer)| (plugin.as_str(), answer))
    }

    fn directive(&self) -> (Verdict, Option<&str>) {
        let said = |answer: &Json, key: &str| {
            answer[key]
                .as_str()
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
        };
        let mut blocks = self.actions("block");
        if let Some((first, _)) = blocks.next() {
            let told = self
                .actions("block")
                .find_map(|(by, answer)| Some((by, said(answer, "message")?)));
            let (by, message) = told.unwrap_or_else(|| {
                (
                    first,
                    format!("blocked by plugin `{first}`, which gave no reason"),
                )
            });
            return (Verdict::Block { message }, Some(by));
        }
        if let Some((by, answer)) = self.actions("approve").next() {
            let (message, rule_key) = (said(answer, "message"), said(answer, "rule_key"));
            return (Verdict::Approve { message, rule_key }, Some(by));
        }
        let mut by = None;
        let mut args = Map::new();
        for (plugin, answer) in self.actions("modify") {
            by = by.or(Some(plugin));
            args.extend(answer["args"].as_object().cloned().unwrap_or_default());
        }
        (
            if by.is_some() {
                Verdict::Modify { args }
            } else {
                Verdict::Pass
            },
            by,
        )
    }

    fn pieces(&self) -> Option<String> {
        let piece = |answer: &Json| {
            answer
                .as_str()
                .or_else(|| answer["context"].as_str())
                .map(str::to_owned)
        };
        let pieces: Vec<String> = self
            .replies
            .iter()
            .filter_map(|(_, answer)| piece(answer))
            .collect();
        let pieces: Vec<String> = pieces
            .into_iter()
            .filter(|piece| !piece.is_empty())
            .collect();
        (!pieces.is_empty()).then(|| pieces.join("\n\n"))
    }

    fn decision(&self) -> Json {
        let closed = self.faults.iter().find(|fault| fault.closed);
        match (self.merge(), closed) {
            (Merge::Directive, _) => match self.directive() {
                (Verdict::Block { message }, by) => {
                    json!({ "decision": "block", "message": message, "by": by })
                }
                _ if closed.is_some() => {
                    let by = closed.map(|fault| &fault.plugin);
                    json!({ "decision": "block", "message": "it could not be checked", "by": by })
                }
                (Verdict::Approve { message, rule_key }, by) => {
                    json!({ "decision": "approve", "message": message, "rule_key": rule_key, "by": by })
                }
                (Verdict::Modify { args }, _) => json!({ "decision": "proceed", "args": args }),
                (Verdict::Pass, _) => json!({ "decision": "proceed" }),
            },
            (Merge::ReplaceAny | Merge::ReplaceNonEmpty, Some(fault)) => {
                json!({ "decision": "replace", "text": "[withheld: it could not be checked]", "by": fault.plugin })
            }
            (Merge::ReplaceAny | Merge::ReplaceNonEmpty, None) => match self.text.so_far() {
                Some((text, by)) => json!({ "decision": "replace", "text": text, "by": by }),
                None => json!({ "decision": "proceed" }),
            },
            (Merge::Context, _) => match self.pieces() {
                Some(text) => json!({ "decision": "context", "text": text }),
                None => json!({ "decision": "proceed" }),
            },
            _ => json!({ "decision": "proceed" }),
        }
    }
}
