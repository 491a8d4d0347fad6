//! Turns a tree into a JSON value, following aliases and merge keys within a budget.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::tree::{Kind, Node};
use super::{DEPTH_LIMIT, Position, YamlError, scalar};

/// What aliases may add to a document before it counts as an attack, in bytes, roughly.
const ALIAS_BUDGET: usize = 4 * 1024 * 1024;

/// How many keys given twice are worth a mention.
const DUPLICATES: usize = 100;

/// What a node costs beyond its text.
const NODE_COST: usize = 32;

/// A key that one mapping holds twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// The path to the key, the key included.
    pub(crate) path: Vec<String>,
    /// Where the later one stands.
    pub(crate) at: Position,
}

/// The value of `root`, with the keys that were given twice.
pub(super) fn resolve(root: &Node) -> Result<(Value, Vec<Duplicate>), YamlError> {
    let mut anchors = HashMap::new();
    collect(root, &mut anchors);
    let mut resolver = Resolver {
        anchors,
        open: Vec::new(),
        depth: 0,
        spent: 0,
        path: Vec::new(),
        duplicates: Vec::new(),
    };
    let value = resolver.value(root)?;
    Ok((value, resolver.duplicates))
}

fn collect<'t>(node: &'t Node, anchors: &mut HashMap<usize, &'t Node>) {
    if node.anchor != 0 {
        anchors.insert(node.anchor, node);
    }
    match &node.kind {
        Kind::Sequence { items, .. } => items.iter().for_each(|item| collect(item, anchors)),
        Kind::Mapping { pairs, .. } => pairs.iter().for_each(|(key, value)| {
            collect(key, anchors);
            collect(value, anchors);
        }),
        Kind::Scalar { .. } | Kind::Alias(_) => {}
    }
}

struct Resolver<'t> {
    anchors: HashMap<usize, &'t Node>,
    /// The aliases being followed, outermost first.
    open: Vec<usize>,
    depth: usize,
    spent: usize,
    path: Vec<String>,
    duplicates: Vec<Duplicate>,
}

impl<'t> Resolver<'t> {
    fn value(&mut self, node: &'t Node) -> Result<Value, YamlError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(error(node, "nested too deeply, aliases included"));
        }
        let value = match &node.kind {
            Kind::Scalar { text, plain } => {
                self.charge(node, text.len())?;
                typed(node, text, *plain)?
            }
            Kind::Sequence { items, .. } => {
                self.charge(node, 0)?;
                expect_tag(node, "seq")?;
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    self.path.push(index.to_string());
                    list.push(self.value(item)?);
                    self.path.pop();
                }
                Value::Array(list)
            }
            Kind::Mapping { pairs, .. } => {
                self.charge(node, 0)?;
                expect_tag(node, "map")?;
                Value::Object(self.mapping(pairs)?)
            }
            Kind::Alias(anchor) => {
                let target = self.enter(node, *anchor)?;
                let value = self.value(target)?;
                self.open.pop();
                value
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn mapping(&mut self, pairs: &'t [(Node, Node)]) -> Result<Map<String, Value>, YamlError> {
        let mut merged = Map::new();
        let mut own = Map::new();
        for (key, node) in pairs {
            if is_merge(key) {
                self.merge(node, &mut merged)?;
                continue;
            }
            let name = self.key(key)?;
            self.path.push(name.clone());
            let value = self.value(node)?;
            let again = own.insert(name, value).is_some();
            if again && self.open.is_empty() && self.duplicates.len() < DUPLICATES {
                self.duplicates.push(Duplicate {
                    path: self.path.clone(),
                    at: key.at,
                });
            }
            self.path.pop();
        }
        for (name, value) in merged {
            own.entry(name).or_insert(value);
        }
        Ok(own)
    }

    /// Adds what `<<: node` brings; what is there already wins.
    fn merge(&mut self, node: &'t Node, into: &mut Map<String, Value>) -> Result<(), YamlError> {
        let sources = match self.value(node)? {
            Value::Array(list) => list,
            one => vec![one],
        };
        for source in sources {
            let Value::Object(map) = source else {
                return Err(error(node, "`<<` takes a mapping or a list of mappings"));
            };
            for (name, value) in map {
                into.entry(name).or_insert(value);
            }
        }
        Ok(())
    }

    fn key(&mut self, node: &'t Node) -> Result<String, YamlError> {
        match &node.kind {
            Kind::Scalar { text, plain } => {
                self.charge(node, text.len())?;
                typed(node, text, *plain)?;
                Ok(if node.is_absent() {
                    String::new()
                } else {
                    text.clone()
                })
            }
            Kind::Alias(anchor) => {
                let target = self.enter(node, *anchor)?;
                let name = self.key(target)?;
                self.open.pop();
                Ok(name)
            }
            _ => Err(error(node, "a key is a list or a mapping; expected text")),
        }
    }

    fn enter(&mut self, alias: &'t Node, anchor: usize) -> Result<&'t Node, YamlError> {
        let target = match self.anchors.get(&anchor) {
            Some(target) => *target,
            None => return Err(error(alias, "an alias names no anchor")),
        };
        // The walk is inside the anchored node exactly when the alias lies in its range.
        let inside = target.span.contains(&alias.span.start);
        if inside || self.open.contains(&anchor) || self.open.len() >= DEPTH_LIMIT {
            return Err(error(alias, "an anchor contains itself"));
        }
        self.open.push(anchor);
        Ok(target)
    }

    fn charge(&mut self, node: &Node, bytes: usize) -> Result<(), YamlError> {
        if !self.open.is_empty() {
            self.spent = self.spent.saturating_add(bytes + NODE_COST);
        }
        if self.spent > ALIAS_BUDGET {
            return Err(error(node, "aliases multiply the document beyond reason"));
        }
        Ok(())
    }
}

fn is_merge(key: &Node) -> bool {
    matches!(&key.kind, Kind::Scalar { text, plain: true } if text == "<<") && key.tag.is_none()
}

fn typed(node: &Node, text: &str, plain: bool) -> Result<Value, YamlError> {
    let text = if node.is_absent() { "" } else { text };
    let suffix = match node.tag.as_deref() {
        None if plain => return Ok(scalar::plain(text)),
        None | Some("!") => return Ok(Value::String(text.to_owned())),
        Some(tag) => core_suffix(tag).ok_or_else(|| unknown_tag(node, tag))?,
    };
    let value = match suffix {
        "str" | "timestamp" => Some(Value::String(text.to_owned())),
        "int" => scalar::integer(text).map(Value::Number),
        "float" => scalar::float(text)
            .or_else(|| scalar::integer(text))
            .map(Value::Number),
        "bool" => scalar::boolean(text).map(Value::Bool),
        "null" => Some(Value::Null),
        _ => return Err(unknown_tag(node, suffix)),
    };
    value.ok_or_else(|| error(node, &format!("{text:?} does not fit its tag `{suffix}`")))
}

fn expect_tag(node: &Node, wanted: &str) -> Result<(), YamlError> {
    match node.tag.as_deref() {
        None | Some("!") => Ok(()),
        Some(tag) if core_suffix(tag) == Some(wanted) => Ok(()),
        Some(tag) => Err(unknown_tag(node, tag)),
    }
}

fn core_suffix(tag: &str) -> Option<&str> {
    tag.strip_prefix("tag:yaml.org,2002:")
}

fn unknown_tag(node: &Node, tag: &str) -> YamlError {
    error(node, &format!("the tag `{tag}` is not read here"))
}

fn error(node: &Node, detail: &str) -> YamlError {
    YamlError {
        at: node.at,
        detail: detail.to_owned(),
    }
}
