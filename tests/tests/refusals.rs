//! Everything that can lie where a plugin's library should: refused before its code runs, with a reason
//! and a cure, and without any effect on the others.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use hermes_loader::{Host, discover::Surroundings};
use hermes_tests::{
    Fixture, Placed, TestHome,
    fixture::run,
    home::{library_name, loaded, refusal, report},
    records::Records,
    standalone::Build,
};
use serde_json::json;

#[track_caller]
fn check_host_lives(host: &Host) {
    loaded(host, "witness");
    let outcome = host.fire_json(
        "pre_tool_call",
        &json!({"tool_name": "t", "args": {"witness": "lives"}}),
    );
    assert_eq!(outcome.expect("an object").decision.by(), Some("witness"));
}

/// The plugin is refused with this code, in one line that says this.
#[track_caller]
fn check(host: &Host, plugin: &str, code: &str, text: &str) {
    let refusal = refusal(host, plugin);
    let said = refusal.to_string();
    assert_eq!(refusal.code(), code, "{said}");
    assert!(said.contains(text), "{said}");
    assert!(
        !said.contains('\n') && !refusal.cure().is_empty() && !refusal.cure().contains('\n'),
        "{said}"
    );
    assert!(
        host.report()
            .to_string()
            .contains(&format!("plugin `{plugin}`: {said}"))
    );
    check_host_lives(host);
}

#[track_caller]
fn check_plugin(plugin: Placed, name: &str, code: &str, text: &str) {
    let home = TestHome::with([plugin, Placed::new(&Fixture::built("witness"))]);
    check(&home.load(), name, code, text);
}

#[track_caller]
fn check_bytes(bytes: impl Into<Vec<u8>>, code: &str, text: &str) {
    check_plugin(Placed::bytes("odd", bytes), "odd", code, text);
}

#[test]
fn files_that_are_no_library() {
    let good = Fixture::built("old-minor");
    let half = good.bytes().len() / 2;
    check_bytes("", "empty_file", "the file is empty");
    check_bytes("#!/bin/sh\necho hi\n", "text_file", "not a native library");
    check_bytes(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "text_file",
        "not a native library",
    );
    check_bytes(&good.bytes()[..half], "truncated", "truncated");
    check_bytes(&good.bytes()[..40], "truncated", "truncated");
    check_bytes(
        Fixture::of_c("not-a-plugin").bytes(),
        "no_entry_point",
        "does not export `hermes_plugin_v1`",
    );
}

#[test]
fn headers_that_are_no_plugin_s() {
    let good = Fixture::built("old-minor");
    let header = |offset, bytes: &[u8]| Placed::new(&good.with_header(offset, bytes));
    check_plugin(
        header(0, b"HERMES-PLUGOUT"),
        "old-minor",
        "wrong_magic",
        "does not begin with the plugin magic",
    );
    check_plugin(
        header(20, &7_u32.to_ne_bytes()),
        "old-minor",
        "abi_major",
        "built for plugin ABI 7, this host speaks 1.",
    );
    check_plugin(
        header(20, &0_u32.to_ne_bytes()),
        "old-minor",
        "abi_major",
        "built for plugin ABI 0, this host speaks 1.",
    );
    check_plugin(
        header(32, &16_u32.to_ne_bytes()),
        "old-minor",
        "pointer_width",
        "16-bit pointers",
    );
    check_plugin(
        header(36, &32_u32.to_ne_bytes()),
        "old-minor",
        "value_size",
        "values of 32 bytes",
    );
    check_plugin(
        header(40, &9999_u32.to_ne_bytes()),
        "old-minor",
        "root_size",
        "root of 9999 bytes",
    );
    check_plugin(
        header(48, &(1_u64 << 63).to_ne_bytes()),
        "old-minor",
        "unknown_flags",
        "0x8000000000000000",
    );
    // The header and the document must tell the same story.
    check_plugin(
        header(24, &1_u32.to_ne_bytes()),
        "old-minor",
        "metadata_disagrees",
        "1.0",
    );
    let aborts = good.with_metadata(|document| document["panic"] = "abort".into());
    check_plugin(
        Placed::new(&aborts),
        "old-minor",
        "panic_abort",
        "a panic in it would end this process",
    );
}

