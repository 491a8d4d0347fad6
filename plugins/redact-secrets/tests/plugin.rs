//! The plugin as an agent meets it: loaded by its entry point, shown results, outputs and answers.

use std::path::{Path, PathBuf};

use hermes_plugin_api::prelude::*;
use hermes_plugin_api::testing::{Fault, FaultKind, Host, event};
use redact_secrets::PLUGIN;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Every hook event of one recorded session of Hermes Agent 0.19. All its secrets are invented.
const SESSION: &str = "../../examples/hermes-session.jsonl";

/// The env file of conformance case 16.
const CASE_16: &str = "# values invented
TVX_KEY=tvx-7Qm2pLw9Rz4Kd8Hs1Nf6
DB_PASSWORD=correct-horse-battery-9
WEBHOOK_URL=https://hooks.example.org/t/88aa77bb66cc55dd
DEBUG=true
HOST=localhost
PIN=4821
EMPTY=
";

/// An agent's home in a temporary directory.
struct Home(TempDir);

impl Home {
    fn new(env: &str) -> Self {
        let home = Self(tempfile::tempdir().expect("a directory"));
        home.write(env);
        home
    }

    fn env_file(&self) -> PathBuf {
        self.0.path().join(".env")
    }

    fn write(&self, env: &str) {
        std::fs::write(self.env_file(), env).expect("written");
    }

    fn data_dir(&self) -> PathBuf {
        self.0.path().join("plugin-data").join("redact-secrets")
    }

    fn load(&self, config: Value) -> Result<Host, Fault> {
        Host::new("redact-secrets")
            .config(config)
            .data_dir(self.data_dir())
            .load(PLUGIN)
    }

    fn host(&self) -> Host {
        // Without `.env` of the working directory, which is not the test's.
        self.load(json!({"env_files": ["~/.hermes/.env"]}))
            .expect("lawful")
    }
}

/// The text that is left of a secret in each of the three hooks.
#[track_caller]
fn masked(host: &Host, text: &str) -> [Option<String>; 3] {
    let result = host.fire(
        "transform_tool_result",
        event::tool("terminal").result(text),
    );
    let output = host.fire("transform_terminal_output", event::terminal("env", text));
    let answer = host.fire("transform_llm_output", event::answer(text));
    [result, output, answer].map(|outcome| outcome.text().map(str::to_owned))
}

#[track_caller]
fn check(host: &Host, text: &str, expected: Option<&str>) {
    let expected = expected.map(str::to_owned);
    assert_eq!(
        masked(host, text),
        [expected.clone(), expected.clone(), expected]
    );
}

#[test]
fn all_three_transforms_mask() {
    let home = Home::new(CASE_16);
    let host = home.host();
    check(
        &host,
        "key tvx-7Qm2pLw9Rz4Kd8Hs1Nf6!",
        Some("key [redacted:TVX_KEY]!"),
    );
    check(&host, "HOST=localhost DEBUG=true PIN=4821", None);
    check(&host, "", None);
}

