//! The `hermes` command, run as a program over homes of its own.

mod check;
mod demo;
mod doctor;
mod fixture;
mod hooks;
mod install;
mod list;
mod logs;
mod output;
mod replay;
mod switch;
