//! A plugin in C is a plugin like any other: built by the system's compilers, loaded and called.

// Modes of files, and the names of compilers.
#![cfg(unix)]

mod answers;
mod hello;
mod installed;
mod keeping;
mod lines;
mod live;
mod offering;
mod registering;