#[test]
fn a_plugin_that_aborts_on_panic() {
    let build = Build {
        label: "panic_abort",
        toolchain: None,
        args: &["--config", "profile.dev.panic='abort'"],
    };
    let aborts = build.fixture("panic-in-handler");
    check_plugin(
        Placed::new(&aborts),
        "panic-in-handler",
        "panic_abort",
        "built with panic = \"abort\"",
    );
    // One that denies it is found out by what it imports.
    let liar = aborts.with_metadata(|document| document["panic"] = "none".into());
    check_plugin(
        Placed::new(&liar),
        "panic-in-handler",
        "no_unwinder",
        "_Unwind_RaiseException",
    );
}

#[test]
fn a_library_that_needs_what_nobody_has() {
    let fixture = Fixture::of_c("undefined-symbol");
    check_plugin(
        Placed::new(&fixture),
        "undefined-symbol",
        "open",
        "a_function_that_no_library_has",
    );
}

#[test]
fn a_manifest_and_a_library_that_disagree_on_the_name() {
    let plugin = Placed::new(&Fixture::built("old-minor")).manifest("name", "tool-guard");
    check_plugin(
        plugin,
        "tool-guard",
        "name_mismatch",
        "the manifest calls it `tool-guard`, the library calls itself `old-minor`",
    );
}

/// A home with a plugin whose library is to be replaced by something odd.
fn with_odd() -> (TestHome, std::path::PathBuf) {
    let odd = Placed::bytes("odd", "").manifest("library", library_name("odd"));
    let home = TestHome::with([odd, Placed::new(&Fixture::built("witness"))]);
    let library = home.plugins().join("odd").join(library_name("odd"));
    fs::remove_file(&library).expect("the placeholder is removed");
    (home, library)
}

#[test]
fn things_that_are_no_files() {
    // Neither a hang at the FIFO nor an error of the dynamic linker at the directory.
    let (home, library) = with_odd();
    run(Command::new("mkfifo").arg(&library));
    check(
        &home.load(),
        "odd",
        "not_a_file",
        "a named pipe (FIFO), expected a regular file",
    );

    let (home, library) = with_odd();
    fs::create_dir(library).expect("the directory is made");
    check(
        &home.load(),
        "odd",
        "not_a_file",
        "a directory, expected a regular file",
    );

    let (home, _) = with_odd();
    check(&home.load(), "odd", "no_library", "looked for `libodd.so`");

    let (home, library) = with_odd();
    symlink("/dev/zero", library).expect("the link is made");
    check(&home.load(), "odd", "escapes_directory", "outside");
}

#[test]
fn a_link_that_leads_out_of_the_directory() {
    let (home, library) = with_odd();
    let elsewhere = home.path().join("elsewhere.so");
    fs::write(&elsewhere, Fixture::built("old-minor").bytes()).expect("the library is written");
    symlink(&elsewhere, library).expect("the link is made");
    check(&home.load(), "odd", "escapes_directory", "outside");
}

#[test]
fn what_others_could_change() {
    let witness = || Placed::new(&Fixture::built("witness"));
    let plugin = || Placed::new(&Fixture::built("old-minor"));
    let chmod = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode is set");
    };
    let home = TestHome::with([plugin(), witness()]);
    let dir = home.plugins().join("old-minor");
    chmod(&dir, 0o777);
    let host = home.load();
    check(
        &host,
        "old-minor",
        "world_writable",
        "writable by every user (mode 0777)",
    );
    assert_eq!(
        refusal(&host, "old-minor").cure(),
        format!(
            "chmod o-w {}",
            dir.canonicalize().expect("it is there").display()
        )
    );
    chmod(&dir, 0o755);
    chmod(&dir.join("libold-minor.so"), 0o666);
    check(&home.load(), "old-minor", "world_writable", "(mode 0666)");
    chmod(&dir.join("libold-minor.so"), 0o644);
    loaded(&home.load(), "old-minor");
}

