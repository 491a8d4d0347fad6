//! Random texts: masking never panics, is done after once, keeps JSON valid, leaves no value.

use redact_secrets::{Config, Redactor};

/// Pieces that make trouble next to each other.
const PIECES: [&str; 42] = [
    "abcdefgh1",
    "nabcdefgh",
    "say \"hi\"\\now",
    "12345678",
    "tail-value\\",
    "gr\u{fc}\u{df}e-12",
    "defgh1xyz",
    "\\",
    "\\\\",
    "\"",
    "'",
    "\n",
    "\\n",
    "\\u00",
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "%",
    "%2",
    "%25",
    "%61bcdefgh1",
    "[redacted:",
    "[redacted:A]",
    "]",
    "{",
    "}",
    ":",
    ",",
    " ",
    "\u{1f600}",
    "API_KEY=",
    "\"password\": \"",
    "://u:",
    "@h",
    "ghp_a1B2c3D4e5F6g7H8i9J0",
    "sk-a1B2c3D4e5F6g7H8i9J0",
    "eyJabcdefgh.abcdefgh.",
    "Bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "MIIEvQIBADANBgkqhkiG",
    "-----END PRIVATE KEY-----",
    "YWJjZGVmZ2gx",
];

/// Small and deterministic: a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("below a usize")
    }

    fn text(&mut self) -> String {
        let pieces = self.below(14);
        (0..pieces)
            .map(|_| match self.below(8) {
                0 => char::from_u32(self.below(0x500) as u32)
                    .unwrap_or('x')
                    .to_string(),
                _ => PIECES[self.below(PIECES.len())].to_owned(),
            })
            .collect()
    }
}

const VALUES: [&str; 7] = [
    "abcdefgh1",
    "nabcdefgh",
    "say \"hi\"\\now",
    "12345678",
    "tail-value\\",
    "gr\u{fc}\u{df}e-12",
    "defgh1xyz",
];

fn redactor() -> Redactor {
    let names = ["A", "B", "C", "D", "E", "F", "G"];
    let pairs = names.iter().zip(VALUES);
    let config = Config {
        values: pairs
            .map(|(n, v)| ((*n).to_owned(), v.to_owned()))
            .collect(),
        ..Config::default()
    };
    Redactor::new(&config, &[]).expect("valid")
}

#[track_caller]
fn check(redactor: &Redactor, text: &str) -> Option<String> {
    let masked = redactor.redact(text)?;
    assert_ne!(masked, text);
    assert_eq!(
        redactor.redact(&masked),
        None,
        "not done after once:\n{text}\n{masked}"
    );
    for value in VALUES {
        assert!(!masked.contains(value), "left standing:\n{text}\n{masked}");
    }
    Some(masked)
}

#[test]
fn any_text() {
    let redactor = redactor();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4_000 {
        check(&redactor, &random.text());
    }
}

#[test]
fn any_json() {
    let redactor = redactor();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..4_000 {
        let number: u64 = [7, 12_345_678, 91_234_567_812][random.below(3)];
        let inner = serde_json::json!({random.text(): [random.text(), number]}).to_string();
        let json = serde_json::json!({"content": inner, random.text(): random.text(), "n": number})
            .to_string();
        // The escapes that serde_json does not write, but others do.
        let json = match random.below(2) {
            0 => json
                .replace('/', "\\/")
                .replace('\u{fc}', "\\u00fc")
                .replace('\u{1f600}', "\\ud83d\\ude00"),
            _ => json,
        };
        let Some(masked) = check(&redactor, &json) else {
            continue;
        };
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&masked);
        let parsed = parsed.unwrap_or_else(|error| panic!("{error}:\n{json}\n{masked}"));
        assert!(!holds_value(&parsed), "left standing:\n{json}\n{masked}");
    }
}

/// Whether a string or number of the JSON, read as such, holds a secret value.
fn holds_value(json: &serde_json::Value) -> bool {
    let in_text = |text: &str| VALUES.iter().any(|value| text.contains(value));
    match json {
        serde_json::Value::String(text) => in_text(text),
        serde_json::Value::Array(items) => items.iter().any(holds_value),
        serde_json::Value::Object(map) => map
            .iter()
            .any(|(key, value)| in_text(key) || holds_value(value)),
        other => in_text(&other.to_string()),
    }
}
