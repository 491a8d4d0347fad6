//! The arguments of a program, told apart into options and operands as GNU programs do.

use crate::shell::Word;

/// Which options of a program take a value.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Valued {
    pub(crate) short: &'static str,
    pub(crate) long: &'static [&'static str],
}

/// Parsed arguments.
#[derive(Debug, Default)]
pub(crate) struct Options<'a> {
    short: Vec<(char, Option<&'a str>)>,
    long: Vec<(&'a str, Option<&'a str>)>,
    pub(crate) operands: Vec<&'a Word>,
    /// How many words came before the first operand.
    pub(crate) leading: usize,
}

impl<'a> Options<'a> {
    /// Options and operands in any order, up to `--`.
    pub(crate) fn parse(words: &'a [Word], valued: Valued) -> Self {
        Self::read(words, valued, false)
    }

    /// Options up to the first operand: for programs that run another.
    pub(crate) fn leading(words: &'a [Word], valued: Valued) -> Self {
        Self::read(words, valued, true)
    }

    fn read(words: &'a [Word], valued: Valued, stop: bool) -> Self {
        let mut found = Self::default();
        let mut rest = words.iter().enumerate();
        while let Some((index, word)) = rest.next() {
            let text = word.text.as_str();
            if text == "--" {
                found.leading = found.leading.max(index + 1);
                found.operands.extend(rest.map(|(_, word)| word));
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None if valued.long.contains(&long) => {
                        (long, rest.next().map(|(_, word)| word.text.as_str()))
                    }
                    None => (long, None),
                };
                found.long.push((name, value));
            } else if let Some(cluster) = text.strip_prefix('-').filter(|c| !c.is_empty()) {
                for (at, letter) in cluster.char_indices() {
                    if valued.short.contains(letter) {
                        let attached = cluster.get(at + letter.len_utf8()..);
                        let value = match attached.filter(|a| !a.is_empty()) {
                            Some(attached) => Some(attached),
                            None => rest.next().map(|(_, word)| word.text.as_str()),
                        };
                        found.short.push((letter, value));
                        break;
                    }
                    found.short.push((letter, None));
                }
            } else {
                if stop {
                    found.leading = index;
                    found.operands.push(word);
                    found.operands.extend(rest.map(|(_, word)| word));
                    return found;
                }
                found.operands.push(word);
                continue;
            }
            if found.operands.is_empty() {
                found.leading = rest.clone().next().map_or(words.len(), |(next, _)| next);
            }
        }
        found
    }

    pub(crate) fn has(&self, short: char) -> bool {
        self.short.iter().any(|&(letter, _)| letter == short)
    }

    /// The long option `name`, or an abbreviation of it of three letters or more.
    pub(crate) fn has_long(&self, name: &str) -> bool {
        self.long.iter().any(|&(given, _)| abbreviates(given, name))
    }

    /// Values of `-short` or `--name`.
    pub(crate) fn values(&self, short: char, name: &str) -> impl Iterator<Item = &'a str> {
        let short = self.short.iter().filter(move |&&(s, _)| s == short);
        let long = self
            .long
            .iter()
            .filter(move |&&(l, _)| abbreviates(l, name));
        short
            .filter_map(|&(_, value)| value)
            .chain(long.filter_map(|&(_, value)| value))
    }

    pub(crate) fn has_any(&self) -> bool {
        !self.short.is_empty() || !self.long.is_empty()
    }

    /// The operand at `index`, as text.
    pub(crate) fn operand(&self, index: usize) -> Option<&'a str> {
        self.operands.get(index).map(|word| word.text.as_str())
    }
}

fn abbreviates(given: &str, name: &str) -> bool {
    given == name || (given.len() >= 3 && name.starts_with(given))
}
