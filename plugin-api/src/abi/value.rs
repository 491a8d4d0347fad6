//! One tagged value, 24 bytes for ever.

use std::{ffi::c_void, fmt};

use super::{Str, TreeFns, TreeRef, json_tree::HANDLE};

/// What a [`Value`] holds. Unknown tags are lawful: a reader passes them on or treats them as absent.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Tag(pub u16);

impl Tag {
    /// No such field in this event.
    pub const ABSENT: Self = Self(0);
    /// JSON's null.
    pub const NULL: Self = Self(1);
    /// `a` is 0 or 1.
    pub const BOOL: Self = Self(2);
    /// `a` is the two's complement of a signed number.
    pub const I64: Self = Self(3);
    /// `a` is an unsigned number above `i64::MAX`, or one that is unsigned by nature.
    pub const U64: Self = Self(4);
    /// `a` holds the bits of a double.
    pub const F64: Self = Self(5);
    /// Borrowed UTF-8: `a` is the address, `b` the length in bytes.
    pub const STR: Self = Self(6);
    /// Borrowed bytes: `a` is the address, `b` the length.
    pub const BYTES: Self = Self(7);
    /// An object or array that stays with the host: `a` is its handle, `b` the address of its functions.
    pub const TREE: Self = Self(8);
    /// A live object of the host: `a` is its kind, `b` its number.
    pub const HANDLE: Self = Self(9);
}

/// Bits that qualify a [`Value`].
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct ValueFlags(pub u16);

impl ValueFlags {
    /// Nothing to say.
    pub const NONE: Self = Self(0);
    /// The text stands for something that JSON or UTF-8 cannot hold; `mark` says what.
    pub const MARKED: Self = Self(1);
    /// In an answer: a host that does not know this field must treat the answer as a fault.
    pub const MUST_UNDERSTAND: Self = Self(2);
    /// In an event: the agent did not say it, the host knows it from earlier events.
    pub const INFERRED: Self = Self(4);

    /// Whether every bit of `other` is set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What a marked text stands for. Unknown marks are read as plain text.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Mark(pub u32);

impl Mark {
    /// Nothing: the text is the value.
    pub const NONE: Self = Self(0);
    /// `nan`, `inf` or `-inf`; `{"$float":"nan"}` in JSON.
    pub const FLOAT: Self = Self(1);
    /// The digits of a whole number wider than 64 bits; `{"$int":"…"}` in JSON.
    pub const INT: Self = Self(2);
    /// Bytes in hexadecimal; `{"$bytes_hex":"…"}` in JSON.
    pub const BYTES_HEX: Self = Self(3);
    /// Text whose lone surrogates were replaced by U+FFFD; `{"$surrogates":"…","text":"…"}` in JSON, where
    /// the first has them as escapes, and every backslash twice.
    pub const LOSSY: Self = Self(4);
    /// A path of the host's system; `{"$path":"…"}` in JSON.
    pub const PATH: Self = Self(5);
    /// A live object that is not JSON: the text is the name of its type, and nothing that it says;
    /// `{"$opaque":"…"}` in JSON.
    pub const OPAQUE: Self = Self(6);

    /// The key that stands for the mark in JSON.
    pub(crate) const fn key(self) -> Option<&'static str> {
        match self {
            Self::FLOAT => Some("$float"),
            Self::INT => Some("$int"),
            Self::BYTES_HEX => Some("$bytes_hex"),
            Self::LOSSY => Some("$surrogates"),
            Self::PATH => Some("$path"),
            Self::OPAQUE => Some("$opaque"),
            _ => None,
        }
    }

    /// The mark of a JSON key.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        let all = [
            Self::FLOAT,
            Self::INT,
            Self::BYTES_HEX,
            Self::LOSSY,
            Self::PATH,
            Self::OPAQUE,
        ];
        all.into_iter().find(|mark| mark.key() == Some(key))
    }
}

/// One tagged value. Always passed by pointer, and never larger or smaller than 24 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Value {
    /// What it holds.
    pub tag: Tag,
    /// How it is to be read.
    pub flags: ValueFlags,
    /// What the text stands for, when the MARKED flag is set; else zero.
    pub mark: Mark,
    /// A number, an address, or a handle.
    pub a: u64,
    /// A length, an address, or a number.
    pub b: u64,
}

