//! The closed sets of words a manifest may use.

use std::fmt;

/// Declares an enum over words, with reading and writing.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal $(| $alias:literal)*,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// The words that are accepted, for messages.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Reads the word, whatever its case and the white space around it.
            pub fn parse(word: &str) -> Option<Self> {
                match word.trim().to_lowercase().as_str() {
                    $($word $(| $alias)* => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word itself.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// What sort of plugin a manifest describes.
    Kind {
        /// An ordinary plugin; the default.
        Standalone = "standalone",
        /// A backend of a built-in tool; loaded without opt-in when bundled.
        Backend = "backend",
        /// One of a category of which one is selected elsewhere; never loaded here.
        Exclusive = "exclusive",
        /// A gateway platform; loaded without opt-in when bundled.
        Platform = "platform",
        /// A model provider; never loaded here.
        ModelProvider = "model-provider",
    }
}

words! {
    /// What a plugin is for.
    Role {
        /// It decides what may happen: its handlers fail closed.
        Guard = "guard",
        /// It changes what passes through.
        Transform = "transform",
        /// It only watches.
        Observer = "observer",
    }
}

words! {
    /// What a deciding handler's fault means.
    OnFailure {
        /// The decision is made as if the handler had passed.
        Open = "open",
        /// The decision is no.
        Closed = "closed",
    }
}

words! {
    /// Where a plugin's code runs.
    Isolation {
        /// In the host's own process; the default.
        InProcess = "none" | "in-process",
        /// In a child process, which may crash, hang or exit.
        Process = "process",
    }
}
