//! What `inspect` says of libraries: really compiled ones, patched ones, ones of other systems,
//! and ones that no linker would write.

mod fixture;

#[cfg(target_os = "linux")]
mod compiled;

mod macho;

mod pe;

#[cfg(target_os = "linux")]
mod accepted_here;

mod accepted_foreign;

mod refused_files;

#[cfg(target_os = "linux")]
mod refused_elf;

#[cfg(target_os = "linux")]
mod refused_roots;

mod refused_metadata;

mod refused_foreign;

#[cfg(target_os = "linux")]
mod hostile;
