//! What several recipes need: a bounded memory of sessions, a file of JSON lines, and texts out of events.
//!
//! The recipes themselves are in `recipes/`, one file and one compiled library each.

mod journal;
mod sessions;
mod text;

pub use journal::Journal;
pub use sessions::Sessions;
pub use text::{cut, message_text, session_of};
