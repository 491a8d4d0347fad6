//! Metadata that will not do, in the same words on every form of library.

use hermes_loader::inspect::{Architecture, InspectError, inspect};

use crate::fixture::{METADATA, refused_by};
use crate::macho;

/// A library with this metadata, and why it is refused.
#[track_caller]
fn check(metadata: &str, code: &str, words: &str) -> InspectError {
    let library = macho::Library {
        metadata: metadata.to_owned(),
        ..macho::Library::default()
    };
    refused_by(
        &macho::host(Architecture::Aarch64),
        &library.build(),
        code,
        words,
    )
}

#[track_caller]
fn accepted(metadata: &str) {
    let library = macho::Library {
        metadata: metadata.to_owned(),
        ..macho::Library::default()
    };
    inspect(&library.build(), &macho::host(Architecture::Aarch64)).expect("good metadata");
}

/// The metadata with one part replaced.
#[track_caller]
fn with(old: &str, new: &str) -> String {
    assert!(METADATA.contains(old));
    METADATA.replacen(old, new, 1)
}

#[test]
fn missing_or_unreadable() {
    check("", "metadata_missing", "section `__DATA,__hermes_plugin`");
    check("\0\0  \0", "metadata_missing", "no plugin metadata");
    check("name = sample", "metadata_not_json", "not JSON");
    check(&METADATA[..40], "metadata_not_json", "EOF");
    check("[1]", "metadata_not_json", "expected an object");
    check(
        &format!("{METADATA} x"),
        "metadata_not_json",
        "something follows",
    );
    check(&"[".repeat(1000), "metadata_not_json", "recursion limit");
    check(
        &with("sample", "\u{1}"),
        "metadata_not_json",
        "control character",
    );
}

#[test]
fn padding_is_no_fault() {
    accepted(&format!("{METADATA}\0\0\0\0"));
    accepted(&format!("{METADATA}   \n\0 "));
    accepted(&format!("\0\0{METADATA}"));
}

#[test]
fn two_documents() {
    check(
        &format!("{METADATA}{METADATA}"),
        "metadata_twice",
        "two plugins in one library",
    );
    check(
        &format!("{METADATA}\0\0\0{METADATA}"),
        "metadata_twice",
        "more than once",
    );
    check(&format!("{METADATA}{{"), "metadata_twice", "more than once");
}

#[test]
fn too_much_of_it() {
    let long = format!("{{{}\"x\":1}}", " ".repeat(70_000));
    check(&long, "metadata_too_large", "at most 65536 are read");
    accepted(&format!("{METADATA}{}", "\0".repeat(100_000)));
    check(
        &with("sample", &"n".repeat(129)),
        "metadata_field",
        "`name` is longer than 128 bytes",
    );
    check(
        &with("0.3.1", &"1".repeat(1025)),
        "metadata_field",
        "`version` is longer",
    );
}

#[test]
fn another_format() {
    check(
        &with("\"format\":1", "\"format\":2"),
        "metadata_format",
        "format 2, this host reads 1",
    );
    check(
        &with("\"format\":1", "\"format\":\"1\""),
        "metadata_field",
        "`format`",
    );
    check("{}", "metadata_field", "`format` is missing");
}

#[test]
fn members() {
    check(
        &with("\"name\":\"sample\",", ""),
        "metadata_field",
        "`name` is missing",
    );
    check(
        &with("\"name\":\"sample\"", "\"name\":7"),
        "metadata_field",
        "`name` is not a text",
    );
    for path in ["a/b", "a\\\\b", "..", "."] {
        check(
            &with("sample", path),
            "metadata_field",
            "`name` must not be a path",
        );
    }
    check(&with("sample", ""), "metadata_field", "`name` is empty");
    check(
        &with("sample", "a\\u001b[31m"),
        "metadata_field",
        "`name` holds a control character",
    );
    check(
        &with("cc 12", "cc\\n12"),
        "metadata_field",
        "`compiler` holds a control character",
    );
    check(
        &with("\"abi\":\"1.1\"", "\"abi\":\"1\""),
        "metadata_field",
        "`abi` is not of the form",
    );
    check(
        &with("\"catalogue\":2", "\"catalogue\":-2"),
        "metadata_field",
        "`catalogue`",
    );
    check(
        &with("\"catalogue\":2", "\"catalogue\":4294967296"),
        "metadata_field",
        "32 bits",
    );
    check(
        &with("\"catalogue\":2,", ""),
        "metadata_field",
        "`catalogue` is missing",
    );
    check(
        &with("\"panic\":\"none\"", "\"panic\":\"later\""),
        "metadata_field",
        "`panic` is none of",
    );
    check(
        &with("[\"pre_tool_call\"]", "\"pre_tool_call\""),
        "metadata_field",
        "`hooks`",
    );
    check(
        &with("[\"pre_tool_call\"]", "[1]"),
        "metadata_field",
        "`hooks` is not a text",
    );
    check(
        &with("\"requires\":{", "\"requires\":[],\"x\":{"),
        "metadata_field",
        "`requires`",
    );
    check(
        &with("\"abi_minor\":1", "\"abi_minor\":true"),
        "metadata_field",
        "`abi_minor`",
    );
}

#[test]
fn what_may_be_left_out() {
    accepted(concat!(
        r#"{"format":1,"name":"a","version":"1","abi":"1.1","catalogue":2,"#,
        r#""language":"c","panic":"none"}"#,
    ));
    accepted(&with("\"role\":\"guard\"", "\"role\":null"));
    accepted(&with("\"role\":\"guard\"", "\"role\":\"juggler\""));
}

#[test]
fn disagreement_with_the_header() {
    check(
        &with("\"abi\":\"1.1\"", "\"abi\":\"1.2\""),
        "metadata_disagrees",
        "plugin ABI 1.2, the header says 1.1",
    );
    check(
        &with("\"catalogue\":2", "\"catalogue\":3"),
        "metadata_disagrees",
        "catalogue 3, the header says 2",
    );
}

#[test]
fn a_required_minor() {
    let error = check(
        &with("\"abi_minor\":1", "\"abi_minor\":4"),
        "requires_abi",
        "requires plugin ABI 1.4, this host speaks 1.1",
    );
    assert_eq!(
        error.cure(),
        "update the host to one that speaks plugin ABI 1.4"
    );
}
