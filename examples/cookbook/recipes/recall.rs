//! Finds the notes that have to do with what the user says, and gives them to the model.
//!
//! **Hook**: `pre_llm_call`, once per turn. What it returns is appended to this turn's user message, never to
//! the system prompt, and is not stored: a note that is deleted is forgotten.
//!
//! **Why**: an agent that remembers without a database. A note is a text file; a person may write it, read it,
//! and throw it away.
//!
//! **Switch on**: `hermes plugins install … --enable`, and put `*.md` or `*.txt` files of at most 16 KiB into
//! `notes/` of the plugin's data directory. Notes that changed are read again, the others are not.
//!
//! ```yaml
//! plugins:
//!   entries:
//!     recall:
//!       config:
//!         notes_dir: /home/me/notes   # instead of `notes/` of the data directory
//!         max_notes: 3                # given to the model at most
//!         max_chars: 1500             # of each
//!         min_words: 2                # words a note must share with the message
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use hermes_cookbook::{cut, message_text};
use hermes_plugin_api::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    notes_dir: Option<PathBuf>,
    max_notes: usize,
    max_chars: usize,
    min_words: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            notes_dir: None,
            max_notes: 3,
            max_chars: 1500,
            min_words: 2,
        }
    }
}

/// More files than this are not looked at, and no file that is larger: all notes are in memory.
const MOST_NOTES: usize = 500;
const LARGEST_NOTE: u64 = 16 << 10;
/// Of a message, so that a pasted log does not match everything.
const MESSAGE_CHARS: usize = 4000;

/// In almost every sentence, so no sign of anything.
const EMPTY_WORDS: [&str; 24] = [
    "and", "are", "but", "can", "for", "from", "has", "have", "how", "into", "not", "our", "that",
    "the", "then", "there", "this", "was", "what", "when", "which", "will", "with", "you",
];

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(2).is_some())
        .map(str::to_lowercase)
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()))
        .collect()
}

struct Note {
    version: (Option<SystemTime>, u64),
    words: BTreeSet<String>,
    text: String,
}

/// What was read of the directory so far.
#[derive(Default)]
struct Notes(BTreeMap<PathBuf, Note>);

impl Notes {
    /// Reads what is new, and forgets what is gone.
    fn refresh(&mut self, dir: &Path) -> io::Result<()> {
        let entries = match fs::read_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.0.clear();
                return Ok(());
            }
            entries => entries?,
        };
        let mut seen = BTreeSet::new();
        for entry in entries.take(MOST_NOTES) {
            let path = entry?.path();
            let is_note = path
                .extension()
                .is_some_and(|kind| kind == "md" || kind == "txt");
            // A file that goes away in this moment is no note any more.
            let Ok(facts) = fs::metadata(&path) else {
                continue;
            };
            if !is_note || !facts.is_file() || facts.len() > LARGEST_NOTE {
                continue;
            }
            let version = (facts.modified().ok(), facts.len());
            if self.0.get(&path).is_none_or(|note| note.version != version) {
                let Ok(bytes) = fs::read(&path) else { continue };
                let text = String::from_utf8_lossy(&bytes).trim().to_owned();
                let note = Note {
                    version,
                    words: words(&text),
                    text,
                };
                self.0.insert(path.clone(), note);
            }
            seen.insert(path);
        }
        self.0.retain(|path, _| seen.contains(path));
        Ok(())
    }

    /// The best matches, best first; among equals the order of their names.
    fn matching(&self, message: &str, config: &Config) -> Vec<(&Path, &str)> {
        let wanted = words(cut(message, MESSAGE_CHARS).0);
        let mut found: Vec<_> = self
            .0
            .iter()
            .map(|(path, note)| (note.words.intersection(&wanted).count(), path, note))
            .filter(|(shared, ..)| *shared >= config.min_words.max(1))
            .collect();
        found.sort_by_key(|(shared, ..)| std::cmp::Reverse(*shared));
        found
            .into_iter()
            .take(config.max_notes)
            .map(|(_, path, note)| (path.as_path(), cut(&note.text, config.max_chars).0))
            .collect()
    }
}

fn register(ctx: &mut Context) -> Result<(), Error> {
    let config: Config = ctx.config()?;
    let dir = match &config.notes_dir {
        Some(dir) => dir.clone(),
        None => ctx.data_dir()?.join("notes"),
    };
    let notes = Mutex::new(Notes::default());
    ctx.on(PreLlmCall, move |turn| -> Result<ContextPiece, Error> {
        let Some(message) = message_text(&turn.user_message()) else {
            return Ok(ContextPiece::NONE);
        };
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes
            .refresh(&dir)
            .map_err(|error| Error::new(format!("{}: {error}", dir.display())))?;
        let found = notes.matching(&message, &config);
        if found.is_empty() {
            return Ok(ContextPiece::NONE);
        }
        let mut text = "Notes from earlier that may matter here:".to_owned();
        for (path, note) in found {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            text = format!("{text}\n\n[{name}]\n{note}");
        }
        Ok(ContextPiece::append(text))
    });
    Ok(())
}

hermes_plugin!(
    register,
    name = "recall",
    description = "Adds the notes that match what the user says.",
    hooks = ["pre_llm_call"]
);
