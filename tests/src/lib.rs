//! Whole-system tests over really compiled libraries.
