//! An event as a host builds it: on the stack, out of borrowed JSON, or as an owned copy.

use std::{
    marker::PhantomData,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value as Json};

use super::{
    Datum, Event, HandleKind, Tag, Value, ValueFlags,
    json_tree::{Extra, json_of, value_of},
};
use crate::catalogue::{Field, FieldType, Hook};

/// No hook has more fields; a test of the catalogue holds it to that.
pub(crate) const MAX_FIELDS: usize = 32;

/// A value that borrows for `'a`: what a host puts into a field.
#[derive(Clone, Copy, Debug)]
pub struct Lent<'a> {
    value: Value,
    /// What the value was read from, if that was JSON: a marked text alone does not hold all of it.
    json: Option<&'a Json>,
    _lent: PhantomData<&'a ()>,
}

impl<'a> Lent<'a> {
    /// No such field in this event.
    pub const ABSENT: Self = Self::plain(Value::ABSENT);
    /// JSON's null.
    pub const NULL: Self = Self::plain(Value::NULL);

    const fn plain(value: Value) -> Self {
        Self {
            value,
            json: None,
            _lent: PhantomData,
        }
    }

    /// A live object, by the number that [`lend`](super::lending::lend) gave.
    #[must_use]
    pub const fn handle(kind: HandleKind, number: u64) -> Self {
        Self::plain(Value::handle(kind.0, number))
    }
}

impl<'a> From<&'a str> for Lent<'a> {
    fn from(text: &'a str) -> Self {
        Self::plain(Value::str(text))
    }
}

impl<'a> From<&'a String> for Lent<'a> {
    fn from(text: &'a String) -> Self {
        Self::plain(Value::str(text))
    }
}

impl<'a> From<&'a Json> for Lent<'a> {
    fn from(json: &'a Json) -> Self {
        Self {
            json: Some(json),
            ..Self::plain(value_of(json))
        }
    }
}

impl From<i64> for Lent<'_> {
    fn from(number: i64) -> Self {
        Self::plain(Value::i64(number))
    }
}

impl From<f64> for Lent<'_> {
    fn from(number: f64) -> Self {
        Self::plain(Value::f64(number))
    }
}

impl From<bool> for Lent<'_> {
    fn from(value: bool) -> Self {
        Self::plain(Value::bool(value))
    }
}

/// One event on the host's stack, borrowing its payload.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    values: [Value; MAX_FIELDS],
    /// What the values were made of, where they were lent one by one.
    lent: &'a [Lent<'a>],
    count: u32,
    hook: Option<&'static Hook>,
    /// The payload, where the record was read from one.
    payload: Option<&'a Map<String, Json>>,
    extra: Option<Extra<'a>>,
}

impl<'a> Record<'a> {
    /// Reads a payload as an event of `hook`; everything the catalogue does not know becomes `extra`.
    /// Without a hook the whole payload is extra. Allocates nothing and copies nothing.
    #[must_use]
    pub fn from_json(hook: Option<&'static Hook>, payload: &'a Map<String, Json>) -> Self {
        let mut values = [Value::ABSENT; MAX_FIELDS];
        let fields = hook.map_or(&[][..], |hook| hook.fields);
        let mut known = 0;
        for (field, value) in fields.iter().zip(&mut values) {
            let own = payload.get(field.name);
            known += usize::from(own.is_some());
            if let Some(json) = own.or_else(|| payload.get(field.alias?)) {
                *value = match inferred(field.ty, json) {
                    Some(text) => Value::str(text).with(ValueFlags::INFERRED),
                    None => value_of(normal(field.ty, json)),
                };
            }
        }
        let extra = (known < payload.len()).then_some(Extra { payload, hook });
        Self {
            values,
            lent: &[],
            count: count(fields),
            hook,
            payload: Some(payload),
            extra,
        }
    }

