//! Nothing that crosses the boundary ever moves: sizes, offsets and numbers against golden files.
//!
//! `tests/layout/<major>.<minor>.txt` says how the boundary of that minor is laid out, with 64-bit
//! pointers. A minor that was released never changes its file, so every line of every file must hold
//! for ever; the file of the current minor is the whole truth.

#![cfg(target_pointer_width = "64")]

mod source;
#[macro_use]
mod structs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_plugin_api::abi::{ABI_MAJOR, ABI_MINOR};

use structs::Struct;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/layout")
}

/// The facts of a boundary: what is said of what.
type Facts = BTreeMap<String, String>;

/// One line per fact, in the order of the declarations.
fn rendered() -> String {
    let mut text =
        format!("# The boundary of ABI {ABI_MAJOR}.{ABI_MINOR}, with 64-bit pointers.\n");
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    let source = source::read();
    for Struct {
        name,
        size,
        align,
        members,
    } in structs::all()
    {
        line(format!("{name}: size {size} align {align}"));
        for member in members {
            let (member, offset, size) = (member.name, member.offset, member.size);
            let declared = source.structure(name).and_then(|declared| {
                declared
                    .members
                    .iter()
                    .find(|declared| declared.name == member)
            });
            let shape = declared
                .map(|declared| shape(&declared.ty))
                .unwrap_or_default();
            line(format!(
                "{name}.{member}: offset {offset} size {size}, {shape}"
            ));
        }
    }
    for number in source.numbers {
        line(format!("{}: a number in {}", number.name, number.of));
        for constant in number.constants {
            line(format!(
                "{}::{}: {}",
                number.name, constant.name, constant.value
            ));
        }
    }
    text
}

/// A member's type; of a function, the types it takes and gives, whatever its parameters are called.
fn shape(ty: &str) -> String {
    let Some((before, rest)) = ty.split_once("fn(") else {
        return ty.to_owned();
    };
    let pieces = source::split(&format!("({rest}"), '-');
    let parameters = pieces[0]
        .trim()
        .trim_start_matches('(')
        .trim_end_matches('>');
    let parameters = parameters
        .trim()
        .trim_end_matches(',')
        .trim()
        .trim_end_matches(')');
    let types: Vec<String> = source::split(parameters, ',')
        .iter()
        .filter_map(|parameter| Some(parameter.trim().split_once(": ")?.1.to_owned()))
        .collect();
    let result = rest.rsplit_once("-> ").map_or("()", |(_, result)| result);
    let result = result.trim_end_matches(['>', ',', ' ']);
    assert_eq!(
        before.split_whitespace().collect::<String>(),
        "Option<unsafeextern\"C\"",
        "{ty}"
    );
    format!("fn({}) -> {result}", types.join(", "))
}

#[track_caller]
fn facts(text: &str) -> Facts {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (what, fact) = line.split_once(": ").expect("a line is `what: fact`");
            (what.to_owned(), fact.to_owned())
        })
        .collect()
}

/// Whether an old fact still holds. Only the size of a struct may have grown.
fn holds(old: &str, new: &str) -> bool {
    let size = |fact: &str| {
        let mut words = fact.split(' ');
        let size: usize = words.nth(1)?.parse().ok()?;
        Some((size, words.collect::<Vec<_>>().join(" ")))
    };
    if old == new {
        return true;
    }
    match (old.starts_with("size "), size(old), size(new)) {
        (true, Some((old_size, old_align)), Some((new_size, new_align))) => {
            new_size >= old_size && old_align == new_align
        }
        _ => false,
    }
}

/// What of `old` does not hold in `new`.
fn broken(old: &Facts, new: &Facts) -> Vec<String> {
    let broken = old
        .iter()
        .filter(|(what, fact)| !new.get(*what).is_some_and(|new| holds(fact, new)));
    broken
        .map(|(what, fact)| {
            let now = new.get(what).map_or("nothing of that name", String::as_str);
            format!("{what}: was {fact}, is {now}")
        })
        .collect()
}

#[test]
fn every_released_layout_still_holds() {
    let now = facts(&rendered());
    let mut files = 0;
    for entry in std::fs::read_dir(directory()).expect("the golden files are there") {
        let path = entry.expect("the directory can be read").path();
        if path.extension().is_none_or(|ext| ext != "txt") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).expect("a golden file can be read");
        let broken = broken(&facts(&text), &now);
        assert!(
            broken.is_empty(),
            "{} no longer holds; plugins built for it would break:\n{}",
            path.display(),
            broken.join("\n")
        );
    }
    assert!(
        files > ABI_MINOR as usize,
        "a golden file for each of the {} minors",
        ABI_MINOR + 1
    );
}

