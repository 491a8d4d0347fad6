//! `doctor`, also as `plugins doctor`.

use crate::fixture::Home;

#[test]
fn a_healthy_home_is_said_to_be() {
    for args in [&["doctor"][..], &["plugins", "doctor"]] {
        assert!(
            Home::new()
                .check(args, 0, &["0 native plugins loaded"], &[])
                .out
                .ends_with("all healthy\n")
        );
        assert!(
            Home::with_hello()
                .check(args, 0, &["1 native plugin loaded", "hello-plugin"], &[])
                .out
                .ends_with("all healthy\n")
        );
    }
}

#[test]
fn everything_that_is_wrong_is_said_with_a_cure() {
    let home = Home::with_hello();
    home.plugin("bad", "role: guard\n");
    home.plugin("broken", "name: [\n");
    home.write("plugins/two/plugin.yaml", "name: bad\nrole: guard\n");
    home.write(
        "config.yaml",
        "plugins:\n  enabled: [hello-plugin, bad, gone]\n  enabeld: []\n",
    );
    let ran = home.check(
        &["doctor"],
        1,
        &[
            "[no_library]",
            "what it guards is not guarded",
            "`gone` is in `plugins.enabled`, and no plugin has that name",
            "[manifest_syntax]",
            "[shadowed]",
            "config.yaml:3:3",
            "enabeld",
            "hint:",
        ],
        &[],
    );
    assert!(
        ran.out
            .lines()
            .last()
            .is_some_and(|line| line.ends_with("found")),
        "{}",
        ran.out
    );
    let value = home.check(&["doctor", "--json"], 1, &["{"], &[]).json();
    assert_eq!(value["healthy"], false);
    assert_eq!(value["loaded"][0], "hello-plugin");
    let weights: Vec<&str> = value["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|finding| finding["severity"].as_str())
        .collect();
    assert_eq!(
        weights.iter().filter(|weight| **weight == "error").count(),
        value["errors"].as_u64().map_or(0, |n| n as usize)
    );
    assert!(
        weights.is_sorted_by_key(|weight| ["error", "warning", "note"]
            .iter()
            .position(|known| known == weight)),
        "{weights:?}"
    );
}

#[test]
fn a_handler_that_is_never_called_is_a_warning() {
    let home = Home::with_scripted("{pre_tool_cal: [{return: 1}]}");
    home.check(
        &["doctor"],
        1,
        &[
            "[unknown_hook]",
            "handler for `pre_tool_cal` is not called",
            "did you mean `pre_tool_call`?",
            "0 errors, 1 warning found",
        ],
        &[],
    );
}

#[test]
fn a_guard_that_decides_nothing_is_a_warning() {
    let home = Home::with_scripted("{post_tool_call: [{record: x}]}");
    let config = home
        .read("config.yaml")
        .replace("      config:", "      role: guard\n      config:");
    home.write("config.yaml", &config);
    home.check(&["doctor"], 1, &["[idle_guard]", "it guards nothing"], &[]);
}

#[test]
fn unreadable_configuration_is_a_problem() {
    let home = Home::with_hello();
    home.write("config.yaml", "plugins: [\n");
    home.check(
        &["doctor"],
        1,
        &[
            "[config_unreadable]",
            "no plugin is enabled",
            "config.yaml:",
        ],
        &[],
    );
}

#[test]
fn safe_mode_is_said() {
    let home = Home::with_hello();
    let output = home
        .command(&["doctor"])
        .env("HERMES_SAFE_MODE", "1")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("[safe_mode]"));
}

#[test]
fn case_19_events_of_others_are_told_apart() {
    let home = Home::with_scripted(
        "{'session:start': [{record: x}], on_stream_delta: [{record: x}], on_cron_start: [{record: x}]}",
    );
    let findings = home.run(&["doctor", "--json"], "").json()["findings"].clone();
    let of = |code: &str| {
        let findings = findings.as_array().expect("a list");
        let found = findings.iter().find(|finding| finding["code"] == code);
        let found = found.unwrap_or_else(|| panic!("no {code} in {findings:#?}"));
        (
            found["severity"].as_str().expect("text").to_owned(),
            found["cure"].as_str().expect("text").to_owned(),
        )
    };
    let (severity, cure) = of("gateway_event");
    assert_eq!(severity, "warning");
    assert!(
        cure.contains("HOOK.yaml") && cure.contains("on_session_start"),
        "{cure}"
    );
    let (severity, cure) = of("dormant_hook");
    assert_eq!(severity, "note", "no warning at every start");
    assert_eq!(cure, "needs a host with `on_stream_delta`");
    assert_eq!(of("unknown_hook").0, "note");
}

#[test]
fn malformed_settings_are_found() {
    let home = Home::with_hello();
    let config = "plugins:\n  enabled: [hello-plugin]\n";
    for (line, key) in [
        ("compat: 0.12\n", "`compat`: expected one of 0.13, current"),
        ("", "`plugins.required`: expected a list of names"),
    ] {
        let more = if line.is_empty() {
            "  required: hello-plugin\n"
        } else {
            ""
        };
        home.write("config.yaml", &format!("{line}{config}{more}"));
        home.check(
            &["doctor"],
            1,
            &["error:", "[config_value]", key, "hint:"],
            &[],
        );
        home.check(
            &["plugins", "check", "hello-plugin"],
            0,
            &["would load here"],
            &[key],
        );
        let ran = home.run(&["plugins", "check", "--json"], "");
        assert_eq!(ran.code, Some(1), "{}", ran.out);
        let value = ran.json();
        assert_eq!(value[1]["argument"], "config.yaml");
        assert_eq!(value[1]["ok"], false);
        assert_eq!(value[1]["problems"][0]["code"], "config_value");
    }
}

#[test]
fn a_required_plugin_that_does_not_load_is_an_error() {
    let home = Home::with_hello();
    home.write(
        "config.yaml",
        "plugins:\n  required: [hello-plugin, gone]\n",
    );
    home.check(
        &["doctor"],
        1,
        &[
            "[required_missing]",
            "required plugin `gone` is not active (it is not installed)",
            "[required_off]",
            "required plugin `hello-plugin` is not active (not enabled in config",
            "hint: run `hermes plugins enable hello-plugin`",
            "2 errors",
        ],
        &[],
    );
    home.write(
        "config.yaml",
        "plugins:\n  required: [hello-plugin]\n  enabled: [hello-plugin]\n",
    );
    home.check(&["doctor"], 0, &["all healthy"], &[]);
    home.check(
        &["plugins", "disable", "hello-plugin"],
        0,
        &["disabled"],
        &["is required", "hint:"],
    );
}
