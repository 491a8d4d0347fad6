//! Configuration, messages, and that the README says what the code does.

use command_guard::{Config, DEFAULT_ALLOW_DELETE, Policy, RULES};

#[track_caller]
fn policy(json: &str) -> Result<Policy, String> {
    let config: Config = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Policy::new(&config).map_err(|error| error.to_string())
}

#[track_caller]
fn check(json: &str, command: &str, wanted: Option<&str>) {
    let policy = policy(json).expect("a lawful configuration");
    let found = policy.judge(command).map(|r| r.rule.id().to_owned());
    assert_eq!(found.as_deref(), wanted, "{command}");
}

#[track_caller]
fn check_message(command: &str, wanted: &str) {
    let policy = Policy::default();
    let refusal = policy.judge(command).expect("a refusal");
    assert_eq!(refusal.to_string(), wanted);
}

#[track_caller]
fn check_error(json: &str, parts: &[&str]) {
    let error = policy(json).expect_err("a configuration that cannot be used");
    for part in parts {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[test]
fn messages_are_fit_for_a_model() {
    check_message(
        "cd app && git push --force origin main && ls",
        "refused by command-guard [git.push-force]: a forced push can destroy other people's work on the remote \
         (`git push --force origin main`)",
    );
    check_message(
        "rm -rf \"$HOME/demo-scratch\" ./build",
        "refused by command-guard [fs.rm-recursive]: a recursive delete of something that is not a known scratch \
         directory cannot be undone (`rm -rf \"$HOME/demo-scratch\" ./build`)",
    );
    check_message(
        "bash -c 'echo; reboot'",
        "refused by command-guard [system.shutdown]: stopping or restarting the machine ends everything that runs \
         on it (`reboot`)",
    );
}

#[test]
fn the_command_in_a_message_is_bounded_and_on_one_line() {
    let policy = Policy::default();
    let command = format!("rm -rf \\\n  {} `x`", "é".repeat(500));
    let refusal = policy.judge(&command).expect("a refusal");
    assert_eq!(refusal.command.chars().count(), 120);
    assert!(refusal.command.starts_with("rm -rf \\ é"));
    assert!(!refusal.command.contains(['\n', '`']));
}

#[test]
fn rules_can_be_switched_off_one_by_one() {
    let json = r#"{"disable": ["git.push-force"]}"#;
    check(json, "git push -f", None);
    check(
        json,
        "git push -f --delete origin x",
        Some("git.push-delete"),
    );
    check(
        json,
        "git push -f; git reset --hard",
        Some("git.reset-hard"),
    );
    check(
        r#"{"disable": ["input.too-deep"]}"#,
        &"eval ".repeat(30),
        None,
    );
}

#[test]
fn the_allow_list_is_replaced_by_the_configured_one() {
    let json = r#"{"allow_delete": ["scratch", "*.tmp", "/srv/ci/*", "~/tmp/*"]}"#;
    check(json, "rm -rf scratch a.tmp ./x/scratch/y", None);
    check(json, "rm -rf /srv/ci/job-1 ~/tmp/x", None);
    for refused in [
        "build",
        "/srv/ci",
        "/srv/ci/*",
        "/scratch",
        "~/tmp",
        "\"$X/scratch\"",
        "scratch/../..",
    ] {
        check(json, &format!("rm -rf {refused}"), Some("fs.rm-recursive"));
    }
    check(
        r#"{"allow_delete": []}"#,
        "rm -rf node_modules",
        Some("fs.rm-recursive"),
    );
}

#[test]
fn extra_rules_refuse_by_words() {
    let json = r#"{"extra_rules": [
        {"id": "npm.publish", "words": ["npm", "publish"], "reason": "releases are made by CI"},
        {"id": "gh.repo-delete", "words": ["gh", "repo", "delete"], "reason": "a deleted repository is gone"}
    ]}"#;
    check(json, "npm publish", Some("npm.publish"));
    check(
        json,
        "cd x && sudo npm --tag next publish",
        Some("npm.publish"),
    );
    check(json, "gh repo delete me/x --yes", Some("gh.repo-delete"));
    check(json, "bash -c 'gh repo delete x'", Some("gh.repo-delete"));
    check(json, "gh delete repo", None);
    check(json, "npm run publish-docs", None);
    check(json, "echo npm publish", None);
    check(json, "git push -f", Some("git.push-force"));
}