const _: () = assert!(size_of::<Value>() == 24 && align_of::<Value>() == 8);

impl Value {
    /// No such field.
    pub const ABSENT: Self = Self::plain(Tag::ABSENT, 0, 0);
    /// JSON's null.
    pub const NULL: Self = Self::plain(Tag::NULL, 0, 0);

    const fn plain(tag: Tag, a: u64, b: u64) -> Self {
        Self {
            tag,
            flags: ValueFlags::NONE,
            mark: Mark::NONE,
            a,
            b,
        }
    }

    /// A boolean.
    #[must_use]
    pub const fn bool(value: bool) -> Self {
        Self::plain(Tag::BOOL, value as u64, 0)
    }

    /// A signed number.
    #[must_use]
    pub const fn i64(value: i64) -> Self {
        Self::plain(Tag::I64, value.cast_unsigned(), 0)
    }

    /// An unsigned number.
    #[must_use]
    pub const fn u64(value: u64) -> Self {
        Self::plain(Tag::U64, value, 0)
    }

    /// A double.
    #[must_use]
    pub const fn f64(value: f64) -> Self {
        Self::plain(Tag::F64, value.to_bits(), 0)
    }

    /// Borrowed text. The value is only as good as the text it borrows.
    #[must_use]
    pub fn str(text: &str) -> Self {
        Self::plain(
            Tag::STR,
            text.as_ptr().expose_provenance() as u64,
            text.len() as u64,
        )
    }

