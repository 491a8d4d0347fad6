//! What the loader makes of a plugin.yaml.

use std::path::{Path, PathBuf};

use hermes_loader::config::Severity;
use hermes_loader::manifest::{Isolation, Kind, Manifest, ManifestError, OnFailure, Role};

fn parse(text: &str) -> Result<Manifest, ManifestError> {
    Manifest::parse(text, Path::new("p/plugin.yaml"), "dir-name")
}

#[track_caller]
fn read(text: &str) -> Manifest {
    match parse(text) {
        Ok(manifest) => manifest,
        Err(error) => panic!("{text:?}: {error}"),
    }
}

#[track_caller]
fn refused(text: &str, code: &str, message: &str) {
    let error = match parse(text) {
        Ok(manifest) => panic!("{text:?} was read as {manifest:?}"),
        Err(error) => error,
    };
    assert_eq!(error.code(), code, "{text:?}: {error}");
    let shown = error.to_string();
    assert!(shown.contains(message), "{text:?}: {shown}");
    assert!(shown.starts_with("p/plugin.yaml"), "{shown}");
    assert!(!shown.ends_with('.') && !error.cure().is_empty());
}

#[test]
fn case_53_an_empty_manifest_is_named_after_its_directory() {
    for text in ["", "---\n", "# nothing\n", "{}\n"] {
        assert_eq!(read(text), Manifest::named("dir-name"), "{text:?}");
    }
}

#[test]
fn case_54_kinds() {
    for (text, kind) in [
        ("kind: standalone\n", Kind::Standalone),
        ("kind: ' Backend '\n", Kind::Backend),
        ("kind: EXCLUSIVE\n", Kind::Exclusive),
        ("kind: platform\n", Kind::Platform),
        ("kind: model-provider\n", Kind::ModelProvider),
        ("kind: 5\n", Kind::Standalone),
        ("kind: [backend]\n", Kind::Standalone),
        ("kind: null\n", Kind::Standalone),
    ] {
        let manifest = read(text);
        assert_eq!(manifest.kind, kind, "{text:?}");
        assert_eq!(manifest.problems, [], "{text:?}");
    }
    let manifest = read("name: x\nkind: Weird\n");
    assert_eq!(manifest.kind, Kind::Standalone);
    let [problem] = manifest.problems.as_slice() else {
        panic!("{:?}", manifest.problems);
    };
    assert_eq!(
        (problem.severity, problem.code),
        (Severity::Warning, "unknown_kind")
    );
    assert_eq!(problem.place.position.map(|at| at.line), Some(2));
    assert!(problem.message.contains("\"Weird\""));
}

#[test]
fn every_field() {
    let manifest = read(
        "name: tool-guard\nkind: backend\nversion: 1.10\ndescription: Guards # tools\nauthor: A. B.\nlabel: Tool Guard\n\
         requires_env:\n- A_KEY\n- {name: B_KEY, description: d, url: 'https://x', secret: true, more: 1}\n- 5\n- {}\n\
         provides_hooks: [pre_tool_call, 7]\nprovides_tools: [t]\nhooks: [on_session_end]\nmanifest_version: 1\n\
         library: target/libx.so\nrole: guard\non_failure: closed\nisolation: process\nplatforms: [linux]\nunknown: {a: 1}\n",
    );
    assert_eq!(manifest.name, "tool-guard");
    assert_eq!(manifest.kind, Kind::Backend);
    assert_eq!(manifest.version, "1.10");
    assert_eq!(manifest.description, "Guards");
    assert_eq!(manifest.author, "A. B.");
    assert_eq!(manifest.label.as_deref(), Some("Tool Guard"));
    let [first, second] = manifest.requires_env.as_slice() else {
        panic!("{:?}", manifest.requires_env);
    };
    assert_eq!((first.name.as_str(), first.secret), ("A_KEY", false));
    assert_eq!((second.name.as_str(), second.secret), ("B_KEY", true));
    assert_eq!(
        (second.description.as_str(), second.url.as_str()),
        ("d", "https://x")
    );
    assert_eq!(manifest.provides_hooks, ["pre_tool_call"]);
    assert_eq!(manifest.provides_tools, ["t"]);
    assert_eq!(manifest.hooks, ["on_session_end"]);
    assert_eq!(manifest.library, Some(PathBuf::from("target/libx.so")));
    assert_eq!(manifest.role, Some(Role::Guard));
    assert_eq!(manifest.on_failure, Some(OnFailure::Closed));
    assert_eq!(manifest.isolation, Some(Isolation::Process));
    assert_eq!(manifest.problems, []);
}

#[test]
fn versions_are_shown_as_written() {
    for (text, shown) in [
        ("version: 1.0\n", "1.0"),
        ("version: 2\n", "2"),
        ("version: '0.3.1'\n", "0.3.1"),
        ("version: 2024-01-01\n", "2024-01-01"),
        ("version: yes\n", "yes"),
        ("version:\n", ""),
        ("version: [1]\n", ""),
    ] {
        assert_eq!(read(text).version, shown, "{text:?}");
    }
}

