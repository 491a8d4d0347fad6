//! Lets `serde_json` values be asked as trees. Nothing is copied.

use std::ffi::c_void;

use serde_json::{Map, Value as Json};

use super::{Lookup, Mark, Sink, Str, Tag, TreeFlags, TreeFns, TreeKind, Value, surrogates::agree};
use crate::catalogue::Hook;

/// A JSON value as a value of the boundary, borrowing from it.
#[must_use]
pub fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::NULL,
        Json::Bool(value) => Value::bool(*value),
        Json::Number(number) => number
            .as_i64()
            .map(Value::i64)
            .or_else(|| number.as_u64().map(Value::u64))
            .unwrap_or_else(|| Value::f64(number.as_f64().unwrap_or_default())),
        Json::String(text) => Value::str(text),
        Json::Object(map) => marked(map).unwrap_or_else(|| tree_of(json)),
        Json::Array(_) => tree_of(json),
    }
}

fn tree_of(json: &Json) -> Value {
    Value::tree(std::ptr::from_ref(json).cast(), &JSON)
}

/// The JSON behind a value of [`value_of`], where it is an object or array.
///
/// # Safety
/// What the value borrows must be live for `'a`.
pub(super) unsafe fn json_of<'a>(value: &Value) -> Option<&'a Json> {
    let own = (&raw const JSON).addr() as u64;
    if value.tag != Tag::TREE || value.b != own {
        return None;
    }
    let tree = std::ptr::with_exposed_provenance(value.a as usize);
    // SAFETY: this table is only paired with handles of `tree_of`, which are live by the caller's promise.
    Some(unsafe { json(tree) })
}

