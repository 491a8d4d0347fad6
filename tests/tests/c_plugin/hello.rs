//! `examples/hello-c`, in every way it may be built.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use hermes_loader::inspect::PanicStrategy;
use hermes_loader::{Decision, ToolError};
use serde_json::{Value, json};

use super::installed::{CC, CXX, Installed, assert_loaded, blocked, build, decision, repository};
use super::lines::Lines;

fn hello_source() -> PathBuf {
    repository().join("examples/hello-c/hello.c")
}

/// The example in every way it may be built: it blocks, passes, answers and ends.
#[track_caller]
fn check_hello(compiler: (&str, &str), flags: &[&str], language: &str) {
    let installed = Installed::new("hello-c", |library| {
        build(compiler, &hello_source(), flags, library)
    });
    let host = installed.load(&json!({}));
    assert_loaded(&host);

    let report = host.report();
    let plugin = report.get("hello-c").expect("it is in the report");
    let metadata = plugin
        .metadata
        .as_ref()
        .expect("a loaded plugin has metadata");
    assert_eq!(
        (&*metadata.language, metadata.panic),
        (language, PanicStrategy::None)
    );
    assert_eq!(metadata.version, "0.1.0");
    assert!(plugin.guard, "its metadata says that it is a guard");

    assert_eq!(
        blocked(&host, "terminal", "sudo rm -rf / --no-preserve-root"),
        "refusing to delete the root file system"
    );
    assert_eq!(decision(&host, "terminal", "ls"), Decision::Proceed);
    assert_eq!(
        decision(&host, "write_file", "rm -rf /"),
        Decision::Proceed,
        "it only judges the terminal"
    );
    assert_eq!(
        host.run_tool("say_hello", &json!({"name": "Ada"})),
        Ok(r#"{"hello":"Ada"}"#.to_owned())
    );
    assert_eq!(host.faults(), []);
    assert!(host.shutdown(), "nothing of it is left");
}

const HIDDEN: &str = "-fvisibility=hidden";

#[test]
fn the_example_works_as_the_readme_builds_it() {
    check_hello(CC, &["-std=c11", "-O2", HIDDEN], "c");
}

#[test]
fn the_example_works_unoptimised_and_visible() {
    check_hello(CC, &["-std=c11", "-O0", "-g"], "c");
}

#[test]
fn the_example_survives_the_removal_of_unused_sections() {
    let flags = [
        "-std=c11",
        "-O2",
        "-ffunction-sections",
        "-fdata-sections",
        "-Wl,--gc-sections",
        HIDDEN,
        "-s",
    ];
    check_hello(CC, &flags, "c");
}

#[test]
fn the_example_survives_link_time_optimisation() {
    check_hello(
        CC,
        &[
            "-std=c11",
            "-O2",
            "-flto",
            "-Wl,--gc-sections",
            HIDDEN,
            "-s",
        ],
        "c",
    );
}

#[test]
fn the_example_works_as_cpp() {
    let flags = [
        "-std=c++17",
        "-x",
        "c++",
        "-fno-exceptions",
        "-fno-rtti",
        "-O2",
        HIDDEN,
    ];
    check_hello(CXX, &flags, "c++");
}

#[test]
fn the_example_works_as_cpp_without_unused_sections() {
    let flags = [
        "-std=c++17",
        "-x",
        "c++",
        "-fno-exceptions",
        "-fdata-sections",
        "-Wl,--gc-sections",
        HIDDEN,
        "-s",
    ];
    check_hello(CXX, &flags, "c++");
}

#[test]
fn the_makefile_of_the_example_builds_and_installs() {
    let home = tempfile::tempdir().expect("there is room for a home");
    let copy = tempfile::tempdir().expect("there is room for a copy");
    let example = hello_source()
        .parent()
        .expect("a file has a directory")
        .to_owned();
    for file in ["hello.c", "Makefile", "plugin.yaml"] {
        fs::copy(example.join(file), copy.path().join(file)).expect("the example can be copied");
    }
    let include = repository()
        .join("plugin-api/include")
        .canonicalize()
        .expect("the header is there");
    let mut make = Command::new("make");
    make.arg("-C")
        .arg(copy.path())
        .arg("install")
        .arg(format!("INCLUDE={}", include.display()));
    let output = make
        .env("HERMES_HOME", home.path())
        .output()
        .expect("make is needed for C plugins");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let dir = home.path().join("plugins/hello-c");
    for path in [dir.parent().expect("a directory has a parent"), &dir] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
            .expect("permissions can be set");
    }
    let library = dir.join(format!("libhello_c{}", std::env::consts::DLL_SUFFIX));
    fs::set_permissions(&library, fs::Permissions::from_mode(0o644))
        .expect("permissions can be set");
    let (manifest, checked) =
        hermes_loader::check_directory(&dir).expect("what make installs passes every check");
    assert_eq!(manifest.provides_tools, ["say_hello"]);
    assert_eq!(checked.inspection.metadata.hooks, manifest.provides_hooks);
}

