//! What a file or a symbol turns out to be that is not what a plugin has there.

use std::fmt;

/// What a file that is no binary looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextKind {
    /// It begins with `#!`.
    Script,
    /// A pointer that Git LFS left in place of the file.
    GitLfsPointer,
    /// A web page, as a failed download leaves it.
    WebPage,
    /// Any other text.
    Text,
}

impl fmt::Display for TextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Script => "a script",
            Self::GitLfsPointer => "a git-lfs pointer",
            Self::WebPage => "a web page",
            Self::Text => "a text file",
        })
    }
}

/// What the symbols of a library suggest that has no entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LooksLike {
    /// It exports `PyInit_…`.
    PythonModule(String),
    /// It exports `napi_register_module_…`.
    NodeModule(String),
    /// It exports a function by which other plugin systems enter.
    OtherPlugin(String),
    /// The entry point is in the symbol table, but not exported.
    HiddenEntryPoint,
}

impl LooksLike {
    pub(super) fn tail(this: Option<&Self>) -> String {
        match this {
            None => String::new(),
            Some(Self::PythonModule(symbol)) => {
                format!("; `{symbol}` makes it look like a Python extension module")
            }
            Some(Self::NodeModule(symbol)) => {
                format!("; `{symbol}` makes it look like a Node.js native module")
            }
            Some(Self::OtherPlugin(symbol)) => {
                format!("; `{symbol}` makes it look like a plugin of another system")
            }
            Some(Self::HiddenEntryPoint) => "; the symbol is in the library, but hidden".to_owned(),
        }
    }
}

/// What the entry point is, instead of data in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryFault {
    /// Imported, not defined.
    Undefined,
    /// In memory that begins as zeros.
    ZeroFilled,
    /// At an address that no part of the file is loaded to.
    OutsideFile,
    /// A function, or another thing that is not data.
    NotData,
}

impl fmt::Display for EntryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Undefined => "imported, not defined",
            Self::ZeroFilled => "zero-filled memory (.bss)",
            Self::OutsideFile => "at an address outside the file",
            Self::NotData => "code, not data",
        })
    }
}