/// `{"$int":"…"}` and its like are values, not objects.
fn marked(map: &Map<String, Json>) -> Option<Value> {
    match map.len() {
        1 => {
            let (key, value) = map.iter().next()?;
            match value {
                Json::String(text) => Some(Value::marked(Mark::of_key(key)?, text)),
                Json::Array(pair) if key == HANDLE => handle(pair),
                _ => None,
            }
        }
        // Both forms of a text with lone surrogates: as it was, and as it can be read.
        2 => match (map.get(Mark::LOSSY.key()?)?, map.get("text")?) {
            (Json::String(kept), Json::String(text)) if agree(kept, text) => {
                Some(Value::marked(Mark::LOSSY, text))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The key that stands for a live object in JSON: what a handler that changes something makes the next event
/// of must keep it. A number that nobody lent leads nowhere.
pub(super) const HANDLE: &str = "$handle";

fn handle(pair: &[Json]) -> Option<Value> {
    let [kind, number] = pair else {
        return None;
    };
    Some(Value::handle(kind.as_u64()?, number.as_u64()?))
}

static JSON: TreeFns = TreeFns {
    size: size_of::<TreeFns>() as u32,
    flags: TreeFlags::NONE,
    kind: Some(kind),
    len: Some(len),
    get: Some(get),
    at: Some(at),
    next: Some(next),
    to_json: Some(to_json),
};

/// # Safety
/// `tree` must come from `tree_of`, over a value that is still borrowed.
unsafe fn json<'a>(tree: *const c_void) -> &'a Json {
    // SAFETY: `tree_of` put a reference there, and the borrow lasts as long as the tree is lent.
    unsafe { &*tree.cast::<Json>() }
}

unsafe extern "C" fn kind(tree: *const c_void) -> TreeKind {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    if json.is_array() {
        TreeKind::ARRAY
    } else {
        TreeKind::OBJECT
    }
}

unsafe extern "C" fn len(tree: *const c_void, out: *mut u64) -> Lookup {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    let len = json
        .as_array()
        .map_or_else(|| json.as_object().map_or(0, Map::len), Vec::len);
    // SAFETY: the caller lends a place to write to.
    unsafe { out.write(len as u64) };
    Lookup::FOUND
}

unsafe extern "C" fn get(tree: *const c_void, key: Str, out: *mut Value) -> Lookup {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    // SAFETY: the caller lends the key for the call.
    let Ok(key) = (unsafe { key.text() }) else {
        return Lookup::ABSENT;
    };
    // SAFETY: the caller lends a place to write to.
    unsafe { found(json.get(key), out) }
}

unsafe extern "C" fn at(tree: *const c_void, index: u64, out: *mut Value) -> Lookup {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    let element = usize::try_from(index)
        .ok()
        .and_then(|index| json.get(index));
    // SAFETY: the caller lends a place to write to.
    unsafe { found(element, out) }
}

/// # Safety
/// `out` must be writable.
unsafe fn found(json: Option<&Json>, out: *mut Value) -> Lookup {
    let Some(json) = json else {
        return Lookup::ABSENT;
    };
    // SAFETY: by the caller's promise.
    unsafe { out.write(value_of(json)) };
    Lookup::FOUND
}

unsafe extern "C" fn next(
    tree: *const c_void,
    cursor: *mut u64,
    key: *mut Str,
    out: *mut Value,
) -> Lookup {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    // SAFETY: the caller lends the cursor.
    let position = unsafe { cursor.read() };
    let Ok(index) = usize::try_from(position) else {
        return Lookup::ERROR;
    };
    let entry = match json {
        Json::Array(elements) => elements.get(index).map(|element| ("", element)),
        Json::Object(map) => map
            .iter()
            .nth(index)
            .map(|(key, value)| (key.as_str(), value)),
        _ => None,
    };
    let Some((name, value)) = entry else {
        return Lookup::ABSENT;
    };
    // SAFETY: the caller lends the cursor.
    unsafe { cursor.write(position + 1) };
    // SAFETY: the caller lends a place for the key.
    unsafe { key.write(Str::new(name)) };
    // SAFETY: the caller lends a place for the value.
    unsafe { found(Some(value), out) }
}

unsafe extern "C" fn to_json(tree: *const c_void, sink: *const Sink) -> Lookup {
    // SAFETY: this table is only paired with handles of `tree_of`.
    let json = unsafe { json(tree) };
    // SAFETY: the caller lends the sink for the call.
    unsafe { push(&json.to_string(), sink) }
}

/// # Safety
/// `sink` must be live.
unsafe fn push(text: &str, sink: *const Sink) -> Lookup {
    // SAFETY: by the caller's promise.
    let taken = unsafe { sink.as_ref() }.is_some_and(|sink| {
        // SAFETY: the sink is lent to us for this call.
        unsafe { sink.push(text) }
    });
    if taken { Lookup::FOUND } else { Lookup::ERROR }
}

/// What a payload holds beyond the fields of its hook.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extra<'a> {
    pub(super) payload: &'a Map<String, Json>,
    pub(super) hook: Option<&'static Hook>,
}

impl Extra<'_> {
    /// The tree, as long as `self` stays where it is.
    pub(super) fn value(&self) -> Value {
        Value::tree(std::ptr::from_ref(self).cast(), &EXTRA)
    }

    fn entries(&self) -> impl Iterator<Item = (&String, &Json)> {
        self.payload.iter().filter(|(key, _)| !self.knows(key))
    }

    fn knows(&self, key: &str) -> bool {
        self.hook.is_some_and(|hook| hook.field(key).is_some())
    }
}

static EXTRA: TreeFns = TreeFns {
    size: size_of::<TreeFns>() as u32,
    flags: TreeFlags::NONE,
    kind: Some(extra_kind),
    len: Some(extra_len),
    get: Some(extra_get),
    at: Some(extra_at),
    next: Some(extra_next),
    to_json: Some(extra_to_json),
};

/// # Safety
/// `tree` must come from `Extra::value`, over an `Extra` that is still borrowed.
unsafe fn extra<'a>(tree: *const c_void) -> &'a Extra<'a> {
    // SAFETY: `Extra::value` put a reference there, and the borrow lasts as long as the tree is lent.
    unsafe { &*tree.cast::<Extra<'a>>() }
}

unsafe extern "C" fn extra_kind(_: *const c_void) -> TreeKind {
    TreeKind::OBJECT
}

unsafe extern "C" fn extra_len(tree: *const c_void, out: *mut u64) -> Lookup {
    // SAFETY: this table is only paired with handles of `Extra::value`.
    let extra = unsafe { extra(tree) };
    // SAFETY: the caller lends a place to write to.
    unsafe { out.write(extra.entries().count() as u64) };
    Lookup::FOUND
}

unsafe extern "C" fn extra_get(tree: *const c_void, key: Str, out: *mut Value) -> Lookup {
    // SAFETY: this table is only paired with handles of `Extra::value`.
    let extra = unsafe { extra(tree) };
    // SAFETY: the caller lends the key for the call.
    let Ok(key) = (unsafe { key.text() }) else {
        return Lookup::ABSENT;
    };
    let value = if extra.knows(key) {
        None
    } else {
        extra.payload.get(key)
    };
    // SAFETY: the caller lends a place to write to.
    unsafe { found(value, out) }
}

unsafe extern "C" fn extra_at(_: *const c_void, _: u64, _: *mut Value) -> Lookup {
    Lookup::ABSENT
}

unsafe extern "C" fn extra_next(
    tree: *const c_void,
    cursor: *mut u64,
    key: *mut Str,
    out: *mut Value,
) -> Lookup {
    // SAFETY: this table is only paired with handles of `Extra::value`.
    let extra = unsafe { extra(tree) };
    // SAFETY: the caller lends the cursor.
    let position = unsafe { cursor.read() };
    let Ok(index) = usize::try_from(position) else {
        return Lookup::ERROR;
    };
    let Some((name, value)) = extra.entries().nth(index) else {
        return Lookup::ABSENT;
    };
    // SAFETY: the caller lends the cursor.
    unsafe { cursor.write(position + 1) };
    // SAFETY: the caller lends a place for the key.
    unsafe { key.write(Str::new(name)) };
    // SAFETY: the caller lends a place for the value.
    unsafe { found(Some(value), out) }
}

unsafe extern "C" fn extra_to_json(tree: *const c_void, sink: *const Sink) -> Lookup {
    // SAFETY: this table is only paired with handles of `Extra::value`.
    let extra = unsafe { extra(tree) };
    let object: Map<String, Json> = extra
        .entries()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    // SAFETY: the caller lends the sink for the call.
    unsafe { push(&Json::Object(object).to_string(), sink) }
}