    /// An event of values; a field that has another name as well is filled under both.
    #[must_use]
    pub fn lend(
        hook: &'static Hook,
        fields: &'a [Lent<'a>],
        extra: Option<&'a Map<String, Json>>,
    ) -> Self {
        let mut values = [Value::ABSENT; MAX_FIELDS];
        for (value, lent) in values.iter_mut().zip(fields) {
            *value = lent.value;
        }
        for field in hook.fields.iter().filter(|field| field.alias.is_some()) {
            let other = field
                .alias
                .and_then(|name| hook.field(name))
                .and_then(|other| fields.get(other.number as usize));
            let own = values.get_mut(field.number as usize);
            if let (Some(own), Some(other)) = (own, other)
                && own.tag == Tag::ABSENT
            {
                *own = other.value;
            }
        }
        let extra = extra.map(|payload| Extra {
            payload,
            hook: Some(hook),
        });
        Self {
            values,
            lent: fields,
            count: count(hook.fields),
            hook: Some(hook),
            payload: None,
            extra,
        }
    }

    /// Puts another value into a field. A number beyond the fields of the hook is left alone.
    pub fn set(&mut self, number: u32, lent: Lent<'a>) {
        if let Some(value) = self.values.get_mut(number as usize)
            && number < self.count
        {
            *value = lent.value;
        }
    }

    /// The same event with a field that the host knows from earlier events. It is marked as such.
    #[must_use]
    pub fn infer<'b>(&self, number: u32, text: &'b str) -> Record<'b>
    where
        'a: 'b,
    {
        let mut values = self.values;
        if let Some(value) = values.get_mut(number as usize) {
            *value = Value::str(text).with(ValueFlags::INFERRED);
        }
        Record {
            values,
            lent: self.lent,
            count: self.count,
            hook: self.hook,
            payload: self.payload,
            extra: self.extra,
        }
    }

    /// What the host filled in: `{"$inferred": "…"}` where an event is made anew of JSON.
    fn inferred(&self) -> impl Iterator<Item = (String, Json)> {
        let fields = self.hook.map_or(&[][..], |hook| hook.fields);
        fields.iter().filter_map(|field| {
            let value = self.values.get(field.number as usize)?;
            let text = self.field(field.number).as_str()?;
            let marked = || serde_json::json!({ INFERRED: text });
            let inferred = value.flags.contains(ValueFlags::INFERRED);
            inferred.then(|| (field.name.to_owned(), marked()))
        })
    }

    /// The event, for as long as the record is borrowed.
    #[must_use]
    pub fn event(&self) -> LiveEvent<'_> {
        let event = Event {
            size: size_of::<Event>() as u32,
            count: self.count,
            fields: self.values.as_ptr(),
            extra: self.extra.as_ref().map_or(Value::ABSENT, Extra::value),
        };
        LiveEvent {
            event,
            _lent: PhantomData,
        }
    }

    /// The value of a field.
    #[must_use]
    pub fn field(&self, number: u32) -> Datum<'a> {
        // SAFETY: the values borrow for `'a`, as `from_json` and `lend` saw to.
        self.values
            .get(number as usize)
            .map_or(Datum::Absent, |value| unsafe { value.read() })
    }

    /// The text of a field, marked or not. It came in as text, so nobody looks at it again.
    #[inline]
    #[must_use]
    pub fn str(&self, number: u32) -> Option<&'a str> {
        let value = self.values.get(number as usize)?;
        if value.tag != Tag::STR {
            return None;
        }
        let len = usize::try_from(value.b).ok()?;
        let start = std::ptr::with_exposed_provenance(value.a as usize);
        // SAFETY: whatever makes a record puts whole texts into it, which borrow for `'a`.
        let bytes = unsafe { std::slice::from_raw_parts(start, len) };
        // SAFETY: as above.
        Some(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// The object or array of a field, as the host holds it.
    #[inline]
    #[must_use]
    pub fn json(&self, number: u32) -> Option<&'a Json> {
        // SAFETY: whatever makes a record puts values into it that borrow for `'a`.
        unsafe { json_of(self.values.get(number as usize)?) }
    }

    /// The text of a field unless it is empty: how ids are read.
    #[inline]
    #[must_use]
    pub fn id(&self, number: u32) -> Option<&'a str> {
        self.str(number).filter(|text| !text.is_empty())
    }

    /// The name of the tool the event is about.
    #[inline]
    #[must_use]
    pub fn tool(&self) -> Option<&'a str> {
        match self.hook {
            Some(hook) => self.str(hook.tool_field()?),
            None => self.payload?.get("tool_name")?.as_str(),
        }
    }

    /// The JSON that a field was lent from, unless it was set to something else since.
    fn source(&self, number: u32) -> Option<&'a Json> {
        let (now, lent) = (
            self.values.get(number as usize)?,
            self.lent.get(number as usize)?,
        );
        ((now.tag, now.a, now.b) == (lent.value.tag, lent.value.a, lent.value.b))
            .then_some(lent.json)?
    }

    /// The text that a transform may replace.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.field(self.hook?.text_field()?.number).as_str()
    }

    /// The event as JSON: what a handler that changes something makes the next event of.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Json> {
        let fields = self.hook.map_or(&[][..], |hook| hook.fields);
        let known = fields.iter().map(|field| (field, self.field(field.number)));
        if let Some(payload) = self.payload {
            let handles = known.filter(|(_, datum)| matches!(datum, Datum::Handle { .. }));
            let handles = handles.map(|(field, datum)| (field.name.to_owned(), datum.to_json()));
            let own = payload.clone().into_iter();
            return own.chain(handles).chain(self.inferred()).collect();
        }
        let known = known
            .filter(|(field, datum)| !matches!(datum, Datum::Absent) || field.ty == FieldType::Id)
            .map(|(field, datum)| match datum {
                // Hermes sends an empty text for "no id".
                Datum::Absent => (field.name.to_owned(), Json::String(String::new())),
                datum => {
                    let json = self.source(field.number).cloned();
                    (
                        field.name.to_owned(),
                        json.unwrap_or_else(|| datum.to_json()),
                    )
                }
            });
        let extra = self.extra.iter().flat_map(|extra| extra.payload.clone());
        known.chain(extra).chain(self.inferred()).collect()
    }
}

