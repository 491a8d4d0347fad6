//! Forms told by what stands before them: a name, a header, a URL.

use super::{Form, Match, always, has_digit};

pub(super) const AWS_SECRET: Form = Form {
    id: "aws-secret-key",
    pattern: r#"(?i:(?:aws_?)?secret_?(?:access_?)?key)\\*["']?\s*[:=]\s*\\*["']?(?P<v>[A-Za-z0-9+/]{40,})"#,
    real: always,
};

pub(super) const URL_PASSWORD: Form = Form {
    id: "url-password",
    pattern: r#"[A-Za-z][A-Za-z0-9+.-]*:\\?/\\?/[^\s/:@"'\\<>]*:(?P<v>[^\s/"'\\<>]+)@"#,
    real: |found| !is_placeholder(found.value),
};

pub(super) const AUTH_HEADER: Form = Form {
    id: "auth-header",
    pattern: concat!(
        r#"(?i:(?:bearer\s+|authorization\\*["']?\s*[:=]\s*\\*["']?(?:basic|token|bot|apikey)\s+"#,
        r#"|x-[a-z-]*(?:key|token)\\*["']?\s*[:=]\s*\\*["']?))(?P<v>[A-Za-z0-9._~+/=-]{12,})"#
    ),
    real: has_digit,
};

/// `NAME=value` without quotes, the name in capitals as in env files and the output of `env`.
pub(super) const ENV_STYLE: Form = Form {
    id: "assigned-secret",
    pattern: concat!(
        r"(?:(?:[A-Z0-9_]*_)?(?:KEY|PASS|CREDENTIALS?)|[A-Z0-9_]*_PWD",
        r"|[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|APIKEY))(?:_BASE|_?[0-9]+)?",
        r#"=(?P<v>[^\s"'\\$<>(){}\[\]*;&|`][^\s"'\\;&|<>(){}\[\]`]{7,})"#
    ),
    real: |found| !is_placeholder(found.value) && !is_code(found) && !is_path(found.value),
};

/// `"name": "value"` and `name = 'value'`, the name in any case.
pub(super) const QUOTED: Form = Form {
    id: "assigned-secret",
    pattern: concat!(
        r"(?:(?i:[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|secret|token|credentials?",
        r"|(?:api|access|secret|private|signing|encryption|auth|master|account|service|storage)[_-]?key))",
        r"|(?:[A-Z0-9_]*_)?KEY)(?:_?[0-9]+)?",
        r#"\\*["']?\s*(?:=>|[:=]=?)\s*"#,
        r#"(?:\\*"(?P<v>(?:[^"\s\\]|\\+[^"\s\\]){8,})|\\*'(?P<w>[^'\s\\]{8,}))"#
    ),
    real: |found| {
        has_digit(found)
            && !is_placeholder(found.value)
            && !is_path(found.value)
            && !found.value.contains("://")
            && !found.value.contains(crate::mask::OPEN)
    },
};

/// `$NAME`, `{{name}}`, `<name>`, `%NAME%`, `***`: stands for a value that is elsewhere.
fn is_placeholder(value: &str) -> bool {
    value.starts_with(['$', '{', '<', '%']) || !value.bytes().any(|b| b.is_ascii_alphanumeric())
}

/// A call, an index, or a dotted identifier: source code that reads the secret from elsewhere.
fn is_code(found: &Match<'_>) -> bool {
    let next = found.text.as_bytes().get(found.end);
    let dotted = found.value.contains('.')
        && found.value.split('.').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_')
        });
    dotted || matches!(next, Some(b'(' | b'['))
}

fn is_path(value: &str) -> bool {
    ["/", "./", "../", "~/"]
        .iter()
        .any(|start| value.starts_with(start))
}
