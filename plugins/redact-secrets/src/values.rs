//! Collects the exact values to mask from all sources, with the forms each may appear in.

use std::collections::{BTreeMap, HashSet};

use crate::config::{Config, LONGEST_NAME};
use crate::dotenv;
use crate::secrecy::{self, Secrecy};

/// The least length of one line of a value over several lines that is masked on its own.
const LEAST_LINE: usize = 16;

/// A value that was found in a source and is not masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The variable's name.
    pub name: String,
    /// Why it is not masked.
    pub why: Secrecy,
}

/// Texts to search for, each under an index into `names`.
#[derive(Default)]
pub(crate) struct Values {
    pub(crate) names: Vec<String>,
    pub(crate) texts: Vec<(usize, String)>,
    pub(crate) skipped: Vec<Skipped>,
    seen: HashSet<String>,
    by_name: BTreeMap<String, usize>,
}

impl Values {
    /// Values of the configuration, then of the environment, then of the env files.
    pub(crate) fn collect(
        config: &Config,
        env_files: &[(String, String)],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let mut values = Self::default();
        for (name, value) in &config.values {
            values.offer(config, name, value, Secrecy::Secret);
        }
        for name in &config.value_env {
            let Some(value) = variable(name) else {
                continue;
            };
            let why = match value.chars().count() < config.min_length {
                true => Secrecy::TooShort,
                false => Secrecy::Secret,
            };
            values.offer(config, name, &value, why);
        }
        for (_, text) in env_files {
            for entry in dotenv::parse(text) {
                for value in std::iter::once(&entry.value).chain(&entry.written) {
                    let why = secrecy::of(&entry.name, value, config.min_length);
                    values.offer(config, &entry.name, value, why);
                }
            }
        }
        values
    }

    fn offer(&mut self, config: &Config, name: &str, value: &str, why: Secrecy) {
        let name = name.get(..LONGEST_NAME).unwrap_or(name);
        let why = match config.allow.iter().any(|allowed| allowed == value) {
            true => Secrecy::Allowed,
            false => why,
        };
        if why != Secrecy::Secret {
            let name = name.to_owned();
            self.skipped.push(Skipped { name, why });
            return;
        }
        let index = self.index(name);
        self.add(index, value);
        if let Some(password) = secrecy::url_password(value) {
            for text in [Some(password.to_owned()), percent_decoded(password)] {
                let text = text.filter(|text| text.chars().count() >= config.min_length);
                let allowed = |text: &String| config.allow.contains(text);
                if let Some(text) = text.filter(|text| !allowed(text)) {
                    self.add(index, &text);
                }
            }
        }
        // A tool that numbers or indents lines breaks a long value up.
        for line in value
            .lines()
            .map(str::trim)
            .filter(|_| value.contains('\n'))
        {
            if line.chars().count() >= LEAST_LINE && !line.starts_with("-----") {
                self.add(index, line);
            }
        }
    }

    fn index(&mut self, name: &str) -> usize {
        if let Some(&index) = self.by_name.get(name) {
            return index;
        }
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn add(&mut self, index: usize, text: &str) {
        if self.seen.insert(text.to_owned()) {
            self.texts.push((index, text.to_owned()));
        }
    }
}

/// The text with its `%XX` resolved, where that changes it.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let pair = tail
            .get(..2)
            .and_then(|pair| std::str::from_utf8(pair).ok());
        let decoded = pair.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (first, decoded) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|decoded| decoded != text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, expected: &[(&str, &str)]) {
        let config = Config {
            allow: vec!["allowed-value-1".to_owned()],
            ..Config::default()
        };
        let values = Values::collect(&config, &[("f".to_owned(), file.to_owned())], &|_| None);
        let found: Vec<_> = values
            .texts
            .iter()
            .map(|(index, text)| (values.names[*index].as_str(), text.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_value_once() {
        check(
            "A_KEY=abcdefgh1\nB_KEY=abcdefgh1\nC=8080\nD_KEY=allowed-value-1",
            &[("A_KEY", "abcdefgh1")],
        );
    }

    #[test]
    fn passwords_of_urls() {
        let url = "postgres://u:p%40ssword1@h/d";
        check(
            &format!("URL={url}"),
            &[("URL", url), ("URL", "p%40ssword1"), ("URL", "p@ssword1")],
        );
        check("URL=redis://:short@h", &[("URL", "redis://:short@h")]);
    }

    #[test]
    fn lines_of_long_values() {
        check(
            "PEM_KEY=\"-----BEGIN X-----\nMIIEvQIBADANBgkqhkiG\nshort\"",
            &[
                ("PEM_KEY", "-----BEGIN X-----\nMIIEvQIBADANBgkqhkiG\nshort"),
                ("PEM_KEY", "MIIEvQIBADANBgkqhkiG"),
            ],
        );
    }
}
