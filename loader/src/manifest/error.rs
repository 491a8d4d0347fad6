//! Why a manifest is refused.

use std::path::PathBuf;

/// Why a plugin's manifest is refused. It concerns that plugin only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The file is there, but cannot be read as text.
    #[error("{}: cannot be read: {detail}", path.display())]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What stood in the way.
        detail: String,
    },
    /// Not YAML.
    #[error("{}:{line}:{column}: not valid YAML: {detail}", path.display())]
    Syntax {
        /// The manifest.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
        /// The column, counted from one.
        column: usize,
        /// What the parser said.
        detail: String,
    },
    /// The top level is a list or a scalar.
    #[error("{}: expected a mapping at the top level, found {found}", path.display())]
    NotAMapping {
        /// The manifest.
        path: PathBuf,
        /// What was there.
        found: String,
    },
    /// The name cannot name a plugin.
    #[error("{}: `name`: expected {expected}, found {found}", path.display())]
    Name {
        /// The manifest.
        path: PathBuf,
        /// What was there.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// `library` is not a relative path inside the plugin's directory.
    #[error("{}: `library`: expected a relative path inside the plugin's directory, found {found}", path.display())]
    Library {
        /// The manifest.
        path: PathBuf,
        /// What was there.
        found: String,
    },
    /// A field takes one of a few words, and this is none of them.
    #[error("{}: `{key}`: expected one of {}, found {found}", path.display(), expected.join(", "))]
    Word {
        /// The manifest.
        path: PathBuf,
        /// The field.
        key: &'static str,
        /// What was there.
        found: String,
        /// The words that would do.
        expected: &'static [&'static str],
    },
    /// Written for a newer installer.
    #[error("{}: `manifest_version`: expected a whole number up to {}, found {found}", path.display(), super::MANIFEST_VERSION)]
    Version {
        /// The manifest.
        path: PathBuf,
        /// What was there.
        found: String,
    },
}

impl ManifestError {
    /// A stable name for this kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "manifest_unreadable",
            Self::Syntax { .. } => "manifest_syntax",
            Self::NotAMapping { .. } => "manifest_not_a_mapping",
            Self::Name { .. } => "manifest_name",
            Self::Library { .. } => "manifest_library",
            Self::Word { .. } => "manifest_word",
            Self::Version { .. } => "manifest_version",
        }
    }

    /// What to do about it.
    pub fn cure(&self) -> String {
        match self {
            Self::Unreadable { path, .. } => {
                format!("make {} a readable text file", path.display())
            }
            Self::Syntax { line, .. } => format!("correct line {line}, or the lines above it"),
            Self::NotAMapping { .. } => {
                "write fields such as `name: my-plugin`, one a line".to_owned()
            }
            Self::Name { .. } => {
                "write a name such as `name: my-plugin`, in quotes if it looks like a number, or \
                 drop the line to use the directory's name"
                    .to_owned()
            }
            Self::Library { .. } => {
                "write the file's path as seen from the directory of plugin.yaml, without `..`"
                    .to_owned()
            }
            Self::Word { key, expected, .. } => format!(
                "write `{key}: {}`, or drop the line",
                expected.first().copied().unwrap_or_default()
            ),
            Self::Version { .. } => {
                "use a release of the plugin made for this version of the installer".to_owned()
            }
        }
    }

    /// Where in the file it stands, where that is known.
    pub(crate) fn place(&self) -> crate::config::Place {
        let (path, position) = match self {
            Self::Syntax {
                path, line, column, ..
            } => (
                path,
                Some(crate::config::Position {
                    line: *line,
                    column: *column,
                }),
            ),
            Self::Unreadable { path, .. }
            | Self::NotAMapping { path, .. }
            | Self::Name { path, .. }
            | Self::Library { path, .. }
            | Self::Word { path, .. }
            | Self::Version { path, .. } => (path, None),
        };
        crate::config::Place {
            file: path.clone(),
            position,
            key: None,
        }
    }
}
