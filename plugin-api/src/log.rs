//! Carries the plugin's `tracing` records into the host's log.
//!
//! A library has a `tracing` dispatcher of its own, which nobody ever sets; so without this, a
//! plugin's records would vanish. Spans are not carried, only events.

use std::{
    fmt::{self, Write as _},
    sync::{
        Once,
        atomic::{AtomicU32, Ordering},
    },
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span,
};

use crate::{
    abi::{HostRef, Level, LogField, LogLine, Str, Value},
    guard,
};

/// The loudest level any instance of this image wants; see [`Level`].
static LEVEL: AtomicU32 = AtomicU32::new(0);

/// Installs the subscriber, once per image, and takes over the level the host wants.
pub(crate) fn install(host: HostRef) {
    static INSTALLED: Once = Once::new();
    // Several instances share the image's level; each host drops what is too loud for it.
    LEVEL.fetch_max(host.level().0, Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
    remember(host);
    INSTALLED.call_once(|| {
        // Somebody else's subscriber in this image stays; the author then meant it.
        let _ = tracing::subscriber::set_global_default(Forward);
    });
}

/// Sets the loudest level that is worth a call to the host.
pub(crate) fn set_level(level: Level) {
    LEVEL.store(level.0, Ordering::Relaxed);
    tracing::callsite::rebuild_interest_cache();
}

/// The instance that speaks for threads the host does not know, the last one made.
static LAST: std::sync::RwLock<Option<HostRef>> = std::sync::RwLock::new(None);

fn remember(host: HostRef) {
    if let Ok(mut last) = LAST.write() {
        *last = Some(host);
    }
}

fn speaker() -> Option<HostRef> {
    guard::current().or_else(|| LAST.read().ok().and_then(|last| *last))
}

struct Forward;

impl Subscriber for Forward {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && number(metadata.level()) <= LEVEL.load(Ordering::Relaxed)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match LEVEL.load(Ordering::Relaxed) {
            0 => LevelFilter::OFF,
            1 => LevelFilter::ERROR,
            2 => LevelFilter::WARN,
            3 => LevelFilter::INFO,
            4 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        })
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(host) = speaker() else { return };
        let mut text = Text::default();
        event.record(&mut text);
        let fields: Vec<LogField> = text
            .fields
            .iter()
            .map(|(name, value)| LogField {
                name: Str::new(name),
                value: value.as_value(),
            })
            .collect();
        let metadata = event.metadata();
        host.log(&LogLine {
            level: Level(number(metadata.level())),
            target: metadata.target(),
            message: &text.message,
            file: metadata.file().unwrap_or_default(),
            line: metadata.line().unwrap_or_default(),
            fields: &fields,
        });
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

fn number(level: &tracing::Level) -> u32 {
    match *level {
        tracing::Level::ERROR => 1,
        tracing::Level::WARN => 2,
        tracing::Level::INFO => 3,
        tracing::Level::DEBUG => 4,
        tracing::Level::TRACE => 5,
    }
}

/// Message and fields of one record.
#[derive(Default)]
struct Text {
    message: String,
    fields: Vec<(&'static str, Owned)>,
}

enum Owned {
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    Str(String),
}

impl Owned {
    fn as_value(&self) -> Value {
        match self {
            Self::Bool(value) => Value::bool(*value),
            Self::I64(value) => Value::i64(*value),
            Self::U64(value) => Value::u64(*value),
            Self::F64(value) => Value::f64(*value),
            Self::Str(text) => Value::str(text),
        }
    }
}

impl Visit for Text {
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.push((field.name(), Owned::Bool(value)));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.push((field.name(), Owned::I64(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.push((field.name(), Owned::U64(value)));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.push((field.name(), Owned::F64(value)));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.message.push_str(value);
        } else {
            self.fields
                .push((field.name(), Owned::Str(value.to_owned())));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // Writing into a `String` has no way to fail.
            let _ = write!(self.message, "{value:?}");
        } else {
            self.fields
                .push((field.name(), Owned::Str(format!("{value:?}"))));
        }
    }
}