#[test]
fn names() {
    assert_eq!(read("name: 'My Plugin'\n").name, "My Plugin");
    for text in [
        "name: 123\n",
        "name: null\n",
        "name:\n",
        "name: [a]\n",
        "name: yes\n",
    ] {
        refused(text, "manifest_name", "`name`: expected text, found");
    }
    for text in ["name: ''\n", "name: '  '\n"] {
        refused(text, "manifest_name", "not blank");
    }
    for text in [
        "name: ../x\n",
        "name: a/b\n",
        "name: '..'\n",
        "name: 'a\\b'\n",
        "name: \"a\\nb\"\n",
    ] {
        refused(text, "manifest_name", "without `/`");
    }
}

#[test]
fn case_52_what_is_no_mapping() {
    refused("- a\n- b\n", "manifest_not_a_mapping", "found a list");
    refused(
        "text\n",
        "manifest_not_a_mapping",
        "found the text \"text\"",
    );
    refused("7\n", "manifest_not_a_mapping", "found the number 7");
    refused("name: [\n", "manifest_syntax", "p/plugin.yaml:");
    refused("name: a\n\tkind: b\n", "manifest_syntax", "not valid YAML");
    refused(
        "name: !!python/name:os.system ''\n",
        "manifest_syntax",
        "tag",
    );
}

#[test]
fn libraries_stay_inside() {
    for path in ["libx.so", "./libx.so", "a/b/libx.so", "x..so", "lib x.so"] {
        let manifest = read(&format!("library: '{path}'\n"));
        assert_eq!(manifest.library, Some(PathBuf::from(path)));
    }
    for path in [
        "/usr/lib/x.so",
        "../x.so",
        "a/../../x.so",
        "a/..",
        "..\\x.dll",
        "\\\\srv\\x.dll",
        "C:\\x.dll",
        "C:x.dll",
        "",
        ".",
        "./",
    ] {
        refused(
            &format!("library: '{path}'\n"),
            "manifest_library",
            "inside the plugin's directory",
        );
    }
    refused("library: 5\n", "manifest_library", "found the number 5");
    refused("library: [a.so]\n", "manifest_library", "found a list");
    refused("library: \"a\\0b\"\n", "manifest_library", "found");
    assert_eq!(read("library:\n").library, None);
}

#[test]
fn misspelt_safety_words_are_refused() {
    refused(
        "role: gaurd\n",
        "manifest_word",
        "`role`: expected one of guard, transform, observer, found \"gaurd\"",
    );
    refused("role: 1\n", "manifest_word", "found the number 1");
    refused("on_failure: close\n", "manifest_word", "open, closed");
    refused("on_failure: off\n", "manifest_word", "found `false`");
    refused("isolation: thread\n", "manifest_word", "process");
    assert_eq!(read("role: ' Observer '\n").role, Some(Role::Observer));
    assert_eq!(
        read("isolation: in-process\n").isolation,
        Some(Isolation::InProcess)
    );
    assert_eq!(read("role:\non_failure: ~\n").role, None);
}

#[test]
fn manifest_versions_matter_to_the_installer_only() {
    for (text, fine) in [
        ("", true),
        ("manifest_version: 1\n", true),
        ("manifest_version: 0\n", true),
        ("manifest_version: 2\n", false),
        ("manifest_version: '1'\n", false),
        ("manifest_version: 1.5\n", false),
    ] {
        let checked = read(text).check_install(Path::new("plugin.yaml"));
        assert_eq!(checked.is_ok(), fine, "{text:?}");
    }
}

#[test]
fn keys_given_twice_warn() {
    let manifest = read("name: a\nname: b\n");
    assert_eq!(manifest.name, "b");
    assert_eq!(manifest.problems.len(), 1);
    assert_eq!(manifest.problems[0].code, "duplicate_key");
}

#[test]
fn what_is_written_reads_back() {
    let mut manifest = Manifest::named("tool-guard");
    assert_eq!(manifest.to_yaml(), "name: tool-guard\n");
    manifest.version = "1.0".to_owned();
    manifest.description = "says \"no\": always # really\nüber".to_owned();
    manifest.library = Some(PathBuf::from("libtool_guard.so"));
    manifest.role = Some(Role::Guard);
    assert_eq!(
        manifest.to_yaml(),
        "name: tool-guard\nversion: \"1.0\"\ndescription: \"says \\\"no\\\": always # really\\nüber\"\n\
         library: libtool_guard.so\nrole: guard\n"
    );
    manifest.kind = Kind::Backend;
    manifest.author = "yes".to_owned();
    manifest.label = Some("- a".to_owned());
    manifest.on_failure = Some(OnFailure::Closed);
    manifest.isolation = Some(Isolation::InProcess);
    manifest.provides_hooks = vec!["pre_tool_call".to_owned(), "a, b".to_owned()];
    manifest.provides_tools = vec!["t".to_owned()];
    assert_eq!(read(&manifest.to_yaml()), manifest);
    for name in ["yes", "1.0", "été", "a b", "- x", "#x"] {
        let named = Manifest::named(name);
        assert_eq!(read(&named.to_yaml()), named);
    }
}
