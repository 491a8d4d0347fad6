//! Which values of an env file are secrets, and which are ordinary settings.

/// What is decided about one value, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Secrecy {
    /// It is masked.
    Secret,
    /// It is shorter than `min_length`.
    TooShort,
    /// It is listed under `allow`.
    Allowed,
    /// Its name says setting, or its text is a word, number, path or plain address.
    Ordinary,
}

/// Last words of names whose values are secret, whatever they look like.
const SECRET_WORDS: [&str; 16] = [
    "key",
    "apikey",
    "secret",
    "secrets",
    "token",
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "credential",
    "credentials",
    "dsn",
    "webhook",
    "salt",
    "auth",
];

/// Last words of names whose values are settings, unless the text itself gives a secret away.
const SETTING_WORDS: [&str; 27] = [
    "host",
    "hostname",
    "port",
    "region",
    "zone",
    "model",
    "env",
    "environment",
    "level",
    "mode",
    "version",
    "dir",
    "directory",
    "path",
    "file",
    "home",
    "shell",
    "lang",
    "locale",
    "tz",
    "timezone",
    "user",
    "username",
    "name",
    "bucket",
    "term",
    "editor",
];

/// Values that say nothing, whatever they are called.
const COMMON: [&str; 15] = [
    "localhost",
    "production",
    "development",
    "staging",
    "disabled",
    "enabled",
    "undefined",
    "changeme",
    "change-me",
    "password",
    "username",
    "redacted",
    "postgres",
    "information",
    "127.0.0.1",
];

/// Decides about the value `value` of the variable `name`.
pub(crate) fn of(name: &str, value: &str, min_length: usize) -> Secrecy {
    if value.chars().count() < min_length {
        return Secrecy::TooShort;
    }
    if COMMON
        .iter()
        .any(|common| value.eq_ignore_ascii_case(common))
    {
        return Secrecy::Ordinary;
    }
    let secret = says(name, &SECRET_WORDS) || url_password(value).is_some();
    let setting = says(name, &SETTING_WORDS) || is_plain(value);
    if setting && !secret {
        Secrecy::Ordinary
    } else {
        Secrecy::Secret
    }
}

/// The password part of a URL such as `postgres://user:password@host/db`.
pub(crate) fn url_password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (userinfo, _) = authority.rsplit_once('@')?;
    let (_, password) = userinfo.split_once(':')?;
    (!password.is_empty()).then_some(password)
}

/// Whether the last word of `name` (`apiKey`, `API_KEY`, `api-key`) is one of `words`.
fn says(name: &str, words: &[&str]) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.'));
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or(name);
    let hump = last.char_indices().rev().find(|&(at, c)| {
        c.is_uppercase()
            && last
                .get(..at)
                .is_some_and(|before| before.ends_with(char::is_lowercase))
    });
    let hump = hump.and_then(|(at, _)| last.get(at..)).unwrap_or(last);
    words
        .iter()
        .any(|word| last.eq_ignore_ascii_case(word) || hump.eq_ignore_ascii_case(word))
}

/// Words, numbers, dates, IP addresses, paths and addresses made of words: text without a mix of
/// letters and digits inside one word.
fn is_plain(value: &str) -> bool {
    let part = |part: &str| {
        part.bytes().all(|b| b.is_ascii_digit()) || is_word(part) || is_short_name(part)
    };
    value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_./:@, ".contains(&b))
        && value.split(|c: char| !c.is_ascii_alphanumeric()).all(part)
}

/// Letters in one case, or with a capital first.
fn is_word(part: &str) -> bool {
    let tail = part.get(1..).unwrap_or_default();
    part.bytes().all(|b| b.is_ascii_alphabetic())
        && (tail.bytes().all(|b| b.is_ascii_lowercase())
            || part.bytes().all(|b| b.is_ascii_uppercase()))
}

/// `v1`, `s3`, `eu2`, `4o`: too short to hold a secret.
fn is_short_name(part: &str) -> bool {
    part.len() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: &str, expected: Secrecy) {
        assert_eq!(of(name, value, 8), expected, "{name}={value}");
    }

    #[test]
    fn secrets() {
        for (name, value) in [
            ("TVX_KEY", "tvx-7Qm2pLw9Rz4Kd8Hs1Nf6"),
            ("DB_PASSWORD", "correct-horse-battery-9"),
            ("DB_PASSWORD", "correct-horse-battery"),
            ("dbPassword", "correcthorse"),
            ("SECRET_KEY_2", "alphabravo"),
            (
                "WEBHOOK_URL",
                "https://hooks.example.org/t/88aa77bb66cc55dd",
            ),
            ("DATABASE_URL", "postgres://svc:s3cr3t-pa55@db.internal/app"),
            ("DATABASE_HOST", "postgres://svc:wordpass@db.internal/app"),
            ("ANYTHING", "a9Xk2mQ7"),
            ("ANYTHING", "mixedCASEword"),
            ("ANYTHING", "odd!characters?"),
        ] {
            check(name, value, Secrecy::Secret);
        }
    }

    #[test]
    fn settings() {
        for (name, value) in [
            ("HOST", "db1x9y8z7.internal"),
            ("NODE_ENV", "production"),
            ("DB_PASSWORD", "changeme"),
            ("APP_NAME", "demo-service-9000x"),
            ("AWS_REGION", "eu-central-1"),
            ("MODEL", "gpt-4o-mini-2024"),
            ("MODEL", "claude-sonnet-4-20250514"),
            ("BASE_URL", "https://api.example.org/v1"),
            ("MAIL_FROM", "someone@example.org"),
            ("LISTEN", "192.168.10.10:8080"),
            ("TZ", "Europe/Berlin"),
            ("ANYTHING", "letters-only-here"),
            ("LIMIT", "1234567890"),
        ] {
            check(name, value, Secrecy::Ordinary);
        }
    }

    #[test]
    fn short_values() {
        for (name, value) in [
            ("DEBUG", "true"),
            ("PORT", "8080"),
            ("PIN", "4821"),
            ("EMPTY_KEY", ""),
        ] {
            check(name, value, Secrecy::TooShort);
        }
        check("HOST", "localhost", Secrecy::Ordinary);
    }
}