#[test]
fn errors_name_what_is_wrong_and_what_is_expected() {
    check_error(
        r#"{"disabled": []}"#,
        &["disabled", "disable", "allow_delete", "extra_rules"],
    );
    check_error(
        r#"{"disable": ["git.force"]}"#,
        &["disable", "`git.force`", "git.push-force", "sql.drop"],
    );
    for entry in [
        "", "/", "/*", "*", "*/x", "~", "~/*/..", "a/b", "../x", "$X", "x*", "/tmp",
    ] {
        let json = format!(r#"{{"allow_delete": ["{entry}"]}}"#);
        if entry == "~/*/.." || entry != "~/*" {
            check_error(
                &json,
                &["allow_delete", &format!("`{entry}`"), "node_modules"],
            );
        }
    }
    let extra = |id: &str, words: &str| {
        format!(r#"{{"extra_rules": [{{"id": "{id}", "words": {words}, "reason": "r"}}]}}"#)
    };
    check_error(
        &extra("git.clean", r#"["x"]"#),
        &["extra_rules", "`git.clean`"],
    );
    check_error(&extra("", r#"["x"]"#), &["extra_rules", "id"]);
    check_error(&extra("a b", r#"["x"]"#), &["extra_rules", "`a b`"]);
    check_error(&extra("a", "[]"), &["extra_rules", "`a`", "words"]);
    check_error(
        r#"{"extra_rules": [{"id": "a", "words": ["x"], "why": "r"}]}"#,
        &["why", "reason"],
    );
}

#[test]
fn commands_without_a_word_of_interest_are_not_parsed() {
    let policy = Policy::default();
    for command in [
        "ls -la",
        "cargo test --workspace 2>&1 | tail -20",
        "echo 'confirm the format of the storm report' > notes.txt",
        "cat /dev/null; python3 -m pytest -q > /dev/null 2>&1",
        "cd /usr/lib && ls",
        "npm run build && node server.js &",
    ] {
        assert!(!policy.is_interesting(command), "{command}");
    }
    for command in [
        "r''m x",
        "r\\\nm x",
        "$'\\x72m' x",
        "echo a>/etc/x",
        "x(){ y; }",
        "RM=rm",
    ] {
        assert!(policy.is_interesting(command), "{command}");
    }
}

#[test]
fn ids_are_unique_and_reasons_are_one_plain_sentence() {
    for (index, rule) in RULES.iter().enumerate() {
        let twin = RULES
            .iter()
            .skip(index + 1)
            .any(|other| other.id() == rule.id());
        assert!(!twin, "{} twice", rule.id());
        let reason = rule.reason();
        assert!(!reason.ends_with('.') && !reason.contains(". "), "{reason}");
        assert!(
            reason.starts_with(|c: char| c.is_lowercase() || c == '`'),
            "{reason}"
        );
    }
}

#[test]
fn the_readme_lists_every_rule_with_its_reason_and_every_allowed_directory() {
    let readme = include_str!("../README.md");
    for rule in RULES {
        let row = format!("| `{}` |", rule.id());
        let line = readme.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("no row for {}", rule.id()));
        assert!(line.ends_with(&format!("| {} |", rule.reason())), "{line}");
    }
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains('.'));
    assert_eq!(rows.count(), RULES.len(), "rows for rules that are gone");
    for entry in DEFAULT_ALLOW_DELETE {
        assert!(
            readme.contains(&format!("`{entry}`")),
            "{entry} is not in the README"
        );
    }
}
