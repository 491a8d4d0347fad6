//! The host's copy of an answer, as it is being written.

use serde_json::{Map, Value as Json};

use super::{AnswerCode, Call, Datum, Handler, Status, Tag, Value, ValueFlags};
use crate::catalogue::{FieldType, Hook};

/// How large an answer may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of text and names in one call.
    pub bytes: usize,
    /// How deep structures may be nested.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: 64,
        }
    }
}

/// A handler the host owns: dropped exactly once, when this is.
#[derive(Debug)]
pub struct OwnedHandler {
    raw: Handler,
}

// SAFETY: a handler may be called and dropped on any thread, as its contract says.
unsafe impl Send for OwnedHandler {}
// SAFETY: and by several at once.
unsafe impl Sync for OwnedHandler {}

impl OwnedHandler {
    /// Takes a handler over.
    ///
    /// # Safety
    /// The plugin must have handed it over, and its library must stay mapped.
    #[must_use]
    pub const unsafe fn new(raw: Handler) -> Self {
        Self { raw }
    }

    /// The function and its state, for a loop that calls without looking twice.
    #[must_use]
    pub const fn raw(&self) -> &Handler {
        &self.raw
    }

    /// Calls it.
    ///
    /// # Safety
    /// The call must be live until this returns.
    #[inline]
    #[must_use]
    pub unsafe fn call(&self, call: *const Call) -> Status {
        let Some(function) = self.raw.call else {
            return Status(u32::MAX);
        };
        // SAFETY: state and function belong together; the call is live by the caller's promise.
        unsafe { function(self.raw.state, call) }
    }
}

impl Drop for OwnedHandler {
    fn drop(&mut self) {
        if let Some(drop) = self.raw.drop {
            // SAFETY: the host owns the handler and drops it only here.
            unsafe { drop(self.raw.state) };
        }
    }
}

/// An answer that a handler finished.
#[derive(Debug, Default)]
pub struct Answered {
    /// The answer in its hook's JSON shape.
    pub json: Json,
    /// Handlers that came with it, by answer field.
    pub handlers: Vec<(u32, OwnedHandler)>,
    /// A field that this host does not know and the plugin says it must.
    pub not_understood: Option<u32>,
}

/// Takes the pieces of one answer.
#[derive(Debug)]
pub(super) struct Collector {
    hook: Option<&'static Hook>,
    limits: Limits,
    members: Map<String, Json>,
    whole: Option<Json>,
    handlers: Vec<(u32, OwnedHandler)>,
    open: Vec<Open>,
    bytes: usize,
    not_understood: Option<u32>,
    touched: bool,
}

/// A structure that is being written.
#[derive(Debug)]
struct Open {
    /// Where it goes when it is closed.
    into: Into,
    built: Json,
    /// The name of the next member.
    key: Option<String>,
}

#[derive(Debug)]
enum Into {
    Field(u32),
    Parent,
}

impl Collector {
    pub(super) fn new(hook: Option<&'static Hook>, limits: Limits) -> Self {
        Self {
            hook,
            limits,
            members: Map::new(),
            whole: None,
            handlers: Vec::new(),
            open: Vec::new(),
            bytes: 0,
            not_understood: None,
            touched: false,
        }
    }

    /// What was written; `None` when nothing was, or something is still open.
    pub(super) fn finish(self) -> Option<Answered> {
        if !self.touched || !self.open.is_empty() {
            return None;
        }
        let json = self.whole.unwrap_or(Json::Object(self.members));
        Some(Answered {
            json,
            handlers: self.handlers,
            not_understood: self.not_understood,
        })
    }

    pub(super) fn set(&mut self, field: u32, value: &Value) -> AnswerCode {
        // SAFETY: the writer's function is called by the plugin, which lends the value for the call.
        let datum = unsafe { value.read() };
        if matches!(datum, Datum::Bytes(_)) && value.tag == Tag::STR {
            return AnswerCode::UTF8;
        }
        if let Some(code) = self.refuses(field, &datum, value.flags) {
            return code;
        }
        match self.weigh(&datum) {
            Ok(json) => self.put(field, json),
            Err(code) => code,
        }
    }

    /// Why the field cannot hold the value.
    fn refuses(&mut self, field: u32, datum: &Datum<'_>, flags: ValueFlags) -> Option<AnswerCode> {
        if field == AnswerCode::WHOLE {
            return None;
        }
        let Some(known) = self.hook.and_then(|hook| hook.answers.get(field as usize)) else {
            if flags.contains(ValueFlags::MUST_UNDERSTAND) {
                self.not_understood = Some(field);
                self.touched = true;
            }
            return Some(AnswerCode::UNKNOWN_FIELD);
        };
        let fits = known.ty != FieldType::Callback && known.ty.admits(datum);
        (!fits).then_some(AnswerCode::TYPE)
    }

    pub(super) fn set_named(&mut self, key: &str, value: &Value) -> AnswerCode {
        if let Some(field) = self.hook.and_then(|hook| hook.answer(key)) {
            return self.set(field.number, value);
        }
        // SAFETY: the plugin lends the value for the call.
        let datum = unsafe { value.read() };
        if value.flags.contains(ValueFlags::MUST_UNDERSTAND) && self.hook.is_some() {
            self.not_understood = Some(u32::MAX);
        }
        if !self.grow(key.len()) {
            return AnswerCode::TOO_BIG;
        }
        match self.weigh(&datum) {
            Ok(json) => {
                self.touched = true;
                self.members.insert(key.to_owned(), json);
                AnswerCode::OK
            }
            Err(code) => code,
        }
    }

