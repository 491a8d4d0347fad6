//! The header goes through real compilers, as C and as C++.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::header;

/// What every compiler is asked for.
pub(crate) const STRICT: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-Wshadow",
    "-Wconversion",
];

/// A language of the header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Language {
    C11,
    Cpp17,
}

/// Compiles a text with the header at hand, and gives what was made.
#[track_caller]
pub(crate) fn compile(name: &str, language: Language, text: &str, flags: &[&str]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).expect("the directory can be made");
    let (variable, program, standard, file) = match language {
        Language::C11 => ("CC", "cc", "-std=c11", "text.c"),
        Language::Cpp17 => ("CXX", "g++", "-std=c++17", "text.cpp"),
    };
    let source = dir.join(file);
    std::fs::write(&source, text).expect("the text can be written");
    // Not the committed one: that it is this one is a test of its own.
    std::fs::write(dir.join("hermes_plugin.h"), header::text()).expect("the header can be written");
    let made = dir.join("made");
    let program = std::env::var(variable).unwrap_or_else(|_| program.to_owned());
    let mut command = Command::new(&program);
    command.arg(standard).args(STRICT).args(flags);
    command.arg(&source).arg("-o").arg(&made);
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{program} is needed to check the header: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{name} as {language:?}:\n{said}"
    );
    made
}

#[track_caller]
fn check(name: &str, text: &str) {
    for (language, suffix) in [(Language::C11, "c"), (Language::Cpp17, "cpp")] {
        for optimise in ["-O0", "-O2"] {
            compile(
                &format!("{name}-{suffix}{optimise}"),
                language,
                text,
                &["-c", "-fPIC", optimise],
            );
        }
    }
}

#[test]
fn the_header_compiles_alone() {
    check(
        "alone",
        "#include \"hermes_plugin.h\"\ntypedef int some_declaration;\n",
    );
}

#[test]
fn the_header_may_be_included_twice() {
    check(
        "twice",
        "#include \"hermes_plugin.h\"\n#include \"hermes_plugin.h\"\ntypedef int some_declaration;\n",
    );
}

#[test]
fn the_macro_makes_a_plugin() {
    check("macro", include_str!("least.c"));
}

#[test]
fn every_accessor_compiles() {
    check("accessors", include_str!("accessors.c"));
}
