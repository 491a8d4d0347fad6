//! Rewrites a list or a mapping in place, item by item, with the comments around them.

use std::ops::Range;

use serde_json::Value;

use super::text::{after_colon, content_end, indent, line_end, line_start, newline, replace};
use super::wanted::written;
use crate::config::yaml::quote::quoted;
use crate::config::yaml::{Kind, Node};

/// One item of a block list, with the comments that go with it.
struct Chunk {
    /// The lines above it that belong to it.
    lead: Range<usize>,
    /// Its own lines.
    body: Range<usize>,
}

/// The text with the block list of `key` holding `items`; it held `nodes`, which mean `old`.
pub(super) fn set_block(
    text: &str,
    key: &Node,
    nodes: &[Node],
    old: &[Value],
    items: &[Value],
) -> Option<String> {
    let prefix = dash_indent(text, nodes)?;
    let newline = newline(text);
    let chunks = chunks(text, key, prefix, nodes)?;
    let region = chunks.first()?.lead.start..chunks.last()?.body.end;
    let slice = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();

    // Comments above an item that goes pass on to the next one that stays.
    let mut kept: Vec<(Value, String)> = Vec::new();
    let mut pending = String::new();
    for (chunk, value) in chunks.iter().zip(old) {
        pending.push_str(slice(&chunk.lead));
        if items.contains(value) && !kept.iter().any(|(known, _)| known == value) {
            let mut lines = std::mem::take(&mut pending);
            lines.push_str(slice(&chunk.body));
            if !lines.ends_with('\n') {
                lines.push_str(newline);
            }
            kept.push((value.clone(), lines));
        }
    }
    let mut out = String::new();
    for item in items {
        match kept.iter().find(|(value, _)| value == item) {
            Some((_, lines)) => out.push_str(lines),
            None => out.push_str(&format!("{prefix}- {}{newline}", written(item))),
        }
    }
    out.push_str(&pending);
    let edited = replace(text, region, &out)?;
    if items.is_empty() {
        let colon = after_colon(text, key.span.end)?;
        return replace(&edited, colon..colon, " []");
    }
    Some(edited)
}

/// The white space before the dashes of a block list.
pub(super) fn dash_indent<'t>(text: &'t str, nodes: &[Node]) -> Option<&'t str> {
    // The parser's own start of a list is before its first dash or behind it, as the list is
    // indented or not, so the dash is looked for: on the line of the first item, or above it.
    let mut start = line_start(text, nodes.first()?.span.start);
    loop {
        let line = text.get(start..line_end(text, start))?;
        let rest = line.trim_start_matches(' ');
        if rest.starts_with('-') {
            return line.get(..line.len() - rest.len());
        }
        start = line_start(text, start.checked_sub(1)?);
    }
}

fn chunks(text: &str, key: &Node, prefix: &str, nodes: &[Node]) -> Option<Vec<Chunk>> {
    let dash = format!("{prefix}-");
    let key_line_end = line_end(text, key.span.end);
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut previous_end = key_line_end;
    for node in nodes {
        let mut start = line_start(text, node.span.start);
        while !text.get(start..)?.starts_with(&dash) {
            start = line_start(text, start.checked_sub(1)?);
        }
        if start < previous_end {
            return None;
        }
        let end = content_end(text, node.span.start, node.span.end);
        let end = line_end(text, end);
        chunks.push(Chunk {
            lead: previous_end..start,
            body: start..end,
        });
        previous_end = end;
    }
    // A comment above the first item heads the list, unless items have comments of their own.
    let own = |chunk: &Chunk| {
        !text
            .get(chunk.lead.clone())
            .unwrap_or_default()
            .trim()
            .is_empty()
    };
    if !chunks.iter().skip(1).any(own) {
        let first = chunks.first_mut()?;
        first.lead.start = first.lead.end;
    }
    Some(chunks)
}

