//! Makes one outcome of all replies: the merge rules of the catalogue, as functions of values.

#[cfg(test)]
mod properties;

use std::sync::Arc;

use hermes_plugin_api::catalogue::Merge;
use serde_json::{Map, Value};

use crate::fault::FaultKind;
use crate::outcome::{Body, Change, Decision, Reply};

/// The arguments of a tool that were set, and by whom.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Args {
    pub(crate) set: Map<String, Value>,
    pub(crate) by: Vec<Change>,
}

impl Args {
    /// Sets what one handler sets, over what the ones before it did.
    fn set(&mut self, args: &Map<String, Value>, by: &Arc<str>) {
        for (key, value) in args {
            self.by.retain(
                |change| !matches!(change, Change::Arg { key: before, .. } if before == key),
            );
            self.by.push(Change::Arg {
                key: key.clone(),
                by: Arc::clone(by),
            });
            self.set.insert(key.clone(), value.clone());
        }
    }
}

/// The decision, and the arguments of a tool where they were changed.
pub(crate) fn fold(merge: Merge, replies: &[Reply]) -> (Decision, Option<Args>) {
    match merge {
        Merge::Directive => (directive(replies), directive_args(replies)),
        Merge::ToolDecision => tool_decision(replies),
        Merge::Context => (context(replies), None),
        Merge::ReplaceAny | Merge::ReplaceNonEmpty => (withheld(replies), None),
        Merge::Flow => (flow(replies), None),
        Merge::Continue => (keep_going(replies), None),
        Merge::Outbound => (outbound(replies), None),
        _ => (Decision::Proceed, None),
    }
}

/// Whether this answer ends the matter, so that lower handlers no longer count.
pub(crate) fn is_terminal(merge: Merge, answer: &Value) -> bool {
    let key = match merge {
        Merge::ToolDecision => "block",
        Merge::Outbound => "cancel",
        _ => return false,
    };
    answer.get(key) == Some(&Value::Bool(true))
}

fn answers(replies: &[Reply]) -> impl Iterator<Item = (&Arc<str>, &Value)> {
    replies.iter().filter_map(|reply| match &reply.body {
        Body::Answer(value) => Some((&reply.plugin, value)),
        Body::Fault { .. } => None,
    })
}

/// The first plugin that faulted and whose faults refuse the event, and how it faulted.
fn closed(replies: &[Reply]) -> Option<(&Arc<str>, FaultKind)> {
    replies.iter().find_map(|reply| match reply.body {
        Body::Fault { kind, closed: true } => Some((&reply.plugin, kind)),
        _ => None,
    })
}

/// The call is refused because a guard could not judge. The model is told its name, and nothing of what
/// went wrong.
fn refused_for_fault(replies: &[Reply]) -> Option<Decision> {
    let (by, kind) = closed(replies)?;
    let message = match kind {
        FaultKind::Inactive => {
            format!(
                "blocked: guard not active: `{by}` is required to check this call and is not loaded"
            )
        }
        _ => format!(
            "blocked: `{by}` could not check this call, and calls it cannot check are refused"
        ),
    };
    Some(block(message, by))
}

/// Why a message or a text goes no further when a guard could not judge it.
fn unchecked(by: &str, kind: FaultKind, what: &str) -> String {
    match kind {
        FaultKind::Inactive => format!("guard not active: `{by}` is required to check this {what}"),
        _ => format!("`{by}` could not check this {what}"),
    }
}

fn text<'v>(answer: &'v Value, key: &str) -> Option<&'v str> {
    answer.get(key).and_then(Value::as_str)
}

fn non_empty<'v>(answer: &'v Value, key: &str) -> Option<&'v str> {
    text(answer, key).filter(|text| !text.is_empty())
}

fn object<'v>(answer: &'v Value, key: &str) -> Option<&'v Map<String, Value>> {
    answer.get(key).and_then(Value::as_object)
}

