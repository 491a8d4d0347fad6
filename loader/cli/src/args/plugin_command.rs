//! A word that is no sub-command of the program: perhaps it is a plugin's.

use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};

use super::{Args, Command, Global, parser};

/// A sub-command that only a plugin can have.
#[derive(Debug)]
pub(crate) struct PluginCommand {
    /// Its name, and the words behind it.
    pub(crate) words: Vec<String>,
    /// What is wrong with the arguments if no plugin has it.
    pub(crate) otherwise: clap::Error,
}

/// The same arguments, with any word for a sub-command.
#[derive(Debug, Parser)]
#[command(disable_help_flag = true)]
struct Lenient {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Word,
}

#[derive(Debug, Subcommand)]
enum Word {
    #[command(external_subcommand)]
    Any(Vec<String>),
}

/// Reads the arguments of this process.
pub(crate) fn parse() -> Result<Args, clap::Error> {
    let parsed = parser()
        .try_get_matches()
        .and_then(|matches| Args::from_arg_matches(&matches));
    let otherwise = match parsed {
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => error,
        parsed => return parsed,
    };
    let Ok(lenient) = Lenient::try_parse() else {
        return Err(otherwise);
    };
    let Word::Any(words) = lenient.command;
    // What is unknown then is a word further on.
    if words.first().is_none_or(|name| is_own(name)) {
        return Err(otherwise);
    }
    Ok(Args {
        global: lenient.global,
        command: Command::OfPlugin(PluginCommand { words, otherwise }),
    })
}

/// Whether the program has a sub-command of this name itself.
pub(crate) fn is_own(name: &str) -> bool {
    parser()
        .get_subcommands()
        .any(|own| own.get_name() == name || own.get_all_aliases().any(|alias| alias == name))
}
