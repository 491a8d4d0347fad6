//! `include/hermes_plugin.h`: the boundary and the catalogue in C.
//!
//! The prose, the accessors and the macro stand in `hermes_plugin.h.in`. What could drift is put in
//! here: structs and signatures come from the Rust declarations, offsets from the compiler.

use hermes_plugin_api::abi::{ABI_MAJOR, ABI_MINOR, MAGIC, SYMBOL};
use hermes_plugin_api::catalogue::{self, CATALOGUE_REVISION, Hook};
use hermes_plugin_api::metadata;

use super::c_names;
use super::notes::note;
use super::source::{self, Declared, Field, Number, Source, split};
use super::structs::{self, Struct};

const TEMPLATE: &str = include_str!("hermes_plugin.h.in");

/// The whole header.
pub(crate) fn text() -> String {
    let source = source::read();
    let parts = [
        ("@versions@", versions()),
        (
            "@numbers@",
            source
                .numbers
                .iter()
                .map(|set| numbers(&source, set))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
        ("@forward@", forward()),
        ("@structs@", structures(&source)),
        ("@layout@", layout()),
        (
            "@catalogue@",
            catalogue::all().map(hook).collect::<Vec<_>>().join("\n"),
        ),
        ("@magic@", magic()),
        ("@symbol@", SYMBOL.to_owned()),
    ];
    let mut text = TEMPLATE.to_owned();
    for (place, part) in parts {
        assert!(text.contains(place), "the template has no {place}");
        text = text.replace(place, part.trim_end());
    }
    assert!(
        !text.lines().any(|line| line.starts_with('@')),
        "a place in the template was not filled"
    );
    assert!(
        text.is_ascii(),
        "some compilers take the header for another encoding"
    );
    text
}

fn versions() -> String {
    let define = |name: &str, value: String| format!("#define HERMES_{name} {value}\n");
    [
        define("ABI_MAJOR", format!("{ABI_MAJOR}u")),
        define("ABI_MINOR", format!("{ABI_MINOR}u")),
        define("ABI_TEXT", format!("\"{ABI_MAJOR}.{ABI_MINOR}\"")),
        define("CATALOGUE_REVISION", format!("{CATALOGUE_REVISION}u")),
        define("CATALOGUE_TEXT", format!("\"{CATALOGUE_REVISION}\"")),
        define("METADATA_FORMAT_TEXT", format!("\"{}\"", metadata::FORMAT)),
        define("SDK_TEXT", format!("\"{}\"", env!("CARGO_PKG_VERSION"))),
    ]
    .concat()
}

fn magic() -> String {
    let bytes = MAGIC.iter().map(|byte| match byte {
        b' '..=b'~' => format!("'{}'", char::from(*byte)),
        other => other.to_string(),
    });
    bytes.collect::<Vec<_>>().join(", ")
}

/// A set: its type, then its values.
fn numbers(source: &Source, set: &Number) -> String {
    let bits = &set.of[1..];
    let mut text = comment(source, "", &set.docs, None);
    text.push_str(&format!(
        "typedef uint{bits}_t {};\n",
        c_names::type_name(&set.name)
    ));
    for constant in &set.constants {
        let name = c_names::constant(&set.name, &constant.name);
        let value = match bits {
            "64" => format!("UINT64_C({})", shown(constant.value)),
            _ => format!("{}u", shown(constant.value)),
        };
        text.push_str(&format!(
            "#define {name} {value} /* {} */\n",
            words(source, &constant.docs)
        ));
    }
    text
}

fn shown(value: u64) -> String {
    if value > 0xFFFF {
        format!("{value:#X}").replace("0X", "0x")
    } else {
        value.to_string()
    }
}

fn forward() -> String {
    let forward = |found: &Struct| {
        let name = c_names::type_name(found.name);
        format!("typedef struct {name} {name};\n")
    };
    structs::all().iter().map(forward).collect()
}

fn structures(source: &Source) -> String {
    let declared = |found: &Struct| {
        let declared = source.structure(found.name);
        structure(
            source,
            declared.unwrap_or_else(|| panic!("{} is not in the source", found.name)),
        )
    };
    structs::all()
        .iter()
        .map(declared)
        .collect::<Vec<_>>()
        .join("\n")
}

fn structure(source: &Source, declared: &Declared) -> String {
    let mut text = comment(source, "", &declared.docs, None);
    text.push_str(&format!(
        "struct {} {{\n",
        c_names::type_name(&declared.name)
    ));
    for member in &declared.members {
        let note = member
            .ty
            .contains("fn(")
            .then(|| note(&declared.name, &member.name));
        text.push_str(&comment(source, "    ", &member.docs, note));
        text.push_str(&format!("    {};\n", declaration(&declared.name, member)));
    }
    text.push_str("};\n");
    text
}

fn declaration(of: &str, member: &Field) -> String {
    let name = c_names::member(&member.name);
    if let Some(function) = member
        .ty
        .strip_prefix("Option<")
        .and_then(|ty| ty.strip_suffix('>'))
    {
        return function_pointer(&name, function.trim().trim_end_matches(','));
    }
    if let Some((ty, length)) = member
        .ty
        .strip_prefix('[')
        .and_then(|ty| ty.strip_suffix(']')?.split_once("; "))
    {
        return format!("{}{name}[{length}]", of_type(ty));
    }
    // Text is bytes in Rust; in C a literal is `const char *`.
    if of == "Str" && member.ty == "*const u8" {
        return format!("const char *{name}");
    }
    format!("{}{name}", of_type(&member.ty))
}

fn function_pointer(name: &str, function: &str) -> String {
    let function = function
        .strip_prefix("unsafe extern \"C\" fn(")
        .expect("a function of the boundary is extern \"C\"");
    let (parameters, result) = match split(&format!("({function}"), '-').as_slice() {
        [parameters] => (parameters.clone(), "void ".to_owned()),
        [parameters, result] => (
            parameters.clone(),
            of_type(result.trim_start_matches('>').trim()),
        ),
        other => panic!("`{other:?}` is no function"),
    };
    let parameters = parameters
        .trim()
        .trim_start_matches('(')
        .trim_end_matches(')');
    let parameters: Vec<String> = split(parameters, ',')
        .iter()
        .map(|parameter| parameter.trim())
        .filter(|parameter| !parameter.is_empty())
        .map(|parameter| {
            let (name, ty) = parameter.split_once(": ").expect("a parameter has a name");
            format!("{}{}", of_type(ty), c_names::member(name))
        })
        .collect();
    format!("{result}(*{name})({})", parameters.join(", "))
}

/// A Rust type in C, with what stands between it and a name.
fn of_type(rust: &str) -> String {
    if let Some(target) = rust.strip_prefix("*const ") {
        return format!("const {}*", of_type(target));
    }
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{}*", of_type(target));
    }
    let name = match rust {
        "u8" | "u16" | "u32" | "u64" => format!("uint{}_t", &rust[1..]),
        "usize" => "size_t".to_owned(),
        "f64" => "double".to_owned(),
        "c_void" => "void".to_owned(),
        other => {
            assert!(
                other.chars().all(|c| c.is_ascii_alphanumeric()),
                "`{other}` is no type of the boundary"
            );
            c_names::type_name(other)
        }
    };
    format!("{name} ")
}