/// `pre_tool_call`: block beats approve, whatever the order; a block whose message is unusable still
/// blocks, but the first usable message is the one that is told.
fn directive(replies: &[Reply]) -> Decision {
    let action = |word: &'static str| {
        answers(replies).filter(move |(_, answer)| text(answer, "action") == Some(word))
    };
    let told = action("block").find_map(|(by, answer)| Some((by, non_empty(answer, "message")?)));
    if let Some((by, message)) = told {
        return block(message.to_owned(), by);
    }
    if let Some((by, _)) = action("block").next() {
        return block(gave_no_reason(by), by);
    }
    if let Some(refused) = refused_for_fault(replies) {
        return refused;
    }
    if let Some((by, answer)) = action("approve").next() {
        let rule_key = text(answer, "rule_key")
            .map(str::trim)
            .filter(|key| !key.is_empty());
        return Decision::Approve {
            message: non_empty(answer, "message").map(str::to_owned),
            rule_key: rule_key.map(str::to_owned),
            request: None,
            by: Arc::clone(by),
        };
    }
    Decision::Proceed
}

fn block(message: String, by: &Arc<str>) -> Decision {
    Decision::Block {
        message,
        by: Arc::clone(by),
    }
}

fn gave_no_reason(by: &str) -> String {
    format!("blocked by plugin `{by}`, which gave no reason")
}

/// Arguments that `modify` sets, later handlers over earlier ones, key by key.
fn directive_args(replies: &[Reply]) -> Option<Args> {
    let mut modified = answers(replies)
        .filter(|(_, answer)| self::modified(answer).is_some())
        .peekable();
    modified.peek()?;
    let mut args = Args::default();
    for (by, answer) in modified {
        if let Some(set) = self::modified(answer) {
            args.set(set, by);
        }
    }
    Some(args)
}

/// The arguments one answer sets.
pub(crate) fn modified(answer: &Value) -> Option<&Map<String, Value>> {
    if text(answer, "action") == Some("modify") {
        object(answer, "args")
    } else {
        None
    }
}

/// OpenClaw's `before_tool_call`. Only `true` blocks; the last reason counts, even one set by a handler
/// that does not block; the first approval counts; parameters no longer change once it was asked for.
fn tool_decision(replies: &[Reply]) -> (Decision, Option<Args>) {
    let mut reason = None;
    let mut params = None;
    let mut approval = None;
    let mut block_by = None;
    for (by, answer) in answers(replies) {
        reason = text(answer, "blockReason").or(reason);
        if approval.is_none() {
            params = object(answer, "params").map(|set| (set, by)).or(params);
        }
        if let Some(request) = answer
            .get("requireApproval")
            .filter(|request| request.is_object())
        {
            approval = approval.or(Some((by, request)));
        }
        if answer.get("block") == Some(&Value::Bool(true)) {
            block_by = block_by.or(Some(by));
        }
    }
    let params = params.map(|(set, by)| {
        let mut args = Args::default();
        args.set(set, by);
        args
    });
    if let Some(by) = block_by {
        let message = reason
            .filter(|reason| !reason.is_empty())
            .map_or_else(|| gave_no_reason(by), str::to_owned);
        return (block(message, by), params);
    }
    if let Some(refused) = refused_for_fault(replies) {
        return (refused, params);
    }
    if let Some((by, request)) = approval {
        let message = non_empty(request, "description").map(str::to_owned);
        let decision = Decision::Approve {
            message,
            rule_key: None,
            request: Some(request.clone()),
            by: Arc::clone(by),
        };
        return (decision, params);
    }
    (Decision::Proceed, params)
}

/// `pre_llm_call`: every usable piece, joined by a blank line in the order of the calls.
fn context(replies: &[Reply]) -> Decision {
    let pieces: Vec<String> = answers(replies)
        .filter_map(|(_, answer)| piece(answer))
        .collect();
    if pieces.is_empty() {
        return Decision::Proceed;
    }
    Decision::Context {
        text: pieces.join("\n\n"),
    }
}

/// A bare text that is not blank, or an object whose `context` is truthy, in Python's sense.
fn piece(answer: &Value) -> Option<String> {
    if let Value::String(text) = answer {
        return (!text.trim().is_empty()).then(|| text.clone());
    }
    match answer.as_object()?.get("context")? {
        Value::Null | Value::Bool(false) => None,
        // As Python writes it.
        Value::Bool(true) => Some("True".to_owned()),
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        Value::Number(number) => (number.as_f64() != Some(0.0)).then(|| number.to_string()),
        Value::Array(elements) if elements.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        other => Some(other.to_string()),
    }
}

