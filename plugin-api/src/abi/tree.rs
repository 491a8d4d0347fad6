//! An object or array that stays where it is, and is asked piece by piece.

use std::{ffi::c_void, fmt, marker::PhantomData};

use super::{Datum, Sink, Str, Value, member::member, text::Collecting};

/// How a look-up in a tree ended.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct Lookup(pub u32);

impl Lookup {
    /// The caller's `Value` was written.
    pub const FOUND: Self = Self(0);
    /// No such key or index, or the end of the iteration.
    pub const ABSENT: Self = Self(1);
    /// The host could not look; nothing was written.
    pub const ERROR: Self = Self(2);
    /// The call this tree belongs to is over.
    pub const GONE: Self = Self(3);
}

/// What a tree is. Unknown kinds are read as an empty object.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct TreeKind(pub u32);

impl TreeKind {
    /// Keys with values.
    pub const OBJECT: Self = Self(1);
    /// Values in order.
    pub const ARRAY: Self = Self(2);
}

/// Bits that qualify the functions of a tree.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct TreeFlags(pub u32);

impl TreeFlags {
    /// Any thread may ask, several at once.
    pub const NONE: Self = Self(0);
    /// Only the thread of the call may ask. A retained call never shows such a tree: the host makes
    /// an owned copy first.
    pub const AFFINE: Self = Self(1);
}

/// How a host lets a structure be asked. Only hosts implement it.
///
/// Every function is `[any-thread, concurrent]` unless [`TreeFlags::AFFINE`] is set, and never
/// unwinds. What it writes borrows from the tree and lives as long as the tree does.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct TreeFns {
    /// `size_of::<TreeFns>()` of the host.
    pub size: u32,
    /// Who may ask.
    pub flags: TreeFlags,
    /// Object or array.
    pub kind: Option<unsafe extern "C" fn(tree: *const c_void) -> TreeKind>,
    /// How many keys or elements.
    pub len: Option<unsafe extern "C" fn(tree: *const c_void, len: *mut u64) -> Lookup>,
    /// The value of a key.
    pub get:
        Option<unsafe extern "C" fn(tree: *const c_void, key: Str, value: *mut Value) -> Lookup>,
    /// The element at an index.
    pub at:
        Option<unsafe extern "C" fn(tree: *const c_void, index: u64, value: *mut Value) -> Lookup>,
    /// The next key (empty for arrays) and value; `cursor` starts at zero and belongs to the host.
    pub next: Option<
        unsafe extern "C" fn(
            tree: *const c_void,
            cursor: *mut u64,
            key: *mut Str,
            value: *mut Value,
        ) -> Lookup,
    >,
    /// The whole as JSON text.
    pub to_json: Option<unsafe extern "C" fn(tree: *const c_void, sink: *const Sink) -> Lookup>,
}

impl fmt::Debug for TreeFns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeFns")
            .field("size", &self.size)
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

/// A borrowed object or array of the host.
///
/// Nothing is copied or decoded until it is asked for, so an event costs the same however large its
/// payload is. A look-up that fails, or finds another type, is `None`.
#[derive(Clone, Copy)]
pub struct TreeRef<'a> {
    handle: *const c_void,
    fns: *const TreeFns,
    _lent: PhantomData<&'a TreeFns>,
}

// SAFETY: a host declares trees `AFFINE` that may not be asked from several threads, and a `TreeRef`
// of such a tree is only reachable from a call that itself stays on its thread: `CallRef` is not `Send`.
unsafe impl Send for TreeRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for TreeRef<'_> {}

impl<'a> TreeRef<'a> {
    /// The tree without keys, which stands for an absent object.
    pub const EMPTY: Self = Self {
        handle: std::ptr::null(),
        fns: std::ptr::null(),
        _lent: PhantomData,
    };

    /// # Safety
    /// `handle` and `fns` must belong together and live for `'a`.
    pub(crate) unsafe fn new(handle: *const c_void, fns: *const TreeFns) -> Option<Self> {
        (!fns.is_null()).then_some(Self {
            handle,
            fns,
            _lent: PhantomData,
        })
    }

    /// Object or array.
    #[must_use]
    pub fn kind(&self) -> TreeKind {
        let Some(kind) = member!(self.fns, TreeFns, kind) else {
            return TreeKind::OBJECT;
        };
        // SAFETY: handle and functions belong together and live for `'a` (`TreeRef::new`).
        unsafe { kind(self.handle) }
    }