#[test]
fn case_16_env_values() {
    let home = Home::new(CASE_16);
    let host = home.host();
    let results = [
        r#"{"output": "TVX_KEY=tvx-7Qm2pLw9Rz4Kd8Hs1Nf6\nHOST=localhost\nDEBUG=true", "exit_code": 0}"#,
        r#"{"content": "1|DB_PASSWORD=correct-horse-battery-9\n2|PIN=4821"}"#,
        r"curl https:\/\/hooks.example.org\/t\/88aa77bb66cc55dd and correct%2Dhorse%2Dbattery%2D9",
    ];
    for (result, json) in results.into_iter().zip([true, true, false]) {
        let outcome = host.fire("transform_tool_result", event::tool("t").result(result));
        let text = outcome.text().expect("masked");
        for secret in ["tvx-7Qm2", "correct-horse", "correct%2Dhorse", "88aa77bb"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert_eq!(serde_json::from_str::<Value>(text).is_ok(), json, "{text}");
        for kept in ["localhost", "true", "4821"] {
            assert_eq!(text.contains(kept), result.contains(kept), "{text}");
        }
    }
}

#[test]
fn the_recorded_session_shows_no_secret_of_its_env_file() {
    let home = Home::new(
        "DATABASE_URL=postgres://svc:s3cr3t-pa55@db.internal/app\nAPI_KEY=sk-demo0000000000000000000000000000abcd\nPORT=8080\n",
    );
    let host = home.host();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join(SESSION);
    let session = std::fs::read_to_string(session).expect("it is part of the repository");
    let mut changed = Vec::new();
    for line in session.lines() {
        let event: Value = serde_json::from_str(line).expect("recorded as JSON");
        let hook = event["hook"].as_str().expect("recorded with its hook");
        let outcome = host.fire(hook, event["kwargs"].clone());
        if hook.starts_with("transform_") {
            changed.extend(
                outcome
                    .text()
                    .map(|text| (hook.to_owned(), text.to_owned())),
            );
        } else {
            assert_eq!(outcome.sound().called(), 0, "{hook}");
        }
    }
    // The terminal masks first; what is left of the key in the tool's result goes by its form.
    let hooks: Vec<_> = changed.iter().map(|(hook, _)| hook.as_str()).collect();
    assert_eq!(
        hooks,
        ["transform_terminal_output", "transform_tool_result"]
    );
    assert_eq!(
        changed[0].1,
        "DATABASE_URL=[redacted:DATABASE_URL]\nAPI_KEY=[redacted:API_KEY]\nPORT=8080\n"
    );
    for (_, text) in &changed {
        assert!(!text.contains("s3cr3t") && !text.contains("abcd"), "{text}");
    }
}

/// A redactor of somebody else's, of the kind that looks at the original or at what there is so far.
fn other(
    from: &'static str,
    to: &'static str,
    chain: bool,
) -> impl FnOnce(&mut Context) -> Result<(), Error> {
    move |ctx| {
        let registration = ctx.on(TransformToolResult, move |event| {
            Replacement::text(event.result().replace(from, to))
        });
        registration.priority(-20.0);
        if chain {
            registration.chain();
        }
        Ok(())
    }
}

#[test]
fn case_15_two_redactors_both_apply() {
    let text = "user ana.lima@example.org pushed with tvx-7Qm2pLw9Rz4Kd8Hs1Nf6 to origin";
    let expected = "user [mail] pushed with [redacted:TVX_KEY] to origin";
    for chain in [false, true] {
        for ours_first in [false, true] {
            let home = Home::new(CASE_16);
            let mail = other("ana.lima@example.org", "[mail]", chain);
            let host = if ours_first {
                home.host().with("mail").register(mail)
            } else {
                let host = Host::new("mail").register(mail).expect("it registers");
                host.with("redact-secrets")
                    .config(json!({"env_files": ["~/.hermes/.env"]}))
                    .data_dir(home.data_dir())
                    .load(PLUGIN)
            };
            let host = host.expect("both load");
            let outcome = host.fire(
                "transform_tool_result",
                event::tool("terminal").result(text),
            );
            assert_eq!(
                outcome.text(),
                Some(expected),
                "chain {chain}, ours first {ours_first}"
            );
            assert_eq!(outcome.called(), 2);
        }
    }
}

#[test]
fn what_another_transform_brings_in_is_masked() {
    let home = Home::new(CASE_16);
    let host = home
        .host()
        .with("debugger")
        .register(other("x", "correct-horse-battery-9", false));
    let host = host.expect("both load");
    let outcome = host.fire("transform_tool_result", event::tool("terminal").result("x"));
    assert_eq!(outcome.text(), Some("[redacted:DB_PASSWORD]"));
}

#[test]
fn a_changed_env_file_is_read_again() {
    let home = Home::new("A_TOKEN=first-token-0001\n");
    let host = home.host();
    check(&host, "first-token-0001", Some("[redacted:A_TOKEN]"));
    check(&host, "second-token-00002", None);
    home.write("A_TOKEN=second-token-00002\n");
    check(&host, "second-token-00002", Some("[redacted:A_TOKEN]"));
    std::fs::remove_file(home.env_file()).expect("removed");
    check(&host, "second-token-00002", Some("[redacted:A_TOKEN]"));
}

#[test]
fn the_home_is_the_agents_and_not_the_users() {
    let home = Home::new("A_TOKEN=token-of-this-home-1\n");
    let other = Home::new("A_TOKEN=token-of-that-home-2\n");
    check(
        &home.host(),
        "token-of-this-home-1",
        Some("[redacted:A_TOKEN]"),
    );
    check(&home.host(), "token-of-that-home-2", None);
    check(
        &other.host(),
        "token-of-that-home-2",
        Some("[redacted:A_TOKEN]"),
    );
}

#[test]
fn an_env_file_that_cannot_be_read_is_a_warning() {
    let home = Home::new("");
    std::fs::create_dir(home.0.path().join("dir")).expect("made");
    let host = home.load(json!({"env_files": ["~/.hermes/dir", "~/.hermes/missing"]}));
    let host = host.expect("loaded all the same");
    check(&host, "text", None);
    let logs = host.logs();
    let [warning] = logs.as_slice() else {
        panic!("{logs:?}")
    };
    assert!(
        warning.message.starts_with("env file `"),
        "{}",
        warning.message
    );
    assert!(
        warning.message.contains("not a regular file"),
        "{}",
        warning.message
    );
}

#[test]
fn it_is_called_last_and_withholds_what_it_cannot_check() {
    let host = Home::new("").host();
    let registered = host.registrations();
    let hooks: Vec<_> = registered.iter().map(|one| one.hook.as_str()).collect();
    assert_eq!(
        hooks,
        [
            "transform_tool_result",
            "transform_terminal_output",
            "transform_llm_output"
        ]
    );
    assert!(
        registered
            .iter()
            .all(|one| one.priority == -1000.0 && one.closed && !one.guard)
    );
}

#[test]
fn what_is_logged_holds_names_only() {
    let home = Home::new(CASE_16);
    let host = home.host();
    check(
        &host,
        "tvx-7Qm2pLw9Rz4Kd8Hs1Nf6",
        Some("[redacted:TVX_KEY]"),
    );
    let logs = host.logs();
    assert!(logs.iter().any(|log| log.message == "masked"), "{logs:?}");
    assert!(!format!("{logs:?}").contains("tvx-"), "{logs:?}");
}

/// Every secret of the configurations below.
const SECRET: &str = "91827364554637";

#[track_caller]
fn check_refused(config: Value, parts: &[&str]) {
    let fault = Home::new("")
        .load(config)
        .expect_err("a configuration that cannot be used");
    assert_eq!(
        (fault.hook.as_str(), fault.kind),
        ("register", FaultKind::Error)
    );
    assert!(
        fault
            .text
            .starts_with("`plugins.entries.redact-secrets.config`"),
        "{fault}"
    );
    for part in parts {
        assert!(fault.text.contains(part), "`{part}` is not in: {fault}");
    }
    assert!(!fault.text.contains(SECRET), "{fault}");
}

#[test]
fn a_configuration_that_cannot_be_used_refuses_the_plugin_and_tells_no_secret() {
    let number: u64 = SECRET.parse().expect("digits");
    check_refused(
        json!({"values": {"A": number}}),
        &["`values`: expected a text under each name", "quotes"],
    );
    check_refused(json!({"values": SECRET}), &["`values`: expected"]);
    check_refused(json!({"values": [SECRET]}), &["`values`: expected"]);
    check_refused(
        json!({"values": {"not a name": SECRET}}),
        &["`not a name` cannot be shown in a mask"],
    );
    check_refused(
        json!({"values": {"A": SECRET}, "min_length": 20}),
        &["`values.A`: 14 characters"],
    );
    check_refused(
        json!({"allow": [number]}),
        &["`allow`: expected a list of texts"],
    );
    check_refused(json!({"allow": SECRET}), &["`allow`: expected"]);
    check_refused(
        json!({"min_length": SECRET}),
        &["`min_length`: expected a whole number"],
    );
    check_refused(
        json!({"min_length": 3}),
        &["`min_length`: 3 is below the least accepted"],
    );
    check_refused(
        json!({"DEPLOY_CODE": SECRET}),
        &["unknown key `DEPLOY_CODE`", "`values`"],
    );
    check_refused(
        json!({"disable": ["all"]}),
        &["no key form is called `all`"],
    );
    check_refused(json!(SECRET), &["expected keys with values, found text"]);
    check_refused(
        json!([SECRET]),
        &["expected keys with values, found a list"],
    );
}