/// The transforms: a redactor that fails, and fails closed, withholds the text. Which text wins otherwise
/// is decided on the way, since chaining handlers see what the ones before them made of it.
fn withheld(replies: &[Reply]) -> Decision {
    closed(replies).map_or(Decision::Proceed, |(by, kind)| {
        let text = format!("[withheld: {}]", unchecked(by, kind, "text"));
        Decision::Replace {
            text,
            by: Arc::clone(by),
        }
    })
}

/// The text of a transform's answer, if its hook accepts it.
pub(crate) fn acceptable(answer: &Value, empty_counts: bool) -> Option<&str> {
    answer
        .as_str()
        .filter(|text| empty_counts || !text.is_empty())
}

/// `pre_gateway_dispatch`: the first recognised action wins. A rewrite without a text ends the walk and
/// changes nothing. A guard that skips, or cannot judge, wins over all of it.
fn flow(replies: &[Reply]) -> Decision {
    let guards = || replies.iter().filter(|reply| reply.guard);
    let skip = guards().find_map(|reply| match directed(reply) {
        Some(skip @ Decision::Skip { .. }) => Some(skip),
        _ => None,
    });
    if let Some(skip) = skip {
        return skip;
    }
    if let Some((by, kind)) = closed(replies) {
        return Decision::Skip {
            reason: Some(unchecked(by, kind, "message")),
            by: Arc::clone(by),
        };
    }
    let others = replies.iter().filter(|reply| !reply.guard);
    others
        .chain(guards())
        .find_map(directed)
        .unwrap_or_default()
}

/// What one handler wants done with a message.
pub(crate) fn directed(reply: &Reply) -> Option<Decision> {
    let Body::Answer(answer) = &reply.body else {
        return None;
    };
    let by = Arc::clone(&reply.plugin);
    match text(answer, "action")? {
        "skip" => Some(Decision::Skip {
            reason: text(answer, "reason").map(str::to_owned),
            by,
        }),
        "rewrite" => Some(match text(answer, "text") {
            Some(text) => Decision::Rewrite {
                text: text.to_owned(),
                by,
            },
            None => Decision::Allow { by },
        }),
        "allow" => Some(Decision::Allow { by }),
        _ => None,
    }
}

/// `pre_verify`: the first valid request to go on.
fn keep_going(replies: &[Reply]) -> Decision {
    answers(replies)
        .find_map(|(by, answer)| {
            let asks = ["action", "decision"]
                .into_iter()
                .filter_map(|key| text(answer, key))
                .any(|word| {
                    matches!(
                        word.trim().to_ascii_lowercase().as_str(),
                        "continue" | "block"
                    )
                });
            let message = ["message", "reason"]
                .into_iter()
                .filter_map(|key| text(answer, key))
                .map(str::trim)
                .find(|message| !message.is_empty())?;
            asks.then(|| Decision::Continue {
                message: message.to_owned(),
                by: Arc::clone(by),
            })
        })
        .unwrap_or_default()
}

/// OpenClaw's `message_sending`: only `true` cancels; otherwise the last content counts.
fn outbound(replies: &[Reply]) -> Decision {
    let mut content = None;
    let mut reason = None;
    let mut metadata = None;
    let mut cancel = None;
    for (by, answer) in answers(replies) {
        content = text(answer, "content").map(|text| (by, text)).or(content);
        reason = text(answer, "cancelReason").or(reason);
        metadata = answer
            .get("metadata")
            .filter(|metadata| metadata.is_object())
            .or(metadata);
        if answer.get("cancel") == Some(&Value::Bool(true)) {
            cancel = cancel.or(Some(by));
        }
    }
    let metadata = metadata.filter(|metadata| metadata.to_string().len() <= METADATA_LIMIT);
    if let Some(by) = cancel {
        let reason = reason.map(str::to_owned);
        return Decision::Cancel {
            reason,
            metadata: metadata.cloned(),
            by: Arc::clone(by),
        };
    }
    if let Some((by, kind)) = closed(replies) {
        let reason = Some(unchecked(by, kind, "message"));
        return Decision::Cancel {
            reason,
            metadata: None,
            by: Arc::clone(by),
        };
    }
    content.map_or(Decision::Proceed, |(by, text)| Decision::Rewrite {
        text: text.to_owned(),
        by: Arc::clone(by),
    })
}

/// Bytes of metadata that a cancelled message may carry; more is dropped, and the cancel stays.
const METADATA_LIMIT: usize = 4096;
