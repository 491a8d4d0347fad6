//! Commands and skills as a plugin describes them, read once for the loader and for `testing`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Where a command is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CommandKind {
    /// In a session, behind a `/`.
    Slash,
    /// In a terminal, behind the program's name.
    Cli,
}

/// A command that a plugin offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOffer {
    /// Where it is typed.
    pub kind: CommandKind,
    /// Its name, as it is looked up.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// What may follow it (slash), or how it is used (cli).
    pub hint: String,
}

/// A command as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CommandInfo {
    /// Whose.
    pub plugin: String,
    /// Where it is typed.
    pub kind: CommandKind,
    /// Its name.
    pub name: String,
    /// One line about it.
    pub description: String,
    /// What may follow it (slash), or how it is used (cli).
    pub hint: String,
}

/// A skill as lists show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkillInfo {
    /// Whose.
    pub plugin: String,
    /// What it is asked for by: `<plugin>:<name>`.
    pub name: String,
    /// Where it is. It is only ever read.
    pub path: PathBuf,
    /// One line about it.
    pub description: String,
}

/// The slash commands that a host has itself unless it says otherwise: Hermes Agent's.
pub const BUILTIN_COMMANDS: &[&str] = &[
    "agents",
    "approve",
    "background",
    "branch",
    "browser",
    "clear",
    "commands",
    "compress",
    "config",
    "copy",
    "cron",
    "debug",
    "deny",
    "exit",
    "fast",
    "gateway",
    "goal",
    "help",
    "history",
    "image",
    "insights",
    "model",
    "new",
    "paste",
    "personality",
    "platforms",
    "plugins",
    "profile",
    "provider",
    "queue",
    "quit",
    "reasoning",
    "reload",
    "reload-mcp",
    "reset",
    "restart",
    "resume",
    "retry",
    "rollback",
    "save",
    "sethome",
    "skills",
    "skin",
    "snapshot",
    "status",
    "statusbar",
    "steer",
    "stop",
    "title",
    "tools",
    "toolsets",
    "undo",
    "update",
    "usage",
    "verbose",
    "voice",
    "yolo",
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Described {
    name: String,
    description: Option<String>,
    args_hint: Option<String>,
    help: Option<String>,
    path: Option<PathBuf>,
}

impl CommandOffer {
    /// Reads a description.
    ///
    /// # Errors
    /// Why the command is ignored.
    pub fn read(kind: CommandKind, description: &str) -> Result<Self, String> {
        let described: Described = serde_json::from_str(description)
            .map_err(|error| format!("a command is a JSON object with a `name`: {error}"))?;
        let name = command_name(&described.name);
        if name.is_empty() {
            return Err("a command without a name".to_owned());
        }
        if kind == CommandKind::Cli && name.starts_with('-') {
            return Err(format!(
                "the command `{name}` could not be told from an option"
            ));
        }
        let hint = match kind {
            CommandKind::Slash => described.args_hint,
            CommandKind::Cli => described.help,
        };
        Ok(Self {
            kind,
            name,
            description: described.description.unwrap_or_default(),
            hint: hint.unwrap_or_default(),
        })
    }
}

impl CommandOffer {
    /// As lists show it.
    #[must_use]
    pub fn info(&self, plugin: &str) -> CommandInfo {
        CommandInfo {
            plugin: plugin.to_owned(),
            kind: self.kind,
            name: self.name.clone(),
            description: self.description.clone(),
            hint: self.hint.clone(),
        }
    }

    /// Whether this is the command that is looked for. Where users cannot type a `-`, they type `_`.
    #[must_use]
    pub fn is_named(&self, kind: CommandKind, name: &str) -> bool {
        self.kind == kind && (self.name == name || self.name == name.replace('_', "-"))
    }
}

/// A command's name as it is registered: lower case, without white space around it, without the `/` it
/// is typed with, and with `-` for blanks.
#[must_use]
pub fn command_name(name: &str) -> String {
    let name = name.to_lowercase();
    name.trim().trim_start_matches('/').replace(' ', "-")
}

/// A read-only skill that a plugin offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillOffer {
    /// Its name, without the plugin's.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// One line about it.
    pub description: String,
}

impl SkillOffer {
    /// Reads a description. A relative path begins in `dir`, the plugin's directory, if it has one.
    ///
    /// # Errors
    /// Why the skill is refused.
    pub fn read(description: &str, dir: Option<&Path>) -> Result<Self, String> {
        let described: Described = serde_json::from_str(description)
            .map_err(|error| format!("a skill is a JSON object with `name` and `path`: {error}"))?;
        let name = described.name;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "skill `{name}`: expected a name of letters, digits, `_` and `-`"
            ));
        }
        let path = described.path.unwrap_or_default();
        if path.as_os_str().is_empty() {
            return Err(format!("skill `{name}`: expected a path, found none"));
        }
        let path = match dir {
            Some(dir) => dir.join(path),
            None if path.is_absolute() => path,
            None => {
                let path = path.display();
                return Err(format!(
                    "skill `{name}`: `{path}` begins in no directory, since the plugin is linked in and has none"
                ));
            }
        };
        if !path.exists() {
            return Err(format!(
                "skill `{name}`: there is nothing at {}",
                path.display()
            ));
        }
        Ok(Self {
            name,
            path,
            description: described.description.unwrap_or_default(),
        })
    }

    /// As lists show it.
    #[must_use]
    pub fn info(&self, plugin: &str) -> SkillInfo {
        SkillInfo {
            plugin: plugin.to_owned(),
            name: format!("{plugin}:{}", self.name),
            path: self.path.clone(),
            description: self.description.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_name(given: &str, expected: &str) {
        assert_eq!(command_name(given), expected, "{given:?}");
    }

    #[test]
    fn names_are_normalised_as_hermes_does() {
        check_name("/My Cmd", "my-cmd");
        check_name("  HELP ", "help");
        check_name("//x", "x");
        check_name("a_b", "a_b");
        check_name("/", "");
        check_name("", "");
    }

    #[track_caller]
    fn check_skill(description: &str, expected: &str) {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = SkillOffer::read(description, Some(dir));
        let said = read.map_or_else(|why| why, |skill| skill.name);
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_skill_has_a_plain_name_and_a_path_that_exists() {
        check_skill(r#"{"name":"a-B_1","path":"Cargo.toml"}"#, "a-B_1");
        check_skill(
            r#"{"name":"a b","path":"Cargo.toml"}"#,
            "expected a name of letters",
        );
        check_skill(
            r#"{"name":"","path":"Cargo.toml"}"#,
            "expected a name of letters",
        );
        check_skill(r#"{"name":"a","path":"none.md"}"#, "there is nothing at");
        check_skill(r#"{"name":"a"}"#, "expected a path");
        check_skill("[", "a JSON object");
        let linked = SkillOffer::read(r#"{"name":"a","path":"b"}"#, None);
        assert!(linked.is_err_and(|why| why.contains("linked in")));
    }
}
