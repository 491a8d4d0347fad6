//! What a C compiler makes of the header's structs and numbers, member by member, against Rust's.

use std::process::Command;

use hermes_plugin_api::catalogue;

use super::compilers::{Language, compile};
use super::structs::{self, Struct};
use super::{c_names, source};

/// A program that prints what the C compiler knows, and what it must print.
fn program() -> (String, String) {
    let mut text =
        "#include <stdio.h>\n#include \"hermes_plugin.h\"\nint main(void) {\n".to_owned();
    let mut wanted = String::new();
    let mut number = |label: &str, expression: &str, value: u64| {
        text.push_str(&format!(
            "    printf(\"{label} %llu\\n\", (unsigned long long)({expression}));\n"
        ));
        wanted.push_str(&format!("{label} {value}\n"));
    };
    for Struct {
        name,
        size,
        align,
        members,
    } in structs::all()
    {
        let c = c_names::type_name(name);
        number(&c, &format!("sizeof({c})"), size as u64);
        number(
            &format!("{c} align"),
            &format!("HERMES_ALIGNOF_({c})"),
            align as u64,
        );
        for member in members {
            let field = c_names::member(member.name);
            number(
                &format!("{c}.{field}"),
                &format!("offsetof({c}, {field})"),
                member.offset as u64,
            );
            number(
                &format!("{c}.{field} size"),
                &format!("sizeof((({c} *)0)->{field})"),
                member.size as u64,
            );
        }
    }
    for set in source::read().numbers {
        for constant in &set.constants {
            let name = c_names::constant(&set.name, &constant.name);
            number(&name, &name, constant.value);
        }
    }
    for hook in catalogue::all() {
        let name = c_names::hook(hook);
        number(
            &name,
            &format!("sizeof({name}) - 1"),
            hook.name.len() as u64,
        );
        number(
            &format!("{name}_HOOK"),
            &format!("{name}_HOOK"),
            hook.number.into(),
        );
        number(
            &format!("{name}_FIELD_COUNT"),
            &format!("{name}_FIELD_COUNT"),
            hook.fields.len() as u64,
        );
        for field in hook.fields {
            let name = c_names::field(hook, field);
            number(&name, &name, field.number.into());
        }
        for field in hook.answers {
            let name = c_names::answer(hook, field);
            number(&name, &name, field.number.into());
        }
    }
    text.push_str("    return 0;\n}\n");
    (text, wanted)
}

#[track_caller]
fn check(name: &str, language: Language) {
    let (text, wanted) = program();
    let made = compile(name, language, &text, &[]);
    let output = Command::new(made).output().expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("the program prints text");
    let difference = printed
        .lines()
        .zip(wanted.lines())
        .find(|(printed, wanted)| printed != wanted);
    assert_eq!(difference, None, "what C says, what Rust says");
    assert_eq!(printed.lines().count(), wanted.lines().count());
}

#[test]
fn c_lays_out_every_member_as_rust_does() {
    check("layout-c", Language::C11);
}

#[test]
fn cpp_lays_out_every_member_as_rust_does() {
    check("layout-cpp", Language::Cpp17);
}
