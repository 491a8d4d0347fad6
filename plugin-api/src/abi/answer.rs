//! How a handler writes its answer.

use std::fmt;

use super::{CallFns, CallRef, Handler, Str, Value, member::member};

/// What an answer function returns. Unknown codes mean "not taken".
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "extensions", derive(abi_stable::StableAbi))]
pub struct AnswerCode(pub u32);

impl AnswerCode {
    /// Taken; the host made its copy.
    pub const OK: Self = Self(0);
    /// The call is over, or was cancelled: nobody wants the answer any more.
    pub const GONE: Self = Self(1);
    /// The hook's answer field is of another type.
    pub const TYPE: Self = Self(2);
    /// The text is not UTF-8, or the JSON is not JSON.
    pub const UTF8: Self = Self(3);
    /// The answers of this call are larger than the host takes (16 MiB unless configured).
    pub const TOO_BIG: Self = Self(4);
    /// Nested deeper than 64, or closed more often than opened.
    pub const DEPTH: Self = Self(5);
    /// The hook has no such answer field.
    pub const UNKNOWN_FIELD: Self = Self(6);
    /// The host is older than the function, or not able to do this.
    pub const UNSUPPORTED: Self = Self(7);

    /// The field number that means "the whole answer".
    pub const WHOLE: u32 = u32::MAX;
}

/// Why the host did not take a piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError(pub AnswerCode);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            AnswerCode::GONE => "the call is over; its answer is no longer wanted",
            AnswerCode::TYPE => "the hook's answer field is of another type",
            AnswerCode::UTF8 => "the answer is not valid UTF-8 or JSON",
            AnswerCode::TOO_BIG => "the answer is larger than the host takes",
            AnswerCode::DEPTH => "the answer is nested too deep, or closed more often than opened",
            AnswerCode::UNKNOWN_FIELD => "the hook has no such answer field on this host",
            AnswerCode::UNSUPPORTED => "the host is too old for this answer",
            _ => "the host did not take the answer",
        })
    }
}

impl std::error::Error for WriteError {}

/// The plugin's end of the answer of one call.
///
/// The host copies at once, so nothing that is handed over has to outlive the function.
#[derive(Clone, Copy, Debug)]
pub struct AnswerWriter<'a> {
    call: CallRef<'a>,
}

impl<'a> AnswerWriter<'a> {
    pub(crate) const fn new(call: CallRef<'a>) -> Self {
        Self { call }
    }

    /// Sets an answer field by its catalogue number.
    ///
    /// # Errors
    /// When the host does not take it; see [`AnswerCode`].
    pub fn set(&self, field: u32, value: Value) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, set);
        // SAFETY: the call is live, as `CallRef` promises, and the value lives until the host returns.
        check(set.map(|set| unsafe { set(self.call.as_raw(), field, &raw const value) }))
    }

    /// Sets text.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn set_str(&self, field: u32, text: &str) -> Result<(), WriteError> {
        self.set(field, Value::str(text))
    }

    /// Sets a member that the catalogue has no number for.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn set_named(&self, key: &str, value: Value) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, set_named);
        // SAFETY: as in `set`; the key lives until the host returns.
        check(set.map(|set| unsafe { set(self.call.as_raw(), Str::new(key), &raw const value) }))
    }

    /// Makes the answer *be* this value: null, a boolean, a number or a bare text.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn set_whole(&self, value: Value) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, set_whole);
        // SAFETY: as in `set`.
        check(set.map(|set| unsafe { set(self.call.as_raw(), &raw const value) }))
    }

    /// Sets a field from JSON text; [`AnswerCode::WHOLE`] makes it the whole answer.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn set_json(&self, field: u32, json: &str) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, set_json);
        // SAFETY: as in `set`; the text lives until the host returns.
        check(set.map(|set| unsafe { set(self.call.as_raw(), field, Str::new(json)) }))
    }

    /// Sets a field to a structure.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn set_value(&self, field: u32, value: &serde_json::Value) -> Result<(), WriteError> {
        self.set_json(field, &value.to_string())
    }

    /// Opens an object: in a field, in [`AnswerCode::WHOLE`], or in what is already open (`field` is then ignored).
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn begin_object(&self, field: u32) -> Result<(), WriteError> {
        let begin = member!(self.call.fns(), CallFns, begin_object);
        // SAFETY: the call is live, as `CallRef` promises.
        check(begin.map(|begin| unsafe { begin(self.call.as_raw(), field) }))
    }

    /// Opens an array; see [`AnswerWriter::begin_object`].
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn begin_array(&self, field: u32) -> Result<(), WriteError> {
        let begin = member!(self.call.fns(), CallFns, begin_array);
        // SAFETY: the call is live, as `CallRef` promises.
        check(begin.map(|begin| unsafe { begin(self.call.as_raw(), field) }))
    }

    /// Names the next member of the open object.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn key(&self, key: &str) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, key);
        // SAFETY: the call is live, and the key lives until the host returns.
        check(set.map(|set| unsafe { set(self.call.as_raw(), Str::new(key)) }))
    }

    /// Adds a value to what is open.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn value(&self, value: Value) -> Result<(), WriteError> {
        let add = member!(self.call.fns(), CallFns, value);
        // SAFETY: the call is live, and the value lives until the host returns.
        check(add.map(|add| unsafe { add(self.call.as_raw(), &raw const value) }))
    }

    /// Closes what was opened last.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`].
    pub fn end(&self) -> Result<(), WriteError> {
        let end = member!(self.call.fns(), CallFns, end);
        // SAFETY: the call is live, as `CallRef` promises.
        check(end.map(|end| unsafe { end(self.call.as_raw()) }))
    }

    /// Hands over a handler (e.g. for the resolution of an approval). The host owns it from here.
    ///
    /// # Errors
    /// As [`AnswerWriter::set`]; the handler was then dropped.
    pub fn set_handler(&self, field: u32, handler: Handler) -> Result<(), WriteError> {
        let set = member!(self.call.fns(), CallFns, set_handler);
        // SAFETY: the call is live; the struct is only read.
        let result =
            check(set.map(|set| unsafe { set(self.call.as_raw(), field, &raw const handler) }));
        if let (Err(_), Some(drop)) = (result, handler.drop) {
            // SAFETY: the host refused the handler, so it is still ours, and it is dropped only here.
            unsafe { drop(handler.state) };
        }
        result
    }
}

fn check(code: Option<AnswerCode>) -> Result<(), WriteError> {
    match code.unwrap_or(AnswerCode::UNSUPPORTED) {
        AnswerCode::OK => Ok(()),
        code => Err(WriteError(code)),
    }
}
