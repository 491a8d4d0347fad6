//! What is masked and what is not, through the public API.

use redact_secrets::{Config, Redactor, Secrecy};

/// The env file of case 16; all values are invented.
const ENV: &str = "# values invented
TVX_KEY=tvx-7Qm2pLw9Rz4Kd8Hs1Nf6
DB_PASSWORD=correct-horse-battery-9
WEBHOOK_URL=https://hooks.example.org/t/88aa77bb66cc55dd
DEBUG=true
HOST=localhost
PIN=4821
EMPTY=
";

fn redactor(config: &str, env: &str) -> Redactor {
    let config: Config = serde_json::from_str(config).expect("the test's own configuration");
    Redactor::new(&config, &[(".env".to_owned(), env.to_owned())]).expect("a valid configuration")
}

#[track_caller]
fn check_with(redactor: &Redactor, text: &str, expected: &str) {
    let masked = redactor.redact(text);
    assert_eq!(masked.as_deref().unwrap_or(text), expected);
    assert_eq!(masked.is_some(), text != expected, "None means unchanged");
    assert_eq!(
        redactor.redact(expected),
        None,
        "masking twice is masking once"
    );
    if serde_json::from_str::<serde_json::Value>(text).is_ok() {
        let masked: Result<serde_json::Value, _> = serde_json::from_str(expected);
        assert!(masked.is_ok(), "no longer JSON: {expected}");
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_with(&redactor("{}", ENV), text, expected);
}

#[test]
fn case_16_env_values() {
    check(
        r#"{"output": "TVX_KEY=tvx-7Qm2pLw9Rz4Kd8Hs1Nf6\nHOST=localhost\nDEBUG=true", "exit_code": 0}"#,
        r#"{"output": "TVX_KEY=[redacted:TVX_KEY]\nHOST=localhost\nDEBUG=true", "exit_code": 0}"#,
    );
    check(
        r#"{"content": "1|DB_PASSWORD=correct-horse-battery-9\n2|PIN=4821"}"#,
        r#"{"content": "1|DB_PASSWORD=[redacted:DB_PASSWORD]\n2|PIN=4821"}"#,
    );
    check(
        r"curl https:\/\/hooks.example.org\/t\/88aa77bb66cc55dd and correct%2Dhorse%2Dbattery%2D9",
        "curl [redacted:WEBHOOK_URL] and [redacted:DB_PASSWORD]",
    );
    check(
        "Your key is tvx-7Qm2pLw9Rz4Kd8Hs1Nf6.",
        "Your key is [redacted:TVX_KEY].",
    );
    check("true localhost 4821", "true localhost 4821");
}

#[test]
fn values_that_need_escaping() {
    let awkward = redactor(
        r#"{"values": {"Q": "say \"hi\"\\now", "LINES": "first-line\nsecond-line", "U": "gr\u00fc\u00dfe-aus-k\u00f6ln"}}"#,
        "",
    );
    for (text, expected) in [
        ("x say \"hi\"\\now x", "x [redacted:Q] x"),
        (r#"{"a": "say \"hi\"\\now"}"#, r#"{"a": "[redacted:Q]"}"#),
        (
            r#"{"a": "say \u0022hi\u0022\u005cnow"}"#,
            r#"{"a": "[redacted:Q]"}"#,
        ),
        (
            r#"{"a": "{\"b\": \"say \\\"hi\\\"\\\\now\"}"}"#,
            r#"{"a": "{\"b\": \"[redacted:Q]\"}"}"#,
        ),
        ("a\nfirst-line\nsecond-line\nb", "a\n[redacted:LINES]\nb"),
        (r#"["first-line\nsecond-line"]"#, r#"["[redacted:LINES]"]"#),
        ("first-line%0Asecond-line", "[redacted:LINES]"),
        (
            r#"["gr\u00fc\u00dfe-aus-k\u00f6ln"]"#,
            r#"["[redacted:U]"]"#,
        ),
        ("gr%C3%BC%C3%9Fe-aus-k%c3%b6ln", "[redacted:U]"),
        ("Z3LDvMOfZS1hdXMta8O2bG4=", "[redacted:U]"),
        ("Z3LDvMOfZS1hdXMta8O2bG4", "[redacted:U]"),
    ] {
        check_with(&awkward, text, expected);
    }
}

#[test]
fn json_stays_json() {
    let awkward = redactor(
        r#"{"values": {"N": "12345678", "E": "nabcdefgh", "S": "abcdefgh\\", "X": "a\":\"bcdef", "H": "d83dxxxx"}}"#,
        "",
    );
    for (text, expected) in [
        (
            r#"{"pin": 12345678, "b": [-12345678.5]}"#,
            r#"{"pin": "[redacted:N]", "b": ["[redacted:N]"]}"#,
        ),
        (r#"{"pin": "12345678"}"#, r#"{"pin": "[redacted:N]"}"#),
        (r#"{"12345678": 1}"#, r#"{"[redacted:N]": 1}"#),
        (r#"{"a": "x\nabcdefgh"}"#, r#"{"a": "x[redacted:E]"}"#),
        (r#"{"a": "abcdefgh\"c"}"#, r#"{"a": "[redacted:S]c"}"#),
        (r#"{"a":"bcdef"}"#, r#"{"[redacted:X]":"[redacted:X]"}"#),
        (r#"{"a": "\ud83dxxxx"}"#, r#"{"a": "\ud83dxxxx"}"#),
        ("12345678", "[redacted:N]"),
    ] {
        let masked = awkward.redact(text);
        if text.contains("ud83d") {
            // Not JSON for a strict reader, so only the rule of whole escapes holds.
            assert_eq!(masked.as_deref(), Some(r#"{"a": "[redacted:H]"}"#));
            continue;
        }
        assert_eq!(masked.as_deref().unwrap_or(text), expected);
        assert_eq!(awkward.redact(expected), None);
    }
}

#[test]
fn overlapping_values_leave_nothing() {
    let two = redactor(
        r#"{"values": {"A": "abcdefgh1234", "B": "1234ijklmnopqr", "C": "defgh123"}}"#,
        "",
    );
    check_with(&two, "abcdefgh1234ijklmnopqr", "[redacted:B]");
    check_with(&two, "abcdefgh1234", "[redacted:A]");
    check_with(&two, "abcdefgh1234abcdefgh1234", "[redacted:A][redacted:A]");
}

#[test]
fn a_mask_never_shows_a_value() {
    let named = redactor(
        r#"{"values": {"A": "DB_PASSWORD", "DB_PASSWORD": "abcdefgh1"}}"#,
        "",
    );
    check_with(
        &named,
        "DB_PASSWORD is abcdefgh1",
        "[redacted:A] is [redacted:value]",
    );
}

#[test]
fn brackets_do_not_hide_a_value() {
    check(
        "[redacted:correct-horse-battery-9]",
        "[redacted:[redacted:DB_PASSWORD]]",
    );
    check("[redacted:TVX_KEY]", "[redacted:TVX_KEY]");
}

#[test]
fn forms_and_values_meet() {
    check(
        "Authorization: Bearer tvx-7Qm2pLw9Rz4Kd8Hs1Nf6",
        "Authorization: Bearer [redacted:TVX_KEY]",
    );
    check(
        "postgres://u:correct-horse-battery-9@db",
        "postgres://u:[redacted:DB_PASSWORD]@db",
    );
    // The value in front gives the token behind it a boundary only once it is masked.
    check(
        "correct-horse-battery-9ghp_a1B2c3D4e5F6g7H8i9J0",
        "[redacted:DB_PASSWORD][redacted:github-token]",
    );
}

#[test]
fn disable_and_allow() {
    let config = r#"{"disable": ["github-token"], "allow": ["correct-horse-battery-9", "AKIAIOSFODNN7EXAMPLE"]}"#;
    let lenient = redactor(config, ENV);
    for text in [
        "ghp_a1B2c3D4e5F6g7H8i9J0",
        "correct-horse-battery-9",
        "AKIAIOSFODNN7EXAMPLE",
    ] {
        check_with(&lenient, text, text);
    }
    let skipped = lenient.skipped().iter().map(|s| (s.name.as_str(), s.why));
    let skipped: Vec<_> = skipped.collect();
    assert_eq!(
        skipped,
        [
            ("DB_PASSWORD", Secrecy::Allowed),
            ("DEBUG", Secrecy::TooShort),
            ("HOST", Secrecy::Ordinary),
            ("PIN", Secrecy::TooShort),
            ("EMPTY", Secrecy::TooShort),
        ]
    );
}

#[test]
fn values_of_variables() {
    let config: Config = serde_json::from_str(r#"{"value_env": ["A", "B", "C"]}"#).expect("valid");
    let variable = |name: &str| match name {
        "A" => Some("letters-only".to_owned()),
        "B" => Some("short".to_owned()),
        _ => None,
    };
    let redactor = Redactor::with_variables(&config, &[], &variable).expect("valid");
    check_with(&redactor, "letters-only short", "[redacted:A] short");
    assert_eq!(redactor.skipped().len(), 1);
}

#[test]
fn counts() {
    let text = "tvx-7Qm2pLw9Rz4Kd8Hs1Nf6 tvx-7Qm2pLw9Rz4Kd8Hs1Nf6 redis://:x9@h";
    let redaction = redactor("{}", ENV)
        .redact_with_report(text)
        .expect("secrets");
    let counts: Vec<_> = redaction
        .counts
        .iter()
        .map(|(n, c)| (n.as_str(), *c))
        .collect();
    assert_eq!(counts, [("TVX_KEY", 2), ("url-password", 1)]);
}

#[test]
fn debug_shows_no_value() {
    let config = Config {
        values: [("A".to_owned(), "very-secret-1".to_owned())].into(),
        allow: vec!["allowed-secret".to_owned()],
        ..Config::default()
    };
    let redactor = Redactor::new(&config, &[]).expect("valid");
    let shown = format!("{config:?} {redactor:?}");
    assert!(
        shown.contains("\"A\"") && !shown.contains("secret-1") && !shown.contains("allowed-secret")
    );
}

#[track_caller]
fn check_refused(config: &str, expected: &str) {
    let config: Config = serde_json::from_str(config).expect("well-formed");
    let error = Redactor::new(&config, &[]).expect_err("refused");
    let shown = error.to_string();
    assert!(shown.starts_with(expected), "{shown}");
    assert!(shown.contains("\nhint: "), "{shown}");
    assert!(!shown.contains("hunter"), "{shown}");
}

#[test]
fn configurations_that_are_refused() {
    check_refused(
        r#"{"min_length": 3}"#,
        "`min_length`: 3 is below the least accepted, 4",
    );
    check_refused(
        r#"{"values": {"A": "hunter"}}"#,
        "`values.A`: 6 characters, `min_length` is 8",
    );
    check_refused(
        r#"{"values": {"A]": "hunter2hunter"}}"#,
        "`values`: `A]` cannot be shown",
    );
    check_refused(
        r#"{"value_env": ["A B"]}"#,
        "`value_env`: `A B` cannot be shown",
    );
    check_refused(
        r#"{"disable": ["github"]}"#,
        "`disable`: no key form is called `github`",
    );
    let unknown: Result<Config, _> = serde_json::from_str(r#"{"min_len": 8}"#);
    assert!(
        unknown
            .expect_err("refused")
            .to_string()
            .contains("min_length")
    );
}
