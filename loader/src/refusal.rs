//! Why a plugin does not load: a closed set of reasons, each with one sentence and one cure.

use std::path::PathBuf;

use hermes_plugin_api::abi::host::Failed;

use crate::fault::{one_line, place};
use crate::inspect::InspectError;
use crate::manifest::ManifestError;
use crate::permissions::PermissionError;
use crate::report::suggest;
use crate::staging::StageError;

/// What kept a checked library from becoming a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The directory holds no library.
    #[error("no library in {}: looked for {}", dir.display(), names(wanted))]
    NoLibrary {
        /// The plugin's directory.
        dir: PathBuf,
        /// What was looked for.
        wanted: Vec<PathBuf>,
    },
    /// The directory holds several libraries.
    #[error("several libraries in {}, none named after the plugin: {}", dir.display(), names(found))]
    SeveralLibraries {
        /// The plugin's directory.
        dir: PathBuf,
        /// What is there.
        found: Vec<PathBuf>,
    },
    /// The manifest and the library disagree.
    #[error("the manifest calls it `{manifest}`, the library calls itself `{library}`")]
    NameMismatch {
        /// The manifest's word.
        manifest: String,
        /// The library's word.
        library: String,
    },
    /// It cannot do without a hook or field that this host does not have.
    #[error("needs `{needed}`, which this host (catalogue revision {revision}) does not have")]
    RequiresHook {
        /// `hook` or `hook.field`.
        needed: String,
        /// The host's catalogue revision.
        revision: u32,
    },
    /// It cannot do without an extension interface that this host does not have, or has otherwise.
    #[error("needs the extension interface `{needed}`: {why}")]
    RequiresExtension {
        /// Its name and revision.
        needed: String,
        /// Why it is not there.
        why: String,
    },
    /// It may only run in a process of its own, and this host runs plugins in its own.
    #[error("its isolation is `{wanted}`, and this host runs plugins in its own process only")]
    Isolation {
        /// What the manifest or config asks for.
        wanted: String,
    },
    /// The system would not map it.
    #[error("the system cannot open it: {text}")]
    Open {
        /// The system's words.
        text: String,
    },
    /// What is in memory is not what was in the file.
    #[error("its entry point in memory differs from the one in the file")]
    HeaderDiffers,
    /// `create` failed.
    #[error("its `create` failed: {text}{at}")]
    Create {
        /// The plugin's words, on one line.
        text: String,
        /// ` (at file:line)`, or nothing.
        at: String,
    },
    /// `register` failed; nothing it registered is kept.
    #[error("its `register` failed: {text}{at}")]
    Register {
        /// The plugin's words, on one line.
        text: String,
        /// ` (at file:line)`, or nothing.
        at: String,
    },
    /// It declares hooks that it does not register.
    #[error("declares hooks that it does not register: {}", hooks.join(", "))]
    NotRegistered {
        /// The hooks.
        hooks: Vec<String>,
    },
    /// It is a guard, and nothing it registered is ever fired.
    #[error("is a guard that guards nothing: {}", never_fired(hooks))]
    GuardsNothing {
        /// The hooks it registered for.
        hooks: Vec<String>,
    },
    /// A tool of its would take the place of another, and it may not do that.
    #[error("its tool `{tool}` replaces one that is {owner}, and it is not allowed to")]
    ToolOverride {
        /// The tool.
        tool: String,
        /// Whose is there.
        owner: String,
        /// What the plugin's entry is called.
        key: String,
    },
    /// The loader's own thread is gone.
    #[error("the loader's thread could not be started")]
    NoThread,
}

fn never_fired(hooks: &[String]) -> String {
    if hooks.is_empty() {
        return "it registers for no hook".to_owned();
    }
    let named = |hook: &String| match suggest(hook) {
        Some(meant) => format!("`{hook}` (did you mean `{meant}`?)"),
        None => format!("`{hook}`"),
    };
    let named: Vec<_> = hooks.iter().map(named).collect();
    format!("this host never fires {}", named.join(", "))
}

fn names(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths
        .iter()
        .map(|path| {
            format!(
                "`{}`",
                path.file_name().unwrap_or_default().to_string_lossy()
            )
        })
        .collect();
    names.join(", ")
}

