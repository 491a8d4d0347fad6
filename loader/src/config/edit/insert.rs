//! Finds where a list of plugins is, or where it has to come.

use serde_json::Value;

use super::List;
use super::list;
use super::text::{after_colon, content_end, indent, insert_lines, line_end, replace};
use super::wanted::written;
use crate::config::yaml::quote::quoted;
use crate::config::yaml::{Document, Kind, Node};

/// The text with the list `which` holding `items`; `None` in a layout this does not know.
pub(super) fn set_list(
    text: &str,
    document: &Document,
    which: List,
    items: &[Value],
) -> Option<String> {
    let key = which.key();
    let Some(root) = &document.root else {
        return insert_lines(text, text.len(), &section("", key, items));
    };
    let json = matches!(root.kind, Kind::Mapping { flow: true, .. });
    let Some((plugins_key, plugins)) = root.pair("plugins") else {
        return match &root.kind {
            Kind::Mapping { flow: true, pairs } => {
                let pair = format!("\"plugins\": {{{}}}", flow_pair(key, items, json));
                insert_pair(text, root, pairs.is_empty(), &pair)
            }
            Kind::Mapping { flow: false, pairs } => {
                let (first, _) = pairs.first()?;
                let indent = indent(text, first.span.start)?;
                insert_lines(text, text.len(), &section(indent, key, items))
            }
            _ => None,
        };
    };
    match &plugins.kind {
        Kind::Mapping { flow, pairs } => match plugins.pair(key) {
            Some((list_key, node)) => {
                let old = document.value.get("plugins").and_then(|p| p.get(key));
                let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                existing(text, (list_key, node), *flow, json, old, items)
            }
            None if *flow => {
                let pair = flow_pair(key, items, json);
                insert_pair(text, plugins, pairs.is_empty(), &pair)
            }
            None => insert_block(text, plugins_key, plugins, pairs, which, items),
        },
        // `plugins:` and nothing behind it.
        Kind::Scalar { .. } if plugins.is_absent() && !json => {
            let indent = indent(text, plugins_key.span.start)?;
            let lines = block(&format!("{indent}  "), 2, key, items);
            insert_lines(text, line_end(text, plugins_key.span.end), &lines)
        }
        // `plugins: ~`; that it means nothing has been checked on the value.
        Kind::Scalar { .. } => {
            let pair = flow_pair(key, items, json);
            set_scalar(text, plugins_key, plugins, &format!("{{{pair}}}"))
        }
        _ => None,
    }
}

/// The list's key is there already.
fn existing(
    text: &str,
    (key, node): (&Node, &Node),
    in_flow: bool,
    json: bool,
    old: &[Value],
    items: &[Value],
) -> Option<String> {
    match &node.kind {
        Kind::Sequence {
            flow: true,
            items: nodes,
        } => list::set_flow(text, node, nodes, old, items, json),
        Kind::Sequence {
            flow: false,
            items: nodes,
        } => list::set_block(text, key, nodes, old, items),
        Kind::Scalar { .. } if node.is_absent() && !in_flow => {
            let indent = indent(text, key.span.start)?;
            let lines = dashes(indent, 2, items);
            insert_lines(text, line_end(text, key.span.end), &lines)
        }
        Kind::Scalar { .. } => set_scalar(text, key, node, &flow_list(items, json)),
        _ => None,
    }
}

/// The list's key has to come into a block mapping.
fn insert_block(
    text: &str,
    plugins_key: &Node,
    plugins: &Node,
    pairs: &[(Node, Node)],
    which: List,
    items: &[Value],
) -> Option<String> {
    let (first, _) = pairs.first()?;
    let prefix = indent(text, first.span.start)?;
    let sibling = match which {
        List::Enabled => plugins.pair(List::Disabled.key()),
        List::Disabled => plugins.pair(List::Enabled.key()),
    };
    // Dashes stand as far in as those of the other list.
    let step = match sibling.map(|(_, node)| &node.kind) {
        Some(Kind::Sequence { flow: false, items }) => {
            let dash = list::dash_indent(text, items)?;
            dash.len().checked_sub(prefix.len())?
        }
        _ => 2,
    };
    let lines = block(prefix, step, which.key(), items);
    let at = match (which, sibling) {
        (List::Disabled, Some((key, node))) => {
            let end = content_end(text, node.span.start, node.span.end);
            line_end(text, end.max(key.span.end))
        }
        // Before the first key, but not between it and a comment above it.
        _ => line_end(text, plugins_key.span.end),
    };
    insert_lines(text, at, &lines)
}

/// Puts a pair first into a flow mapping, spaced as its first pair was.
pub(super) fn insert_pair(text: &str, map: &Node, empty: bool, pair: &str) -> Option<String> {
    let open = map.span.start + 1;
    if empty {
        return replace(text, open..open, pair);
    }
    let inner = text.get(open..)?;
    let space = inner.get(..inner.len() - inner.trim_start().len())?;
    let separator = if space.is_empty() { " " } else { space };
    let at = open + space.len();
    replace(text, at..at, &format!("{pair},{separator}"))
}

/// Puts `by` in the place of a scalar, written or not.
pub(super) fn set_scalar(text: &str, key: &Node, node: &Node, by: &str) -> Option<String> {
    if node.is_absent() {
        let colon = after_colon(text, key.span.end)?;
        return replace(text, colon..colon, &format!(" {by}"));
    }
    replace(text, node.span.clone(), by)
}

fn section(indent: &str, key: &str, items: &[Value]) -> Vec<String> {
    let mut lines = vec![format!("{indent}plugins:")];
    lines.extend(block(&format!("{indent}  "), 2, key, items));
    lines
}

fn block(indent: &str, step: usize, key: &str, items: &[Value]) -> Vec<String> {
    let mut lines = vec![format!("{indent}{key}:")];
    lines.extend(dashes(indent, step, items));
    lines
}

fn dashes(indent: &str, step: usize, items: &[Value]) -> Vec<String> {
    let step = " ".repeat(step);
    let line = |item| format!("{indent}{step}- {}", written(item));
    items.iter().map(line).collect()
}

fn flow_pair(key: &str, items: &[Value], json: bool) -> String {
    let key = if json { quoted(key) } else { key.to_owned() };
    format!("{key}: {}", flow_list(items, json))
}

fn flow_list(items: &[Value], json: bool) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| list::flow_item(item, json))
        .collect();
    format!("[{}]", items.join(", "))
}