    pub(super) fn set_json(&mut self, field: u32, text: &str) -> AnswerCode {
        if !self.grow(text.len()) {
            return AnswerCode::TOO_BIG;
        }
        let Ok(json) = serde_json::from_str::<Json>(text) else {
            return AnswerCode::UTF8;
        };
        if depth(&json) > self.limits.depth {
            return AnswerCode::DEPTH;
        }
        let value = super::json_tree::value_of(&json);
        // SAFETY: `value` borrows from `json`, which lives to the end of this function.
        let datum = unsafe { value.read() };
        if let Some(code) = self.refuses(field, &datum, ValueFlags::NONE) {
            return code;
        }
        self.put(field, json)
    }

    pub(super) fn set_handler(&mut self, field: u32, handler: Handler) -> AnswerCode {
        let known = self.hook.and_then(|hook| hook.answers.get(field as usize));
        match known {
            None => AnswerCode::UNKNOWN_FIELD,
            Some(known) if known.ty != FieldType::Callback || handler.call.is_none() => {
                AnswerCode::TYPE
            }
            Some(_) => {
                self.touched = true;
                // SAFETY: the plugin hands the handler over with this call.
                self.handlers
                    .push((field, unsafe { OwnedHandler::new(handler) }));
                AnswerCode::OK
            }
        }
    }

    pub(super) fn begin(&mut self, field: u32, built: Json) -> AnswerCode {
        if self.open.len() >= self.limits.depth {
            return AnswerCode::DEPTH;
        }
        let into = if self.open.is_empty() {
            let value = super::json_tree::value_of(&built);
            // SAFETY: `value` borrows from `built`, which lives to the end of this block.
            let datum = unsafe { value.read() };
            if let Some(code) = self.refuses(field, &datum, ValueFlags::NONE) {
                return code;
            }
            Into::Field(field)
        } else {
            Into::Parent
        };
        self.open.push(Open {
            into,
            built,
            key: None,
        });
        AnswerCode::OK
    }

    pub(super) fn key(&mut self, key: &str) -> AnswerCode {
        if !self.grow(key.len()) {
            return AnswerCode::TOO_BIG;
        }
        match self.open.last_mut() {
            Some(open) if open.built.is_object() => {
                open.key = Some(key.to_owned());
                AnswerCode::OK
            }
            _ => AnswerCode::TYPE,
        }
    }

    pub(super) fn value(&mut self, value: &Value) -> AnswerCode {
        // SAFETY: the plugin lends the value for the call.
        let datum = unsafe { value.read() };
        match self.weigh(&datum) {
            Ok(json) => self.add(json),
            Err(code) => code,
        }
    }

    pub(super) fn end(&mut self) -> AnswerCode {
        let Some(open) = self.open.pop() else {
            return AnswerCode::DEPTH;
        };
        match open.into {
            Into::Field(field) => self.put(field, open.built),
            Into::Parent => self.add(open.built),
        }
    }

    fn add(&mut self, json: Json) -> AnswerCode {
        let Some(open) = self.open.last_mut() else {
            return AnswerCode::DEPTH;
        };
        match &mut open.built {
            Json::Array(elements) => elements.push(json),
            Json::Object(members) => match open.key.take() {
                Some(key) => {
                    members.insert(key, json);
                }
                None => return AnswerCode::TYPE,
            },
            _ => return AnswerCode::TYPE,
        }
        AnswerCode::OK
    }

    fn put(&mut self, field: u32, json: Json) -> AnswerCode {
        self.touched = true;
        if field == AnswerCode::WHOLE {
            self.whole = Some(json);
        } else if let Some(known) = self.hook.and_then(|hook| hook.answers.get(field as usize)) {
            self.members.insert(known.name.to_owned(), json);
        }
        AnswerCode::OK
    }

    /// Copies a value, unless the answer becomes too large or too deep by it.
    fn weigh(&mut self, datum: &Datum<'_>) -> Result<Json, AnswerCode> {
        if !self.grow(size_of::<Json>()) {
            return Err(AnswerCode::TOO_BIG);
        }
        let json = match datum {
            Datum::Str(text) | Datum::Marked(_, text) => {
                if !self.grow(text.len()) {
                    return Err(AnswerCode::TOO_BIG);
                }
                datum.to_json()
            }
            Datum::Bytes(_) => return Err(AnswerCode::UTF8),
            Datum::Unknown(_) => return Err(AnswerCode::TYPE),
            Datum::Tree(tree) => {
                let text = tree.to_json_text();
                if !self.grow(text.len()) {
                    return Err(AnswerCode::TOO_BIG);
                }
                let json: Json = serde_json::from_str(&text).map_err(|_| AnswerCode::UTF8)?;
                if depth(&json) > self.limits.depth {
                    return Err(AnswerCode::DEPTH);
                }
                json
            }
            _ => datum.to_json(),
        };
        Ok(json)
    }

    fn grow(&mut self, bytes: usize) -> bool {
        let sum = self.bytes.saturating_add(bytes);
        if sum > self.limits.bytes {
            return false;
        }
        self.bytes = sum;
        true
    }
}

/// `serde_json` itself stops at 128, so this recursion is bounded.
fn depth(json: &Json) -> usize {
    match json {
        Json::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
