//! An event as a host builds it: on the stack, out of borrowed JSON, or as an owned copy.

use std::marker::PhantomData;

use serde_json::{Map, Value as Json};

use super::{
    Datum, Event, Value,
    json_tree::{Extra, value_of},
};
use crate::catalogue::Hook;

/// No hook has more fields; a test of the catalogue holds it to that.
pub(crate) const MAX_FIELDS: usize = 32;

/// One event on the host's stack, borrowing its payload.
#[derive(Debug)]
pub struct Record<'a> {
    values: [Value; MAX_FIELDS],
    count: u32,
    extra: Extra<'a>,
    has_extra: bool,
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
                *value = value_of(json);
            }
        }
        let count = u32::try_from(fields.len().min(MAX_FIELDS)).unwrap_or_default();
        Self { values, count, extra: Extra { payload, hook }, has_extra: known < payload.len() }
    }

    /// The event, for as long as the record is borrowed.
    #[must_use]
    pub fn event(&self) -> LiveEvent<'_> {
        let event = Event {
            size: size_of::<Event>() as u32,
            count: self.count,
            fields: self.values.as_ptr(),
            extra: if self.has_extra { self.extra.value() } else { Value::ABSENT },
        };
        LiveEvent { event, _lent: PhantomData }
    }

    /// The value of a field.
    #[must_use]
    pub fn field(&self, number: u32) -> Datum<'_> {
        // SAFETY: the values borrow from the payload, which outlives `self`.
        self.values.get(number as usize).map_or(Datum::Absent, |value| unsafe { value.read() })
    }
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
        let event = Event { fields: values.as_ptr(), extra, size: size_of::<Event>() as u32, count: event.count };
        Self { event, _values: values, _owned: owned }
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
            let copy = Value { flags: value.flags, mark: value.mark, ..Value::str(&text) };
            (Owned::Text(text), copy)
        }
        Datum::Bytes(bytes) => {
            let bytes: Box<[u8]> = bytes.into();
            let copy = Value { flags: value.flags, mark: value.mark, ..Value::bytes(&bytes) };
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
