//! Composes parser events into nodes with byte ranges.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};

use super::{DEPTH_LIMIT, Position, YamlError};

/// One node of the document, as written.
#[derive(Debug)]
pub(crate) struct Node {
    /// The bytes of the node without its anchor and tag.
    ///
    /// A block collection has no end of its own in YAML; here it ends with its last child.
    pub(crate) span: Range<usize>,
    /// Where the node begins.
    pub(crate) at: Position,
    /// The number of the anchor on this node; zero for none.
    pub(crate) anchor: usize,
    /// The resolved tag, if one was written.
    pub(crate) tag: Option<String>,
    /// What the node is.
    pub(crate) kind: Kind,
}

/// The forms a node can have.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Text; `plain` when it was written without quotes.
    Scalar { text: String, plain: bool },
    /// A list.
    Sequence { flow: bool, items: Vec<Node> },
    /// A mapping, in the order of the file.
    Mapping {
        flow: bool,
        pairs: Vec<(Node, Node)>,
    },
    /// A reference to the node with this anchor number.
    Alias(usize),
}

impl Node {
    /// The last pair whose key is written as the scalar `key`.
    pub(crate) fn pair(&self, key: &str) -> Option<(&Node, &Node)> {
        let Kind::Mapping { pairs, .. } = &self.kind else {
            return None;
        };
        pairs
            .iter()
            .rev()
            .find(|(k, _)| matches!(&k.kind, Kind::Scalar { text, .. } if text == key))
            .map(|(k, v)| (k, v))
    }

    /// Whether nothing at all was written for this node (`key:` and then a line end).
    pub(crate) fn is_absent(&self) -> bool {
        self.span.is_empty() && matches!(self.kind, Kind::Scalar { .. })
    }
}

/// A collection whose end has not been read yet.
struct Open {
    node: Node,
    key: Option<Node>,
}

/// Reads exactly one document; `None` when there is no content at all.
pub(super) fn compose(text: &str) -> Result<Option<Node>, YamlError> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: DEPTH_LIMIT,
        block_nesting_limit: DEPTH_LIMIT,
        block_scalar_eof_without_line_feed: true,
    };
    let mut stack: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| YamlError {
            at: position(error.marker().line(), error.marker().col()),
            detail: error.info(),
        })?;
        let at = position(span.start.line(), span.start.col());
        let node = match event {
            Event::DocumentStart(..) if root.is_some() => {
                return Err(error_at(at, "a second document begins; expected one"));
            }
            Event::Scalar(value, style, anchor, tag) => {
                let plain = matches!(style, ScalarStyle::Plain);
                let kind = Kind::Scalar {
                    text: value.into_owned(),
                    plain,
                };
                node(text, &span, anchor, tag.as_deref(), kind)?
            }
            Event::Alias(anchor) => node(text, &span, 0, None, Kind::Alias(anchor))?,
            Event::SequenceStart(style, anchor, tag) => {
                let kind = Kind::Sequence {
                    flow: style == StructureStyle::Flow,
                    items: Vec::new(),
                };
                open(&mut stack, node(text, &span, anchor, tag.as_deref(), kind)?)?;
                continue;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = Kind::Mapping {
                    flow: style == StructureStyle::Flow,
                    pairs: Vec::new(),
                };
                open(&mut stack, node(text, &span, anchor, tag.as_deref(), kind)?)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                Some(open) => closed(open, &span),
                None => return Err(error_at(at, "a collection ends that never began")),
            },
            _ => continue,
        };
        match stack.last_mut() {
            Some(parent) => parent.take(node),
            None => root = Some(node),
        }
    }
    // An explicit but empty document (`---`) is a null written as nothing: no content either.
    Ok(root.filter(|root| !root.is_absent()))
}

fn open(stack: &mut Vec<Open>, node: Node) -> Result<(), YamlError> {
    if stack.len() >= DEPTH_LIMIT {
        let detail = format!("nested deeper than {DEPTH_LIMIT} levels");
        return Err(error_at(node.at, &detail));
    }
    stack.push(Open { node, key: None });
    Ok(())
}

impl Open {
    fn take(&mut self, child: Node) {
        match &mut self.node.kind {
            Kind::Sequence { items, .. } => items.push(child),
            Kind::Mapping { pairs, .. } => match self.key.take() {
                Some(key) => pairs.push((key, child)),
                None => self.key = Some(child),
            },
            Kind::Scalar { .. } | Kind::Alias(_) => {}
        }
    }
}

fn closed(open: Open, end: &Span) -> Node {
    let mut node = open.node;
    let last = match &node.kind {
        Kind::Sequence { flow: false, items } => items.last().map(|item| item.span.end),
        Kind::Mapping { flow: false, pairs } => pairs.last().map(|(_, value)| value.span.end),
        _ => end.byte_range().map(|range| range.end),
    };
    node.span.end = last.unwrap_or(node.span.end).max(node.span.start);
    node
}

fn node(
    text: &str,
    span: &Span,
    anchor: usize,
    tag: Option<&Tag>,
    kind: Kind,
) -> Result<Node, YamlError> {
    let at = position(span.start.line(), span.start.col());
    let range = span
        .byte_range()
        .filter(|range| text.get(range.clone()).is_some())
        .ok_or_else(|| error_at(at, "the parser gave a range outside the text"))?;
    Ok(Node {
        span: range,
        at,
        anchor,
        tag: tag.map(|tag| format!("{}{}", tag.handle(), tag.suffix())),
        kind,
    })
}

fn position(line: usize, column: usize) -> Position {
    Position {
        line,
        column: column.saturating_add(1),
    }
}

fn error_at(at: Position, detail: &str) -> YamlError {
    YamlError {
        at,
        detail: detail.to_owned(),
    }
}
