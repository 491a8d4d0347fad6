//! What only an agent has, in memory: for tests, and for first steps.

mod clock;
mod door;
mod mailbox;
mod model;
mod person;
mod secrets;
mod tools;

pub use self::clock::ManualClock;
pub use self::door::GuestList;
pub use self::mailbox::Mailbox;
pub use self::model::{Conversations, Script};
pub use self::person::{Allowed, Nobody, Person};
pub use self::secrets::Secrets;
pub use self::tools::Toolbox;