#[test]
fn the_current_layout_is_the_golden_one() {
    let path = directory().join(format!("{ABI_MAJOR}.{ABI_MINOR}.txt"));
    let renew = std::env::var_os("UPDATE_GENERATED").is_some();
    if renew && !path.exists() {
        std::fs::write(&path, rendered()).expect("the golden file can be written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        facts(&golden) == facts(&rendered()),
        "{} is not how the boundary is laid out.\n\
         Something was appended: raise ABI_MINOR, then run\n    \
         UPDATE_GENERATED=1 cargo test -p hermes-plugin-api --test layout\n\
         Until a minor is released its file may be deleted and written anew the same way.\n\
         now:\n{}",
        path.display(),
        rendered(),
    );
}

#[track_caller]
fn check_holds(old: &str, new: &str, expected: bool) {
    assert_eq!(
        broken(&facts(old), &facts(new)).is_empty(),
        expected,
        "{old} -> {new}"
    );
}

#[test]
fn only_growth_at_the_end_holds() {
    check_holds("Root: size 120 align 8", "Root: size 120 align 8", true);
    check_holds("Root: size 120 align 8", "Root: size 128 align 8", true);
    check_holds("Root: size 120 align 8", "Root: size 112 align 8", false);
    check_holds("Root: size 120 align 8", "Root: size 120 align 16", false);
    check_holds(
        "Root.create: offset 56 size 8",
        "Root.create: offset 64 size 8",
        false,
    );
    check_holds(
        "Root.create: offset 56 size 8",
        "Root.create: offset 56 size 16",
        false,
    );
    check_holds(
        "Root.create: offset 56 size 8",
        "Root.make: offset 56 size 8",
        false,
    );
    check_holds(
        "Sink.write: offset 16 size 8, fn(u32) -> ()",
        "Sink.write: offset 16 size 8, fn(u64) -> ()",
        false,
    );
    check_holds("Tag::STR: 6", "Tag::STR: 7", false);
    check_holds("Tag::STR: 6", "", false);
    check_holds("", "Tag::STR: 6", true);
}

#[track_caller]
fn check_shape(ty: &str, expected: &str) {
    assert_eq!(shape(ty), expected);
}

#[test]
fn the_shape_of_a_function_is_what_it_takes_and_gives() {
    check_shape("*const Value", "*const Value");
    check_shape(
        "Option<unsafe extern \"C\" fn(state: *mut c_void)>",
        "fn(*mut c_void) -> ()",
    );
    check_shape(
        "Option<unsafe extern \"C\" fn(a: u64, b: *const Str) -> u32>",
        "fn(u64, *const Str) -> u32",
    );
    check_shape(
        "Option< unsafe extern \"C\" fn( a: u64, b: Str, ) -> *const c_void, >",
        "fn(u64, Str) -> *const c_void",
    );
    check_shape(
        "Option< unsafe extern \"C\" fn( a: u64, b: Str, ), >",
        "fn(u64, Str) -> ()",
    );
}

#[test]
fn what_never_grows_has_not_grown() {
    // They lie inside others by value, or in arrays without a stride.
    for (name, size) in [("Str", 16), ("Value", 24), ("Header", 56), ("Handler", 32)] {
        let found = structs::all()
            .into_iter()
            .find(|found| found.name == name)
            .map(|found| found.size);
        assert_eq!(found, Some(size), "{name}");
    }
}

#[test]
fn no_struct_has_padding() {
    for found in structs::all() {
        let mut end = 0;
        for member in &found.members {
            assert_eq!(
                member.offset, end,
                "there is a gap before {}.{}",
                found.name, member.name
            );
            end = member.offset + member.size;
        }
        assert_eq!(
            end, found.size,
            "there is a gap at the end of {}",
            found.name
        );
    }
}

#[test]
fn structs_that_may_grow_begin_with_their_size() {
    for found in structs::all() {
        if matches!(found.name, "Str" | "Value" | "LogField" | "Header" | "Root") {
            continue;
        }
        let first = &found.members[0];
        assert_eq!(
            (first.name, first.offset, first.size),
            ("size", 0, 4),
            "{}",
            found.name
        );
    }
}

#[test]
fn the_list_of_structs_is_what_the_source_declares() {
    let source = source::read();
    let listed = structs::all();
    for declared in &source.structs {
        let found = listed.iter().find(|listed| listed.name == declared.name);
        let found =
            found.unwrap_or_else(|| panic!("add {} to tests/layout/structs.rs", declared.name));
        let wanted: Vec<&str> = declared
            .members
            .iter()
            .map(|member| &*member.name)
            .collect();
        let members: Vec<&str> = found.members.iter().map(|member| member.name).collect();
        assert_eq!(members, wanted, "the members of {}", declared.name);
    }
    for listed in &listed {
        assert!(
            source.structure(listed.name).is_some(),
            "{} is not declared in src/abi",
            listed.name
        );
    }
}

/// What the text is read for is only worth something if it is read right.
#[test]
fn the_source_is_read_right() {
    use hermes_plugin_api::abi::{
        AnswerCode, Level, Lookup, Phase, RootFlags, ServiceCode, Status, Tag, ValueFlags,
    };

    #[track_caller]
    fn check(source: &source::Source, of: &str, name: &str, value: u64) {
        let number = source.number(of).unwrap_or_else(|| panic!("no {of}"));
        let found = number
            .constants
            .iter()
            .find(|constant| constant.name == name);
        assert_eq!(
            found.map(|constant| constant.value),
            Some(value),
            "{of}::{name}"
        );
        assert!(
            found.is_some_and(|constant| !constant.docs.is_empty()),
            "{of}::{name} has no docs"
        );
    }
    let source = source::read();
    check(&source, "Tag", "ABSENT", Tag::ABSENT.0.into());
    check(&source, "Tag", "HANDLE", Tag::HANDLE.0.into());
    check(
        &source,
        "ValueFlags",
        "MUST_UNDERSTAND",
        ValueFlags::MUST_UNDERSTAND.0.into(),
    );
    check(&source, "Status", "PENDING", Status::PENDING.0.into());
    check(
        &source,
        "AnswerCode",
        "UNSUPPORTED",
        AnswerCode::UNSUPPORTED.0.into(),
    );
    check(&source, "AnswerCode", "WHOLE", AnswerCode::WHOLE.into());
    check(
        &source,
        "ServiceCode",
        "FAILED",
        ServiceCode::FAILED.0.into(),
    );
    check(&source, "Level", "TRACE", Level::TRACE.0.into());
    check(&source, "Lookup", "GONE", Lookup::GONE.0.into());
    check(&source, "Phase", "GUARD", Phase::GUARD.0.into());
    check(&source, "RootFlags", "NO_PANIC", RootFlags::NO_PANIC.0);
    check(&source, "RootFlags", "MUST_KNOW", RootFlags::MUST_KNOW);
    for number in &source.numbers {
        assert!(
            !number.constants.is_empty(),
            "{} has no constant",
            number.name
        );
        assert!(!number.docs.is_empty(), "{} has no docs", number.name);
    }
    for declared in &source.structs {
        assert!(!declared.docs.is_empty(), "{} has no docs", declared.name);
        for member in &declared.members {
            assert!(
                !member.docs.is_empty() && !member.ty.is_empty(),
                "{}.{}",
                declared.name,
                member.name
            );
        }
    }
    assert_eq!(
        source::split("a: Option<fn(x: u32) -> u8>, b: u8", ',').len(),
        2
    );
}

#[cfg(feature = "extensions")]
#[test]
fn abi_stable_knows_the_same_members() {
    use abi_stable::{StableAbi, type_layout::TypeLayout};

    macro_rules! layouts {
        ($( $name:ident { $($member:ident),+ $(,)? } )+) => {
            vec![$( (stringify!($name), <hermes_plugin_api::abi::$name as StableAbi>::LAYOUT) ),+]
        };
    }
    let layouts: Vec<(&str, &TypeLayout)> = with_structs!(layouts);
    for ((name, layout), listed) in layouts.into_iter().zip(structs::all()) {
        let fields: Vec<&str> = layout
            .get_fields()
            .into_iter()
            .flatten()
            .map(|field| field.name())
            .collect();
        let members: Vec<&str> = listed.members.iter().map(|member| member.name).collect();
        assert_eq!(fields, members, "the members of {name}");
        assert_eq!(
            (layout.size(), layout.alignment()),
            (listed.size, listed.align),
            "{name}"
        );
    }
}