/// ` (at file:line)`, or nothing.
fn at(failed: &Failed) -> String {
    let place = place(failed);
    if place.is_empty() {
        place
    } else {
        format!(" (at {place})")
    }
}

impl LoadError {
    pub(crate) fn create(failed: &Failed) -> Self {
        Self::Create {
            text: one_line(&failed.text),
            at: at(failed),
        }
    }

    pub(crate) fn register(failed: &Failed) -> Self {
        Self::Register {
            text: one_line(&failed.text),
            at: at(failed),
        }
    }

    /// The stable word for it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLibrary { .. } => "no_library",
            Self::SeveralLibraries { .. } => "several_libraries",
            Self::NameMismatch { .. } => "name_mismatch",
            Self::RequiresHook { .. } => "requires_hook",
            Self::RequiresExtension { .. } => "requires_extension",
            Self::Isolation { .. } => "isolation",
            Self::Open { .. } => "open",
            Self::HeaderDiffers => "header_differs",
            Self::Create { .. } => "create",
            Self::Register { .. } => "register",
            Self::NotRegistered { .. } => "not_registered",
            Self::GuardsNothing { .. } => "guards_nothing",
            Self::ToolOverride { .. } => "tool_override",
            Self::NoThread => "no_thread",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> String {
        match self {
            Self::NoLibrary { .. } => "build the plugin and copy its library there, or name it with `library:` in plugin.yaml".into(),
            Self::SeveralLibraries { .. } => "name the right one with `library:` in plugin.yaml, or remove the others".into(),
            Self::NameMismatch { library, .. } => format!("set `name: {library}` in plugin.yaml, or put the right library there"),
            Self::RequiresHook { .. } => "update the host, or use an older version of the plugin".into(),
            Self::RequiresExtension { .. } => "rebuild the plugin against this host's hermes-plugin-api, or update the host".into(),
            Self::Isolation { .. } => "remove `isolation:` from plugin.yaml and config.yaml if you trust the plugin in the agent's process".into(),
            Self::Open { text } if text.contains("static TLS") => {
                "build it without an initial-exec TLS allocator (`disable_initial_exec_tls`, `local_dynamic_tls`)".into()
            }
            Self::Open { .. } => "install what the message says is missing, or rebuild the plugin on this machine".into(),
            Self::HeaderDiffers => "rebuild the plugin; if that does not help, report it to its author".into(),
            Self::Create { .. } | Self::Register { .. } => {
                "see the message; mostly it is the plugin's configuration in `plugins.entries`, else its author's matter".into()
            }
            Self::NotRegistered { .. } => {
                "the plugin's author: add `use the_crate as _;` for the crate that declares them, or drop them from `hooks = [...]`".into()
            }
            Self::GuardsNothing { hooks } => {
                match hooks.iter().find_map(|hook| suggest(hook)) {
                    Some(meant) => format!("the plugin's author: register for `{meant}`; if it is no guard, take `role: guard` away"),
                    None => "the plugin's author: register for a hook that this host fires; if it is no guard, take `role: guard` away".into(),
                }
            }
            Self::ToolOverride { key, .. } => format!(
                "set `plugins.entries.{key}.allow_tool_override: true` in config.yaml if you want it to, else disable the plugin"
            ),
            Self::NoThread => "free some memory or threads, and start again".into(),
        }
    }
}

/// Why a plugin does not load, whichever step refused it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Its manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Its file: permissions, kind, place.
    #[error(transparent)]
    Permission(#[from] PermissionError),
    /// The library's bytes.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The private copy.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// Opening and registering.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl Refusal {
    /// The stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Manifest(error) => error.code(),
            Self::Permission(error) => error.code(),
            Self::Inspect(error) => error.code(),
            Self::Stage(error) => error.code(),
            Self::Load(error) => error.code(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> String {
        match self {
            Self::Manifest(error) => error.cure(),
            Self::Permission(error) => error.cure(),
            Self::Inspect(error) => error.cure(),
            Self::Stage(error) => error.cure(),
            Self::Load(error) => error.cure(),
        }
    }
}