/// Docs as a C comment, wrapped, with the note about threads at its end.
fn comment(source: &Source, indent: &str, docs: &[String], note: Option<&str>) -> String {
    let mut text = words(source, docs);
    if let Some(note) = note {
        text.push_str(&format!(" [{note}]"));
    }
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if line.len() + word.len() > 96 - indent.len() {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    format!("{indent}/* {} */\n", lines.join(&format!("\n{indent} * ")))
}

/// Docs as one line of C's words: links become names, Rust's names become C's.
fn words(source: &Source, docs: &[String]) -> String {
    let text = docs
        .join(" ")
        .replace("[`", "`")
        .replace("`]", "`")
        .replace('…', "...");
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        // Every second part stood between back quotes.
        if index % 2 == 1 {
            out.push_str(&c_word(source, part))
        } else {
            out.push_str(part)
        }
    }
    assert!(
        !out.contains("*/") && !out.contains("::"),
        "`{out}` is no C comment"
    );
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn c_word(source: &Source, code: &str) -> String {
    if let Some(of) = code
        .strip_prefix("size_of::<")
        .and_then(|rest| rest.strip_suffix(">()"))
    {
        return format!("sizeof({})", c_names::type_name(of));
    }
    if let Some((set, name)) = code
        .split_once("::")
        .filter(|(set, _)| source.number(set).is_some())
    {
        return c_names::constant(set, name);
    }
    if source.structure(code).is_some() || source.number(code).is_some() {
        return c_names::type_name(code);
    }
    match code {
        "MAGIC" | "ABI_MAJOR" | "ABI_MINOR" => format!("HERMES_{code}"),
        "SYMBOL" => SYMBOL.to_owned(),
        "i64::MAX" => "INT64_MAX".to_owned(),
        "u64::MAX" => "UINT64_MAX".to_owned(),
        other => other.to_owned(),
    }
}

fn layout() -> String {
    let mut text = String::new();
    for Struct {
        name,
        size,
        align,
        members,
    } in structs::all()
    {
        let c = c_names::type_name(name);
        text.push_str(&format!(
            "HERMES_ASSERT_(sizeof({c}) == {size}, \"size of {c}\");\n"
        ));
        text.push_str(&format!(
            "HERMES_ASSERT_(HERMES_ALIGNOF_({c}) == {align}, \"alignment of {c}\");\n"
        ));
        for member in members {
            let (member, offset, size) = (c_names::member(member.name), member.offset, member.size);
            text.push_str(&format!(
                "HERMES_ASSERT_(offsetof({c}, {member}) == {offset}, \"offset of {c}.{member}\");\n"
            ));
            text.push_str(&format!("HERMES_ASSERT_(sizeof((({c} *)0)->{member}) == {size}, \"size of {c}.{member}\");\n"));
        }
    }
    text
}

fn hook(hook: &Hook) -> String {
    let name = c_names::hook(hook);
    let mut text = format!("#define {name} \"{}\"\n", hook.name);
    text.push_str(&format!("#define {name}_HOOK {}u\n", hook.number));
    text.push_str(&format!(
        "#define {name}_FIELD_COUNT {}u\n",
        hook.fields.len()
    ));
    for field in hook.fields {
        let ty = field.ty.name();
        text.push_str(&format!(
            "#define {} {}u /* {ty} */\n",
            c_names::field(hook, field),
            field.number
        ));
    }
    for field in hook.answers {
        let ty = field.ty.name();
        text.push_str(&format!(
            "#define {} {}u /* {ty} */\n",
            c_names::answer(hook, field),
            field.number
        ));
    }
    text
}

#[track_caller]
fn check(ty: &str, expected: &str) {
    let member = Field {
        name: "name".to_owned(),
        docs: Vec::new(),
        ty: ty.to_owned(),
    };
    assert_eq!(declaration("Any", &member), expected);
}

#[test]
fn types_are_translated() {
    check("u32", "uint32_t name");
    check("usize", "size_t name");
    check("[u8; 16]", "uint8_t name[16]");
    check("*mut c_void", "void *name");
    check("*const Call", "const hermes_call *name");
    check(
        "Option<unsafe extern \"C\" fn(state: *mut c_void)>",
        "void (*name)(void *state)",
    );
    check(
        "Option< unsafe extern \"C\" fn(args: *const CreateArgs, state: *mut *mut c_void) -> Status, >",
        "hermes_status (*name)(const hermes_create_args *args, void **state)",
    );
    check(
        "Option<unsafe extern \"C\" fn(a: Str, b: u64,) -> *const c_void>",
        "const void *(*name)(hermes_str a, uint64_t b)",
    );
}
