//! Writes one value below `plugins.entries`, where it stands or where it has to come.

use super::insert::{insert_pair, set_scalar};
use super::text::{content_end, indent, insert_lines, line_end};
use crate::config::yaml::quote::{quoted, scalar};
use crate::config::yaml::{Document, Kind, Node};

/// The text with the value at `path` being `value`; `None` in a layout this does not know.
pub(super) fn set(text: &str, document: &Document, path: &[&str], value: &str) -> Option<String> {
    let Some(root) = &document.root else {
        return insert_lines(text, text.len(), &lines("", path, value));
    };
    let json = matches!(root.kind, Kind::Mapping { flow: true, .. });
    below(text, root, path, value, json)
}

fn below(text: &str, map: &Node, path: &[&str], value: &str, json: bool) -> Option<String> {
    let Kind::Mapping { flow, pairs } = &map.kind else {
        return None;
    };
    let (step, rest) = path.split_first()?;
    let Some((key, node)) = map.pair(step) else {
        if *flow {
            return insert_pair(text, map, pairs.is_empty(), &pair(path, value, json));
        }
        let (first, _) = pairs.first()?;
        let (last_key, last) = pairs.last()?;
        let indent = indent(text, first.span.start)?;
        let end = if last.is_absent() {
            last_key.span.end
        } else {
            content_end(text, last.span.start, last.span.end).max(last_key.span.end)
        };
        return insert_lines(text, line_end(text, end), &lines(indent, path, value));
    };
    if rest.is_empty() {
        return match &node.kind {
            Kind::Scalar { .. } => set_scalar(text, key, node, value),
            _ => None,
        };
    }
    match &node.kind {
        Kind::Mapping { .. } => below(text, node, rest, value, json),
        // The key, and nothing behind it.
        Kind::Scalar { .. } if node.is_absent() && !*flow => {
            let indent = format!("{}  ", indent(text, key.span.start)?);
            insert_lines(
                text,
                line_end(text, key.span.end),
                &lines(&indent, rest, value),
            )
        }
        // `~`; that it means nothing has been checked on the value.
        Kind::Scalar { .. } => {
            set_scalar(text, key, node, &format!("{{{}}}", pair(rest, value, json)))
        }
        _ => None,
    }
}

/// The keys of the path one below the other, and the value behind the last.
fn lines(indent: &str, path: &[&str], value: &str) -> Vec<String> {
    let last = path.len().saturating_sub(1);
    let line = |(depth, key): (usize, &&str)| {
        let end = if depth == last {
            format!(" {value}")
        } else {
            String::new()
        };
        format!("{indent}{}{}:{end}", "  ".repeat(depth), scalar(key))
    };
    path.iter().enumerate().map(line).collect()
}

/// The same on one line: `a: {b: value}`.
fn pair(path: &[&str], value: &str, json: bool) -> String {
    let written = |key: &str| if json { quoted(key) } else { scalar(key) };
    match path {
        [] => value.to_owned(),
        [key] => format!("{}: {value}", written(key)),
        [key, rest @ ..] => format!("{}: {{{}}}", written(key), pair(rest, value, json)),
    }
}
