//! The `hermes` command, run as a program over homes of its own.

mod archives;
mod cases;
mod check;
mod commands;
mod demo;
mod doctor;
mod fixture;
mod git;
mod hooks;
mod install;
mod list;
mod logs;
mod output;
mod replay;
mod switch;
#[cfg(unix)]
mod terminal;
