//! A plugin's way back to its host, safe to use from anywhere at any time.

use std::fmt;

use super::{
    CallRef, Failure, FailureKind, Handler, Level, LogField, LogRecord, Registrar, ServiceCode,
    Services, Str, member::member, text::Collecting,
};

/// The host as one instance of a plugin sees it.
///
/// It may be kept and used on any thread: once the instance is over, every function answers
/// [`ServiceCode::GONE`].
#[derive(Clone, Copy)]
pub struct HostRef {
    pub(super) instance: u64,
    pub(super) services: *const Services,
}

// SAFETY: the service table is static, and its functions may be called from any thread.
unsafe impl Send for HostRef {}
// SAFETY: as above.
unsafe impl Sync for HostRef {}

impl HostRef {
    /// # Safety
    /// `services` must be null or a host's static table.
    pub(crate) const unsafe fn new(instance: u64, services: *const Services) -> Self {
        Self { instance, services }
    }

    /// The handle of the instance.
    #[must_use]
    pub const fn instance(&self) -> u64 {
        self.instance
    }

    /// The configuration as JSON text; `None` when there is none or the instance is over.
    #[must_use]
    pub fn config_json(&self) -> Option<String> {
        let config = member!(self.services, Services, config)?;
        // SAFETY: the table is static; the sink lives for the call.
        collect(|sink| unsafe { config(self.instance, sink) })
    }

    /// The directory the plugin may keep files in.
    #[must_use]
    pub fn data_dir(&self) -> Option<std::path::PathBuf> {
        let data_dir = member!(self.services, Services, data_dir)?;
        // SAFETY: the table is static; the sink lives for the call.
        collect(|sink| unsafe { data_dir(self.instance, sink) }).map(Into::into)
    }

    /// Fires an event from inside a call, or from nowhere, and returns the outcome as JSON.
    ///
    /// # Errors
    /// The host's code, e.g. when the host has no such function or the depth of eight is reached.
    pub fn fire(
        &self,
        parent: Option<&CallRef<'_>>,
        name: &str,
        payload: &serde_json::Value,
    ) -> Result<serde_json::Value, ServiceCode> {
        let fire = member!(self.services, Services, fire).ok_or(ServiceCode::UNSUPPORTED)?;
        let payload = payload.to_string();
        let parent = parent.map_or(std::ptr::null(), CallRef::as_raw);
        let mut code = ServiceCode::FAILED;
        let text = collect(|sink| {
            // SAFETY: the table is static; parent, texts and sink live for the call.
            code = unsafe {
                fire(
                    self.instance,
                    parent,
                    Str::new(name),
                    Str::new(&payload),
                    sink,
                )
            };
            code
        });
        text.and_then(|text| serde_json::from_str(&text).ok())
            .ok_or(code)
    }

    pub(crate) fn timer(
        &self,
        delay_ms: u64,
        period_ms: u64,
        handler: Handler,
    ) -> Result<u64, ServiceCode> {
        let Some(timer) = member!(self.services, Services, timer) else {
            drop_handler(handler);
            return Err(ServiceCode::UNSUPPORTED);
        };
        let mut id = 0;
        // SAFETY: the table is static; the pointers are to locals that live for the call.
        let code = unsafe {
            timer(
                self.instance,
                delay_ms,
                period_ms,
                &raw const handler,
                &raw mut id,
            )
        };
        if code == ServiceCode::OK {
            return Ok(id);
        }
        drop_handler(handler);
        Err(code)
    }

    /// Ends a timer. Its handler is dropped once no call is inside it.
    ///
    /// # Errors
    /// The host's code.
    pub fn cancel_timer(&self, id: u64) -> Result<(), ServiceCode> {
        let cancel =
            member!(self.services, Services, cancel_timer).ok_or(ServiceCode::UNSUPPORTED)?;
        // SAFETY: the table is static.
        check(unsafe { cancel(self.instance, id) })
    }

    /// Takes one registration out of the chain.
    ///
    /// # Errors
    /// The host's code.
    pub fn unregister(&self, id: u64) -> Result<(), ServiceCode> {
        let unregister =
            member!(self.services, Services, unregister).ok_or(ServiceCode::UNSUPPORTED)?;
        // SAFETY: the table is static.
        check(unsafe { unregister(self.instance, id) })
    }

