//! What a plugin lends a host for one call, copied: log records, failures; and text written back to it.

use serde_json::{Map, Value as Json};

use super::{
    Failure, Level, LogField, LogRecord, ServiceCode, Sink, Str, frame::Failed, member::sized,
};

/// Fields of one log record that are read; more is dropped.
const FIELDS: u32 = 256;

/// A log record of a plugin, copied.
#[derive(Clone, Debug)]
pub struct Logged {
    /// How loud.
    pub level: Level,
    /// Where in the plugin it comes from.
    pub target: String,
    /// The text.
    pub message: String,
    /// Source file, or empty.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
    /// The fields.
    pub fields: Map<String, Json>,
}

impl Logged {
    /// Copies a record of any version; text that is not UTF-8 is read with replacement characters.
    ///
    /// # Safety
    /// `record` must be null or live, with everything it lends.
    #[must_use]
    pub unsafe fn read(record: *const LogRecord) -> Option<Self> {
        // SAFETY: by the caller's promise.
        let record = unsafe { sized(record, size_of::<LogRecord>()) }?;
        Some(Self {
            level: record.level,
            // SAFETY: the texts are lent with the record.
            target: unsafe { lossy(record.target) },
            // SAFETY: as above.
            message: unsafe { lossy(record.message) },
            // SAFETY: as above.
            file: unsafe { lossy(record.file) },
            line: record.line,
            // SAFETY: the fields are lent with the record.
            fields: unsafe { fields(&record) },
        })
    }
}

/// # Safety
/// The text must be live.
unsafe fn lossy(text: Str) -> String {
    // SAFETY: by the caller's promise.
    String::from_utf8_lossy(unsafe { text.bytes() }).into_owned()
}

/// # Safety
/// The fields of the record must be live.
unsafe fn fields(record: &LogRecord) -> Map<String, Json> {
    let stride = record.fields_stride as usize;
    let usable = !record.fields.is_null() && stride >= size_of::<LogField>();
    let count = if usable {
        record.fields_count.min(FIELDS) as usize
    } else {
        0
    };
    let field = |index: usize| {
        // SAFETY: the array has `fields_count` elements, one every `stride` bytes.
        let field = unsafe { record.fields.byte_add(index * stride) };
        // SAFETY: the element is live, and at least as long as the struct we know.
        let field = unsafe { field.read_unaligned() };
        // SAFETY: lent with the record.
        let value = unsafe { field.value.read() };
        // SAFETY: lent with the record.
        (unsafe { lossy(field.name) }, value.to_json())
    };
    (0..count).map(field).collect()
}

impl Failed {
    /// Copies a failure of any version.
    ///
    /// # Safety
    /// `failure` must be null or live, with the texts it lends.
    #[must_use]
    pub unsafe fn read(failure: *const Failure) -> Option<Self> {
        // SAFETY: by the caller's promise.
        let failure = unsafe { sized(failure, size_of::<Failure>()) }?;
        Some(Self {
            kind: failure.kind,
            // SAFETY: the texts are lent with it.
            text: unsafe { lossy(failure.text) },
            // SAFETY: as above.
            file: unsafe { lossy(failure.file) },
            line: failure.line,
        })
    }
}

impl Sink {
    /// Writes the whole of a text into a sink that a plugin lends.
    ///
    /// # Safety
    /// `sink` must be null or live.
    #[must_use]
    pub unsafe fn answer(sink: *const Self, text: &str) -> ServiceCode {
        // SAFETY: by the caller's promise.
        let Some(sink) = (unsafe { sized(sink, size_of::<Self>()) }) else {
            return ServiceCode::INVALID;
        };
        // SAFETY: the sink is lent to us for this call.
        if unsafe { sink.push(text) } {
            ServiceCode::OK
        } else {
            ServiceCode::FAILED
        }
    }

    /// Writes a text, or why there is none; the code is the reason's, unless the sink does not take it.
    ///
    /// # Safety
    /// `sink` must be null or live.
    #[must_use]
    pub unsafe fn answer_result(
        sink: *const Self,
        result: Result<String, (ServiceCode, String)>,
    ) -> ServiceCode {
        let (code, text) = match result {
            Ok(text) => (ServiceCode::OK, text),
            Err((code, why)) => (code, why),
        };
        // SAFETY: by the caller's promise.
        match unsafe { Self::answer(sink, &text) } {
            ServiceCode::OK => code,
            refused => refused,
        }
    }
}
