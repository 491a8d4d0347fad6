//! Reads YAML the way Hermes' safe loader does, into a tree that knows where each node stands.

pub(crate) mod quote;
mod scalar;
mod tree;
mod value;

use serde_json::Value;

pub(crate) use self::tree::{Kind, Node};
pub(crate) use self::value::Duplicate;

/// Nesting that a file may reach, aliases included.
///
/// Trees and values are walked and dropped recursively, so the bound is what keeps a hostile file
/// from exhausting the stack.
const DEPTH_LIMIT: usize = 100;

/// A line and a column in a text, both counted from one, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, counted from one.
    pub line: usize,
    /// The column, counted from one, in characters.
    pub column: usize,
}

/// Why a text is not YAML that the safe loader accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// Where reading stopped.
    pub(crate) at: Position,
    /// What was wrong there.
    pub(crate) detail: String,
}

/// One parsed document: the tree, with places, and the value it stands for.
#[derive(Debug)]
pub(crate) struct Document {
    /// The root node; `None` for a text without content.
    pub(crate) root: Option<Node>,
    /// What the root stands for, aliases and merge keys resolved; null without content.
    pub(crate) value: Value,
    /// Keys given twice in one mapping; the later one counts.
    pub(crate) duplicates: Vec<Duplicate>,
}

/// Parses one document.
///
/// # Errors
///
/// What the safe loader refuses: bad syntax, several documents, unknown tags, keys that are
/// collections. And what could exhaust the reader: nesting beyond a limit, anchors that contain
/// themselves, aliases that multiply.
pub(crate) fn parse(text: &str) -> Result<Document, YamlError> {
    let root = tree::compose(text)?;
    let (value, duplicates) = match &root {
        Some(root) => value::resolve(root)?,
        None => (Value::Null, Vec::new()),
    };
    Ok(Document {
        root,
        value,
        duplicates,
    })
}

impl Document {
    /// Where the value at `path` stands; for a path that leaves the tree, the last node on it.
    pub(crate) fn position_of(&self, path: &[&str]) -> Option<Position> {
        let mut node = self.root.as_ref()?;
        let mut at = None;
        for step in path {
            let (key, value) = match (node.pair(step), step.parse::<usize>()) {
                (Some((key, value)), _) => (key, value),
                (None, Ok(index)) => match &node.kind {
                    Kind::Sequence { items, .. } => match items.get(index) {
                        Some(item) => (item, item),
                        None => return at,
                    },
                    _ => return at,
                },
                (None, Err(_)) => return at,
            };
            at = Some(key.at);
            node = value;
        }
        at
    }
}

/// What kind of value this is, in words for a message.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}