    pub(crate) fn level(&self) -> Level {
        let Some(level) = member!(self.services, Services, log_level) else {
            return Level::OFF;
        };
        // SAFETY: the table is static.
        unsafe { level(self.instance) }
    }

    pub(crate) fn log(&self, record: &LogLine<'_>) {
        let Some(log) = member!(self.services, Services, log) else {
            return;
        };
        let raw = LogRecord {
            size: size_of::<LogRecord>() as u32,
            level: record.level,
            target: Str::new(record.target),
            message: Str::new(record.message),
            file: Str::new(record.file),
            line: record.line,
            fields_count: u32::try_from(record.fields.len()).unwrap_or(u32::MAX),
            fields: record.fields.as_ptr(),
            fields_stride: size_of::<LogField>() as u32,
            reserved: 0,
        };
        // SAFETY: the table is static; the record and its texts live for the call.
        unsafe { log(self.instance, &raw const raw) };
    }

    pub(crate) fn fail(&self, kind: FailureKind, text: &str, file: &str, line: u32) {
        let Some(fail) = member!(self.services, Services, fail) else {
            return;
        };
        let failure = Failure {
            size: size_of::<Failure>() as u32,
            kind,
            text: Str::new(text),
            file: Str::new(file),
            line,
            reserved: 0,
        };
        // SAFETY: the table is static; the struct and its texts live for the call.
        unsafe { fail(self.instance, &raw const failure) };
    }
}

impl fmt::Debug for HostRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostRef")
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

/// One log record in Rust's terms.
pub(crate) struct LogLine<'a> {
    pub(crate) level: Level,
    pub(crate) target: &'a str,
    pub(crate) message: &'a str,
    pub(crate) file: &'a str,
    pub(crate) line: u32,
    pub(crate) fields: &'a [LogField],
}

/// What `register` was handed, for as long as it runs.
#[derive(Clone, Copy)]
pub(crate) struct RegistrarRef<'a> {
    raw: *const Registrar,
    _lent: std::marker::PhantomData<&'a Registrar>,
}

impl RegistrarRef<'_> {
    /// # Safety
    /// `raw` must be live for `'a`.
    pub(crate) const unsafe fn new(raw: *const Registrar) -> Self {
        Self {
            raw,
            _lent: std::marker::PhantomData,
        }
    }

    fn instance(&self) -> u64 {
        // SAFETY: live (`RegistrarRef::new`), and the member is in every version of the struct.
        let member = unsafe { &raw const (*self.raw).instance };
        // SAFETY: as above.
        unsafe { member.read() }
    }

    /// Hands one registration over; on failure the handler is dropped here.
    pub(crate) fn on(&self, spec: &super::HandlerSpec) -> Result<u64, ServiceCode> {
        let mut id = 0;
        let code = match member!(self.raw, Registrar, on) {
            // SAFETY: the registrar is live; the pointers are to values that live for the call.
            Some(on) => unsafe { on(self.instance(), spec, &raw mut id) },
            None => ServiceCode::UNSUPPORTED,
        };
        if code == ServiceCode::OK {
            return Ok(id);
        }
        drop_handler(spec.handler);
        Err(code)
    }
}

pub(super) fn check(code: ServiceCode) -> Result<(), ServiceCode> {
    if code == ServiceCode::OK {
        Ok(())
    } else {
        Err(code)
    }
}

fn collect(write: impl FnOnce(*const super::Sink) -> ServiceCode) -> Option<String> {
    let mut out = Vec::new();
    let mut sink = Collecting::new(&mut out);
    let code = write(sink.as_raw());
    (code == ServiceCode::OK)
        .then(|| String::from_utf8(out).ok())
        .flatten()
}

/// Drops a handler that the host did not take.
pub(crate) fn drop_handler(handler: Handler) {
    if let Some(drop) = handler.drop {
        // SAFETY: the host did not take it, so it is still ours, and it is dropped only here.
        unsafe { drop(handler.state) };
    }
}