    /// How many keys or elements it has; 0 when the host cannot say.
    #[must_use]
    pub fn len(&self) -> usize {
        let Some(len) = member!(self.fns, TreeFns, len) else {
            return 0;
        };
        let mut out = 0;
        // SAFETY: handle and functions belong together, and `out` is ours.
        let found = unsafe { len(self.handle, &raw mut out) };
        if found == Lookup::FOUND {
            usize::try_from(out).unwrap_or(usize::MAX)
        } else {
            0
        }
    }

    /// Whether it has no key and no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Datum<'a> {
        let Some(get) = member!(self.fns, TreeFns, get) else {
            return Datum::Absent;
        };
        let mut out = Value::ABSENT;
        // SAFETY: handle and functions belong together, and `out` is ours.
        let found = unsafe { get(self.handle, Str::new(key), &raw mut out) };
        self.found(found, &out)
    }

    /// The element at an index.
    #[must_use]
    pub fn at(&self, index: usize) -> Datum<'a> {
        let Some(at) = member!(self.fns, TreeFns, at) else {
            return Datum::Absent;
        };
        let mut out = Value::ABSENT;
        // SAFETY: handle and functions belong together, and `out` is ours.
        let found = unsafe { at(self.handle, index as u64, &raw mut out) };
        self.found(found, &out)
    }

    fn found(&self, found: Lookup, value: &Value) -> Datum<'a> {
        if found != Lookup::FOUND {
            return Datum::Absent;
        }
        // SAFETY: the host wrote the value, and what it borrows lives as long as the tree does.
        unsafe { value.read() }
    }

    /// The text of a key.
    #[must_use]
    pub fn str(&self, key: &str) -> Option<&'a str> {
        self.get(key).as_str()
    }

    /// The whole number of a key.
    #[must_use]
    pub fn i64(&self, key: &str) -> Option<i64> {
        self.get(key).as_i64()
    }

    /// The boolean of a key.
    #[must_use]
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key).as_bool()
    }

    /// The object or array of a key.
    #[must_use]
    pub fn tree(&self, key: &str) -> Option<TreeRef<'a>> {
        self.get(key).as_tree()
    }

    /// Keys with values, or empty keys with elements, in the host's order.
    #[must_use]
    pub fn iter(&self) -> TreeIter<'a> {
        TreeIter {
            tree: *self,
            cursor: 0,
        }
    }

    /// The whole as JSON text; `{}` when the host cannot say.
    #[must_use]
    pub fn to_json_text(&self) -> String {
        let mut out = Vec::new();
        if let Some(to_json) = member!(self.fns, TreeFns, to_json) {
            let mut sink = Collecting::new(&mut out);
            // SAFETY: handle and functions belong together; the sink lives until the call is over.
            let done = unsafe { to_json(self.handle, sink.as_raw()) };
            if done == Lookup::FOUND {
                return String::from_utf8(out).unwrap_or_else(|error| {
                    String::from_utf8_lossy(error.as_bytes()).into_owned()
                });
            }
        }
        "{}".to_owned()
    }

    /// A copy of the whole.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::from_str(&self.to_json_text())
            .unwrap_or_else(|_| serde_json::Value::Object(serde_json::Map::new()))
    }
}

impl fmt::Debug for TreeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json_text())
    }
}

impl<'a> IntoIterator for TreeRef<'a> {
    type Item = (&'a str, Datum<'a>);
    type IntoIter = TreeIter<'a>;

    fn into_iter(self) -> TreeIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &TreeRef<'a> {
    type Item = (&'a str, Datum<'a>);
    type IntoIter = TreeIter<'a>;

    fn into_iter(self) -> TreeIter<'a> {
        self.iter()
    }
}

/// Walks a [`TreeRef`].
#[derive(Clone, Debug)]
pub struct TreeIter<'a> {
    tree: TreeRef<'a>,
    cursor: u64,
}

impl<'a> Iterator for TreeIter<'a> {
    type Item = (&'a str, Datum<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let next = member!(self.tree.fns, TreeFns, next)?;
        let mut key = Str::EMPTY;
        let mut value = Value::ABSENT;
        // SAFETY: handle and functions belong together; the other pointers are to locals.
        let found = unsafe {
            next(
                self.tree.handle,
                &raw mut self.cursor,
                &raw mut key,
                &raw mut value,
            )
        };
        if found != Lookup::FOUND {
            return None;
        }
        // SAFETY: the host wrote the key, which lives as long as the tree does.
        let key = unsafe { key.text() }.unwrap_or_default();
        Some((key, self.tree.found(found, &value)))
    }
}