/// The text with the flow list `node` holding `items`; it held `nodes`, which mean `old`.
pub(super) fn set_flow(
    text: &str,
    node: &Node,
    nodes: &[Node],
    old: &[Value],
    items: &[Value],
    json: bool,
) -> Option<String> {
    let spans: Vec<Range<usize>> = nodes.iter().map(|node| node.span.clone()).collect();
    let parts = FlowParts::of(text, node, &spans)?;
    let json = json || parts.items.iter().any(|item| item.starts_with('"'));
    let write = |item: &Value| match old.iter().position(|value| value == item) {
        Some(index) => parts
            .items
            .get(index)
            .copied()
            .unwrap_or_default()
            .to_owned(),
        None => flow_item(item, json),
    };
    parts.rewrite(text, node, items.iter().map(write).collect())
}

/// How an item is written in a flow list.
pub(super) fn flow_item(item: &Value, json: bool) -> String {
    match item {
        Value::String(text) if json => quoted(text),
        other => written(other),
    }
}

/// The text without the pair `name` of the mapping `map`, whose own key is `key`.
pub(super) fn remove_pair(text: &str, key: &Node, map: &Node, name: &str) -> Option<String> {
    let Kind::Mapping { flow, pairs } = &map.kind else {
        return None;
    };
    let (gone, value) = map.pair(name)?;
    if *flow {
        let spans: Vec<Range<usize>> = pairs
            .iter()
            .map(|(key, value)| {
                let end = if value.is_absent() {
                    after_colon(text, key.span.end).unwrap_or(key.span.end)
                } else {
                    value.span.end
                };
                key.span.start..end
            })
            .collect();
        let parts = FlowParts::of(text, map, &spans)?;
        let stays = |(index, (key, _)): (usize, &(Node, Node))| {
            (!std::ptr::eq(key, gone)).then(|| parts.items.get(index).copied().map(str::to_owned))
        };
        let items = pairs.iter().enumerate().filter_map(stays);
        return parts.rewrite(text, map, items.collect::<Option<_>>()?);
    }
    indent(text, gone.span.start)?;
    let end = content_end(text, value.span.start, value.span.end).max(gone.span.end);
    let edited = replace(
        text,
        line_start(text, gone.span.start)..line_end(text, end),
        "",
    )?;
    if pairs.len() == 1 {
        let colon = after_colon(text, key.span.end)?;
        return replace(&edited, colon..colon, " {}");
    }
    Some(edited)
}

/// A flow collection, cut between its items.
struct FlowParts<'t> {
    /// The items, with their anchors and tags.
    items: Vec<&'t str>,
    /// What stands before the first item, between two, and behind the last.
    gaps: Vec<&'t str>,
}

impl<'t> FlowParts<'t> {
    /// `None` when comments stand between the items: they could not be kept with their items.
    fn of(text: &'t str, node: &Node, spans: &[Range<usize>]) -> Option<Self> {
        let close = node.span.end.checked_sub(1)?;
        let mut at = node.span.start + 1;
        let mut parts = Self {
            items: Vec::new(),
            gaps: Vec::new(),
        };
        for (index, span) in spans.iter().enumerate() {
            // An anchor or a tag lies between the comma and the item, and belongs to the item.
            let before = text.get(at..span.start)?;
            let comma = if index == 0 { 0 } else { before.find(',')? + 1 };
            let behind = before.get(comma..)?;
            let start = at + comma + (behind.len() - behind.trim_start().len());
            parts.gaps.push(text.get(at..start)?);
            parts.items.push(text.get(start..span.end)?);
            at = span.end;
        }
        parts.gaps.push(text.get(at..close)?);
        let plain = parts.gaps.iter().all(|gap| !gap.contains('#'));
        plain.then_some(parts)
    }

    fn rewrite(&self, text: &str, node: &Node, items: Vec<String>) -> Option<String> {
        let inner = node.span.start + 1..node.span.end.checked_sub(1)?;
        let between = self.gaps.get(1..self.gaps.len() - 1).unwrap_or_default();
        let mut out = String::new();
        if !items.is_empty() && !self.items.is_empty() {
            out.push_str(self.gaps.first()?);
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                let gap = between.get(index - 1).or(between.last());
                out.push_str(gap.copied().unwrap_or(", "));
            }
            out.push_str(item);
        }
        if !items.is_empty() && !self.items.is_empty() {
            out.push_str(self.gaps.last()?);
        }
        replace(text, inner, &out)
    }
}
