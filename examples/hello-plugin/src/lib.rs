//! The smallest plugin that does something.
