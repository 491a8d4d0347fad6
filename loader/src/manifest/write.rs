//! Writes a manifest, for a library that came without one.

use super::{Kind, Manifest};
use crate::config::yaml::quote::{quoted, scalar};

impl Manifest {
    /// The manifest as the text of a `plugin.yaml`: what is set, in a fixed order.
    ///
    /// `version` and `description` are always in quotes, so that a version stays text.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: String| {
            out.push_str(key);
            out.push_str(": ");
            out.push_str(&value);
            out.push('\n');
        };
        let set = |text: &str| (!text.is_empty()).then(|| quoted(text));
        let named = [
            ("version", &self.version),
            ("description", &self.description),
            ("author", &self.author),
        ];
        line("name", scalar(&self.name));
        for (key, text) in named {
            set(text).into_iter().for_each(|value| line(key, value));
        }
        if self.kind != Kind::Standalone {
            line("kind", self.kind.to_string());
        }
        if let Some(label) = &self.label {
            line("label", quoted(label));
        }
        if let Some(library) = &self.library {
            line("library", scalar(&library.to_string_lossy()));
        }
        if let Some(role) = self.role {
            line("role", role.to_string());
        }
        if let Some(on_failure) = self.on_failure {
            line("on_failure", on_failure.to_string());
        }
        if let Some(isolation) = self.isolation {
            line("isolation", isolation.to_string());
        }
        for (key, items) in [
            ("provides_hooks", &self.provides_hooks),
            ("provides_tools", &self.provides_tools),
        ] {
            if !items.is_empty() {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                line(key, format!("[{}]", items.join(", ")));
            }
        }
        out
    }
}
