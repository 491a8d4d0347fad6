//! Each form: what it must find, and the lookalikes it must leave.

use super::*;

/// `§` marks where each masked part starts and ends.
#[track_caller]
fn check(marked: &str) {
    let text = marked.replace('§', "");
    let mut spans = Vec::new();
    find(&text, &[], &[], &mut spans);
    let spans = crate::span::join(spans);
    let mut found = String::new();
    let mut done = 0;
    for span in &spans {
        found += &format!(
            "{}§{}§",
            &text[done..span.start],
            &text[span.start..span.end]
        );
        done = span.end;
    }
    found += &text[done..];
    assert_eq!(found, marked);
}

#[track_caller]
fn check_id(text: &str, expected: &str) {
    let mut spans = Vec::new();
    find(text, &[], &[], &mut spans);
    let joined = crate::span::join(spans);
    let ids: Vec<_> = joined
        .iter()
        .map(|span| match span.label {
            Label::Form(index) => id(index),
            Label::Value(_) => "value",
        })
        .collect();
    assert_eq!(ids, [expected], "{text}");
}

const T36: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

#[test]
fn every_form_has_its_id() {
    for (text, id) in [
        (format!("sk-ant-api03-{T36}"), "anthropic-key"),
        (format!("sk-proj-{T36}"), "openai-key"),
        (format!("sk-{T36}"), "openai-key"),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "aws-access-key-id"),
        (
            format!("aws_secret_access_key = {T36}Zz+/"),
            "aws-secret-key",
        ),
        (
            format!("\"SecretAccessKey\": \"{T36}Zz+/\""),
            "aws-secret-key",
        ),
        (format!("ghp_{T36}"), "github-token"),
        (format!("gho_{T36}"), "github-token"),
        (format!("ghs_{T36}"), "github-token"),
        (format!("github_pat_11AAAAAAA0_{T36}"), "github-token"),
        (format!("AIza{T36}"), "google-api-key"),
        ("xoxb-123456789012-abcdefABCDEF".to_owned(), "slack-token"),
        (format!("sk_live_{T36}"), "stripe-key"),
        (format!("rk_live_{T36}"), "stripe-key"),
        (format!("npm_{T36}"), "npm-token"),
        (format!("pypi-AgEIcHlwaS5vcmc{T36}"), "pypi-token"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl".to_owned(),
            "jwt",
        ),
        ("postgres://app:hunter2@db/x".to_owned(), "url-password"),
        (format!("Authorization: Bearer {T36}"), "auth-header"),
        (
            "Authorization: Basic dXNlcjpodW50ZXIy".to_owned(),
            "auth-header",
        ),
        (format!("X-Api-Key: {T36}"), "auth-header"),
        ("SESSION_TOKEN=abcdefgh".to_owned(), "assigned-secret"),
        (
            r#"{"password": "hunter2hunter"}"#.to_owned(),
            "assigned-secret",
        ),
    ] {
        check_id(&text, id);
    }
}

#[test]
fn ids_are_known_once() {
    assert_eq!(ids().count(), 15);
    assert!(is_known("jwt") && !is_known("JWT"));
}

#[test]
fn boundaries() {
    check(&format!("x §ghp_{T36}§, y"));
    check(&format!(r"{{\u000a§ghp_{T36}§\n§npm_{T36}§\t§ghs_{T36}§}}"));
    check(&format!("token%3D§ghp_{T36}§&x=1"));
    check(&format!("xghp_{T36} _ghp_{T36}"));
    check("task-list-with-1-very-long-name risk-assessment-of-2026-q1-results");
    check("sk-folding-cube-animation-wrapper");
    check("task-aaaaaaaaaaaaaaaaaaaaaaaaa1-§sk-bbbbbbbbbbbbbbbbbbbbbbbb1§");
}

#[test]
fn url_passwords() {
    check("postgres://app:§p@ss:w0rd§@db/x and https://user@host/x http://host:80/a@b");
    check(r"postgres:\/\/app:§hunter2§@db\/x");
    check(
        "postgres://app:***@db postgres://app:$PW@db postgres://app:${PW}@db postgres://a:<pw>@db",
    );
    check("redis://:§x§@cache:6379");
}

#[test]
fn headers() {
    check(&format!("-H 'Authorization: Bearer §{T36}=§'"));
    check(&format!(r#"{{\"authorization\": \"Bearer §{T36}§\"}}"#));
    check("Bearer authentication-required; Authorization: Bearer $TOKEN; Bearer <your-token-1>");
}

#[test]
fn env_style() {
    check("API_KEY=§abcdefgh§\nexport DB_PASSWORD=§a,b.c/d+e$1!§ x");
    check(r"a\nAPI_KEY=§abcdefgh§\nPORT=8080");
    check("SECRET_KEY_BASE=§0123456789§ DB_PWD=§hunter2hunter§ TOKEN_2=§abcdefgh§");
    check("API_KEY=short MONKEY=abcdefgh PWD=/home/user/x OLDPWD=/home/user/y KEY_FILE=abcdefgh");
    check("API_KEY=$OTHER_KEY API_KEY=${OTHER_KEY} API_KEY=<your-api-key> API_KEY=********");
    check(
        "API_KEY=settings.API_KEY API_KEY=os.environ['X'] API_KEY=get_the_key(1) TLS_KEY=/etc/x/k1.pem",
    );
}

#[test]
fn quoted() {
    check(r#"{"api_key": "§abcdefg1§", "apiKey":"§abcdefg1§", 'client_secret' = '§abcdefg1§'}"#);
    check(r#"{"c": "{\"password\": \"§p4ssw/rd\\/x§\"}"}"#);
    check(r#"accessToken := "§abcdefg1§" KEY: "§abcdefg1§" access_token => '§abcdefg1§'"#);
    check(r#"DB_PASSWORD="§hunter2!!!§""#);
    check(
        r#"{"key": "content-type-1", "token": "identifier", "password": "required", "max_tokens": "12345678"}"#,
    );
    check(
        r#"{"token": "https://auth.example.org/v2", "secret": "/run/secrets/db1", "password": "two words 1"}"#,
    );
    check(
        r#"{"password": "${DB_PASSWORD_1}", "token": "{{ token1 }}", "primary_key": "user_id_1"}"#,
    );
}

const BODY: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw";

#[test]
fn private_keys() {
    check(&format!(
        "a\n§-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----§\nb"
    ));
    check(&format!(
        r#"{{"k": "§-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----§\n"}}"#
    ));
    check(&format!(
        "1|§-----BEGIN OPENSSH PRIVATE KEY-----\n2|{BODY}\n3|-----END OPENSSH PRIVATE KEY-----§\n4|x"
    ));
    check(&format!(
        "§-----BEGIN PRIVATE KEY-----\\n{BODY}\\n{BODY}§\\nand the rest is cut off"
    ));
    check("a file starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----");
    check(&format!(
        "-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----"
    ));
    check(&format!(
        "-----BEGIN PRIVATE KEY----- is how §-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----§ starts"
    ));
}

#[test]
fn disabled_and_allowed() {
    let text = format!("AKIAIOSFODNN7EXAMPLE ghp_{T36}");
    let mut spans = Vec::new();
    let disabled = ["github-token".to_owned()];
    let allowed = ["AKIAIOSFODNN7EXAMPLE".to_owned()];
    find(&text, &disabled, &allowed, &mut spans);
    assert_eq!(spans, []);
}
