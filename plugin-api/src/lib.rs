//! The contract between a hermes host and its native plugins.
