//! `hermes hooks fire`: one event through everything that is loaded.

use std::io::Read;
use std::path::Path;

use hermes_loader::{Decision, Host, Traced, TracedCall, payload};
use serde_json::{Map, Value, json};

use super::{synthetic, warn_unknown};
use crate::args::FireArgs;
use crate::excerpt::{duration, excerpt, safe};
use crate::invocation::Invocation;
use crate::problem::{Exit, Problem};
use crate::screen::{BAD, DIM, GOOD, styled};
use crate::table::{Mood, Rows, plain};

pub(super) fn run(to: &mut Invocation<'_>, args: &FireArgs) -> anyhow::Result<Exit> {
    let given = given(args)?;
    warn_unknown(to, &args.event);
    let host = to.load(args.plugin.as_deref())?;
    let mut event = synthetic::payload(&args.event);
    event.extend(given);
    let event = Value::Object(event);
    let traced = host.trace_json(&args.event, &event)?;
    let faulted = traced.calls.iter().any(|call| call.fault.is_some());
    if args.json {
        let mut value = serde_json::to_value(&traced)?;
        if let Some(members) = value.as_object_mut() {
            members.shift_insert(0, "event".to_owned(), json!(args.event));
            members.shift_insert(1, "payload".to_owned(), event);
            members.insert("faults".to_owned(), serde_json::to_value(host.faults())?);
        }
        to.screen.json(&value)?;
    } else {
        show(to, args, &host, &traced)?;
    }
    Ok(Exit::problem_if(faulted))
}

/// What the command line gives of the payload.
fn given(args: &FireArgs) -> anyhow::Result<Map<String, Value>> {
    let (text, from) = match (&args.payload, &args.payload_file) {
        (Some(text), _) => (text.clone(), "--payload".to_owned()),
        (None, Some(file)) => (read(file)?, file.display().to_string()),
        (None, None) => return Ok(Map::new()),
    };
    payload::parse(&text).map_err(|error| {
        Problem::usage(format!(
            "{from}: the payload must be a JSON object: {error}"
        ))
        .cure("for example: --payload '{\"args\": {\"command\": \"ls\"}}'")
        .into()
    })
}

fn read(file: &Path) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| Problem::new(format!("{}: cannot be read: {error}", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn show(
    to: &mut Invocation<'_>,
    args: &FireArgs,
    host: &Host,
    traced: &Traced,
) -> anyhow::Result<()> {
    let event = safe(&args.event);
    if traced.calls.is_empty() {
        to.screen.line(format!("{event}: no handler was called"))?;
        match host.count(&args.event) {
            0 => to.screen.hint(format!(
                "Nobody registered for it; see `{} hooks catalogue` and `{} doctor`",
                to.program, to.program
            )),
            many => to.screen.hint(format!(
                "{many} registered for it, for other tools than this event's"
            )),
        }
        return Ok(());
    }
    let mut table = Rows::new(["#", "Plugin", "Guard", "Priority", "Answer", "Took"]);
    for (number, call) in (1..).zip(&traced.calls) {
        let guard = if call.guard { "guard" } else { "" };
        table.add([
            plain(number.to_string()),
            plain(&*call.plugin),
            plain(guard),
            plain(call.priority.to_string()),
            answer(call),
            plain(duration(call.took)),
        ]);
    }
    table.show(to.screen)?;
    let outcome = &traced.outcome;
    let word = outcome.decision.word();
    let style = if outcome.is_refused() { BAD } else { GOOD };
    let by = outcome
        .decision
        .by()
        .map(|by| format!(" by {}", safe(by)))
        .unwrap_or_default();
    let said = said(&outcome.decision)
        .map(|text| format!(": {}", excerpt(&text, 400)))
        .unwrap_or_default();
    let took = styled(DIM, &format!("({})", duration(traced.total)));
    to.screen
        .line(format!("{event}: {}{by}{said} {took}", styled(style, word)))?;
    if let Some(args) = &outcome.args {
        to.screen.line(format!(
            "  arguments changed: {}",
            excerpt(&Value::Object(args.clone()).to_string(), 400)
        ))?;
    }
    for fault in host.faults() {
        to.screen.warning(
            &fault.to_string(),
            Some(&format!(
                "see `{} logs --plugin {}`",
                to.program, fault.plugin
            )),
        );
    }
    Ok(())
}

fn answer(call: &TracedCall) -> (Mood, String) {
    match (&call.fault, &call.answer) {
        (Some(fault), _) => (Mood::Bad, format!("fault: {}", fault.as_str())),
        (None, Some(answer)) => plain(excerpt(&answer.to_string(), 80)),
        (None, None) => (Mood::Dim, "nothing".to_owned()),
    }
}

/// The words that come with a decision.
fn said(decision: &Decision) -> Option<String> {
    match decision {
        Decision::Block { message, .. } | Decision::Continue { message, .. } => {
            Some(message.clone())
        }
        Decision::Approve { message, .. } => message.clone(),
        Decision::Context { text }
        | Decision::Replace { text, .. }
        | Decision::Rewrite { text, .. } => Some(text.clone()),
        Decision::Skip { reason, .. } | Decision::Cancel { reason, .. } => reason.clone(),
        _ => None,
    }
}