#[test]
fn a_bad_manifest() {
    let home = TestHome::with([
        Placed::new(&Fixture::built("old-minor")),
        Placed::new(&Fixture::built("witness")),
    ]);
    let manifest = home.plugins().join("old-minor/plugin.yaml");
    for text in [
        "name: [unclosed",
        "- a\n- list\n",
        "name: old-minor\nrole: gaurd\n",
        "name: old-minor\nlibrary: ../../x.so\n",
    ] {
        fs::write(&manifest, text).expect("the manifest is written");
        let host = home.load();
        check_host_lives(&host);
        assert_eq!(
            host.count("transform_llm_output"),
            0,
            "{text:?}: it did not load"
        );
        assert!(
            !host.report().is_healthy() && !host.report().problems.is_empty(),
            "{text:?}: {:#?}",
            host.report()
        );
    }
}

#[test]
fn a_hook_that_is_declared_and_not_registered() {
    let plugin = Placed::new(&Fixture::built("declares-more"));
    check_plugin(
        plugin,
        "declares-more",
        "not_registered",
        "declares hooks that it does not register: post_tool_call",
    );
}

#[test]
fn register_fails_after_it_registered_everything() {
    // Case 55, and more: the handler, the tool and the timer of a plugin that failed are gone with it.
    let records = Records::capture();
    let home = TestHome::new();
    let trace = home.path().join("trace");
    let plugin =
        Placed::new(&Fixture::built("errs-after-registering")).config(json!({"trace": trace}));
    let home = home.plugin(plugin).plugin(&Fixture::built("witness"));
    let host = home.load();
    check(
        &host,
        "errs-after-registering",
        "register",
        "its `register` failed: the licence key is missing",
    );
    assert!(report(&host, "errs-after-registering").hooks.is_empty());
    assert_eq!(host.count("pre_tool_call"), 1);
    assert_eq!(host.tools(), []);
    assert!(host.run_tool("unborn", &json!({})).is_err());
    let said = records.of("errs-after-registering");
    assert!(
        said.iter().any(|record| record
            .fields
            .get("code")
            .is_some_and(|code| code == "register")),
        "{said:#?}"
    );

    // The timer runs every 2 ms. It does not any more once the plugin was refused: the witness's own calls
    // give it plenty of time.
    let ticks = || {
        fs::read_to_string(&trace)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let before = ticks();
    let end = std::time::Instant::now() + std::time::Duration::from_millis(100);
    while std::time::Instant::now() < end {
        check_host_lives(&host);
    }
    assert_eq!(ticks(), before, "the timer of a refused plugin runs on");
}

#[test]
fn configuration_that_a_plugin_does_not_take() {
    let plugin = Placed::new(&Fixture::built("errs-after-registering")).config(json!({"trace": 5}));
    let text = "`plugins.entries.errs-after-registering.config` is not what this plugin takes";
    check_plugin(plugin, "errs-after-registering", "register", text);
}

#[test]
fn a_crowd_of_bad_plugins_beside_a_good_one() {
    let good = Fixture::built("old-minor");
    let text = |n: usize| Placed::bytes(&format!("bad-{n:02}"), "not a library");
    let crowd = (0..20).map(|n| match n % 5 {
        0 => text(n),
        1 => Placed::bytes(&format!("bad-{n:02}"), ""),
        2 => Placed::new(&Fixture::built("panic-in-register"))
            .manifest("name", format!("bad-{n:02}"))
            .directory(&format!("bad-{n:02}")),
        3 => Placed::new(&good.named(&format!("bad-{n:02}")).with_header(0, b"XXXX")),
        _ => Placed::new(&Fixture::built("panic-in-create").named(&format!("bad-{n:02}"))),
    });
    let home = TestHome::with(crowd.chain([Placed::new(&Fixture::built("witness"))]));
    let host = home.load();
    check_host_lives(&host);
    let refused = host
        .report()
        .plugins
        .iter()
        .filter(|plugin| plugin.state.word() == "refused")
        .count();
    assert_eq!(refused, 20);
    let lines = host.report().to_string();
    assert!(lines.starts_with("1 native plugins loaded"), "{lines}");
    assert_eq!(
        lines.matches("\nplugin `bad-").count(),
        20,
        "one line for each: {lines}"
    );
    assert_eq!(lines.matches("\nhint: ").count(), 20);
}

#[test]
fn two_plugins_of_one_name() {
    // Case 49: the project's plugin takes the user's place.
    let project = tempfile::tempdir().expect("a temporary directory");
    let scripted = Fixture::built("scripted").named("twin");
    let says = |text: &str| json!({"on": {"pre_tool_call": [{"return": {"action": "block", "message": text}}]}});
    let home = TestHome::new()
        .plugin(Placed::new(&scripted).config(says("twin")))
        .plugin(&Fixture::built("witness"));
    home.place(
        &project.path().join(".hermes/plugins"),
        &Placed::new(&scripted),
    );
    for (enabled, source) in [(false, "user"), (true, "project")] {
        let surroundings = Surroundings {
            bundled: None,
            project_enabled: enabled,
            cwd: Some(project.path().to_owned()),
        };
        let host = Host::builder(home.home())
            .surroundings(surroundings)
            .safe_mode(false)
            .load();
        loaded(&host, "twin");
        assert_eq!(
            report(&host, "twin").source.map(|source| source.as_str()),
            Some(source)
        );
        assert_eq!(host.report().shadowed.len(), usize::from(enabled));
        assert_eq!(host.count("pre_tool_call"), 2, "one twin and the witness");
        assert_eq!(
            &*host.report().plugins[0].name,
            "twin",
            "in the user's place"
        );
    }
    // In one source the later directory wins, and the other is reported.
    let home = TestHome::new()
        .plugin(
            Placed::new(&scripted)
                .directory("a-copy")
                .config(says("twin")),
        )
        .plugin(
            Placed::new(&scripted)
                .directory("b-copy")
                .config(says("twin")),
        );
    let host = home.load();
    loaded(&host, "twin");
    assert!(
        host.report()
            .shadowed
            .iter()
            .any(|shadowed| shadowed.dir.ends_with("a-copy")),
        "{:#?}",
        host.report().shadowed
    );
    assert_eq!(host.count("pre_tool_call"), 1);
}

#[test]
fn a_plugin_without_the_standard_library() {
    let fixture = Fixture::of_rustc("without-std", &["-Cpanic=abort", "-Copt-level=1"]);
    let home = TestHome::with([
        Placed::new(&fixture),
        Placed::new(&Fixture::built("witness")),
    ]);
    let host = home.load();
    loaded(&host, "without-std");
    let outcome = host
        .fire_json("pre_tool_call", &json!({"tool_name": "t", "args": {}}))
        .expect("an object");
    assert_eq!(
        serde_json::to_value(outcome).expect("JSON")["message"],
        "without std"
    );
    assert!(host.shutdown());
}

#[test]
fn a_hook_that_no_host_fires() {
    // Case 14: stored, reported with the one that was probably meant, and reachable by its name.
    let records = Records::capture();
    let home = TestHome::with([Placed::new(&Fixture::built("unknown-hooks"))]);
    let host = home.load();
    loaded(&host, "unknown-hooks");
    let hooks =
        serde_json::to_value(&report(&host, "unknown-hooks").hooks).expect("hooks are JSON");
    let told: Vec<_> = hooks
        .as_array()
        .expect("a list")
        .iter()
        .map(|hook| {
            (
                hook["name"].as_str().unwrap_or_default(),
                hook["liveness"].as_str().unwrap_or_default(),
                hook["suggestion"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("foo", "unknown", None),
            ("pre_tool_cal", "unknown", Some("pre_tool_call")),
            ("on_session_start", "live", None)
        ]
    );
    let said: Vec<String> = records
        .of("unknown-hooks")
        .into_iter()
        .map(|record| record.message)
        .collect();
    assert!(
        said.iter()
            .any(|text| text.contains("`foo`, which this host never fires")),
        "{said:#?}"
    );
    assert!(
        said.iter()
            .any(|text| text.contains("did you mean `pre_tool_call`?")),
        "{said:#?}"
    );
    assert!(host.has("foo"));
    let outcome = host
        .fire_json("foo", &json!({"a": [1, null]}))
        .expect("an object");
    let replies = serde_json::to_value(outcome.replies).expect("JSON");
    assert_eq!(replies[0]["answer"], json!({"saw": {"a": [1, null]}}));
    assert!(
        host.fire_json("foo", &json!(5)).is_err(),
        "an event is an object"
    );
}