fn hello() -> Installed {
    Installed::new("hello-c", |library| {
        build(CC, &hello_source(), &["-std=c11", "-O1", HIDDEN], library)
    })
}

#[track_caller]
fn check_refusal(config: &Value, expected: &str) {
    let host = hello().load(config);
    assert_loaded(&host);
    assert_eq!(blocked(&host, "terminal", "rm -rf /"), expected);
}

#[test]
fn the_example_reads_its_configuration() {
    check_refusal(&json!({"refusal": "not here"}), "not here");
    check_refusal(
        &json!({"refusal": "say \"no\", {twice}\n\u{e9}"}),
        "say \"no\", {twice}\n\u{e9}",
    );
    check_refusal(
        &json!({"before": [{"refusal": "}"}, "\\\""], "refusal": "found", "after": {}}),
        "found",
    );
    check_refusal(
        &json!({"inner": {"refusal": "of another"}}),
        "refusing to delete the root file system",
    );
    check_refusal(
        &json!({"refusa": "short"}),
        "refusing to delete the root file system",
    );
    check_refusal(
        &json!({"refusal_": "long"}),
        "refusing to delete the root file system",
    );
}

#[test]
fn an_example_whose_configuration_is_too_long_is_refused_with_its_words() {
    let host = hello().load(&json!({"refusal": "x".repeat(2000)}));
    let report = host.report().to_string();
    assert!(
        report.contains("its `register` failed: the configuration is longer than 1023 bytes"),
        "{report}"
    );
    assert!(report.contains("hello.c:"), "{report}");
}

#[test]
fn two_instances_keep_their_own_state() {
    let (one, other) = (hello(), hello());
    let (one, other) = (
        one.load(&json!({"refusal": "one"})),
        other.load(&json!({"refusal": "other"})),
    );
    assert_eq!(blocked(&one, "terminal", "rm -rf /"), "one");
    assert_eq!(blocked(&other, "terminal", "rm -rf /"), "other");
    drop(one);
    assert_eq!(blocked(&other, "terminal", "rm -rf /"), "other");
}

#[test]
fn a_tool_in_c_says_why_it_failed() {
    let host = hello().load(&json!({}));
    match host.run_tool("say_hello", &json!({"name": 7})) {
        Err(ToolError::Failed { plugin, text, .. }) => {
            assert_eq!((&*plugin, &*text), ("hello-c", "say_hello needs a `name`"))
        }
        other => panic!("expected a failure, found {other:?}"),
    }
    let faults = host.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].place.contains("hello.c:"), "{}", faults[0]);
}

#[test]
fn the_example_logs_into_the_hosts_subscriber() {
    let host = hello().load(&json!({}));
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        let payload = json!({"session_id": "s-1"});
        let outcome = host
            .fire_json("on_session_start", &payload)
            .expect("the payload is an object");
        assert_eq!(outcome.decision, Decision::Proceed);
    });
    let lines = lines.take();
    assert!(lines.contains("plugin=hello-c"), "{lines}");
    assert!(
        lines.contains("message=hello") && lines.contains(r#"fields={"session":"s-1"}"#),
        "{lines}"
    );
    assert!(lines.contains("from=greet"), "{lines}");
}