    /// Borrowed bytes. The value is only as good as the bytes it borrows.
    #[must_use]
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::plain(
            Tag::BYTES,
            bytes.as_ptr().expose_provenance() as u64,
            bytes.len() as u64,
        )
    }

    /// A structure that stays with the host.
    #[must_use]
    pub fn tree(handle: *const c_void, fns: &'static TreeFns) -> Self {
        let fns = std::ptr::from_ref(fns).expose_provenance() as u64;
        Self::plain(Tag::TREE, handle.expose_provenance() as u64, fns)
    }

    /// A live object of the host.
    #[must_use]
    pub const fn handle(kind: u64, number: u64) -> Self {
        Self::plain(Tag::HANDLE, kind, number)
    }

    /// Borrowed text that stands for something else.
    #[must_use]
    pub fn marked(mark: Mark, text: &str) -> Self {
        Self {
            mark,
            ..Self::str(text).with(ValueFlags::MARKED)
        }
    }

    /// The same value with one more flag.
    #[must_use]
    pub const fn with(mut self, flag: ValueFlags) -> Self {
        self.flags = ValueFlags(self.flags.0 | flag.0);
        self
    }

    /// Reads the value.
    ///
    /// # Safety
    /// Whatever the value borrows must be live for `'a`, text must be what its tag says, and the
    /// functions of a tree must belong to its handle. Both sides promise that of every value they
    /// hand over, for the length of the call it belongs to.
    #[must_use]
    pub unsafe fn read<'a>(&self) -> Datum<'a> {
        match self.tag {
            Tag::ABSENT => Datum::Absent,
            Tag::NULL => Datum::Null,
            Tag::BOOL => Datum::Bool(self.a != 0),
            Tag::I64 => Datum::I64(self.a.cast_signed()),
            Tag::U64 => Datum::U64(self.a),
            Tag::F64 => Datum::F64(f64::from_bits(self.a)),
            Tag::STR | Tag::BYTES => {
                // SAFETY: the caller promises that the borrow is live.
                unsafe { self.read_borrowed() }
            }
            Tag::TREE => {
                let fns = std::ptr::with_exposed_provenance::<TreeFns>(self.b as usize);
                let handle = std::ptr::with_exposed_provenance::<c_void>(self.a as usize);
                // SAFETY: the caller promises that handle and functions belong together and live.
                let tree = unsafe { TreeRef::new(handle, fns) };
                tree.map_or(Datum::Absent, Datum::Tree)
            }
            Tag::HANDLE => Datum::Handle {
                kind: self.a,
                number: self.b,
            },
            Tag(other) => Datum::Unknown(other),
        }
    }

    /// # Safety
    /// As for [`Value::read`], for text and bytes.
    unsafe fn read_borrowed<'a>(&self) -> Datum<'a> {
        let raw = Str {
            ptr: std::ptr::with_exposed_provenance(self.a as usize),
            len: usize::try_from(self.b).unwrap_or(0),
        };
        // SAFETY: the caller promises that the borrow is live for `'a`.
        let bytes = unsafe { raw.bytes() };
        if self.tag == Tag::BYTES {
            return Datum::Bytes(bytes);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Datum::Bytes(bytes);
        };
        if self.flags.contains(ValueFlags::MARKED) {
            Datum::Marked(self.mark, text)
        } else {
            Datum::Str(text)
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value")
            .field("tag", &self.tag)
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

/// A [`Value`] as it is read: a number, borrowed text, or a structure that is asked piece by piece.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Datum<'a> {
    /// No such field in this event.
    Absent,
    /// JSON's null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed number.
    I64(i64),
    /// An unsigned number.
    U64(u64),
    /// A double; never NaN or infinite when it comes from JSON.
    F64(f64),
    /// Text.
    Str(&'a str),
    /// Text that stands for something JSON or UTF-8 cannot hold.
    Marked(Mark, &'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// An object or an array.
    Tree(TreeRef<'a>),
    /// A live object of the host, used with the functions of an extension interface.
    Handle {
        /// What sort of object it is.
        kind: u64,
        /// Which one.
        number: u64,
    },
    /// A tag that this crate does not know yet.
    Unknown(u16),
}

impl<'a> Datum<'a> {
    /// The text, marked or not; `None` for everything else, and for an opaque object, whose marked text is the
    /// name of its type.
    #[must_use]
    pub const fn as_str(&self) -> Option<&'a str> {
        match self {
            Self::Marked(Mark::OPAQUE, _) => None,
            Self::Str(text) | Self::Marked(_, text) => Some(*text),
            _ => None,
        }
    }

    /// The text unless it is empty: how ids are read, since Hermes sends `""` for "no id".
    #[must_use]
    pub const fn as_id(&self) -> Option<&'a str> {
        match self.as_str() {
            Some(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The number, if it is whole and fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::I64(value) => Some(value),
            Self::U64(value) => i64::try_from(value).ok(),
            Self::F64(value) if value.fract() == 0.0 && value.abs() < 9.0e15 => Some(value as i64),
            _ => None,
        }
    }

    /// The number as a double, also the marked ones that JSON has none for.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::F64(value) => Some(value),
            Self::I64(value) => Some(value as f64),
            Self::U64(value) => Some(value as f64),
            Self::Marked(Mark::FLOAT, text) => match text.as_bytes() {
                b"nan" => Some(f64::NAN),
                b"inf" => Some(f64::INFINITY),
                b"-inf" => Some(f64::NEG_INFINITY),
                _ => None,
            },
            _ => None,
        }
    }

    /// The boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The object or array.
    #[must_use]
    pub const fn as_tree(&self) -> Option<TreeRef<'a>> {
        match self {
            Self::Tree(tree) => Some(*tree),
            _ => None,
        }
    }

    /// Whether the field is missing or null.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }

    /// The value as JSON; bytes and handles take their marked form.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Absent | Self::Null | Self::Unknown(_) => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::I64(value) => (*value).into(),
            Self::U64(value) => (*value).into(),
            Self::F64(value) => serde_json::Number::from_f64(*value).map_or_else(
                || serde_json::json!({ "$float": float_name(*value) }),
                Into::into,
            ),
            Self::Str(text) => (*text).into(),
            Self::Marked(mark, text) => match mark.key() {
                Some(key) => serde_json::json!({ key: text }),
                None => (*text).into(),
            },
            Self::Bytes(bytes) => serde_json::json!({ "$bytes_hex": hex(bytes) }),
            Self::Tree(tree) => tree.to_json(),
            Self::Handle { kind, number } => serde_json::json!({ HANDLE: [kind, number] }),
        }
    }
}

fn float_name(value: f64) -> &'static str {
    if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing into a `String` has no way to fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}