/// The key under which an id stands that the host filled in.
const INFERRED: &str = "$inferred";

/// An id that the host filled in, and not the agent.
fn inferred(ty: FieldType, json: &Json) -> Option<&str> {
    match (ty, json) {
        (FieldType::Id | FieldType::Text, Json::Object(map)) if map.len() == 1 => {
            map.get(INFERRED)?.as_str()
        }
        _ => None,
    }
}

/// A field that holds an object holds one even where the payload has something else: Hermes' rule for
/// arguments that a model got wrong.
fn normal(ty: FieldType, json: &Json) -> &Json {
    static EMPTY: LazyLock<Json> = LazyLock::new(|| Json::Object(Map::new()));
    match ty {
        FieldType::Object if !json.is_object() => &EMPTY,
        _ => json,
    }
}

fn count(fields: &[Field]) -> u32 {
    u32::try_from(fields.len().min(MAX_FIELDS)).unwrap_or_default()
}

/// An event whose fields are live for `'e`.
#[derive(Clone, Copy, Debug)]
pub struct LiveEvent<'e> {
    event: Event,
    _lent: PhantomData<&'e ()>,
}

impl LiveEvent<'_> {
    pub(super) const fn raw(&self) -> &Event {
        &self.event
    }
}

/// A copy of an event that owns everything, made when the first handler of a dispatch retains its call.
#[derive(Debug)]
pub struct OwnedEvent {
    event: Event,
    /// What `event.fields` points to.
    _values: Box<[Value]>,
    /// What the values point to; boxed, so that it stays where it is.
    _owned: Vec<Owned>,
}

#[derive(Debug)]
#[expect(dead_code, reason = "only keeps alive what the values point to")]
enum Owned {
    Text(Box<str>),
    Bytes(Box<[u8]>),
    Tree(Box<Json>),
    Payload(Arc<Map<String, Json>>),
    Extra(Box<Extra<'static>>),
}

// SAFETY: everything the event points to is owned by the struct and never changes.
unsafe impl Send for OwnedEvent {}
// SAFETY: as above.
unsafe impl Sync for OwnedEvent {}

impl OwnedEvent {
    /// Copies an event.
    #[must_use]
    pub fn copy(event: &LiveEvent<'_>) -> Self {
        let event = event.raw();
        let mut owned = Vec::new();
        let values: Box<[Value]> = (0..event.count)
            .map(|number| {
                // SAFETY: a live event's fields are live.
                let value = unsafe { event.field(number) };
                // SAFETY: and so is what its values borrow.
                unsafe { keep(&value, &mut owned) }
            })
            .collect();
        // SAFETY: and so is its extra.
        let extra = unsafe { keep(&event.extra, &mut owned) };
        let event = Event {
            fields: values.as_ptr(),
            extra,
            size: size_of::<Event>() as u32,
            count: event.count,
        };
        Self {
            event,
            _values: values,
            _owned: owned,
        }
    }

    /// An event over a payload that is shared anyway: nothing is copied.
    #[must_use]
    pub fn share(hook: Option<&'static Hook>, payload: &Arc<Map<String, Json>>) -> Self {
        // SAFETY: the event keeps the payload alive and where it is, and nobody can change what is shared.
        let lent: &'static Map<String, Json> = unsafe { &*Arc::as_ptr(payload) };
        let record = Record::from_json(hook, lent);
        let values: Box<[Value]> = record
            .values
            .iter()
            .take(record.count as usize)
            .copied()
            .collect();
        let extra = record.extra.map(Box::new);
        let event = Event {
            size: size_of::<Event>() as u32,
            count: record.count,
            fields: values.as_ptr(),
            extra: extra.as_ref().map_or(Value::ABSENT, |extra| extra.value()),
        };
        let mut owned = vec![Owned::Payload(Arc::clone(payload))];
        owned.extend(extra.map(Owned::Extra));
        Self {
            event,
            _values: values,
            _owned: owned,
        }
    }

    pub(super) const fn raw(&self) -> &Event {
        &self.event
    }
}

/// # Safety
/// What the value borrows must be live.
unsafe fn keep(value: &Value, owned: &mut Vec<Owned>) -> Value {
    // SAFETY: by the caller's promise.
    let datum = unsafe { value.read() };
    let (kept, copy) = match datum {
        Datum::Str(text) | Datum::Marked(_, text) => {
            let text: Box<str> = text.into();
            let copy = Value {
                flags: value.flags,
                mark: value.mark,
                ..Value::str(&text)
            };
            (Owned::Text(text), copy)
        }
        Datum::Bytes(bytes) => {
            let bytes: Box<[u8]> = bytes.into();
            let copy = Value {
                flags: value.flags,
                mark: value.mark,
                ..Value::bytes(&bytes)
            };
            (Owned::Bytes(bytes), copy)
        }
        Datum::Tree(tree) => {
            let json = Box::new(tree.to_json());
            let copy = value_of(&json);
            (Owned::Tree(json), copy)
        }
        _ => return *value,
    };
    owned.push(kept);
    copy
}
