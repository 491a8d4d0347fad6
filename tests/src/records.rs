//! Captures what is logged, so that tests can look at it.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// How loud.
    pub level: Level,
    /// Where it comes from.
    pub target: String,
    /// The text.
    pub message: String,
    /// The other fields, as text.
    pub fields: BTreeMap<String, String>,
}

static RECORDS: Mutex<Vec<Record>> = Mutex::new(Vec::new());
static TURN: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything that is logged in this process from now on, whichever thread says it.
///
/// One test captures at a time; records of tests that do not capture may be among them.
#[derive(Debug)]
pub struct Records {
    _turn: MutexGuard<'static, ()>,
}

impl Records {
    /// Begins to capture.
    #[must_use]
    pub fn capture() -> Self {
        static INSTALLED: Once = Once::new();
        let turn = lock(&TURN);
        INSTALLED.call_once(|| {
            tracing::subscriber::set_global_default(Capture)
                .expect("nobody else in this program subscribes");
        });
        lock(&RECORDS).clear();
        Self { _turn: turn }
    }

    /// Everything so far.
    #[must_use]
    pub fn all(&self) -> Vec<Record> {
        lock(&RECORDS).clone()
    }

    /// Everything so far that names this plugin.
    #[must_use]
    pub fn of(&self, plugin: &str) -> Vec<Record> {
        self.with("plugin", plugin)
    }

    /// Everything so far that has this value in this field.
    #[must_use]
    pub fn with(&self, field: &str, value: &str) -> Vec<Record> {
        let has = |record: &&Record| record.fields.get(field).is_some_and(|own| own == value);
        lock(&RECORDS).iter().filter(has).cloned().collect()
    }
}

struct Capture;

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let metadata = event.metadata();
        let record = Record {
            level: *metadata.level(),
            target: metadata.target().to_owned(),
            message: text.message,
            fields: text.fields,
        };
        lock(&RECORDS).push(record);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Text {
    message: String,
    fields: BTreeMap<String, String>,
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.fields.insert(field.name().to_owned(), text);
        }
    }
}
